//! Arguments and variables that change what clang reads: the bindings stay the same, or the build gives the reason.

use libtest_mimic::Trial;

use crate::edited_headers::ExpectedResult::{self, Refused, Same};
use crate::edited_headers::{OLDER, generate_bindings, generation_needs, release_header};
use crate::layout::releases;
use crate::support;

const ARGUMENTS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// A variable, its value, in which `NEWEST` is the directory of the newest header, and the answer for an older header.
const CASES: &[(&str, &str, ExpectedResult)] = &[
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

pub fn trials() -> Vec<Trial> {
    let needs = generation_needs();
    let trial = |(variable, value, answer): &'static (&str, &str, ExpectedResult)| {
        support::trial_if(&format!("clang_arguments::{variable}={value}"), &needs, move || {
            let newest = support::headers(releases::newest_release()).expect("the test needs it");
            let value = value.replace("NEWEST", &newest.display().to_string());
            // Completion changes the order of functions where a header has others, and the newest one is not completed.
            let releases =
                if matches!(answer, Same) { vec![OLDER, releases::newest_release()] } else { vec![OLDER] };
            for release in releases {
                answer.assert_answers(
                    generate_bindings(&release_header(release), &[(variable, &value)]),
                    release,
                );
            }
        })
    };
    CASES.iter().map(trial).collect()
}
