//! The reports on the page of the rules are real.

use std::fs;

use crate::support::{self, CheckedProgramRun};

/// Asserts that the report below a rule of docs/check-rules.md is this run's, but for its numbers. A GPU's may differ.
#[track_caller]
pub fn assert_page_has_report(run: &CheckedProgramRun, rule: &str) {
    if support::is_real_driver() {
        return;
    }
    let page = fs::read_to_string(test_support::repository().join("docs/check-rules.md")).expect("a page");
    let section = page.split(&format!("\n### {rule}\n")).nth(1).unwrap_or_default();
    let report = section.lines().take(2).find_map(|line| line.strip_prefix("> `")).unwrap_or_default();
    let words = |text: &str| {
        let words = text.split_whitespace().filter(|word| *word != "=========");
        let known = words.map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "0" } else { word });
        Vec::from_iter(known.map(|word| word.trim_end_matches(['.', ':', '`']))).join(" ")
    };
    let (call, rest) = report.split_once(": ").unwrap_or_else(|| panic!("{rule} has no report on the page"));
    for part in rest.split(". ").chain([call]) {
        assert!(words(&run.stderr).contains(&words(part)), "the page: {part}\n{}", run.stderr);
    }
}
