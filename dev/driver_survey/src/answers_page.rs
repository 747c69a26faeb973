//! Reads the published answers from the tables of ANSWERS.md, and writes new answers into the tables.

use std::fmt::Write as _;

use crate::groups::QuestionGroup;
use crate::results_file::{MachineDescription, MachineResults};

/// The text of ANSWERS.md that this program was built with.
pub const PAGE: &str = include_str!("../ANSWERS.md");

const NOT_MEASURED: &str = "not measured";

/// A Markdown table of the page. `name` is in the comment above the table; `head` and `rule` are the first two lines.
struct AnswerTable<'p> {
    name: &'p str,
    head: &'p str,
    rule: &'p str,
    rows: Vec<Vec<&'p str>>,
}

impl<'p> AnswerTable<'p> {
    /// Reads the table below `line`, if `line` is the comment that names a table.
    fn read_table_below(line: &'p str, lines: &mut std::iter::Peekable<std::str::Lines<'p>>) -> Option<Self> {
        let name = line.strip_prefix("<!-- survey: ")?.strip_suffix(" -->")?;
        let (head, rule) = (lines.next()?, lines.next()?);
        let mut rows = Vec::new();
        while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
            rows.push(row[1..].split('|').map(str::trim).collect());
        }
        Some(Self { name, head, rule, rows })
    }

    /// Returns the number of columns into which the table splits an answer.
    fn answer_columns(&self) -> usize {
        self.rule.matches('|').count() - 2
    }

    /// Returns the cells with the answer to a question, or `None` if no row names the question.
    fn cells_of_question(&self, question: &str) -> Option<&[&'p str]> {
        let (function, what) = split_function_from_question(question);
        let row = self.rows.iter().find(|row| {
            let (functions, whats) = split_function_from_question(row[0]);
            functions.split(", ").any(|one| one == function) && whats.split("; ").any(|one| one == what)
        })?;
        Some(&row[1..=self.answer_columns()])
    }

    /// Returns the answers to one question, each with the index of the machine's label in `labels`.
    fn answers_to(&self, question: &str, labels: &[String]) -> Vec<(usize, String)> {
        let cells = self.cells_of_question(question).unwrap_or_default();
        let answer_of = |(at, label): (usize, &String)| {
            let parts = cells.iter().map(|cell| cell_text_for_machine(cell, label, labels));
            let answer = Vec::from_iter(parts.filter(|part| !part.is_empty())).join("; ");
            (!answer.is_empty() && answer != NOT_MEASURED).then_some((at, answer))
        };
        (0..).zip(labels).filter_map(answer_of).collect()
    }
}

/// Splits a question's name, such as `cuMemFree: null`, into function and case. The function may be empty.
fn split_function_from_question(name: &str) -> (&str, &str) {
    name.split_once(": ").filter(|(function, _)| function.starts_with("cu")).unwrap_or(("", name))
}

/// Returns a cell's part for one machine. The part is empty if the machine's answer is missing or has fewer parts.
fn cell_text_for_machine<'c>(cell: &'c str, label: &str, labels: &[String]) -> &'c str {
    let by_machine = cell.split("<br>").filter_map(|line| {
        let (names, part) = line.split_once(": ")?;
        let names = Vec::from_iter(names.split(" and "));
        names.iter().all(|name| labels.iter().any(|label| label == name)).then_some((names, part))
    });
    let mut by_machine = by_machine.peekable();
    match by_machine.peek() {
        None => cell,
        Some(_) => by_machine.find(|(names, _)| names.contains(&label)).map_or("", |(_, part)| part),
    }
}

pub fn read_page(page: &str, groups: &[QuestionGroup]) -> Vec<MachineResults> {
    let mut machines: Vec<MachineResults> = Vec::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(table) = AnswerTable::read_table_below(line, &mut lines) else { continue };
        if table.name == "machines" {
            let machine =
                |row: &Vec<&str>| MachineResults::new(MachineDescription::machine_from_table_cells(row));
            machines = table.rows.iter().map(machine).collect();
            continue;
        }
        let labels = machine_labels(&machines);
        for question in &find_group_section(groups, table.name).questions {
            for (at, answer) in table.answers_to(&question.name, &labels) {
                machines[at].add_answer(table.name, &question.name, answer);
            }
        }
    }
    machines
}

/// Returns the page with new rows in each survey table. The page's text, headings and columns stay.
pub fn write_page(page: &str, groups: &[QuestionGroup], machines: &[MachineResults]) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        let Some(table) = AnswerTable::read_table_below(line, &mut lines) else { continue };
        let rows = if table.name == "machines" {
            machines.iter().map(|results| results.machine.machine_table_row()).collect()
        } else {
            group_rows(find_group_section(groups, table.name), table.answer_columns(), machines)
        };
        text += &format!("{}\n{}\n{rows}", table.head, table.rule);
    }
    text
}

fn find_group_section<'g>(groups: &'g [QuestionGroup], name: &str) -> &'g QuestionGroup {
    groups.iter().find(|group| group.name == name).unwrap_or_else(|| panic!("no group is called {name}"))
}

/// Returns a group's rows, with each answer split into `columns` cells. A function's cases with equal answers share a
/// row, and functions with equal cases and answers share that row.
fn group_rows(group: &QuestionGroup, columns: usize, machines: &[MachineResults]) -> String {
    let labels = machine_labels(machines);
    let mut rows: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for question in &group.questions {
        let mut answer = String::new();
        for at in 0..columns {
            let parts = machines.iter().zip(&labels).filter_map(|(results, label)| {
                let answer = results.answer_to(group.name, &question.name)?;
                Some((split_answer_for_column(answer, at, columns), label.as_str()))
            });
            write!(answer, " {} |", merge_equal_parts(parts, machines.len())).expect("a string can grow");
        }
        let (function, what) = split_function_from_question(&question.name);
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
        format!("| {function}{colon}{} |{answer}\n", whats.join("; "))
    };
    shared.iter().map(row).collect()
}

/// Returns an answer's part for the column `at`. The last column has all remaining parts. A missing part is empty.
fn split_answer_for_column(answer: &str, at: usize, columns: usize) -> &str {
    answer.splitn(columns, "; ").nth(at).unwrap_or("")
}

/// Returns a cell's text: `NOT_MEASURED` if there are no parts, the part alone if all machines have it, or a line for
/// each part that is not empty.
fn merge_equal_parts<'a>(parts: impl Iterator<Item = (&'a str, &'a str)>, machines: usize) -> String {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for (part, label) in parts {
        match texts.iter_mut().find(|(text, _)| *text == part) {
            Some((_, labels)) => labels.push(label),
            None => texts.push((part, vec![label])),
        }
    }
    match &texts[..] {
        [] => NOT_MEASURED.to_owned(),
        [(text, labels)] if labels.len() == machines => (*text).to_owned(),
        several => {
            let lines = several.iter().filter(|(text, _)| !text.is_empty());
            Vec::from_iter(lines.map(|(text, labels)| format!("{}: {text}", labels.join(" and "))))
                .join("<br>")
        }
    }
}

/// Returns each machine's label: the GPUs, with the driver's version if the machines have different drivers.
fn machine_labels(machines: &[MachineResults]) -> Vec<String> {
    let machines = || machines.iter().map(|results| &results.machine);
    let drivers_differ = machines().zip(machines().skip(1)).any(|(one, next)| one.driver != next.driver);
    let label = |machine: &MachineDescription| {
        if drivers_differ { machine.machine_key() } else { machine.machine_label() }
    };
    machines().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups;
    use crate::results_file::add_results;

    #[test]
    fn the_page_is_what_is_written_from_its_answers() {
        let groups = groups::all_question_groups();
        let made = write_page(PAGE, &groups, &read_page(PAGE, &groups));
        assert!(made == PAGE, "out of date: run `cargo run -p cuda-external-survey -- --add`");
        for name in groups.iter().map(|group| group.name).chain(["machines"]) {
            assert!(PAGE.contains(&format!("<!-- survey: {name} -->\n|")), "there is no table of {name}");
        }
    }

    /// Also fails if two questions of a group have the same name, since the second answer would replace the first.
    #[test]
    fn every_answer_of_every_machine_is_read_back() {
        let groups = groups::all_question_groups();
        let mut machines = read_page(PAGE, &groups);
        for gpus in [1, 2] {
            let driver = "600.1".to_owned();
            let machine = MachineDescription { gpus, driver, ..machines[0].machine.clone() };
            add_results(&mut machines, MachineResults::new(machine));
        }
        let questions = groups
            .iter()
            .flat_map(|group| group.questions.iter().map(move |one| (group.name, one.name.as_str())));
        for (at, (group, question)) in questions.clone().enumerate() {
            machines[1].add_answer(group, question, format!("{question}; second; third; fourth"));
            machines[2].add_answer(group, question, ["hang", "code; crash SIGSEGV"][at % 2].to_owned());
            if at % 3 == 0 {
                machines[4].add_answer(group, question, "hang".to_owned());
            }
        }
        let read = read_page(&write_page(PAGE, &groups, &machines), &groups);
        assert_eq!(read.len(), machines.len());
        for (read, written) in read.iter().zip(&machines) {
            assert_eq!(read.machine, written.machine);
            for (group, question) in questions.clone() {
                let answers = [read, written].map(|results| results.answer_to(group, question));
                assert_eq!(answers[0], answers[1], "{group}: {question}: {:?}", read.machine);
            }
        }
    }
}
