//! What all processes left behind: findings, objects that were alive, a crash.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use cuda_external_check::journal::{self, Alive, Ended};
use cuda_external_check::layer;
use cuda_external_check::options::Options;
use cuda_external_check::records::{Json, Records, line};
use cuda_external_check::rules::Rule;

use super::arguments::Run;

/// Prints lines as this program's.
pub fn say(text: &str) {
    text.lines().for_each(|line| eprintln!("========= {line}"));
}

pub struct Summary {
    records: Records,
    is_loaded: bool,
    /// The signal that ended the program, and the wrapped function that it was in.
    crash: Option<(i32, Option<String>)>,
}

impl Summary {
    /// Reads what the layer left. Processes that ended without their exit handlers are reported here.
    pub fn read(options: &Options, process: u32, status: ExitStatus) -> Self {
        let processes = journal::read(&options.directory);
        let mut records = Records::read(&options.directory);
        for ended in &processes {
            let was_killed = ended.process == process && status.signal().is_some();
            let still_runs = Path::new(&format!("/proc/{}", ended.process)).exists();
            if was_killed || still_runs || !options.reports(Rule::NotFreed) {
                continue;
            }
            for (at, alive) in ended.alive.iter().enumerate() {
                records.add(&not_freed(ended, alive, at < PRINTED));
            }
            if ended.alive.len() > PRINTED {
                say(&format!("not-freed: further ones of process {} are counted only", ended.process));
            }
        }
        let inside = |signal| {
            let of_program = processes.iter().find(|ended| ended.process == process);
            let number = of_program.map_or(0, |ended| ended.inside as usize);
            let function = number.checked_sub(1).and_then(|at| layer::functions().nth(at));
            (signal, function.map(str::to_owned))
        };
        Self { records, is_loaded: !processes.is_empty(), crash: status.signal().map(inside) }
    }

    pub fn total(&self) -> usize {
        self.records.total()
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
            self.records.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        match self.total() {
            0 => say("SUMMARY: no findings"),
            1 => say(&format!("SUMMARY: 1 finding: {}", counts.join(", "))),
            total => say(&format!("SUMMARY: {total} findings: {}", counts.join(", "))),
        }
    }

    pub fn json(&self, run: &Run, exit_code: u8) -> String {
        let command = std::iter::once(&run.program).chain(&run.arguments);
        let command: Vec<String> = command.map(|word| word.to_string_lossy().into_owned()).collect();
        let json = Json::object(|json| {
            json.text("version", env!("CARGO_PKG_VERSION"));
            json.texts("command", &command);
            json.number("exit_code", exit_code.into());
            json.text("loaded", if self.is_loaded { "yes" } else { "no" });
            let counts = Json::object(|json| {
                self.records.counts.iter().for_each(|(rule, count)| json.number(rule, *count as i64));
            });
            json.json("counts", &counts.finish());
            json.array("findings", &self.records.findings);
        });
        json.finish() + "\n"
    }
}

/// How many blocks are printed for a process. The others are counted.
const PRINTED: usize = 10;

/// Prints an object that was alive when its process ended. Returns the record.
fn not_freed(process: &Ended, alive: &Alive, is_printed: bool) -> String {
    if !is_printed {
        return line(Rule::NotFreed, "").trim_end_matches('\n').to_owned();
    }
    let row = Rule::NotFreed.row();
    let text = if process.ran_exit_handlers {
        "It was alive at the end of the process."
    } else {
        "It was alive when the process ended without running its exit handlers."
    };
    let mut block = format!("{} in process {}\n    {}\n    {text}\n", row.id, process.process, row.sentence);
    block += &format!("    Remedy: {}\n", row.remedy);
    block += &format!("    The {}, {}, was made by {}:\n", alive.object, alive.about, alive.call);
    alive.stack.iter().for_each(|frame| block += &format!("        {frame}\n"));
    say(&block);
    eprintln!("=========");
    let object = Json::object(|json| {
        json.text("object", &alive.object);
        json.text("about", &alive.about);
        json.text("made_by", &alive.call);
        json.texts("made_at", &alive.stack);
    });
    let json = Json::object(|json| {
        json.text("rule", row.id);
        json.text("sentence", row.sentence);
        json.text("source", "measured");
        json.text("remedy", row.remedy);
        json.text("call", if process.ran_exit_handlers { "exit" } else { "_exit" });
        json.text("text", text);
        json.number("process", process.process.into());
        json.array("objects", &[object.finish()]);
    });
    line(Rule::NotFreed, &json.finish()).trim_end_matches('\n').to_owned()
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
