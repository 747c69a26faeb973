//! The end: objects that were alive, a crash, and what was found altogether.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use cuda_external_check::journal::{self, Alive, Ended};
use cuda_external_check::layer;
use cuda_external_check::message::{Message, Object};
use cuda_external_check::options::Options;
use cuda_external_check::rules::Rule;
use serde_json::{Value, json};

use super::arguments::Run;
use super::reports::{Reports, say};

pub struct Summary {
    reports: Reports,
    is_loaded: bool,
    /// The signal that ended the program, and the wrapped function that it was in.
    crash: Option<(i32, Option<String>)>,
}

impl Summary {
    /// Reads what the layers left, and reports what was alive at the end of each process.
    pub fn new(mut reports: Reports, options: &Options, process: u32, status: ExitStatus) -> Self {
        let processes = journal::read(&options.directory);
        for ended in &processes {
            let was_killed = ended.process == process && status.signal().is_some();
            let still_runs = Path::new(&format!("/proc/{}", ended.process)).exists();
            if !was_killed && !still_runs && options.reports(Rule::NotFreed) {
                ended.alive.iter().for_each(|alive| reports.add(&not_freed(ended, alive)));
            }
        }
        let inside = |signal| {
            let of_program = processes.iter().find(|ended| ended.process == process);
            let number = of_program.map_or(0, |ended| ended.inside as usize);
            let function = number.checked_sub(1).and_then(|at| layer::functions().nth(at));
            (signal, function.map(str::to_owned))
        };
        Self { reports, is_loaded: !processes.is_empty(), crash: status.signal().map(inside) }
    }

    pub fn total(&self) -> usize {
        self.reports.counts.values().sum()
    }

    pub fn print(&self, bypasses: &BTreeSet<PathBuf>) {
        if let Some((signal, function)) = &self.crash {
            let inside = function.as_ref().map(|function| format!(" in {function}")).unwrap_or_default();
            say(&format!("The program was ended by signal {signal}{}{inside}.", name_of(*signal)));
        }
        for path in bypasses {
            say(&format!(
                "A process opened {} by its path, or by a path of its own: its calls were not checked.\n\
                 Let it open libcuda.so.1 by that name.",
                path.display()
            ));
        }
        if !self.is_loaded && bypasses.is_empty() {
            say(
                "No process opened libcuda.so.1 through the search path: no call was checked. That is so for a program\n\
                 that makes no call of CUDA's, that opens the driver by an absolute path or an RPATH, that is linked\n\
                 statically, or that has more rights than its user (setuid).",
            );
        }
        let counts: Vec<String> =
            self.reports.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        match self.total() {
            0 => say("SUMMARY: no findings"),
            1 => say(&format!("SUMMARY: 1 finding: {}", counts.join(", "))),
            total => say(&format!("SUMMARY: {total} findings: {}", counts.join(", "))),
        }
    }

    pub fn json(&self, run: &Run, exit_code: u8) -> Value {
        let command = std::iter::once(&run.program).chain(&run.arguments);
        let command: Vec<_> = command.map(|word| word.to_string_lossy()).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "command": command,
            "exit_code": exit_code,
            "loaded": if self.is_loaded { "yes" } else { "no" },
            "counts": self.reports.counts,
            "findings": self.reports.findings,
        })
    }
}

/// An object that was alive when its process ended.
fn not_freed(process: &Ended, alive: &Alive) -> Message {
    let how = if process.ran_exit_handlers { "." } else { " without running its exit handlers." };
    Message {
        process: process.process,
        rule: Rule::NotFreed.row().id.to_owned(),
        call: format!("process {}", process.process),
        text: format!("It was alive when the process ended{how}"),
        objects: vec![Object {
            name: alive.object.clone(),
            about: alive.about.clone(),
            made_by: alive.call.clone(),
            made_at: alive.stack.clone(),
            ..Object::default()
        }],
        ..Message::default()
    }
}

#[test]
fn signals_have_the_systems_names() {
    for signal in 1..32 {
        let output = std::process::Command::new("sh").args(["-c", &format!("kill -l {signal}")]).output();
        let name = String::from_utf8(output.expect("a shell").stdout).expect("a name");
        let name = format!(" (SIG{})", name.trim());
        let is_known = [4, 6, 7, 8, 9, 11, 15].contains(&signal);
        assert_eq!(name_of(signal), if is_known { &name } else { "" });
    }
}

fn name_of(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
