//! The answers of one machine, and the file in which the machine's owner sends these answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The version of the file's format. The survey refuses a file with another version.
const SCHEMA: u32 = 3;

/// One machine's answers, by group and question. A question has no answer if the question failed, if `--only` left it
/// out, or if the machine lacks what the question needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineResults {
    schema: u32,
    pub machine: MachineDescription,
    pub answers: BTreeMap<String, BTreeMap<String, String>>,
}

/// The machine's hardware and drivers. No field distinguishes two machines with equal hardware and drivers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineDescription {
    /// The first device's name, without "NVIDIA".
    pub gpu: String,
    pub gpus: i32,
    /// The driver's own version, such as 580.159.04.
    pub driver: String,
    /// The newest version of CUDA that the driver supports, such as 13.0.
    pub cuda: String,
    /// The device's version of Vulkan, or "none".
    pub vulkan: String,
}

impl MachineDescription {
    /// Returns the key of the machine's results, such as "H200, 580.159.04": the GPUs and the driver.
    pub fn machine_key(&self) -> String {
        format!("{}, {}", self.machine_label(), self.driver)
    }

    pub fn machine_label(&self) -> String {
        let gpu = &self.gpu;
        if self.gpus == 1 { gpu.clone() } else { format!("{} × {gpu}", self.gpus) }
    }

    pub fn machine_table_row(&self) -> String {
        format!("| {} | {} | {} | {} |\n", self.machine_label(), self.driver, self.cuda, self.vulkan)
    }

    pub fn machine_from_table_cells(cells: &[&str]) -> Self {
        let (gpus, gpu) = cells[0].split_once(" × ").unwrap_or(("1", cells[0]));
        let [gpu, driver, cuda, vulkan] = [gpu, cells[1], cells[2], cells[3]].map(str::to_owned);
        Self { gpu, gpus: gpus.parse().expect("a number of GPUs"), driver, cuda, vulkan }
    }
}

impl MachineResults {
    pub fn new(machine: MachineDescription) -> Self {
        Self { schema: SCHEMA, machine, answers: BTreeMap::new() }
    }

    pub fn answer_to(&self, group: &str, question: &str) -> Option<&str> {
        self.answers.get(group)?.get(question).map(String::as_str)
    }

    pub fn add_answer(&mut self, group: &str, question: &str, answer: String) {
        self.answers.entry(group.to_owned()).or_default().insert(question.to_owned(), answer);
    }

    pub fn read_results_file(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let results: Self =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        match results.schema {
            SCHEMA => Ok(results),
            other => Err(format!("{}: schema {other}, and this program reads {SCHEMA}", path.display())),
        }
    }

    pub fn write_results_file(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).expect("every key is a string") + "\n";
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

pub fn add_results(all: &mut Vec<MachineResults>, new: MachineResults) {
    match all.iter_mut().find(|old| old.machine.machine_key() == new.machine.machine_key()) {
        Some(old) => old.answers.extend(new.answers),
        None => all.push(new),
    }
    all.sort_by_key(|results| (results.machine.gpus, results.machine.machine_key()));
}
