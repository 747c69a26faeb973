//! `cuda-external-check` runs a program with a layer, which reports mistakes with external memory and semaphores.

#[cfg(supported)]
mod command;
#[cfg(supported)]
mod command_line;
#[cfg(supported)]
mod doctor;

use std::process::ExitCode;

/// The exit code of the check's own errors. clap uses the same code for an invalid command line.
const FAILED: u8 = 2;

#[cfg(supported)]
fn main() -> ExitCode {
    doctor::run_as_probe_if_asked();
    let run = <command_line::CommandLine as clap::Parser>::parse();
    if run.list_rules {
        command::print_rules();
        return ExitCode::SUCCESS;
    }
    let code = if run.machine { doctor::run_doctor(run.json.as_deref()) } else { command::run_checked(&run) };
    code.map(ExitCode::from).unwrap_or_else(|message| {
        command::print_notice(&message);
        ExitCode::from(FAILED)
    })
}

#[cfg(not(supported))]
fn main() -> ExitCode {
    eprintln!("It works on Linux with glibc, on x86-64 and AArch64; here it has no layer.");
    ExitCode::from(FAILED)
}
