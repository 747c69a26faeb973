//! The embedded bindings are what the generator makes of the newest release's cuda.h, byte for byte.
//!
//! To refresh them after a change: `CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test embedded`.

fn main() -> std::process::ExitCode {
    use support::Need;

    let needs =
        [Need::new("headers", &support::headers(NEWEST)), Need::new("libclang", &support::libclang())];
    support::run(
        vec![support::test("embedded_is_what_the_generator_makes", &needs, || {
            compare("src/bindings/embedded.rs", TARGETS);
        })],
        None,
    )
}

use test_support as support;

/// One file serves every C ABI.
const TARGETS: &[&str] = &[
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
];

/// The release of build/embedded.rs's VERSION.
const NEWEST: &str = "13.5";

/// The file is the same for every target that shares it.
fn compare(file: &str, targets: &[&str]) {
    use std::{env, fs, path::Path};

    let include = support::headers(NEWEST).expect("the test needs it");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    for target in targets {
        let made = test_support::build_script!(target).generate_from(&include).run().expect_bindings();
        if env::var_os("CUDA_EXTERNAL_SYS_BLESS").is_some() {
            fs::write(&path, &made).expect("the checkout can be written");
            panic!("{file} is rewritten. Run the test again without CUDA_EXTERNAL_SYS_BLESS");
        }
        let kept = fs::read_to_string(&path).expect("it is in the repository");
        let line = made.lines().zip(kept.lines()).position(|(made, kept)| made != kept);
        assert!(
            made == kept,
            "{file} is not what the generator makes for {target}, from line {} on.\n\
             Where the change is meant: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test embedded",
            line.unwrap_or_default() + 1
        );
    }
}
