//! The program's arguments, and the actions that they choose.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::case::Group;
use crate::child::MISSING;
use crate::results::{self, Results};
use crate::{groups, measure, software, tables};
use interop::Error;

const HELP: &str = "\
Measures what this machine's CUDA driver does with external memory and semaphores.

Usage: survey [--only GROUP] [--check]
       survey --software [--only GROUP]
       survey --tables | --machine | --list | --help

  (nothing)     measures, prints the answers, and adds them to survey/results.json
  --only GROUP  measures one group, and writes nothing
  --check       compares the answers with those of this machine in the file, and writes nothing
  --software    compares the answers of the driver in software with a GPU's, and writes nothing. Run it by cuda-external-cpu
  --tables      writes the tables of the documentation from survey/results.json
  --machine     prints what the file calls this machine; exits with 1 where the file does not have it, with 2 and the
                reason where nothing can be measured
  --list        lists the groups
  --help        this text

Without a GPU it measures nothing and exits with 0. With --check it exits with 1 where an answer differs.";

pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => end(survey(None, false)),
        ["--check"] => end(survey(None, true)),
        ["--only", group] => end(survey(Some(group), false)),
        ["--only", group, "--check"] => end(survey(Some(group), true)),
        ["--software"] => end(software(None)),
        ["--software", "--only", group] => end(software(Some(group))),
        ["--help" | "-h"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        ["--list"] => {
            for group in groups::all() {
                println!("{}: {} cases", group.name, group.cases.len());
            }
            ExitCode::SUCCESS
        }
        ["--machine"] => {
            let (text, code) = match measure::machine() {
                Ok(machine) => (machine.key(), u8::from(!matches!(committed(&machine.key()), Ok(Some(_))))),
                Err(error) => (error.to_string(), 2),
            };
            println!("{text}");
            ExitCode::from(code)
        }
        ["--tables"] => end(write_tables()),
        [measure::CASE, group, case] => run_case(group, case),
        _ => {
            eprintln!("survey: no such arguments: {}\n\n{HELP}", arguments.join(" "));
            ExitCode::from(2)
        }
    }
}

fn end(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("survey: {message}");
            ExitCode::FAILURE
        }
    }
}

/// In the child: runs the case with this name.
fn run_case(group: &str, name: &str) -> ExitCode {
    // A crash is expected in some cases, and its core would be large.
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the function reads the limits.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &no_core) };
    let groups = groups::all();
    let group = groups.iter().find(|candidate| candidate.name == group);
    let case = group.and_then(|group| group.cases.iter().find(|candidate| candidate.name == name));
    let code = match case.map(|case| (case.run)()) {
        Some(Ok(())) => 0,
        Some(Err(Error::Missing(what))) => {
            println!("{}", what.replace('\n', " "));
            MISSING
        }
        Some(Err(Error::Failed(what))) => {
            eprintln!("{what}");
            1
        }
        None => {
            eprintln!("no such case");
            2
        }
    };
    // Nothing is torn down: a teardown could be in an order that is not under test, or wait for work that never ends.
    // Each line of the answer has been flushed.
    // SAFETY: ends the process.
    unsafe { libc::_exit(code.into()) }
}

fn survey(only: Option<&str>, compare: bool) -> Result<(), String> {
    let machine = match measure::machine() {
        Ok(machine) => machine,
        Err(Error::Missing(what)) => {
            println!("This machine lacks what the survey needs; nothing was measured.\n{what}");
            return Ok(());
        }
        Err(Error::Failed(what)) => return Err(what),
    };
    let groups = chosen_groups(only)?;
    println!("{}, driver {}", machine.label(), machine.driver);
    let (new, failures) = measure::all(machine, &groups);
    for (group, case) in groups.iter().flat_map(|group| group.cases.iter().map(move |case| (group, case))) {
        let answer = new.answers.get(group.name).and_then(|cases| cases.get(&case.name));
        println!("{}: {}: {}", group.name, case.name, answer.map_or("failed", String::as_str));
    }
    for failure in &failures {
        println!("failed: {failure}");
    }
    if compare {
        check(&groups, &new)?;
    } else if only.is_none() {
        results::write(&file(), &new)?;
        println!("The answers are in {}", file().display());
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("{} cases failed", failures.len())) }
}

fn chosen_groups(only: Option<&str>) -> Result<Vec<Group>, String> {
    let mut groups = groups::all();
    groups.retain(|group| only.is_none_or(|only| group.name == only));
    if groups.is_empty() {
        return Err("no group has this name; --list lists them".to_owned());
    }
    Ok(groups)
}

/// Compares the driver in software with a GPU. Its answers are never among the measured ones.
fn software(only: Option<&str>) -> Result<(), String> {
    let machine = measure::software().map_err(|error| error.to_string())?;
    let mut groups = chosen_groups(only)?;
    groups.retain(|group| !software::OF_GPUS.contains(&group.name));
    let expected = committed(software::MACHINE)?.ok_or("the answers of the GPU are missing")?;
    let (new, failures) = measure::all(machine, &groups);
    software::compare(&groups, &expected, &new, &failures)
}

fn check(groups: &[Group], new: &Results) -> Result<(), String> {
    let Some(old) = committed(&new.machine.key())? else {
        println!("There are no answers of this machine to compare with.");
        return Ok(());
    };
    let differences = results::differences(groups, &old, new);
    for difference in &differences {
        println!("differs: {difference}");
    }
    if !differences.is_empty() {
        return Err(format!("{} answers differ from {}", differences.len(), file().display()));
    }
    println!("The answers are those of {}", file().display());
    Ok(())
}

/// The committed file; for a program that was moved to another machine, a file in the current directory.
fn file() -> PathBuf {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("results.json");
    if committed.exists() { committed } else { "results.json".into() }
}

/// The committed answers of a machine.
fn committed(key: &str) -> Result<Option<Results>, String> {
    Ok(results::read(&file())?.into_iter().find(|results| results.machine.key() == key))
}

fn write_tables() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (groups, machines) = (groups::all(), results::read(&file())?);
    for path in tables::PAGES {
        let named = |error| format!("{path}: {error}");
        let text = std::fs::read_to_string(root.join(path)).map_err(named)?;
        std::fs::write(root.join(path), tables::page(&text, &groups, &machines)).map_err(named)?;
    }
    Ok(())
}
