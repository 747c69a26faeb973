//! A machine's answers as a file, and what differs between two of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::case::Group;
use crate::child::OR;

/// The version of the files' format. A program that does not know it refuses the file.
pub const SCHEMA: u32 = 1;

/// One machine's file. Its keys are sorted, so that two files can be compared line by line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    pub schema: u32,
    pub machine: Machine,
    /// By group and case.
    pub answers: BTreeMap<String, BTreeMap<String, String>>,
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

/// How an answer begins that the machine could not give.
pub const NOT_MEASURED: &str = "not measured: ";

impl Machine {
    /// The name of the machine's file.
    pub fn file_name(&self) -> String {
        let mut name = String::new();
        for c in self.label().chars() {
            match c {
                '×' => name.push('x'),
                c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
                _ if name.ends_with('-') => {}
                _ => name.push('-'),
            }
        }
        format!("{name}-{}.json", self.driver)
    }

    /// What the tables call the machine.
    pub fn label(&self) -> String {
        let gpu = self.gpu.trim_start_matches("NVIDIA ");
        if self.gpus == 1 { gpu.to_owned() } else { format!("{} × {gpu}", self.gpus) }
    }
}

impl Results {
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let results: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match results.schema {
            SCHEMA => Ok(results),
            other => Err(format!("the file has schema {other}, and this program reads {SCHEMA}")),
        }
    }

    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("every key is a string") + "\n"
    }

    /// The answer, if the machine gave one.
    pub fn answer(&self, group: &str, case: &str) -> Option<&str> {
        let answer = self.answers.get(group)?.get(case)?;
        (!answer.starts_with(NOT_MEASURED)).then_some(answer.as_str())
    }
}

/// Every file of a directory: machines with one GPU first, and by name.
pub fn read_all(directory: &Path) -> Result<Vec<Results>, String> {
    let entries = fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut all: Vec<Results> = paths.iter().map(|path| Results::read(path)).collect::<Result<_, _>>()?;
    all.sort_by_key(|results| {
        (results.machine.gpus, results.machine.gpu.clone(), results.machine.driver.clone())
    });
    Ok(all)
}

/// What of the new answers contradicts the old ones, a line each. An answer that varied before may be any
/// of those that were seen. Times are not compared.
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
        let mut map: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (group, case, answer) in answers {
            map.entry((*group).to_owned()).or_default().insert((*case).to_owned(), (*answer).to_owned());
        }
        Results { schema: SCHEMA, machine: machine("NVIDIA H200", 1), answers: map }
    }

    #[test]
    fn a_file_name_says_the_machine_and_the_driver() {
        assert_eq!(machine("NVIDIA H100 80GB HBM3", 1).file_name(), "h100-80gb-hbm3-580.159.04.json");
        assert_eq!(machine("NVIDIA H200", 2).file_name(), "2-x-h200-580.159.04.json");
        assert_eq!(machine("NVIDIA GeForce RTX 4090", 1).file_name(), "geforce-rtx-4090-580.159.04.json");
    }

    #[test]
    fn what_is_written_is_read() {
        let written = results(&[("sizes", "a", "CUDA_SUCCESS"), ("sizes", "b", "crash SIGSEGV")]);
        assert_eq!(Results::parse(&written.text()), Ok(written));
    }

    #[test]
    fn another_schema_is_refused() {
        let text = results(&[]).text().replace("\"schema\": 1", "\"schema\": 2");
        assert_eq!(Results::parse(&text), Err("the file has schema 2, and this program reads 1".to_owned()));
    }

    #[test]
    fn differences_are_found_and_variations_are_allowed() {
        let case = |name: &str| Case::new(name, || Ok(()));
        let groups = [
            Group {
                name: "sizes",
                title: "",
                note: "",
                columns: &["size", "answer"],
                repeatable: true,
                cases: vec![case("a"), case("b"), case("c"), case("d")],
            },
            Group {
                name: "times",
                title: "",
                note: "",
                columns: &["job", "time"],
                repeatable: false,
                cases: vec![case("a")],
            },
        ];
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
