//! The table of sizes and offsets in docs/replace-declarations.md. Its rows have the names; the numbers are those that
//! the build script computes, and compares with clang's for each header.

use build_script::surface::model::{Model, Type};
use build_script::surface::type_layout::Layouts;
use test_support::layout::comparison;

use crate::embedded_file::PATH;

/// Returns the page with the numbers of each row: "| `CUuuid` | 16 | `bytes` 0 |".
pub fn update_size_table(page: &str) -> String {
    let bindings = &comparison::read(&crate::read_file(PATH));
    let head = "| struct | size | offsets |\n|---|---|---|\n";
    let (before, table) = page.split_once(head).expect("the page has the table");
    let mut text = format!("{before}{head}");
    let mut rows = table.split_inclusive('\n');
    for row in rows.by_ref().take_while(|row| row.starts_with("| ")) {
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let (size, _) = size_and_offset(bindings, names[0], "");
        let offsets =
            names[1..].iter().map(|path| format!("`{path}` {}", size_and_offset(bindings, names[0], path).1));
        text += &format!("| `{}` | {size} | {} |\n", names[0], offsets.collect::<Vec<_>>().join(", "));
    }
    text.push('\n');
    text.extend(rows);
    text
}

/// The size of a type, or of the field at a path in it, with its offset.
fn size_and_offset(bindings: &Model, root: &str, path: &str) -> (usize, usize) {
    let layouts = Layouts { model: bindings };
    let mut ty = &Type::Named(root.to_owned());
    let mut offset = 0;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        let record = bindings.record_of_name(&ty.to_string()).unwrap_or_else(|| panic!("{ty} has no fields"));
        let fields = layouts.computed_fields(record).unwrap_or_else(|error| panic!("{error}"));
        let field =
            fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("{root} has no {path}"));
        (ty, offset) = (field.ty, offset + field.offset);
    }
    (layouts.layout_of_type(ty).unwrap_or_else(|error| panic!("{error}")).size, offset)
}
