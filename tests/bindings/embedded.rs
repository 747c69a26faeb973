//! The embedded bindings are what the generator makes of the newest release's cuda.h, byte for byte and for every target.
//!
//! To refresh them after a change: `CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings embedded`.

use libtest_mimic::Trial;

use crate::assert_file;
use crate::layout::{comparison, releases};
use crate::support::{self, Need};

/// One file serves every C ABI.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
];

pub fn all() -> Vec<Trial> {
    let [libclang, bindgen] = crate::generation();
    let header = Need::new("headers", &support::headers(releases::newest()));
    support::tests! {
        [header, libclang, bindgen] => is_what_the_generator_makes;
        [] => is_of_the_newest_release;
    }
}

fn is_what_the_generator_makes() {
    let include = support::headers(releases::newest()).expect("the test needs it");
    for target in TARGETS {
        let made = test_support::build_script!(target).generate_from(&include).run().expect_bindings();
        assert_file("src/bindings/embedded.rs", &made);
    }
}

/// So say its first line, its CUDA_VERSION, and build/embedded.rs's VERSION, which the build script tells dependents.
fn is_of_the_newest_release() {
    let release = releases::newest();
    assert!(releases::embedded().starts_with(&format!("// Generated from the cuda.h of CUDA {release};")));
    let macros = comparison::read(releases::embedded()).macros;
    let version = macros.iter().find(|(name, _)| name == "CUDA_VERSION").expect("every header has one").1;
    assert_eq!(format!("{}.{}", version / 1000, version % 1000 / 10), release);
    let run = test_support::build_script!(TARGETS[0]).env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded").run();
    let lines = String::from_utf8_lossy(&run.output.stdout).into_owned();
    assert!(lines.contains(&format!("cargo::metadata=VERSION={version}\n")), "{lines}");
}
