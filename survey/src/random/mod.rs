//! Random programs of some thirty calls, right and wrong ones in any order. They find differences between the driver
//! in software and a GPU that no case of the survey asks about.
//!
//! `cuda-external-survey --random 0..1000 > gpu.txt` runs programs with a GPU's driver and prints a line for each.
//! `cuda-external-cpu cuda-external-survey --random 0..1000 --against gpu.txt` runs the same ones in software and
//! compares. A program is a number: it chooses its calls by that number and by what it has created. Programs do not
//! ask for what may vary: work that has not ended, memory that nobody wrote, addresses.
//!
//! With `--order`, a program is one call of whose arguments up to two are wrong. survey/order.txt has an H200's
//! answers, each with the numbers of its calls. `cuda-external-survey --order --random 0..6100 > survey/order.txt`
//! measures them again.

mod choices;
mod order;
mod program;
mod table;

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use crate::case::answer;
use crate::child::{self, Outcome};
use crate::groups::shared::{Exporter, SIZE};
use crate::measure::{MOST_THREADS, in_threads};
use crate::software::without_signal;
use choices::Choices;
use program::Program;

/// The argument that makes this program run some of them.
pub const PROGRAMS: &str = "--random-programs";

/// The number of programs that run in one process, each in a context of its own: a process takes long to start on a
/// GPU.
const IN_A_PROCESS: u64 = 100;

/// The share of equal programs below which the comparison fails, in percent: random ones, and single calls.
const LEAST: [usize; 2] = [97, 99];

/// How long a process may write nothing: a GPU that nobody has used yet takes some ten seconds to start.
const START_OR_HANG: Duration = Duration::from_secs(25);

pub type Answers = BTreeMap<u64, String>;

/// Returns the range of an argument: `0..1000`.
pub fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("not FIRST..END")?;
    let number = |text: &str| text.parse().map_err(|error| format!("{text}: {error}"));
    Ok(number(first)?..number(end)?)
}

/// Runs programs in this process, until the driver has an error that stays.
pub fn run_programs(programs: Range<u64>, is_order: bool) -> interop::Result<()> {
    let memory = [Exporter::CUDA, Exporter::VULKAN, Exporter::DEDICATED].map(|exporter| exporter.leak(SIZE));
    let memory = memory.into_iter().collect::<interop::Result<Vec<_>>>()?;
    let orders = if is_order { order::all(&mut Program::new(&memory, Choices::RIGHT)?) } else { Vec::new() };
    for number in programs {
        let mut program = Program::new(&memory, Choices::Random(number))?;
        let order = orders.get(number as usize);
        if is_order && order.is_none() {
            break;
        }
        answer(format!("program {number} "));
        match order {
            Some(order) => order::run(&mut program, order),
            None => program.run(),
        }
        if !program.clean() {
            break;
        }
    }
    Ok(())
}

/// Runs programs and returns their answers. Each is told when it is there.
pub fn answers(programs: Range<u64>, is_order: bool, tell: fn(u64, &str)) -> Answers {
    let starts = Vec::from_iter(programs.clone().step_by(IN_A_PROCESS as usize));
    let answers = Mutex::new(Answers::new());
    in_threads(&starts, MOST_THREADS, |start| {
        let mut rest = *start..programs.end.min(start + IN_A_PROCESS);
        while !rest.is_empty() {
            let all = in_a_process(&rest, is_order);
            // Behind the last order there is nothing.
            rest.start = all.last_key_value().map_or(rest.end, |(last, _)| last + 1);
            all.iter().for_each(|(number, answer)| tell(*number, answer));
            answers.lock().expect("no thread panics").extend(all);
        }
    });
    answers.into_inner().expect("no thread panics")
}

/// Runs the first of these programs, and those after it until one crashes or hangs.
fn in_a_process(programs: &Range<u64>, is_order: bool) -> Answers {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command.args([PROGRAMS, &format!("{}..{}", programs.start, programs.end)]);
    command.args(is_order.then_some("--order"));
    let text = match child::run(&mut command, START_OR_HANG) {
        Outcome::Answer(text) => text,
        Outcome::NotMeasured(why) | Outcome::Failed(why) => {
            format!("program {} failed: {why}", programs.start)
        }
    };
    let of_programs = text.split("program ").filter_map(|part| part.split_once(' '));
    let answer = |answer: &str| answer.trim_matches([';', ' ']).to_owned();
    let mut all: Answers =
        of_programs.filter_map(|(number, text)| Some((number.parse().ok()?, answer(text)))).collect();
    if all.is_empty() && !is_order {
        // It has crashed or hung before the first one.
        all.insert(programs.start, text);
    }
    all
}

/// Prints the first difference of each program, and how many programs are equal.
pub fn compare(expected: &str, answers: &Answers, is_order: bool) -> Result<(), String> {
    let lines = expected.lines().filter_map(|line| line.split_once('\t'));
    let expected: BTreeMap<u64, &str> =
        lines.flat_map(|(all, answer)| numbers(all).map(move |number| (number, answer))).collect();
    let (mut all, mut equal, mut lines) = (0, 0, 0);
    for (number, answer) in answers {
        let Some(before) = expected.get(number).map(|before| before.trim_matches([';', ' '])) else {
            continue;
        };
        all += 1;
        let both = answer.split("; ").zip(before.split("; "));
        let is_same = |(one, other): &(&str, &str)| {
            let [one, other] = [one, other].map(|text| without_signal(text));
            one == other || answer_of(&one) == other
        };
        let same = both.take_while(is_same).count();
        lines += same;
        let rest = |text: &str| text.split("; ").nth(same).map(str::to_owned);
        match (rest(answer), rest(before)) {
            (None, None) => equal += 1,
            (one, other) => {
                println!("{number}: {}; the GPU: {}", one.unwrap_or_default(), other.unwrap_or_default());
            }
        }
    }
    println!("{equal} of {all} programs are equal; {lines} answers before a first difference");
    let least = LEAST[usize::from(is_order)];
    if equal * 100 < all * least {
        return Err(format!("fewer than {least} % of the programs are equal"));
    }
    Ok(())
}

/// Prints each answer once, behind the numbers of the calls that had it: `3-5 8<tab>201, open`.
pub fn print_by_answer(answers: &Answers) {
    let mut ranges = BTreeMap::<&str, Vec<[u64; 2]>>::new();
    for (number, answer) in answers {
        let all = ranges.entry(answer_of(answer)).or_default();
        match all.last_mut() {
            Some([_, last]) if *last + 1 == *number => *last = *number,
            _ => all.push([*number, *number]),
        }
    }
    for (answer, all) in ranges {
        let all = all.iter().map(
            |[first, last]| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        );
        println!("{}\t{answer}", Vec::from_iter(all).join(" "));
    }
}

/// Returns the numbers of a line: one, or several and ranges.
fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split(' ')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.parse().ok()?..=last.parse().ok()?)
        })
        .flatten()
}

/// Returns the answer without its call.
pub fn answer_of(text: &str) -> &str {
    text.rsplit(": ").next().unwrap_or_default()
}
