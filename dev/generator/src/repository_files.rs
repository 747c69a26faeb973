//! Reads the repository's files, and replaces rows of tables on pages.

pub fn read_file(file: &str) -> String {
    let path = test_support::repository().join(file);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub fn replace_table_rows(page: &str, head: &str, rows: &str) -> String {
    let (before, after) = page.split_once(head).unwrap_or_else(|| panic!("the page has no {head}"));
    let after: String = after.split_inclusive('\n').skip_while(|line| line.starts_with("| ")).collect();
    format!("{before}{head}{rows}{after}")
}
