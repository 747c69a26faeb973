//! `cuda-external-check [options] program [arguments]`: runs a program with a layer before CUDA's driver that reports its
//! mistakes with external memory and semaphores.

mod arguments;
#[cfg(supported)]
mod program;

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
use program::run;

#[cfg(not(supported))]
fn run(_: &arguments::Run) -> Result<u8, String> {
    Err("it works on Linux with glibc, on x86-64 and AArch64; here it has no layer".to_owned())
}
