//! `cargo run -p generator` writes every generated file. It needs libclang, a C compiler, and python3 with pip. If
//! dev/scripts/fetch-drivers fails, the table of drivers in docs/releases.md stays as it was.

use std::fs;
use std::process::{Command, ExitCode};

use generator::{FILES, GeneratedFile, GeneratorInput, code_quotes, read_file};
use test_support::{find_libclang, repository};

fn main() -> ExitCode {
    match write_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write_all() -> Result<(), String> {
    run_fetch_script("dev/scripts/fetch-headers")?;
    find_libclang()?;
    let drivers = run_fetch_script("dev/scripts/fetch-drivers");
    for GeneratedFile { path, sources, text, .. } in FILES {
        match &drivers {
            Err(error) if sources.contains(&GeneratorInput::DriverLibraries) => {
                println!("{path}: the table of drivers is as it was: {error}")
            }
            _ => write_file(path, &text(&read_file(path)))?,
        }
    }
    for page in code_quotes::pages_with_code() {
        write_file(&page, &code_quotes::update_code_quotes(&read_file(&page)))?;
    }
    Ok(())
}

fn run_fetch_script(path: &str) -> Result<(), String> {
    let status =
        Command::new(repository().join(path)).status().map_err(|error| format!("{path}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{path}: {status}")) }
}

fn write_file(file: &str, text: &str) -> Result<(), String> {
    if read_file(file) == text {
        println!("{file}: unchanged");
        return Ok(());
    }
    println!("{file}: written");
    fs::write(repository().join(file), text).map_err(|error| format!("{file}: {error}"))
}
