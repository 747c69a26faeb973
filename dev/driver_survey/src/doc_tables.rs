//! The rows of ANSWERS.md's tables, made from the results of every machine.

use std::fmt::Write as _;

use crate::groups::QuestionGroup;
use crate::results_file::MachineResults;
use crate::subprocess::OR_SEPARATOR;

/// The page with the tables, beside results.json. Text, headings and columns are the page's own.
pub const PAGE: &str = "ANSWERS.md";

/// Returns a page with its tables' rows written anew. A table stands below a comment that names its group.
pub fn update_tables(text: &str, groups: &[QuestionGroup], machines: &[MachineResults]) -> String {
    let mut page = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        page += line;
        page.push('\n');
        let name = line.strip_prefix("<!-- survey: ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some(name) = name else { continue };
        let (header, rule) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
        let (header, rows) = if name == "machines" {
            (header.to_owned(), machine_rows(machines))
        } else {
            let group = groups.iter().find(|group| group.name == name);
            let group = group.unwrap_or_else(|| panic!("no group is called {name}"));
            let parts = rule.matches('|').count() - 2;
            (table_head(header, group, machines), group_rows(group, parts, machines))
        };
        write!(page, "{header}\n{rule}\n{rows}").expect("a string can grow");
    }
    page
}

/// Returns a table's head. Its first cell names the machines that have an answer, unless all have.
fn table_head(header: &str, group: &QuestionGroup, machines: &[MachineResults]) -> String {
    let has_answer = |results: &MachineResults| {
        group.questions.iter().any(|question| results.answer_to(group.name, &question.name).is_some())
    };
    let labels = machine_labels(machines);
    let asked: Vec<&str> = machines
        .iter()
        .zip(&labels)
        .filter(|(results, _)| has_answer(results))
        .map(|(_, label)| &**label)
        .collect();
    let on =
        if asked.len() == machines.len() { String::new() } else { format!(" (on {})", asked.join(", ")) };
    let (first, rest) = header.split_once(" |").unwrap_or((header, ""));
    format!("{}{on} |{rest}", first.split(" (on ").next().unwrap_or(first))
}

/// Returns a group's rows, with each answer split into `parts` cells. A row has one answer of a function and all
/// questions that gave it. A question is called `function: what is different`, or has no function. Functions with equal
/// answers share their rows. Where machines differ, a cell lists the answers and the machines that gave each.
fn group_rows(group: &QuestionGroup, parts: usize, machines: &[MachineResults]) -> String {
    let labels = machine_labels(machines);
    let mut rows: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for question in &group.questions {
        let mut answer = String::new();
        for at in 0..parts {
            let cells = machines.iter().zip(&labels).filter_map(|(results, label)| {
                Some((answer_part(results.answer_to(group.name, &question.name)?, at, parts), label.as_str()))
            });
            write!(answer, " {} |", escape_bars(&merge_equal_cells(cells))).expect("a string can grow");
        }
        let at = question.name.split_once(": ").or(question.name.split_once(", "));
        let at = at.filter(|(function, _)| function.starts_with("cu"));
        let (function, what) = at.unwrap_or(("", &question.name));
        match rows.iter_mut().find(|row| row.0 == function && row.1 == answer) {
            Some((.., whats)) => whats.push(what),
            None => rows.push((function, answer, vec![what])),
        }
    }
    let mut shared: Vec<(String, String, Vec<&str>)> = Vec::new();
    for (function, answer, whats) in rows {
        match shared.iter_mut().find(|row| row.1 == answer && row.2 == whats) {
            Some((functions, ..)) => *functions += &format!(", {function}"),
            None => shared.push((function.to_owned(), answer, whats)),
        }
    }
    let row = |(function, answer, whats): &(String, String, Vec<&str>)| {
        let colon = if function.is_empty() { "" } else { ": " };
        format!("| {function}{colon}{} |{answer}\n", escape_bars(&whats.join("; ")))
    };
    shared.iter().map(row).collect()
}

/// Returns a part of an answer. After a crash there are no further parts.
fn answer_part(answer: &str, at: usize, parts: usize) -> &str {
    if parts == 1 || answer.contains(OR_SEPARATOR) {
        return if at == 0 { answer } else { "" };
    }
    answer.split("; ").nth(at).unwrap_or("")
}

/// Returns one text where all agree, and otherwise each text with its machines.
fn merge_equal_cells<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for (cell, label) in cells {
        match texts.iter_mut().find(|(text, _)| *text == cell) {
            Some((_, labels)) => labels.push(label),
            None => texts.push((cell, vec![label])),
        }
    }
    match &texts[..] {
        [] => "not measured".to_owned(),
        [(text, _)] => (*text).to_owned(),
        several => {
            let each = several.iter().map(|(text, labels)| format!("{}: {text}", labels.join(", ")));
            each.collect::<Vec<_>>().join("<br>")
        }
    }
}

/// Returns a label for each machine: the GPU, and the driver where drivers differ.
fn machine_labels(machines: &[MachineResults]) -> Vec<String> {
    let machines = || machines.iter().map(|results| &results.machine);
    let drivers_differ = machines().zip(machines().skip(1)).any(|(one, next)| one.driver != next.driver);
    machines()
        .map(|machine| if drivers_differ { machine.machine_key() } else { machine.machine_label() })
        .collect()
}

fn machine_rows(machines: &[MachineResults]) -> String {
    let row = |MachineResults { machine, .. }: &MachineResults| {
        let cuda = format!("{}.{}", machine.cuda / 1000, machine.cuda % 1000 / 10);
        let vulkan = machine.vulkan.as_deref().unwrap_or("none");
        format!("| {} | {} | {cuda} | {vulkan} |\n", machine.machine_label(), machine.driver)
    };
    machines.iter().map(row).collect()
}

fn escape_bars(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::groups;
    use crate::results_file::{file_text, published_results};

    #[test]
    fn the_page_has_the_committed_results() {
        let text = include_str!("../ANSWERS.md");
        let machines = published_results().expect("the results can be read");
        let made = update_tables(text, &groups::all_groups(), &machines);
        assert!(made == text, "out of date: run `cargo run -p cuda-external-survey -- --add`");
        for name in groups::all_groups().iter().map(|group| group.name).chain(["machines"]) {
            assert!(text.contains(&format!("<!-- survey: {name} -->\n|")), "there is no table of {name}");
        }
    }

    /// Two versions of the file can thus be compared line by line, and an edit by hand is noticed.
    #[test]
    fn the_results_are_as_this_program_writes_them() {
        let written = file_text(&published_results().expect("the results can be read"));
        assert!(include_str!("../results.json") == written);
    }

    #[test]
    fn names_of_groups_and_of_a_groups_questions_are_distinct() {
        let mut groups_seen = HashSet::new();
        for group in groups::all_groups() {
            assert!(groups_seen.insert(group.name), "{}", group.name);
            let mut seen = HashSet::new();
            for question in &group.questions {
                assert!(seen.insert(&question.name), "{}: {}", group.name, question.name);
            }
        }
    }
}
