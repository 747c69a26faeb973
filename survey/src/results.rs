//! The answers of all machines as one file, and what differs between two measurements.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::case::Group;
use crate::child::OR;

/// The version of the file's format. A program that does not know it refuses the file.
const SCHEMA: u32 = 2;

/// By group and case.
type Table<T> = BTreeMap<String, BTreeMap<String, T>>;

/// One machine's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    pub machine: Machine,
    pub answers: Table<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The first device's name.
    pub gpu: String,
    /// How many devices CUDA has.
    pub gpus: i32,
    /// The driver's own version, such as 580.159.04.
    pub driver: String,
    /// What cuDriverGetVersion returned.
    pub cuda: i32,
    /// The device's version of Vulkan, where Vulkan has the device.
    pub vulkan: Option<String>,
}

/// The file. Its keys are sorted, so that two versions of it can be compared line by line.
#[derive(Serialize, Deserialize)]
struct File {
    schema: u32,
    machines: BTreeMap<String, Machine>,
    answers: Table<Answer>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Answer {
    /// All machines gave the same answer.
    Same(String),
    /// By machine.
    Each(BTreeMap<String, String>),
}

/// Prefix of an unmeasured result.
pub const NOT_MEASURED: &str = "not measured: ";

impl Machine {
    /// What the file calls the machine.
    pub fn key(&self) -> String {
        format!("{}, {}", self.label(), self.driver)
    }

    /// What the tables call the machine.
    pub fn label(&self) -> String {
        let gpu = self.gpu.trim_start_matches("NVIDIA ");
        if self.gpus == 1 { gpu.to_owned() } else { format!("{} × {gpu}", self.gpus) }
    }
}

impl Results {
    /// The answer, if the machine gave one.
    pub fn answer(&self, group: &str, case: &str) -> Option<&str> {
        let answer = self.answers.get(group)?.get(case)?;
        (!answer.starts_with(NOT_MEASURED)).then_some(answer.as_str())
    }
}

/// Reads a file: machines with one GPU first, and by name. A file that does not exist has no machine.
pub fn read(path: &Path) -> Result<Vec<Results>, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    match fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|error| named(&error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(named(&error)),
    }
}

fn parse(text: &str) -> Result<Vec<Results>, String> {
    let File { schema, machines, answers } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("the file has schema {schema}, and this program reads {SCHEMA}"));
    }
    let of_machine = |(key, machine): (&String, &Machine)| {
        let own = |cases: &BTreeMap<String, Answer>| {
            let own = cases.iter().filter_map(|(case, answer)| match answer {
                Answer::Same(answer) => Some((case.clone(), answer.clone())),
                Answer::Each(answers) => Some((case.clone(), answers.get(key)?.clone())),
            });
            BTreeMap::from_iter(own)
        };
        let answers = answers.iter().map(|(group, cases)| (group.clone(), own(cases))).collect();
        Results { machine: machine.clone(), answers }
    };
    let mut all = Vec::from_iter(machines.iter().map(of_machine));
    all.sort_by_key(|results| (results.machine.gpus, results.machine.key()));
    Ok(all)
}

/// Returns the text of a file.
pub fn text(all: &[Results]) -> String {
    let mut answers = Table::<Answer>::new();
    for (group, cases) in all.iter().flat_map(|results| &results.answers) {
        for (case, first) in cases {
            let of = |results: &Results| {
                Some((results.machine.key(), results.answers.get(group)?.get(case)?.clone()))
            };
            let each: BTreeMap<_, _> = all.iter().filter_map(of).collect();
            let same = each.len() == all.len() && each.values().all(|answer| answer == first);
            let answer = if same { Answer::Same(first.clone()) } else { Answer::Each(each) };
            answers.entry(group.clone()).or_default().insert(case.clone(), answer);
        }
    }
    let machines = all.iter().map(|results| (results.machine.key(), results.machine.clone())).collect();
    let file = File { schema: SCHEMA, machines, answers };
    serde_json::to_string_pretty(&file).expect("every key is a string") + "\n"
}

/// Adds a machine's results to a file, in place of earlier ones of that machine.
pub fn write(path: &Path, new: &Results) -> Result<(), String> {
    let mut all = read(path)?;
    all.retain(|old| old.machine.key() != new.machine.key());
    all.push(new.clone());
    fs::write(path, text(&all)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns a line for each new answer that contradicts the old one. An answer that varied before may be any of the earlier
/// ones. Times are not compared.
pub fn differences(groups: &[Group], old: &Results, new: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    for group in groups.iter().filter(|group| group.repeatable) {
        for case in &group.cases {
            let answers = [old, new].map(|results| {
                results.answers.get(group.name).and_then(|cases| cases.get(&case.name)).map(String::as_str)
            });
            let [Some(before), Some(now)] = answers else {
                if answers[0] != answers[1] {
                    let side = if answers[0].is_none() { "before" } else { "now" };
                    lines.push(format!("{}: {}: no answer {side}", group.name, case.name));
                }
                continue;
            };
            let before: Vec<&str> = before.split(OR).collect();
            if !now.split(OR).all(|answer| before.contains(&answer)) {
                lines.push(format!("{}: {}: {}, now {now}", group.name, case.name, before.join(OR)));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;

    fn machine(gpu: &str, gpus: i32) -> Machine {
        let (driver, cuda) = ("580.159.04".to_owned(), 13000);
        Machine { gpu: gpu.to_owned(), gpus, driver, cuda, vulkan: Some("1.4.312".to_owned()) }
    }

    fn results(answers: &[(&str, &str, &str)]) -> Results {
        let mut table = Table::<String>::new();
        for (group, case, answer) in answers {
            table.entry((*group).to_owned()).or_default().insert((*case).to_owned(), (*answer).to_owned());
        }
        Results { machine: machine("NVIDIA H200", 1), answers: table }
    }

    #[test]
    fn what_is_written_is_read() {
        let h200 = results(&[("sizes", "a", "CUDA_SUCCESS"), ("sizes", "b", "crash SIGSEGV")]);
        let mut h100 = results(&[("sizes", "a", "CUDA_SUCCESS"), ("sizes", "c", "-")]);
        h100.machine = machine("NVIDIA H100 80GB HBM3", 1);
        let mut two = results(&[("sizes", "a", "CUDA_SUCCESS"), ("sizes", "b", "works")]);
        two.machine = machine("NVIDIA H200", 2);
        let text = text(&[two.clone(), h200.clone(), h100.clone()]);
        assert!(text.contains("\"a\": \"CUDA_SUCCESS\",\n"), "{text}");
        assert!(text.contains("\"2 × H200, 580.159.04\": \"works\""), "{text}");
        assert_eq!(parse(&text), Ok(vec![h100, h200, two]));
    }

    #[test]
    fn a_machines_new_answers_replace_its_old_ones() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("results.json");
        let (old, new) = (results(&[("sizes", "a", "old")]), results(&[("sizes", "b", "new")]));
        let other = Results { machine: machine("NVIDIA H200", 2), ..old.clone() };
        for results in [&old, &other, &new] {
            write(&path, results).expect("the directory can be written");
        }
        assert_eq!(read(&path), Ok(vec![new, other]));
    }

    #[test]
    fn another_schema_is_refused() {
        let text = text(&[]).replace("\"schema\": 2", "\"schema\": 1");
        assert_eq!(parse(&text), Err("the file has schema 1, and this program reads 2".to_owned()));
    }

    #[test]
    fn differences_are_found_and_variations_are_allowed() {
        let case = |name: &str| Case::new(name, || Ok(()));
        let groups =
            [Group::new("sizes", ["a", "b", "c", "d"].map(case)), Group::of_times("times", [case("a")])];
        let old = results(&[
            ("sizes", "a", "CUDA_SUCCESS"),
            ("sizes", "b", "crash SIGABRT or crash SIGSEGV"),
            ("sizes", "c", "CUDA_SUCCESS"),
            ("times", "a", "7 us"),
        ]);
        assert!(differences(&groups, &old, &old).is_empty());
        let new = results(&[
            ("sizes", "a", "CUDA_ERROR_UNKNOWN"),
            ("sizes", "b", "crash SIGSEGV"),
            ("sizes", "d", "CUDA_SUCCESS"),
            ("times", "a", "9 us"),
        ]);
        assert_eq!(
            differences(&groups, &old, &new),
            [
                "sizes: a: CUDA_SUCCESS, now CUDA_ERROR_UNKNOWN",
                "sizes: c: no answer now",
                "sizes: d: no answer before"
            ]
        );
    }
}
