//! The documentation of fields, which stands above them in the bindings: field_docs.txt, read.
//!
//! Items are documented where src/ exports them. tests/bindings/docs.rs finds every item and field that has no documentation.

use std::collections::BTreeMap;

/// Unindented lines name types, lines with two spaces begin a field, and lines with more continue it.
const TEXT: &str = include_str!("field_docs.txt");

/// Returns the documentation of every field, by `type.field`.
pub fn read() -> BTreeMap<String, String> {
    let mut docs = BTreeMap::new();
    let (mut types, mut field) = ("", "");
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        let Some(line) = line.strip_prefix("  ") else {
            types = line;
            continue;
        };
        let text = match line.strip_prefix("  ") {
            Some(text) => format!(" {text}"),
            None => {
                let (name, text) = line.split_once(": ").expect("a field's line has its text");
                field = name;
                text.to_owned()
            }
        };
        for name in types.split(' ') {
            *docs.entry(format!("{name}.{field}")).or_insert_with(String::new) += &text;
        }
    }
    docs
}
