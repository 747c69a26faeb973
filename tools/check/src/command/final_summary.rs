//! Makes the report after the program's end: objects that were not freed, a crash, and the number of findings.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::Ordering;

use cuda_external_check::finding_encoding::FindingMessage;
use cuda_external_check::layer;
use cuda_external_check::layer_options::LayerOptions;
use cuda_external_check::object_description::{ObjectDescription, object_origin_line};
use cuda_external_check::rules::Rule;
use cuda_external_check::shared_file::{
    CALLED_EXIT, ProcessEntry, RAN_EXIT_HANDLERS, SharedFile, UNKNOWN_HANDLE, function_hash,
};
use serde_json::{Value, json};

use super::printed_findings::{FindingPrinter, print_notice};
use crate::command_line::CommandLine;

#[derive(Default)]
pub struct RunSummary {
    /// The reason why no driver was found. Nothing was checked then.
    reason: Option<String>,
    counts: BTreeMap<&'static str, u64>,
    findings: Vec<Value>,
    is_loaded: bool,
    /// The number of checked calls: those of CUDA's external objects, exports by CUDA, and imports by Vulkan.
    calls: u64,
    /// How many findings, paths of drivers, calls of `close` and processes are missing from the report. The layer or
    /// the preloaded library could not record them, or this process could not print them.
    lost: u64,
    /// The signal that ended the program, and the wrapped function in which the driver may have crashed.
    crash: Option<(i32, Option<&'static str>)>,
    bypasses: BTreeSet<PathBuf>,
}

impl RunSummary {
    pub fn summary_of_unchecked_run(reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..Self::default() }
    }

    /// Adds findings for unfreed objects, and for an unknown handle in the call that crashed. Returns the summary.
    pub fn new(
        mut reports: FindingPrinter,
        shared: &SharedFile,
        options: &LayerOptions,
        process: u32,
        status: ExitStatus,
    ) -> Self {
        let entries: Vec<(u32, &ProcessEntry)> = shared.process_entries().collect();
        for (at, entry) in &entries {
            let is_started = entry.process.load(Ordering::Acquire) == process;
            let how = match entry.ended.load(Ordering::Acquire) {
                RAN_EXIT_HANDLERS => ".",
                CALLED_EXIT => " without running its exit handlers.",
                _ if is_started && status.code().is_some() => " without running its exit handlers.",
                // Objects may be alive: the process still runs, a signal ended it, or it executed another program.
                _ => continue,
            };
            if options.is_rule_enabled(Rule::NOT_FREED) {
                add_unfreed_objects(&mut reports, shared, *at, entry, how);
            }
        }
        let crash = status.signal().map(|signal| {
            let of_program =
                entries.iter().rev().find(|(_, entry)| entry.process.load(Ordering::Acquire) == process);
            let noted = of_program.and_then(|(_, entry)| entry.crashed_function_hash()).unwrap_or(0);
            let number = noted & !UNKNOWN_HANDLE;
            let call = layer::wrapped_functions().into_iter().find(|name| function_hash(name) == number);
            if let Some(call) =
                call.filter(|_| noted & UNKNOWN_HANDLE != 0 && options.is_rule_enabled(Rule::HANDLE_UNKNOWN))
            {
                let text = "The process ended in this call, whose handle no import of this process returned.";
                let (call, text) = (call.to_owned(), text.to_owned());
                let message = FindingMessage { process, call, text, ..FindingMessage::default() };
                reports.count_and_print_finding(Rule::HANDLE_UNKNOWN, message);
            }
            (signal, call)
        });
        Self {
            reason: None,
            counts: reports.counts_by_rule(),
            findings: reports.findings,
            is_loaded: !entries.is_empty(),
            calls: shared.calls.load(Ordering::Acquire),
            lost: shared.lost.load(Ordering::Acquire)
                + shared.unfinished_messages() as u64
                + u64::from(shared.processes_left_out()),
            crash,
            bypasses: reports.bypasses,
        }
    }

    pub fn total_findings(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns whether the layer checked a call that `calls` counts, and no process bypassed the layer.
    pub fn was_run_checked(&self) -> bool {
        self.calls > 0 && self.bypasses.is_empty()
    }

    pub fn print_summary(&self) {
        if let Some((signal, call)) = &self.crash {
            let inside = call.as_ref().map(|call| format!(" in {call}")).unwrap_or_default();
            // The standard library's text for the status has the signal's name.
            let status = ExitStatus::from_raw(*signal).to_string();
            print_notice(&format!("The program was ended by {}{inside}.", status.replacen(": ", " ", 1)));
        }
        for path in &self.bypasses {
            print_notice(&format!(
                "A process opened {} by its path or through the program's RPATH: the\n\
                 process's calls were not checked. Let the process open libcuda.so.1 by name.",
                path.display()
            ));
        }
        if !self.is_loaded && self.bypasses.is_empty() {
            print_notice(
                "No process opened libcuda.so.1 through the search path: no call was checked. The\n\
                 program may make no call of CUDA, may be linked statically, may have more rights than its user\n\
                 (setuid), or may have been started with another environment.",
            );
        } else if self.calls == 0 && self.bypasses.is_empty() {
            print_notice(
                "The driver was opened, and no function of external memory or semaphores was called.",
            );
        }
        if self.lost > 0 {
            print_notice(&format!(
                "There was no room for {} findings, lines or processes. Findings are counted anyway, leaks are not.",
                self.lost
            ));
        }
        let counts: Vec<String> = self.counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        match self.total_findings() {
            0 if self.calls == 0 => print_notice("SUMMARY: no findings: nothing was checked"),
            0 => print_notice("SUMMARY: no findings"),
            1 => print_notice(&format!("SUMMARY: 1 finding: {}", counts.join(", "))),
            total => print_notice(&format!("SUMMARY: {total} findings: {}", counts.join(", "))),
        }
    }

    pub fn summary_to_json(&self, run: &CommandLine, exit_code: u8) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "command": run.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>(),
            "exit_code": exit_code,
            "loaded": if self.is_loaded { "yes" } else { "no" },
            "calls": self.calls,
            "checked": self.was_run_checked(),
            "reason": self.reason,
            "bypasses": self.bypasses.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "crash": self.crash.as_ref().map(|(signal, call)| json!({ "signal": signal, "call": call })),
            "lost": self.lost,
            "counts": self.counts,
            "findings": self.findings,
        })
    }
}

/// Adds a finding of the rule `NotFreed` for each live object that `shared` lists for the ended process of `entry`. If
/// the list had no room for further live objects, prints their number and adds the number to the count of `NotFreed`.
fn add_unfreed_objects(
    reports: &mut FindingPrinter,
    shared: &SharedFile,
    at: u32,
    entry: &ProcessEntry,
    how: &str,
) {
    let process = entry.process.load(Ordering::Acquire);
    let (text, call) =
        (format!("The object was alive when the process ended{how}"), format!("process {process}"));
    for (number, about, stack) in shared.live_objects(at) {
        let about = ObjectDescription(about);
        let title = object_origin_line(number, &about, about.object_kind().creating_function());
        let stack = stack.into_iter().take_while(|frame| *frame != 0).collect();
        let (call, text, calls) = (call.clone(), text.clone(), vec![(title, stack)]);
        let message = FindingMessage { process, call, text, calls, ..FindingMessage::default() };
        reports.count_and_print_finding(Rule::NOT_FREED, message);
    }
    let unlisted = entry.unlisted.load(Ordering::Acquire);
    if unlisted > 0 {
        print_notice(&format!("{call}: {unlisted} further objects were alive. They are only counted."));
        reports.add_to_rule_count(Rule::NOT_FREED, unlisted);
    }
}
