//! The embedded bindings: those that come with the crate, with the same text for every target.

pub fn embedded_text() -> &'static str {
    include_str!("../src/bindings/embedded.rs")
}

/// Returns the release of CUDA that the first line of `embedded_text` names: (13, 5) for CUDA 13.5.
pub fn embedded_version() -> (u32, u32) {
    let line = embedded_text().strip_prefix("// Generated from the cuda.h of CUDA ");
    let release = line.and_then(|rest| rest.split_once(';')?.0.split_once('.'));
    let numbers = release.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    numbers.expect("the first line names the release")
}
