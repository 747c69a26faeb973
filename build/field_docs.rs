//! The documentation of fields, which the generator writes above them: build/field_docs.txt, read.
//!
//! Items are documented where src/ exports them. tests/bindings/docs.rs finds every item and field that has no documentation.

/// Unindented lines name types, lines with two spaces begin a field, and lines with more continue it.
const TEXT: &str = include_str!("field_docs.txt");

/// Returns the documentation of a field.
pub fn text(of_type: &str, field: &str) -> Option<String> {
    let mut lines = TEXT.lines().skip_while(|line| !names(line, of_type)).skip(1);
    let first = lines
        .by_ref()
        .take_while(|line| line.starts_with("  "))
        .find_map(|line| line.strip_prefix("  ")?.strip_prefix(field)?.strip_prefix(": "))?;
    let rest = lines.take_while(|line| line.starts_with("    ")).map(str::trim_start);
    Some(rest.fold(first.to_owned(), |text, line| text + " " + line))
}

/// Whether a line names this type.
fn names(line: &str, of_type: &str) -> bool {
    !line.starts_with([' ', '#']) && line.split(' ').any(|name| name == of_type)
}
