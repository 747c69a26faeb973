//! The releases that the bindings are compared with, and the bindings to compare.

use std::fs;
use std::path::{Path, PathBuf};

use super::compilers::{self, Bindings};
use crate::support::{
    self,
    build_script::{self, BuildScript},
};

/// The releases that tests/headers.txt lists, oldest first.
pub fn all() -> Vec<&'static str> {
    let lines = include_str!("../../headers.txt").lines();
    lines.map(|line| line.split(' ').next().expect("a line begins with the release")).collect()
}

/// The bindings that this crate was built with, for this test.
pub fn this_builds() -> Bindings {
    let text = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs")).to_owned();
    Bindings::new(text, &this_builds_lines())
}

/// The directory of the cuda.h that they were made from.
pub fn this_builds_header() -> Result<PathBuf, String> {
    let lines = this_builds_lines();
    if let Some(include) = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE=")) {
        return Ok(include.into());
    }
    let newest = all().pop().expect("there are releases");
    support::headers(newest).map_err(|error| {
        format!("this build uses the embedded bindings, and there is {error}; or set CUDA_EXTERNAL_SYS_INCLUDE_DIR")
    })
}

/// What the build script printed when this crate was built.
fn this_builds_lines() -> String {
    let path = Path::new(env!("OUT_DIR")).with_file_name("output");
    fs::read_to_string(path).expect("cargo keeps it there")
}

/// The bindings that the build script generates from this release's header, and its directory.
pub fn generated(release: &str) -> (Bindings, PathBuf) {
    let include = support::headers(release).expect("the test needs it");
    let run = script().generate_from(&include).run();
    let lines = String::from_utf8_lossy(&run.output.stdout).into_owned();
    (Bindings::new(run.expect_bindings(), &lines), include)
}

/// The bindings that come with the crate.
pub fn embedded() -> Bindings {
    let run = script().env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded").run();
    let lines = String::from_utf8_lossy(&run.output.stdout).into_owned();
    Bindings::new(run.expect_bindings(), &lines)
}

fn script() -> BuildScript {
    test_support::build_script!(&compilers::target().unwrap_or_else(build_script::host))
}

/// A directory for a comparison's files.
pub fn directory(test: &str, name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test).join(name);
    fs::create_dir_all(&directory).expect("cargo's directory can be written");
    directory
}
