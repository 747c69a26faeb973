//! The table in tests/README.md names test programs, modules, tests and scripts that exist, and leaves no program out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust sources of a test program.
fn sources(path: &Path) -> String {
    let paths = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let text = |path: PathBuf| match path.extension() {
        Some(extension) if extension == "rs" => fs::read_to_string(path).expect("a source file"),
        _ => sources(&path),
    };
    paths.map(text).collect()
}

/// Whether there is such a file (`ci/sanitizers`), or such a program, module or test (`calls::loader`).
fn exists(name: &str, programs: &BTreeSet<String>) -> bool {
    if name.contains('/') {
        return root().join(name).is_file();
    }
    let (program, parts) = name.split_once("::").unwrap_or((name, ""));
    let directory = root().join("tests").join(program);
    let text = fs::read_to_string(directory.with_extension("rs")).unwrap_or_default() + &sources(&directory);
    programs.contains(program) && parts.split("::").all(|part| text.contains(part))
}

#[test]
fn every_proof_exists_and_every_program_is_one() {
    let read = |path| fs::read_to_string(root().join(path)).expect("a file of the repository");
    let manifests = read("Cargo.toml") + &read("interop/Cargo.toml") + "[[test]]\nname = \"survey\"";
    let targets = manifests.split("[[test]]\nname = \"").skip(1);
    let programs: BTreeSet<String> =
        targets.map(|target| target.split('"').next().expect("a name").to_owned()).collect();
    assert!(programs.len() > 5, "{programs:?}");

    // The second column of each row; names stand between back ticks.
    let readme = read("tests/README.md");
    let rows = readme.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let proofs: Vec<&str> = rows.map(|row| row.split(" | ").nth(1).expect("a row has a proof")).collect();
    assert!(proofs.len() >= 20, "{} rows", proofs.len());
    let names: Vec<&str> = proofs.iter().flat_map(|proof| proof.split('`').skip(1).step_by(2)).collect();
    for name in &names {
        assert!(exists(name, &programs), "tests/README.md names `{name}`, which does not exist");
    }
    for program in &programs {
        let is_named = names.iter().any(|name| name.split("::").next() == Some(program));
        assert!(is_named, "tests/README.md does not say what `{program}` proves");
    }
}
