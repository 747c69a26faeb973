//! Generates src/bindings/embedded.rs from the newest cuda.h. The generator keeps what is hand-written in the file: the
//! choice of items, the documentation of fields and the functions' macro names.

use std::fs;

use build_script::run_bindgen;
use build_script::surface::make_embedded_text::{UNDOCUMENTED, make_embedded_text};
use build_script::surface::merge_header::read_embedded_surface;
use build_script::toolkit::cuda_header::parse_cuda_version;
use test_support::layout::releases;
use test_support::{fetched_headers, repository};

pub const PATH: &str = "src/bindings/embedded.rs";

/// Returns embedded.rs's new text, which must be the same for three targets' C ABIs. The tests
/// `bindings::every_release::generated_from_*` check MSVC's C ABI.
pub fn embedded_bindings_text(kept: &str) -> String {
    let undocumented = format!("/// {UNDOCUMENTED}\n");
    assert!(
        !kept.contains(&undocumented),
        "{PATH}: write the documentation of each field that has {UNDOCUMENTED}"
    );
    let targets = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu"];
    let [text, others @ ..] =
        targets.map(|target| embedded_bindings_for_target(target).unwrap_or_else(|error| panic!("{error}")));
    assert!(others.iter().all(|other| *other == text), "the C ABIs have different texts");
    text
}

fn embedded_bindings_for_target(target: &str) -> Result<String, String> {
    let include = fetched_headers(releases::newest_release())?;
    let header = fs::read(include.join("cuda.h")).map_err(|error| error.to_string())?;
    let version = parse_cuda_version(&header).ok_or("cuda.h has no CUDA_VERSION")?;
    let known = read_embedded_surface()?;
    let code = run_bindgen::bindgen_code_of_header(repository(), &include, target, &known, &mut Vec::new())
        .map_err(|refusal| format!("{}\n{}", refusal.why, refusal.output))?;
    make_embedded_text(&code, version, &known)
}
