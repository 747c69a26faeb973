//! The table in tests/README.md names tests and scripts that exist, and leaves no test program out.
//!
//! A test exists if its program lists it. A test that is in the source and that no program runs proves nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use test_support::layout::releases;
use test_support::{cargo, repository};

/// Modules that a program has on Windows alone.
const ON_WINDOWS: [&str; 1] = ["calls::windows"];

/// The tests of each program, as it lists them.
fn list_tests() -> BTreeMap<String, BTreeSet<String>> {
    let tests = cargo::test_programs().into_iter().map(|(program, path)| {
        let output = Command::new(path).arg("--list").output().expect("the program starts");
        assert!(output.status.success(), "{program} --list: {}", test_support::exit_report(&output));
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        // `[no gpu: the reason] memory::sizes: test`
        let names = lines.lines().filter_map(|line| line.strip_suffix(": test"));
        let names = names.map(|line| line.rsplit("] ").next().unwrap_or(line).trim().to_owned());
        (program, names.collect())
    });
    tests.collect()
}

/// Whether there is such a file (`dev/scripts/sanitizers`), such a program, or a test in it that begins so
/// (`calls::loader`).
fn proof_exists(name: &str, programs: &BTreeMap<String, BTreeSet<String>>) -> bool {
    if name.contains('/') {
        return repository().join(name).is_file();
    }
    let (program, test) = name.split_once("::").unwrap_or((name, ""));
    let is_listed = |tests: &BTreeSet<String>| tests.iter().any(|listed| listed.starts_with(test));
    ON_WINDOWS.contains(&name) || programs.get(program).is_some_and(is_listed)
}

#[test]
fn every_proof_exists_and_every_program_is_one() {
    let mut programs = list_tests();
    programs.retain(|_, tests| !tests.is_empty());
    assert!(programs.len() > 8, "{:?}", programs.keys());

    // The second column of each row; names stand between back ticks.
    let readme = fs::read_to_string(repository().join("tests/README.md")).expect("a file of the repository");
    let rows = readme.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let proofs: Vec<&str> = rows.map(|row| row.split(" | ").nth(1).expect("a row has a proof")).collect();
    assert!(proofs.len() >= 30, "{} rows", proofs.len());
    let names: Vec<&str> = proofs.iter().flat_map(|proof| proof.split('`').skip(1).step_by(2)).collect();
    for name in &names {
        assert!(proof_exists(name, &programs), "tests/README.md names `{name}`, which no program lists");
    }
    for release in releases::all_releases() {
        let name = format!("bindings::every_release::generated_from_{release}");
        assert!(
            proof_exists(&name, &programs),
            "tests/headers.txt has {release}, and no program lists `{name}`"
        );
    }
    for program in programs.keys() {
        let is_named = names.iter().any(|name| name.split("::").next() == Some(program));
        assert!(is_named, "tests/README.md does not say what `{program}` proves");
    }
}
