//! Generates the table of cuInit's results in docs/first-aid.md, with the remedies of `cuda-external-check --machine`.

use std::fmt::Write as _;

use cuda_external_check::machine_remedies::remedy_rows;

/// The line above the table whose rows this file generates.
const MARK: &str = "<!-- remedies -->\n";

/// Returns the page with a row for each remedy that explains a result. The page's first table has the results' names.
pub fn update_remedy_table(page: &str) -> String {
    let (before, rest) = page.split_once(MARK).expect("the page has the table");
    let (table, after) = rest.split_once("\n\n").expect("text follows the table");
    let mut text = format!("{before}{MARK}");
    table.lines().take(2).for_each(|line| writeln!(text, "{line}").expect("a string can grow"));
    for row in remedy_rows().filter(|row| !row.codes.is_empty()) {
        let name = |code: &u32| {
            let line = page.lines().find(|line| line.starts_with(&format!("| {code} |")));
            let name = line.and_then(|line| line.split('`').nth(1)).expect("the first table has each result");
            format!("{code} `{name}`")
        };
        let results = Vec::from_iter(row.codes.iter().map(name)).join(", ");
        // `{}` stands for details of one machine. `seen` loses those at its end, and an ellipsis replaces the others.
        let seen = row.seen.trim_end_matches(" ({})").trim_end_matches(": {} says {}").replace("{}", "…");
        let step = row.step.replace("{}", "…");
        writeln!(text, "| {results} | {seen} | {step} |").expect("a string can grow");
    }
    format!("{text}\n{after}")
}
