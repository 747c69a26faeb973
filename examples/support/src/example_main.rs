use std::process::ExitCode;

use crate::{Error, Result};

/// Declares the `main` of an example. If the `cfg` condition is false, `main` prints the condition and runs nothing.
#[macro_export]
macro_rules! example_main {
    ($condition:meta, $source:literal, $example:path) => {
        #[cfg($condition)]
        fn main() -> std::process::ExitCode {
            $crate::example_main::run_example(include_str!($source), $example)
        }

        #[cfg(not($condition))]
        fn main() {
            println!("This example runs on another system: {}.", stringify!($condition));
        }
    };
}

/// Runs an example. With `--help` or `-h`, prints the header comment of `source` instead. Other arguments are errors.
pub fn run_example(source: &str, example: fn() -> Result<()>) -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => exit_code_of(example()),
        Some("--help" | "-h") => {
            for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
                println!("{}", line.strip_prefix(' ').unwrap_or(line));
            }
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprintln!("unknown argument `{other}`: the example takes --help only");
            ExitCode::from(2)
        }
    }
}

/// Prints why a program ended, and returns its exit code.
pub fn exit_code_of(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Missing(what)) => {
            println!("This machine lacks what the program needs.\n{what}");
            ExitCode::SUCCESS
        }
        Err(Error::Failed(what)) => {
            eprintln!("Failed: {what}");
            ExitCode::FAILURE
        }
    }
}
