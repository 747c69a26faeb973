//! docs/replace-declarations.md has the sizes and offsets that build/surface/layout.rs computes. Each run of the build
//! script compares these with clang's.

use build_script::layout::{Layout, Layouts};
use build_script::model::Type;
use libtest_mimic::Trial;

use crate::layout::{comparison, releases};
use crate::support;

pub fn all() -> Vec<Trial> {
    support::tests! { [] => sizes_of_the_page; }
}

/// The layout of a type, or of the field at a path in it, with its offset.
fn place(layouts: &Layouts<'_>, root: &str, path: &str) -> (usize, Layout) {
    let mut ty = &Type::Named(root.to_owned());
    let mut offset = 0;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        let record = layouts.model.records.iter().find(|record| record.name == ty.to_string());
        let fields =
            layouts.computed_fields(record.expect("it has fields")).unwrap_or_else(|error| panic!("{error}"));
        let field = fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no {path}"));
        (ty, offset) = (field.ty, offset + field.offset);
    }
    (offset, layouts.of(ty).unwrap_or_else(|error| panic!("{error}")))
}

const PAGE: &str = include_str!("../../../../docs/replace-declarations.md");

/// A row of the page: | `CUuuid` | 16 | `bytes` 0 |
fn sizes_of_the_page() {
    let bindings = comparison::read(releases::embedded());
    let layouts = Layouts { model: &bindings };
    let (_, table) = PAGE.split_once("| struct | size | offsets |\n|---|---|---|\n").expect("the table");
    let rows = table.lines().take_while(|line| !line.is_empty());
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split('`').collect()).collect();
    // Each struct that the family's functions take has a row, and each of its fields is in it.
    let is_taken = |name: &str| {
        let ends = ["_DESC", "_DESC_handle", "_PARAMS"].iter().any(|end| name.ends_with(end));
        let others = ["CUDA_ARRAY3D_DESCRIPTOR", "CUDA_MEMCPY2D", "CUmemAllocationProp", "CUmemAccessDesc"];
        (name.starts_with("CUDA_EXT") && ends) || others.contains(&name)
    };
    for record in bindings.records.iter().filter(|record| is_taken(&record.name)) {
        let row = rows.iter().find(|row| row[1] == record.name);
        let row = row.unwrap_or_else(|| panic!("{} has no row", record.name));
        for (field, _) in &record.fields {
            let is_in = row[3..].iter().any(|path| path.split('.').next() == Some(field));
            assert!(is_in, "{field} is not in {row:?}");
        }
    }
    for row in rows {
        let number = |at: usize| row[at].trim_matches([' ', ',', '|']).parse().ok();
        assert_eq!(number(2), Some(place(&layouts, row[1], "").1.size), "size in {row:?}");
        for at in (3..row.len() - 1).step_by(2) {
            assert_eq!(number(at + 1), Some(place(&layouts, row[1], row[at]).0), "{} in {row:?}", row[at]);
        }
    }
}
