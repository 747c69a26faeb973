//! The bindings to compare, and the headers to compare them with.

use std::fs;
use std::path::{Path, PathBuf};

use super::compilers;
use crate::support;

/// The releases that tests/headers.txt lists, oldest first.
pub fn all() -> Vec<&'static str> {
    let lines = include_str!("../../headers.txt").lines();
    lines.map(|line| line.split(' ').next().expect("a line begins with the release")).collect()
}

/// The release of the embedded bindings.
pub fn newest() -> &'static str {
    all().pop().expect("there are releases")
}

/// The bindings that this crate was built with, for this test.
pub fn this_builds() -> &'static str {
    include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"))
}

/// The directory of the cuda.h that they were made from: what the build script printed when this crate was built.
pub fn this_builds_header() -> Result<PathBuf, String> {
    let lines = fs::read_to_string(Path::new(env!("OUT_DIR")).with_file_name("output"));
    let lines = lines.expect("cargo keeps it there");
    if let Some(include) = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE=")) {
        return Ok(include.into());
    }
    support::headers(newest()).map_err(|error| {
        format!("this build uses the embedded bindings, and there is {error}; or set CUDA_EXTERNAL_SYS_INCLUDE_DIR")
    })
}

/// The bindings that the build script generates from a release's header.
pub fn generated(release: &str, target: &str) -> String {
    let include = support::headers(release).expect("the test needs it");
    test_support::build_script!(target).generate_from(&include).run().expect_bindings()
}

/// The target that programs are compiled for.
pub fn target() -> String {
    compilers::target().unwrap_or_else(support::build_script::host)
}

/// The bindings that come with the crate.
pub fn embedded() -> &'static str {
    include_str!("../../../src/bindings/embedded.rs")
}

/// The bindings without documentation and indentation, so that a text can be replaced in them.
pub fn edited(bindings: &str, edits: &[(&str, &str)]) -> String {
    let lines = bindings.lines().map(str::trim).filter(|line| !line.starts_with("///"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    edits.iter().fold(text, |text, (find, put)| {
        assert!(text.contains(find), "the bindings have no {find}");
        text.replacen(find, put, 1)
    })
}

/// A directory for a comparison's files.
pub fn directory(test: &str, name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test).join(name);
    fs::create_dir_all(&directory).expect("cargo's directory can be written");
    directory
}
