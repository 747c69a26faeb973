//! Generates the sizes and offsets in docs/replace-declarations.md. The page's rows name the structs and fields.

use test_support::layout::compilers;
use test_support::layout::facts::{FactKind, FactSubject, LayoutFact};
use test_support::layout::releases;

use crate::embedded_bindings_file::PATH;
use crate::repository_files::{read_file, replace_table_rows};

/// Returns the page with the numbers of each row: "| `CUuuid` | 16 | `bytes` 0 |".
pub fn update_size_table(page: &str) -> String {
    let head = "| struct | size | offsets |\n|---|---|---|\n";
    let (_, table) = page.split_once(head).expect("the page has the table");
    let rows = table.lines().take_while(|row| row.starts_with("| "));
    let names = Vec::from_iter(rows.map(|row| Vec::from_iter(row.split('`').skip(1).step_by(2))));
    let mut facts = Vec::new();
    let mut ask = |kind, name: &str, rust: String| {
        facts.push(LayoutFact { kind, about: FactSubject::Type(name.to_owned()), c: String::new(), rust });
    };
    for row in &names {
        ask(FactKind::Size, row[0], format!("size_of::<{}>()", row[0]));
        row[1..]
            .iter()
            .for_each(|path| ask(FactKind::Offset, path, format!("offset_of!({}, {path})", row[0])));
    }
    let directory = releases::test_directory("generator", "sizes");
    let mut numbers = compilers::ask_rustc(&facts, &read_file(PATH), &directory).into_iter();
    let mut next = || numbers.next().expect("each fact has a number");
    let mut text = String::new();
    for row in &names {
        let size = next();
        let offsets = Vec::from_iter(row[1..].iter().map(|path| format!("`{path}` {}", next())));
        text += &format!("| `{}` | {size} | {} |\n", row[0], offsets.join(", "));
    }
    replace_table_rows(page, head, &text)
}
