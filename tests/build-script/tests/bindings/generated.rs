//! The bindings that the build script makes.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use cuda_external_sys_build::toolkit::header::version_in;
use test_support::build_script::BuildScript;

use crate::layout::releases;
use crate::support;

/// From a release's header.
pub fn from_release(release: &str, target: &str) -> String {
    let include = support::headers(release).expect("the test needs it");
    test_support::build_script!(target).generate_from(&include).run().expect_bindings()
}

/// The surface, made of the newest header alone: of the code that bindgen makes of it, which the build script leaves in
/// OUT_DIR. The script itself starts from the embedded bindings.
pub fn surface(target: &str) -> String {
    let include = support::headers(releases::newest()).expect("the test needs it");
    let run = test_support::build_script!(target).generate_from(&include).run();
    let code = fs::read_to_string(run.out.path().join("bindgen.rs"));
    let code = code.unwrap_or_else(|_| panic!("{}", support::exit_report(&run.output)));
    let version = version_in(&fs::read(include.join("cuda.h")).expect("a file")).expect("it has a version");
    cuda_external_sys_build::surface(&code, version).unwrap_or_else(|error| panic!("{error}"))
}

/// What a build makes with this environment.
pub struct ThisBuild {
    pub bindings: String,
    /// The directory of the cuda.h to compare them with.
    pub header: Result<PathBuf, String>,
}

pub static THIS_BUILD: LazyLock<ThisBuild> = LazyLock::new(|| {
    let script = BuildScript::of_this_build(env!("CARGO_BIN_EXE_build-script"), &releases::target());
    let run = script.run();
    let lines = run.lines();
    let include = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE="));
    let header = releases::header_of_a_build(include.map(PathBuf::from));
    ThisBuild { bindings: run.expect_bindings(), header }
});
