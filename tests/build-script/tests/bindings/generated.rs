//! The bindings that the build script makes.

use std::path::PathBuf;
use std::sync::LazyLock;

use test_support::build_script::BuildScript;

use crate::layout::releases;
use crate::support;

pub fn from_release(release: &str, target: &str) -> String {
    let include = support::headers(release).expect("the test needs it");
    test_support::build_script!(target).generate_from(&include).run_script().expect_bindings()
}

/// What a build makes with this environment.
pub struct ThisBuild {
    pub bindings: String,
    /// The directory of the cuda.h to compare them with.
    pub header: Result<PathBuf, String>,
}

pub static THIS_BUILD: LazyLock<ThisBuild> = LazyLock::new(|| {
    let script = BuildScript::of_this_build(env!("CARGO_BIN_EXE_build-script"), &releases::target());
    let run = script.run_script();
    let lines = run.cargo_instructions();
    let include = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE="));
    let header = releases::header_of_a_build(include.map(PathBuf::from));
    ThisBuild { bindings: run.expect_bindings(), header }
});
