use std::cmp::Reverse;
use std::ffi::c_int;

/// The symbols of a function's versions, each with the first CUDA release that has the version.
type FunctionVersions = &'static [(c_int, &'static str)];

/// Each function of NVIDIA's headers, its versions, and its versions whose null stream is the thread's default stream.
pub const FUNCTION_VERSIONS: &[(&str, FunctionVersions, FunctionVersions)] =
    include!(concat!(env!("OUT_DIR"), "/function_versions.rs"));

/// Returns an error, with the most similar name, unless a function or one of its versions has this name.
pub fn check_function_name(name: &str) -> Result<(), String> {
    let has_name = |(known, plain, per_thread): &(&str, FunctionVersions, FunctionVersions)| {
        *known == name || plain.iter().chain(*per_thread).any(|(_, symbol)| *symbol == name)
    };
    if FUNCTION_VERSIONS.iter().any(has_name) {
        return Ok(());
    }
    let names = FUNCTION_VERSIONS.iter().map(|(known, ..)| *known);
    let nearest = names.max_by_key(|known| name_similarity(known, name)).unwrap_or_default();
    Err(format!("{name}: the driver has no such function; the nearest name is {nearest}"))
}

/// Returns a key that sorts names by similarity: by the equal letters at both ends, then by the difference in length.
fn name_similarity(known: &str, name: &str) -> (usize, Reverse<usize>) {
    let start = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let end = known.bytes().rev().zip(name.bytes().rev()).take_while(|(a, b)| a == b).count();
    (start + end, Reverse(known.len().abs_diff(name.len())))
}
