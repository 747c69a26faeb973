//! Arguments and variables that change what clang reads: the bindings stay the same, or the build gives the reason.

use libtest_mimic::Trial;

use crate::edits::Answer::{self, Refused, Same};
use crate::edits::{OLDER, generate, header, needs};
use crate::layout::releases;
use crate::support;

const ARGUMENTS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// A variable, its value, in which `NEWEST` is the directory of the newest header, and the answer for an older header.
const CASES: &[(&str, &str, Answer)] = &[
    (ARGUMENTS, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", Same),
    (ARGUMENTS, "-DCUDA_FORCE_API_VERSION=3020", Same),
    (ARGUMENTS, "-D__CUDA_API_VERSION_INTERNAL", Same),
    (ARGUMENTS, "-DCUDA_VERSION=13000", Same),
    // The located header is the one that is read.
    (ARGUMENTS, "-INEWEST", Same),
    ("CPATH", "NEWEST", Same),
    (ARGUMENTS, "-include NEWEST/cuda.h", Same),
    (ARGUMENTS, "-fshort-enums", Refused("the clang arguments make enums short, as CUDA's ABI does not\n")),
    (ARGUMENTS, "-fpack-struct=1", Refused("the clang arguments pack structs, as CUDA's ABI does not\n")),
    (ARGUMENTS, "-m32", Refused("the clang arguments change the size of pointers")),
    ("TARGET", "i686-unknown-linux-gnu", Refused("CUDA has 64-bit targets only\n")),
];

pub fn all() -> Vec<Trial> {
    let needs = needs();
    let trial = |(variable, value, answer): &'static (&str, &str, Answer)| {
        support::test(&format!("clang_arguments::{variable}={value}"), &needs, move || {
            let newest = support::headers(releases::newest()).expect("the test needs it");
            let value = value.replace("NEWEST", &newest.display().to_string());
            // Completion changes the order of functions where a header has others, and the newest one is not completed.
            let releases = if matches!(answer, Same) { vec![OLDER, releases::newest()] } else { vec![OLDER] };
            for release in releases {
                answer.assert_answers(generate(&header(release), &[(variable, &value)]), release);
            }
        })
    };
    let trials = CASES.iter().map(trial);
    #[cfg(unix)]
    let trials =
        trials.chain([support::test("clang_arguments::clang_is_not_started", &needs, clang_is_not_started)]);
    trials.collect()
}

/// A program `clang` would add its own directories to the search path, and not every machine has one.
#[cfg(unix)]
fn clang_is_not_started() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().expect("a temporary directory");
    let program = directory.path().join("clang");
    fs::write(&program, "#!/bin/sh\ntouch \"$0-was-started\"\n").expect("a file");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("this test made it");
    let made = generate(&header(OLDER), &[("CLANG_PATH", program.to_str().expect("UTF-8"))]);
    assert!(made.is_ok(), "{made:?}");
    assert!(!directory.path().join("clang-was-started").exists());
}
