//! docs/check-rules.md: the rules of cuda-external-check below the page's introduction.

use std::fmt::Write as _;

use cuda_external_check::rules::{GROUPS, RULES, Source};

pub const PAGE: &str = "docs/check-rules.md";

/// The page with the rules.
pub fn with_rules(page: &str) -> String {
    let mut text = page.split("\n## ").next().unwrap_or_default().to_owned();
    for row in RULES {
        if let Some((_, group)) = GROUPS.iter().find(|(first, _)| *first == row.id) {
            let _ = writeln!(text, "\n## {group}\n");
        }
        let source = if row.source == Source::Manual { "Manual" } else { "Measured" };
        let (id, sentence, remedy) = (row.id, row.sentence, row.remedy);
        let _ = writeln!(text, "### {id}\n{sentence} *{source}.* **Remedy**: {remedy}");
    }
    text
}
