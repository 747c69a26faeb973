//! Random programs of some thirty calls, right and wrong ones in any order. They find differences between the driver
//! in software and a GPU that no case of the survey asks about.
//!
//! `cuda-external-survey --random 0..1000 > gpu.txt` runs programs with a GPU's driver and prints their answers.
//! `cuda-external-cpu cuda-external-survey --random 0..1000 --against gpu.txt` runs the same ones in software and
//! compares. A program is a number: it chooses its calls by that number and by what it has created. Programs do not
//! ask for what may vary: work that has not ended, memory that nobody wrote, addresses.
//!
//! With `--order`, a program makes six calls of one function, each with up to two wrong arguments. dev/driver_survey/order.txt has
//! an H200's answers: `cuda-external-survey --order --random 0..1200 | sort -n > dev/driver_survey/order.txt`.

mod program;
mod table;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use crate::case::answer;
use crate::child::{self, Outcome};
use crate::groups::shared::{Exporter, SIZE};
use crate::measure::{CASE, MOST_THREADS, in_threads};
use crate::software::without_signal;
use program::Program;

/// The groups whose cases are ranges of programs.
pub const GROUPS: [&str; 2] = ["random", "order"];

/// The number of programs that run in one process, each in a context of its own: a process takes long to start on a
/// GPU.
const IN_A_PROCESS: u64 = 100;

/// The share of equal programs below which the comparison fails, in percent.
const LEAST: usize = 97;

/// How long a process may write nothing: a GPU that nobody has used yet takes some ten seconds to start.
const START_OR_HANG: Duration = Duration::from_secs(25);

fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("not FIRST..END")?;
    let number = |text: &str| text.parse().map_err(|error| format!("{text}: {error}"));
    Ok(number(first)?..number(end)?)
}

/// Runs programs in this process, until the driver has an error that stays.
pub fn run_programs(group: &str, programs: &str) -> example_support::Result<()> {
    let memory = [Exporter::CUDA, Exporter::VULKAN, Exporter::DEDICATED].map(|exporter| exporter.leak(SIZE));
    let memory = memory.into_iter().collect::<example_support::Result<Vec<_>>>()?;
    for number in range(programs).map_err(example_support::Error::Failed)? {
        let mut program = Program::new(&memory, number)?;
        answer(format!("program {number} "));
        program.run((group == "order").then_some(number as usize));
        if !program.clean() {
            break;
        }
    }
    Ok(())
}

/// Returns the calls of the first of these programs, and of those after it until one crashes or hangs.
fn in_a_process(group: &str, programs: &Range<u64>) -> BTreeMap<u64, String> {
    let program = std::env::current_exe().expect("a running program has a path");
    let range = format!("{}..{}", programs.start, programs.end);
    let text = match child::run(Command::new(program).args([CASE, group, &range]), START_OR_HANG) {
        Outcome::Answer(text) => text,
        Outcome::NotMeasured(why) | Outcome::Failed(why) => {
            format!("program {} failed: {why}", programs.start)
        }
    };
    let of_programs = text.split("program ").filter_map(|part| part.split_once(' '));
    let calls = |text: &str| text.trim_matches([';', ' ']).to_owned();
    let all = of_programs.filter_map(|(number, text)| Some((number.parse().ok()?, calls(text))));
    // It may crash or hang before the first one.
    BTreeMap::from_iter([(programs.start, text.clone())].into_iter().chain(all))
}

/// Runs programs, and prints their answers, a line for each, or what differs from a file of such lines.
pub fn run(group: &str, programs: &str, against: Option<&Path>) -> Result<(), String> {
    let programs = range(programs)?;
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let expected = against.map(read).transpose()?;
    let lines = expected.as_deref().unwrap_or_default().lines().filter_map(|line| line.split_once('\t'));
    let lines: BTreeMap<&str, &str> = lines.collect();
    let counts = Mutex::new([0; 2]);
    let starts = Vec::from_iter(programs.clone().step_by(IN_A_PROCESS as usize));
    in_threads(&starts, MOST_THREADS, |start| {
        let mut rest = *start..programs.end.min(start + IN_A_PROCESS);
        while !rest.is_empty() {
            for (number, calls) in in_a_process(group, &rest) {
                rest.start = number + 1;
                let number = number.to_string();
                let differs = match (&expected, lines.get(&*number)) {
                    (None, _) => {
                        let answers = Vec::from_iter(calls.split("; ").map(answer_of));
                        println!("{number}\t{}", answers.join("; "));
                        continue;
                    }
                    (_, None) => continue,
                    (_, Some(answers)) => difference(&calls, answers),
                };
                let [all, equal] = &mut *counts.lock().expect("no thread panics");
                *all += 1;
                *equal += usize::from(differs.is_none());
                differs.iter().for_each(|differs| println!("{number}: {differs}"));
            }
        }
    });
    let [all, equal] = counts.into_inner().expect("no thread panics");
    if expected.is_some() {
        println!("{equal} of {all} programs are equal");
    }
    if equal * 100 < all * LEAST {
        return Err(format!("fewer than {LEAST} % of the programs are equal"));
    }
    Ok(())
}

/// Returns the first call whose answer differs.
fn difference(calls: &str, answers: &str) -> Option<String> {
    let [mut calls, mut answers] = [calls, answers].map(|text| text.split("; "));
    loop {
        match (calls.next(), answers.next()) {
            (None, None) => return None,
            (Some(call), Some(answer)) if without_signal(answer_of(call)) == without_signal(answer) => {}
            (call, answer) => {
                return Some(format!(
                    "{}; the GPU: {}",
                    call.unwrap_or("no call"),
                    answer.unwrap_or("no call")
                ));
            }
        }
    }
}

/// Returns the answer without its call.
fn answer_of(text: &str) -> &str {
    text.rsplit(": ").next().unwrap_or_default()
}
