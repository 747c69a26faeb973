//! Generates docs/check-rules.md: the rules of cuda-external-check, below the page's introduction.

use std::fmt::Write as _;

use cuda_external_check::rule_table::RULES;
use cuda_external_check::rules::{Rule, RuleSource};

pub fn update_rules(page: &str) -> String {
    // Where the check does not run, it has no rules.
    if RULES.is_empty() {
        return page.to_owned();
    }
    let mut text = page.split("\n## ").next().unwrap_or_default().to_owned();
    let mut group = None;
    for rule in RULES.iter() {
        if group.replace(rule.group) != Some(rule.group) {
            let _ = writeln!(text, "\n## {}\n", rule.group.title);
        }
        let (id, sentence, source, remedy) =
            (rule.id, rule.full_description(), rule_source_sentence(rule), rule.remedy);
        let _ = writeln!(text, "### {id}\n{sentence} {source} **Remedy**: {remedy}");
        // Keeps the example of a report, which the check's tests write below the rule.
        let below = page.split(&format!("\n### {id}\n")).nth(1).unwrap_or_default();
        for line in below.lines().skip(1).take_while(|line| line.starts_with("> ")) {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn rule_source_sentence(rule: &Rule) -> String {
    let place = rule.place;
    match rule.source {
        RuleSource::Manual => format!("*Manual*, `{place}`."),
        RuleSource::Guide => format!("*Guide*, {place}."),
        RuleSource::Vulkan => format!("*Vulkan*, {place}."),
        RuleSource::Measured => format!("*Measured*, {place}."),
        RuleSource::Note => format!("*Note*: {place}."),
    }
}
