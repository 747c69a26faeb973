//! Copies code from compiled files into the pages of docs/.
//!
//! `<!-- code: FILE "a".."b" "c" -->` above a block quotes a file's lines: those from one that begins with `a` to one
//! that begins with `b`, and then one that begins with `c`. A block of C quotes lines of comments without their `// `.

use std::fmt::Write as _;
use std::fs;

pub fn pages_with_code() -> Vec<String> {
    let entries = fs::read_dir(test_support::repository().join("docs")).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let pages = paths.filter(|path| path.extension() == Some("md".as_ref()));
    pages.map(|path| format!("docs/{}", path.file_name().unwrap_or_default().to_string_lossy())).collect()
}

pub fn update_code_quotes(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(text, "{line}");
        if let Some(what) = line.strip_prefix("<!-- code: ").and_then(|rest| rest.strip_suffix(" -->")) {
            let fence = lines.next().unwrap_or_default();
            assert!(lines.any(|line| line == "```"), "no block of code follows {line}");
            let _ = writeln!(text, "{fence}\n{}```", lines_to_quote(what, fence == "```c"));
        }
    }
    text
}

fn lines_to_quote(what: &str, is_in_comment: bool) -> String {
    let (file, parts) = what.split_once(' ').unwrap_or((what, ""));
    let source = crate::read_file(file);
    let uncommented = |line| str::trim_start(line).strip_prefix("// ").unwrap_or(line);
    let lines =
        Vec::from_iter(source.lines().map(|line| if is_in_comment { uncommented(line) } else { line }));
    let (mut text, mut next) = (String::new(), 0);
    let mut words = parts.split('"').skip(1);
    while let Some(start) = words.next() {
        let find = |from: usize, start: &str| {
            let at = lines[from..].iter().position(|line| line.trim_start().starts_with(start));
            from + at.unwrap_or_else(|| panic!("{what}: no line begins with {start:?}"))
        };
        let first = find(next, start);
        let last = match words.next() {
            Some("..") => {
                let last = find(first + 1, words.next().unwrap_or_default());
                words.next();
                last
            }
            _ => first,
        };
        if next > 0 {
            text += "// ...\n";
        }
        let part = &lines[first..=last];
        let indents =
            part.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len());
        let indent = indents.min().unwrap_or_default();
        for line in part {
            let _ = writeln!(text, "{}", line.get(indent..).unwrap_or_default());
        }
        next = last + 1;
    }
    text
}
