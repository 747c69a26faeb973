//! `cargo run -p generator` writes everything that is generated: after a change of build/allowlist.rs, of tests/headers.txt or
//! tests/drivers.txt, of what src/ exports, and of the rules in tools/check/. It needs libclang, a
//! C compiler, and python3 with pip for the headers.

use std::fs;
use std::process::{Command, ExitCode};

use generator::{
    check_rules, code_quotes, embedded_file, first_aid, function_names, newest_release_file, releases_page,
    struct_sizes, surface_list,
};
use test_support::layout::comparison;
use test_support::{libclang, repository};

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
    run_script("dev/scripts/fetch-headers")?;
    libclang()?;
    let embedded = embedded_file::embedded_text("x86_64-unknown-linux-gnu")?;
    write_file("src/bindings/embedded.rs", &embedded)?;
    write_file("src/bindings/unbound_versions.rs", &function_names::unbound_versions())?;
    write_file("build/driver_functions.txt", &function_names::driver_functions())?;
    write_file(newest_release_file::FILE, &newest_release_file::file_text())?;
    write_file(newest_release_file::FUNCTION_RELEASES, &newest_release_file::function_releases())?;
    let mut page = releases_page::with_release_tables(&generator::read_file(releases_page::PAGE), &embedded);
    match run_script("dev/scripts/fetch-drivers") {
        Ok(()) => page = releases_page::with_lacking_functions(&page, &embedded),
        Err(error) => println!("the table of drivers is as it was: {error}"),
    }
    write_file(releases_page::PAGE, &page)?;
    let bindings = comparison::read(&embedded);
    write_file(
        struct_sizes::PAGE,
        &struct_sizes::with_sizes(&generator::read_file(struct_sizes::PAGE), &bindings),
    )?;
    write_file(
        releases_page::README,
        &releases_page::with_range(&generator::read_file(releases_page::README)),
    )?;
    write_file(check_rules::PAGE, &check_rules::with_rules(&generator::read_file(check_rules::PAGE)))?;
    write_file(first_aid::PAGE, &first_aid::with_remedies(&generator::read_file(first_aid::PAGE)))?;
    for page in code_quotes::pages_with_code() {
        write_file(&page, &code_quotes::with_code(&generator::read_file(&page)))?;
    }
    write_file("tests/surface.txt", &surface_list::surface_text(&embedded))
}

/// Runs a script of the repository, which prints what it does.
fn run_script(path: &str) -> Result<(), String> {
    let status =
        Command::new(repository().join(path)).status().map_err(|error| format!("{path}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{path}: {status}")) }
}

fn write_file(file: &str, text: &str) -> Result<(), String> {
    let path = repository().join(file);
    if fs::read_to_string(&path).is_ok_and(|kept| kept == text) {
        println!("{file}: unchanged");
        return Ok(());
    }
    println!("{file}: written");
    fs::write(&path, text).map_err(|error| format!("{file}: {error}"))
}
