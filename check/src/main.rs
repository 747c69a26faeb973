//! `cuda-external-check [options] program [arguments]`: runs a program with a layer before CUDA's driver that reports its
//! mistakes with external memory and semaphores.

#[path = "program/arguments.rs"]
mod arguments;
#[cfg(supported)]
#[path = "program/directory.rs"]
mod directory;
#[cfg(supported)]
#[path = "program/driver.rs"]
mod driver;
#[cfg(supported)]
#[path = "program/reports.rs"]
mod reports;
#[cfg(supported)]
#[path = "program/run.rs"]
mod run;
#[cfg(supported)]
#[path = "program/signals.rs"]
mod signals;
#[cfg(supported)]
#[path = "program/summary.rs"]
mod summary;
#[cfg(supported)]
#[path = "program/symbols.rs"]
mod symbols;
#[cfg(supported)]
#[path = "program/vulkan.rs"]
mod vulkan;
#[cfg(supported)]
#[path = "program/watch.rs"]
mod watch;

use std::env;
use std::io::Write;
use std::process::ExitCode;

use arguments::Request;

/// The exit code of a wrong command line, and where nothing could be started.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let done = match arguments::parse(env::args_os().skip(1)) {
        Ok(Request::Print(text)) => {
            _ = writeln!(std::io::stdout(), "{text}");
            return ExitCode::SUCCESS;
        }
        Ok(Request::Run(request)) => run(&request),
        Err(message) => Err(message),
    };
    done.map(ExitCode::from).unwrap_or_else(|message| {
        _ = writeln!(std::io::stderr(), "cuda-external-check: {message}");
        ExitCode::from(FAILED)
    })
}

#[cfg(supported)]
use run::run;

#[cfg(not(supported))]
fn run(_: &arguments::Run) -> Result<u8, String> {
    Err("it works on Linux with glibc, on x86-64 and AArch64; here it has no layer".to_owned())
}
