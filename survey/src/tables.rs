//! The documents' tables, made from the results of every machine.

use std::fmt::Write as _;

use crate::case::{Document, Group};
use crate::child::OR;
use crate::results::Results;

/// The whole text of a page.
pub fn page(document: &Document, machines: &[Results]) -> String {
    let mut text = format!(
        "*Measured* by the program `survey` of the crate's repository, on:\n\n{}\n\
         Each case ran in a process of its own. Where machines differ, a cell lists the answers by machine. \"Not measured\": \
         the machines lacked something that the case needs.\n",
        machine_table(machines),
    );
    for group in &document.groups {
        write!(text, "\n## {}\n\n{}\n\n{}", group.title, group.note, table(group, machines))
            .expect("a string can grow");
    }
    text + "\n<!-- Written by `cargo run -p survey -- --tables` from survey/results.json. Do not edit. -->\n"
}

/// A group's table. Where machines differ, a cell lists the answers and the machines that gave each.
pub fn table(group: &Group, machines: &[Results]) -> String {
    let labels = labels(machines);
    let mut text = format!("| {} |\n|{}\n", group.columns.join(" | "), "---|".repeat(group.columns.len()));
    for case in &group.cases {
        write!(text, "| {} |", escape(&case.name)).expect("a string can grow");
        for column in 0..group.columns.len() - 1 {
            let cells = machines.iter().zip(&labels).filter_map(|(results, label)| {
                let answer = results.answer(group.name, &case.name)?;
                Some((cell(answer, column, group.columns.len() - 1), label.as_str()))
            });
            write!(text, " {} |", escape(&merge(cells))).expect("a string can grow");
        }
        text.push('\n');
    }
    text
}

/// A column's part of an answer. After a crash there are no further parts.
fn cell(answer: &str, column: usize, columns: usize) -> &str {
    if columns == 1 || answer.contains(OR) {
        return if column == 0 { answer } else { "" };
    }
    answer.split("; ").nth(column).unwrap_or("")
}

/// Returns one text where all agree, and otherwise each text with its machines.
fn merge<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> String {
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
fn labels(machines: &[Results]) -> Vec<String> {
    let drivers_differ = machines.iter().any(|results| results.machine.driver != machines[0].machine.driver);
    let label = |results: &Results| {
        let machine = &results.machine;
        if drivers_differ { format!("{}, {}", machine.label(), machine.driver) } else { machine.label() }
    };
    machines.iter().map(label).collect()
}

fn machine_table(machines: &[Results]) -> String {
    let mut text = "| machine | driver | CUDA | Vulkan |\n|---|---|---|---|\n".to_owned();
    for machine in machines.iter().map(|results| &results.machine) {
        let cuda = format!("{}.{}", machine.cuda / 1000, machine.cuda % 1000 / 10);
        let vulkan = machine.vulkan.as_deref().unwrap_or("none");
        writeln!(text, "| {} | {} | {cuda} | {vulkan} |", machine.label(), machine.driver)
            .expect("a string can grow");
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::case::Case;
    use crate::groups;
    use crate::results::{Machine, read, text};

    fn group(columns: &'static [&'static str]) -> Vec<Group> {
        let cases = vec![Case::new("a", || Ok(())), Case::new("b", || Ok(()))];
        vec![Group { name: "sizes", title: "Title", note: "Note.", columns, repeatable: true, cases }]
    }

    fn results(gpu: &str, driver: &str, answers: &[(&str, &str)]) -> Results {
        let (gpu, driver) = (gpu.to_owned(), driver.to_owned());
        let machine = Machine { gpu, gpus: 1, driver, cuda: 13000, vulkan: None };
        let cases = answers.iter().map(|(case, answer)| ((*case).to_owned(), (*answer).to_owned())).collect();
        Results { machine, answers: BTreeMap::from([("sizes".to_owned(), cases)]) }
    }

    #[test]
    fn machines_that_agree_share_a_cell_and_others_do_not() {
        let machines = [
            results("H100", "1", &[("a", "works; open"), ("b", "works; closed")]),
            results("H200", "1", &[("a", "works; open"), ("b", "works; open")]),
            results("T4", "1", &[("a", "not measured: no Vulkan"), ("b", "crash SIGSEGV")]),
        ];
        let table = table(&group(&["size", "code", "descriptor"])[0], &machines);
        let expected = "\
| size | code | descriptor |
|---|---|---|
| a | works | open |
| b | H100, H200: works<br>T4: crash SIGSEGV | H100: closed<br>H200: open<br>T4:  |
";
        assert_eq!(table, expected);
    }

    #[test]
    fn the_driver_is_named_where_drivers_differ() {
        let machines = [results("H100", "1", &[("a", "x")]), results("H100", "2", &[("a", "y")])];
        let table = table(&group(&["size", "answer"])[0], &machines);
        assert!(table.contains("| a | H100, 1: x<br>H100, 2: y |"), "{table}");
        assert!(table.contains("| b | not measured |"), "{table}");
    }

    #[test]
    fn a_page_has_the_machines_and_every_group() {
        let machines = [results("H100", "1", &[("a", "x"), ("b", "p|q")])];
        let document = Document { path: "", groups: group(&["size", "answer"]) };
        let page = page(&document, &machines);
        assert!(page.contains("| H100 | 1 | 13.0 | none |\n"), "{page}");
        assert!(
            page.contains("## Title\n\nNote.\n\n| size | answer |\n|---|---|\n| a | x |\n| b | p\\|q |\n"),
            "{page}"
        );
    }

    /// The committed documents, from the committed results.
    #[test]
    fn the_documents_are_what_the_results_make() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let machines = read(&root.join("survey/results.json")).expect("the results can be read");
        for document in groups::documents() {
            let text = std::fs::read_to_string(root.join(document.path)).expect("the document can be read");
            let made = page(&document, &machines);
            assert!(made == text, "{} is out of date: run `cargo run -p survey -- --tables`", document.path);
        }
    }

    /// So that two versions of it can be compared line by line, and none was written by hand.
    #[test]
    fn the_results_are_as_this_program_writes_them() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results.json");
        let written = text(&read(&path).expect("the results can be read"));
        assert!(std::fs::read_to_string(path).expect("it was read before") == written);
    }

    #[test]
    fn names_of_groups_and_of_a_groups_cases_are_distinct() {
        let groups = groups::all();
        let mut names: Vec<String> = groups.iter().map(|group| group.name.to_owned()).collect();
        names.extend(
            groups
                .iter()
                .flat_map(|group| group.cases.iter().map(|case| format!("{}/{}", group.name, case.name))),
        );
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
