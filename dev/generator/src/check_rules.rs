//! docs/check-rules.md: the rules of cuda-external-check below the page's introduction.

use std::fmt::Write as _;

use cuda_external_check::rules::{RULES, RuleSource};

pub const PAGE: &str = "docs/check-rules.md";

/// The page with the rules.
pub fn with_rules(page: &str) -> String {
    let mut text = page.split("\n## ").next().unwrap_or_default().to_owned();
    let mut group = None;
    for row in RULES {
        if group.replace(row.group) != Some(row.group) {
            let _ = writeln!(text, "\n## {}\n", row.group.title());
        }
        let source = if row.source == RuleSource::Manual { "Manual" } else { "Measured" };
        let (id, sentence, remedy) = (row.id, row.description(), row.remedy);
        let _ = writeln!(text, "### {id}\n{sentence} *{source}.* **Remedy**: {remedy}");
    }
    text
}
