//! Starts the program so that it loads the layer instead of the driver, and waits until the program has ended.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::driver_file;
use super::final_summary::RunSummary;
use super::layer_directory::LayerDirectory;
use super::printed_findings::{FindingPrinter, print_notice};
use super::signal_forwarding::{InheritedSignals, stop_signal_forwarding};
use crate::command_line::CommandLine;

/// The exit code if the program does not start. Shells use this code for a program that they do not find.
const NOT_STARTED: u8 = 127;
/// The exit code with `--require` if the program succeeded, but the layer checked no call or a process bypassed it.
const NOT_CHECKED: u8 = 3;

pub fn run_checked(run: &CommandLine) -> Result<u8, String> {
    let driver = match driver_file::find_driver(run.driver.as_deref()) {
        Ok(driver) => driver,
        Err(reason) if run.driver.is_some() => return Err(reason),
        Err(reason) => return run_without_check(run, &reason),
    };
    let signals = InheritedSignals::hold_forwarded_signals();
    let (options, mut command) = (run.layer_options(), Command::new(&run.command[0]));
    let directory = LayerDirectory::create_layer_directory(&driver, &options)?;
    directory.set_preload_variables(&mut command);
    let Some(mut child) = start_program(run, command, &signals) else {
        directory.remove_directory_if_unused();
        return Ok(NOT_STARTED);
    };
    let mut reports = FindingPrinter::new(directory.shared, directory.layer_directory_path());
    let status = wait_with_finding_printer(&mut child, &signals, &mut reports)?;
    let summary = RunSummary::new(reports, directory.shared, &options, child.id(), status);
    summary.print_summary();
    directory.remove_directory_if_unused();
    let found = summary.total_findings() > 0;
    let code = match run.error_code {
        Some(code @ 1..) if found => code,
        None if found && status.success() => 1,
        _ if run.require && status.success() && !summary.was_run_checked() => NOT_CHECKED,
        _ => exit_code_of(status),
    };
    write_findings_file(run, &summary, code)
}

fn run_without_check(run: &CommandLine, reason: &str) -> Result<u8, String> {
    print_notice(&format!("{reason}\nThe program runs without the check."));
    let signals = InheritedSignals::hold_forwarded_signals();
    let Some(mut child) = start_program(run, Command::new(&run.command[0]), &signals) else {
        return Ok(NOT_STARTED);
    };
    let status = wait_for_program(&mut child, &signals)?;
    print_notice("SUMMARY: nothing was checked: no driver");
    let code = if run.require && status.success() { NOT_CHECKED } else { exit_code_of(status) };
    write_findings_file(run, &RunSummary::summary_of_unchecked_run(reason), code)
}

fn write_findings_file(run: &CommandLine, summary: &RunSummary, code: u8) -> Result<u8, String> {
    let Some(path) = &run.json else { return Ok(code) };
    // The file may be a FIFO. Opening a FIFO waits for a reader, and meanwhile a signal must end the check.
    stop_signal_forwarding();
    fs::write(path, format!("{}\n", summary.summary_to_json(run, code)))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(code)
}

fn start_program(run: &CommandLine, mut command: Command, signals: &InheritedSignals) -> Option<Child> {
    signals.restore_signals_in_child(&mut command);
    let child = command.args(&run.command[1..]).spawn();
    let failed = |error: &io::Error| print_notice(&format!("{}: {error}", run.command[0].to_string_lossy()));
    child.inspect_err(failed).ok()
}

fn wait_for_program(child: &mut Child, signals: &InheritedSignals) -> Result<ExitStatus, String> {
    signals.start_signal_forwarding(child);
    child.wait().map_err(|error| format!("waiting for the program: {error}"))
}

fn wait_with_finding_printer(
    child: &mut Child,
    signals: &InheritedSignals,
    reports: &mut FindingPrinter,
) -> Result<ExitStatus, String> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let receiver = scope.spawn(|| reports.print_findings_until_program_ends(&is_over));
        let status = wait_for_program(child, signals);
        is_over.store(true, Ordering::Release);
        receiver.thread().unpark();
        _ = receiver.join();
        status
    })
}

/// Returns the program's exit code, or 128 + n if signal n ended the program.
fn exit_code_of(status: ExitStatus) -> u8 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1) as u8
}
