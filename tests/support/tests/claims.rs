//! The table in tests/README.md names test programs, modules, tests and scripts that exist, and leaves no program out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The second column of each row: the proofs.
fn proofs(readme: &str) -> Vec<&str> {
    let rows = readme.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split(" | ").nth(1).expect("a row has a proof")).collect()
}

/// What stands between back ticks.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names of `[[test]]` targets.
fn programs(manifest: &str) -> Vec<String> {
    let tests = manifest.split("[[test]]\n").skip(1);
    let name =
        |test: &str| Some(test.lines().next()?.strip_prefix("name = \"")?.trim_end_matches('"').to_owned());
    tests.map(|test| name(test).expect("a target begins with its name")).collect()
}

/// All Rust sources of a test program.
fn sources(path: &Path, found: &mut String) {
    for entry in fs::read_dir(path).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&fs::read_to_string(&path).expect("a source file"));
        }
    }
}

fn exists(name: &str, programs: &BTreeSet<String>) -> bool {
    if name.contains('/') {
        return root().join(name).is_file();
    }
    let mut parts = name.split("::");
    let program = parts.next().unwrap_or_default();
    let mut text = fs::read_to_string(root().join(format!("tests/{program}.rs"))).unwrap_or_default();
    sources(&root().join("tests").join(program), &mut text);
    let directory = root().join("tests").join(program);
    let is_module = |part: &str| directory.join(format!("{part}.rs")).is_file();
    programs.contains(program) && parts.all(|part| is_module(part) || text.contains(part))
}

#[test]
fn every_proof_exists_and_every_program_is_one() {
    let mut programs: BTreeSet<String> =
        ["Cargo.toml", "interop/Cargo.toml"].iter().flat_map(|path| programs(&read(path))).collect();
    assert!(programs.len() >= 5, "{programs:?}");
    programs.insert("survey".to_owned());
    let readme = read("tests/README.md");
    let proofs = proofs(&readme);
    assert!(proofs.len() >= 20, "{} rows", proofs.len());
    let names: Vec<&str> = proofs.iter().flat_map(|proof| names(proof)).collect();
    for name in &names {
        assert!(exists(name, &programs), "tests/README.md names `{name}`, which does not exist");
    }
    for program in &programs {
        let is_named = names.iter().any(|name| name.split("::").next() == Some(program));
        assert!(is_named, "tests/README.md does not say what `{program}` proves");
    }
}
