//! The answers of all machines as one file, and the differences between two measurements.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The version of the file's format. A program that does not know it refuses the file.
const SCHEMA: u32 = 2;

/// The answers, by group and question.
type AnswerTable<T> = BTreeMap<String, BTreeMap<String, T>>;

/// One machine's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineResults {
    pub machine: MachineDescription,
    pub answers: AnswerTable<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineDescription {
    /// The first device's name.
    pub gpu: String,
    /// How many devices CUDA has.
    pub gpus: i32,
    /// The driver's own version, such as 580.159.04.
    pub driver: String,
    /// The result of cuDriverGetVersion.
    pub cuda: i32,
    /// The device's version of Vulkan, where Vulkan has the device.
    pub vulkan: Option<String>,
}

/// The file. Its keys are sorted, so that two versions of it can be compared line by line.
#[derive(Serialize, Deserialize)]
struct ResultsFile {
    schema: u32,
    machines: BTreeMap<String, MachineDescription>,
    answers: AnswerTable<RecordedAnswer>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum RecordedAnswer {
    /// All machines gave the same answer.
    Same(String),
    /// The answers, by machine.
    Each(BTreeMap<String, String>),
}

/// Prefix of an unmeasured result.
pub const NOT_MEASURED: &str = "not measured: ";

impl MachineDescription {
    /// The machine's name in the file.
    pub fn machine_key(&self) -> String {
        format!("{}, {}", self.machine_label(), self.driver)
    }

    /// The machine's name in the tables.
    pub fn machine_label(&self) -> String {
        let gpu = self.gpu.trim_start_matches("NVIDIA ");
        if self.gpus == 1 { gpu.to_owned() } else { format!("{} × {gpu}", self.gpus) }
    }
}

impl MachineResults {
    /// The answer, if the machine gave one.
    pub fn answer_to(&self, group: &str, question: &str) -> Option<&str> {
        let answer = self.answers.get(group)?.get(question)?;
        (!answer.starts_with(NOT_MEASURED)).then_some(answer.as_str())
    }
}

/// Reads a file: machines with one GPU first, and by name. A file that does not exist has no machine.
pub fn read_file(path: &Path) -> Result<Vec<MachineResults>, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    match fs::read_to_string(path) {
        Ok(text) => parse_file(&text).map_err(|error| named(&error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(named(&error)),
    }
}

fn parse_file(text: &str) -> Result<Vec<MachineResults>, String> {
    let ResultsFile { schema, machines, answers } =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("the file has schema {schema}, and this program reads {SCHEMA}"));
    }
    let of_machine = |(key, machine): (&String, &MachineDescription)| {
        let own = |questions: &BTreeMap<String, RecordedAnswer>| {
            let own = questions.iter().filter_map(|(question, answer)| match answer {
                RecordedAnswer::Same(answer) => Some((question.clone(), answer.clone())),
                RecordedAnswer::Each(answers) => Some((question.clone(), answers.get(key)?.clone())),
            });
            BTreeMap::from_iter(own)
        };
        let answers = answers.iter().map(|(group, questions)| (group.clone(), own(questions))).collect();
        MachineResults { machine: machine.clone(), answers }
    };
    let mut all = Vec::from_iter(machines.iter().map(of_machine));
    all.sort_by_key(|results| (results.machine.gpus, results.machine.machine_key()));
    Ok(all)
}

/// Returns the text of a file.
pub fn file_text(all: &[MachineResults]) -> String {
    let mut answers = AnswerTable::<RecordedAnswer>::new();
    for (group, questions) in all.iter().flat_map(|results| &results.answers) {
        for (question, first) in questions {
            let of = |results: &MachineResults| {
                Some((results.machine.machine_key(), results.answers.get(group)?.get(question)?.clone()))
            };
            let each: BTreeMap<_, _> = all.iter().filter_map(of).collect();
            let same = each.len() == all.len() && each.values().all(|answer| answer == first);
            let answer = if same { RecordedAnswer::Same(first.clone()) } else { RecordedAnswer::Each(each) };
            answers.entry(group.clone()).or_default().insert(question.clone(), answer);
        }
    }
    let machines =
        all.iter().map(|results| (results.machine.machine_key(), results.machine.clone())).collect();
    let file = ResultsFile { schema: SCHEMA, machines, answers };
    serde_json::to_string_pretty(&file).expect("every key is a string") + "\n"
}

/// Removes these texts and every UUID, since an answer may quote an error with a device's UUID.
pub fn remove_identifying(answer: &str, private: &[String]) -> String {
    let mut answer =
        private.iter().fold(answer.to_owned(), |answer, text| answer.replace(text.as_str(), "…"));
    while let Some(at) = find_uuid(&answer) {
        answer.replace_range(at..at + 36, "…");
    }
    answer
}

/// Where the first UUID begins: 32 hexadecimal digits in five parts.
fn find_uuid(text: &str) -> Option<usize> {
    let is_uuid = |window: &[u8]| {
        let is_right = |(at, byte): (usize, &u8)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        };
        window.iter().enumerate().all(is_right)
    };
    text.as_bytes().windows(36).position(is_uuid)
}

/// Adds a machine's results to a file, in place of earlier ones of that machine and of the same groups.
pub fn add_to_file(path: &Path, new: &MachineResults) -> Result<(), String> {
    let mut all = read_file(path)?;
    match all.iter_mut().find(|old| old.machine.machine_key() == new.machine.machine_key()) {
        Some(old) => old.answers.extend(new.answers.clone()),
        None => all.push(new.clone()),
    }
    fs::write(path, file_text(&all)).map_err(|error| format!("{}: {error}", path.display()))
}

/// The answers that this program was built with.
pub fn published_results() -> Result<Vec<MachineResults>, String> {
    parse_file(include_str!("../results.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_nothing_of_the_machine_that_identifies_it() {
        let uuid = "6d6f636b-2064-7269-7665-722c206e6f20";
        let answer = format!("not measured: no device {uuid} ({uuid}) on example-host, /home/somebody/lib");
        let private = ["example-host", "/home/somebody"].map(str::to_owned);
        assert_eq!(remove_identifying(&answer, &private), "not measured: no device … (…) on …, …/lib");
        let published = include_str!("../results.json");
        assert_eq!(find_uuid(published), None);
        for word in ["GPU-", "serial", "/home/", "/root", "hostname"] {
            assert!(!published.contains(word), "{word}");
        }
        // Each text of a machine's description is of its kind, not of this one.
        let machine = &published_results().expect("the results can be read")[0].machine;
        let fields = serde_json::to_value(machine).expect("it is a map");
        let fields: Vec<&String> = fields.as_object().expect("it is a map").keys().collect();
        assert_eq!(fields, ["cuda", "driver", "gpu", "gpus", "vulkan"]);
    }
}
