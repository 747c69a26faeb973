//! `cargo run -p generator` writes everything that is generated: after a change of build/allowlist.rs, of tests/headers.txt or
//! tests/drivers.txt, of what src/ exports, of the functions in tools/cpu/, and of the rules in tools/check/. It needs libclang, a
//! C compiler, and python3 with pip for the headers.

use std::fs;
use std::process::{Command, ExitCode};

use generator::{
    check_rules, embedded, first_aid, names, newest, quotes, releases, struct_sizes, surface_list,
};
use test_support::layout::comparison;
use test_support::{libclang, repository};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    script("dev/scripts/fetch-headers")?;
    libclang()?;
    let embedded = embedded::text("x86_64-unknown-linux-gnu")?;
    write("src/bindings/embedded.rs", &embedded)?;
    write("src/bindings/unbound_versions.rs", &names::unbound())?;
    write("build/driver_functions.txt", &names::driver_functions())?;
    write(names::NOT_IN_SOFTWARE, &names::not_in_software())?;
    write(newest::FILE, &newest::text())?;
    let mut page = releases::with_headers(&generator::read(releases::PAGE), &embedded);
    match script("dev/scripts/fetch-drivers") {
        Ok(()) => page = releases::with_drivers(&page, &embedded),
        Err(error) => println!("the table of drivers is as it was: {error}"),
    }
    write(releases::PAGE, &page)?;
    let bindings = comparison::read(&embedded);
    write(struct_sizes::PAGE, &struct_sizes::with_sizes(&generator::read(struct_sizes::PAGE), &bindings))?;
    write(releases::README, &releases::with_range(&generator::read(releases::README)))?;
    write(check_rules::PAGE, &check_rules::with_rules(&generator::read(check_rules::PAGE)))?;
    write(first_aid::PAGE, &first_aid::with_remedies(&generator::read(first_aid::PAGE)))?;
    for page in quotes::pages() {
        write(&page, &quotes::with_code(&generator::read(&page)))?;
    }
    write("tests/surface.txt", &surface_list::text(&embedded))
}

/// Runs a script of the repository, which prints what it does.
fn script(path: &str) -> Result<(), String> {
    let status =
        Command::new(repository().join(path)).status().map_err(|error| format!("{path}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{path}: {status}")) }
}

fn write(file: &str, text: &str) -> Result<(), String> {
    let path = repository().join(file);
    if fs::read_to_string(&path).is_ok_and(|kept| kept == text) {
        println!("{file}: unchanged");
        return Ok(());
    }
    println!("{file}: written");
    fs::write(&path, text).map_err(|error| format!("{file}: {error}"))
}
