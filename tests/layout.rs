//! The bindings are what the C compiler sees in the header: every size, alignment, offset, constant
//! and signature, for this build's own header and for every release in target/headers.

#[path = "layout/mod.rs"]
mod layout;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use layout::compilers::{self, Bindings};
use layout::judge::{self, Counts, Problem};
use support::Need;
use support::build_script::{self, BuildScript};

fn main() -> ExitCode {
    let cc = Need::new("c_compiler", &support::compiler());
    let libclang = Need::new("libclang", &build_script::libclang());
    let this = Need::new("header", &this_builds_header());
    let mut trials = vec![support::test("this_build", &[cc.clone(), this], this_build)];
    for release in releases() {
        let header = Need::new("headers", &build_script::headers(release));
        let needs = [cc.clone(), libclang.clone(), header];
        let name = format!("generated_from_{release}");
        trials.push(support::test(&name, &needs, move || generated(release)));
    }
    support::run(trials, None)
}

/// The releases that tests/fetch-headers knows.
fn releases() -> Vec<&'static str> {
    let lines = include_str!("headers.txt").lines();
    lines.map(|line| line.split(' ').next().expect("a line begins with the release")).collect()
}

/// What the build script printed when this crate was built.
fn this_builds_lines() -> String {
    let path = Path::new(env!("OUT_DIR")).with_file_name("output");
    fs::read_to_string(path).expect("cargo keeps it there")
}

fn this_builds_header() -> Result<PathBuf, String> {
    let lines = this_builds_lines();
    let include = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE="));
    include.map(PathBuf::from).ok_or_else(|| {
        "this build uses the embedded bindings; set CUDA_EXTERNAL_SYS_INCLUDE_DIR to the folder of a cuda.h"
            .to_owned()
    })
}

fn this_build() {
    let bindings = Bindings::new(
        include_str!(concat!(env!("OUT_DIR"), "/bindings.rs")).to_owned(),
        &this_builds_lines(),
    );
    let include = this_builds_header().expect("the test needs it");
    verdict(&include.display().to_string(), compare(&bindings, &include, "this_build"));
}

fn generated(release: &str) {
    let include = build_script::headers(release).expect("the test needs it");
    let target = compilers::target().unwrap_or_else(build_script::host);
    let run = BuildScript::new(&target).generate_from(&include).run();
    let lines = String::from_utf8_lossy(&run.output.stdout).into_owned();
    let bindings = Bindings::new(run.expect_bindings(), &lines);
    verdict(release, compare(&bindings, &include, &format!("generated_{release}")));
}

fn compare(bindings: &Bindings, include: &Path, folder: &str) -> (Counts, Vec<Problem>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout").join(folder);
    fs::create_dir_all(&folder).expect("cargo's folder can be written");
    match judge::compile(bindings, &folder) {
        Ok(compiled) => judge::all(&compiled, include, &folder),
        Err(problem) => (Counts::default(), vec![problem]),
    }
}

/// Prints the counts; fails on a problem, and where nothing was compared.
fn verdict(name: &str, (counts, problems): (Counts, Vec<Problem>)) {
    println!("{name}: {counts}");
    let words: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert!(problems.is_empty(), "{} differences:\n{}", words.len(), words.join("\n"));
    let Counts { types, fields, constants, signatures, .. } = counts;
    assert!([types, fields, constants, signatures].iter().all(|count| *count > 0), "nothing was compared");
}
