//! The embedded bindings are what the generator makes of the newest release's cuda.h, byte for byte and for every target.
//!
//! To refresh them after a change: `CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings embedded`.

use libtest_mimic::Trial;

use crate::layout::releases;
use crate::support::{self, Need};
use crate::{assert_file, model};

/// One file serves every C ABI.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
];

pub fn all() -> Vec<Trial> {
    let needs = [
        Need::new("headers", &support::headers(newest())),
        Need::new("libclang", &support::libclang()),
        Need::feature("bindgen", cfg!(feature = "bindgen")),
    ];
    vec![
        support::test("embedded::is_what_the_generator_makes", &needs, is_what_the_generator_makes),
        support::test("embedded::is_of_the_newest_release", &[], is_of_the_newest_release),
    ]
}

/// The release of the embedded bindings.
pub fn newest() -> &'static str {
    releases::all().pop().expect("there are releases")
}

fn is_what_the_generator_makes() {
    let include = support::headers(newest()).expect("the test needs it");
    for target in TARGETS {
        let made = test_support::build_script!(target).generate_from(&include).run().expect_bindings();
        assert_file("src/bindings/embedded.rs", &made);
    }
}

/// build/embedded.rs's VERSION, by what the build script tells dependents.
fn is_of_the_newest_release() {
    let text = releases::embedded().text;
    let bindings = model::Bindings::read(&text).unwrap_or_else(|error| panic!("{error}"));
    let version = bindings.macros.iter().find(|(name, _)| name == "CUDA_VERSION").map(|(_, value)| *value);
    let (major, minor) = newest().split_once('.').expect("a release has a dot");
    let expected =
        major.parse::<i64>().expect("a number") * 1000 + minor.parse::<i64>().expect("a number") * 10;
    assert_eq!(version, Some(expected));
    let run = test_support::build_script!(TARGETS[0]).env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded").run();
    let lines = String::from_utf8_lossy(&run.output.stdout).into_owned();
    assert!(lines.contains(&format!("cargo::metadata=VERSION={expected}\n")), "{lines}");
    assert!(
        text.starts_with(&format!("// Generated from the cuda.h of CUDA {} ", newest()))
            || text.starts_with(&format!("// Generated from the cuda.h of CUDA {};", newest()))
    );
}
