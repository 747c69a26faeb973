//! The program's arguments, and what they start.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::case::Group;
use crate::child::MISSING;
use crate::results::{self, Results};
use crate::{groups, measure, tables};
use interop::Error;

const HELP: &str = "\
Measures what this machine's CUDA driver does with external memory and semaphores.

Usage: survey [--only GROUP] [--output FILE | --check]
       survey --tables
       survey --machine
       survey --list

  (nothing)      measures, prints the answers, and adds them to survey/results.json
  --only GROUP   measures one group, and writes nothing unless --output says where
  --output FILE  the file that the answers are added to
  --check        compares the answers with those of this machine in the file, and writes nothing
  --tables       writes the tables of the documentation from survey/results.json
  --machine      prints what the file calls this machine; exits with 1 where the file does not have it, with 2 and the
                 reason where nothing can be measured
  --list         lists the groups
  --help         this text

Without a GPU it measures nothing and exits with 0. With --check it exits with 1 where an answer differs.";

#[derive(Default)]
struct Arguments {
    only: Option<String>,
    output: Option<PathBuf>,
    check: bool,
}

pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
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
        _ => match parse(&arguments) {
            Ok(arguments) => end(survey(&arguments)),
            Err(message) => {
                eprintln!("survey: {message}\n\n{HELP}");
                ExitCode::from(2)
            }
        },
    }
}

fn parse(given: &[&str]) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut given = given.iter();
    while let Some(option) = given.next() {
        let mut value = || given.next().ok_or(format!("{option} needs a value"));
        match *option {
            "--only" => arguments.only = Some((*value()?).to_owned()),
            "--output" => arguments.output = Some(value()?.into()),
            "--check" => arguments.check = true,
            other => return Err(format!("{other}: no such option")),
        }
    }
    if arguments.check && arguments.output.is_some() {
        return Err("--check writes no file".to_owned());
    }
    Ok(arguments)
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
    // Nothing is torn down: that could be an order that is not under test, or wait for work
    // that never ends. Every line was written at its end.
    // SAFETY: ends the process.
    unsafe { libc::_exit(code.into()) }
}

fn survey(arguments: &Arguments) -> Result<(), String> {
    let machine = match measure::machine() {
        Ok(machine) => machine,
        Err(Error::Missing(what)) => {
            println!("This machine lacks what the survey needs; nothing was measured.\n{what}");
            return Ok(());
        }
        Err(Error::Failed(what)) => return Err(what),
    };
    let mut groups = groups::all();
    if let Some(only) = &arguments.only {
        groups.retain(|group| group.name == only);
        if groups.is_empty() {
            return Err(format!("no group is called `{only}`; --list lists them"));
        }
    }
    println!("{}, driver {}", machine.label(), machine.driver);
    let (new, failures) = measure::all(machine, &groups);
    for group in &groups {
        println!("\n{}\n{}", group.name, tables::table(group, std::slice::from_ref(&new)));
    }
    for failure in &failures {
        println!("failed: {failure}");
    }
    if arguments.check {
        check(&groups, &new)?;
    } else if let Some(path) = arguments.output.clone().or_else(|| arguments.only.is_none().then(file)) {
        results::write(&path, &new)?;
        println!("The answers are in {}", path.display());
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("{} cases failed", failures.len())) }
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
    match differences.len() {
        0 => {
            println!("The answers are those of {}", file().display());
            Ok(())
        }
        count => Err(format!("{count} answers differ from {}", file().display())),
    }
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
    let machines = results::read(&file())?;
    for document in groups::documents() {
        let path = root.join(document.path);
        let made = tables::page(&document, &machines);
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&made) {
            std::fs::write(&path, made).map_err(|error| format!("{}: {error}", document.path))?;
            println!("written: {}", document.path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let arguments = parse(&["--only", "sizes", "--output", "file"]).expect("both are options");
        assert_eq!(arguments.only.as_deref(), Some("sizes"));
        assert_eq!(arguments.output, Some("file".into()));
        assert!(parse(&["--check"]).is_ok_and(|arguments| arguments.check));
        assert!(parse(&["--only"]).is_err());
        assert!(parse(&["--faster"]).is_err());
        assert!(parse(&["--check", "--output", "file"]).is_err());
    }
}
