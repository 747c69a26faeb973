//! The releases, the bindings to compare with their headers, and the directory of a comparison's files.

use std::fs;
use std::path::PathBuf;

use super::compilers;
use crate::{build_script, directories};

/// Returns the releases that tests/headers.txt lists, oldest first.
pub fn all_releases() -> Vec<&'static str> {
    let lines = include_str!("../../../headers.txt").lines();
    lines.map(|line| line.split(' ').next().expect("a line begins with the release")).collect()
}

/// Returns the newest release, from which the embedded bindings come.
pub fn newest_release() -> &'static str {
    all_releases().pop().expect("there are releases")
}

/// Returns the newest release's CUDA_VERSION: `13050` for 13.5.
pub fn newest_cuda_version_number() -> String {
    let (major, minor) = newest_release().split_once('.').expect("two numbers");
    format!("{major}0{minor}0")
}

pub fn target_triple() -> String {
    compilers::cross_target().unwrap_or_else(|| build_script::host_triple().to_owned())
}

pub fn embedded_bindings() -> &'static str {
    ::build_script::embedded_bindings::embedded_text()
}

/// Returns the directory of the cuda.h that a build's bindings come from. If `include` is a directory, returns this
/// directory. If `include` is `None`, the build uses the embedded bindings: returns the directory of the newest
/// release's headers, or an error if these headers have not been fetched.
pub fn header_of_a_build(include: Option<PathBuf>) -> Result<PathBuf, String> {
    include.map_or_else(
        || {
            directories::fetched_headers(newest_release()).map_err(|error| {
                let how = "or set CUDA_EXTERNAL_SYS_INCLUDE_DIR";
                format!("this build uses the embedded bindings, and there is {error}; {how}")
            })
        },
        Ok,
    )
}

/// Removes documentation and indentation from the bindings, then replaces the first occurrence of each edit's text.
pub fn replace_in_bindings(bindings: &str, edits: &[(&str, &str)]) -> String {
    let lines = bindings.lines().map(str::trim).filter(|line| !line.starts_with("///"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    edits.iter().fold(text, |text, (find, put)| {
        assert!(text.contains(find), "the bindings have no {find}");
        text.replacen(find, put, 1)
    })
}

pub fn test_directory(test: &str, name: &str) -> PathBuf {
    let directory = directories::target_directory().join("tmp").join(test).join(name);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    directory
}
