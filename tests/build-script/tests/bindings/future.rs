//! Headers that do not exist yet: the bindings are right, or the reason is said.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::build_script::host;

use crate::layout::{comparison, facts, releases};
use crate::support::{self, Need};

/// What becomes of a header.
pub enum Answer {
    /// The same bindings as without the change.
    Same,
    /// The surface of the embedded bindings, with these texts.
    Has(&'static [&'static str]),
    /// The build stops, and this is the reason.
    Refused(&'static str),
}

use Answer::{Has, Refused, Same};

/// The newest release's header with a number that is yet to come.
const NEWER: &str = "14.0";
pub const OLDER: &str = "12.9";

/// The test's name, what is replaced in the header by what, and the answer.
type Case = (&'static str, &'static str, &'static str, Answer);

const LOCATION: Answer = Refused("CUmemLocation is not the struct that this version of the crate knows");

const NEWER_CASES: &[Case] = &[
    ("number", "", "", Same),
    ("number_with_a_suffix", "CUDA_VERSION 14000", "CUDA_VERSION 14000u", Same),
    (
        "more_standard_headers",
        "#include <stdlib.h>",
        "#include <stdlib.h>\n#include <stddef.h>\n#include <stdbool.h>",
        Same,
    ),
    (
        "comment_that_bindgen_would_obey",
        " * External memory buffer descriptor\n",
        " * <div rustbindgen opaque></div>\n",
        Same,
    ),
    // The result would depend on the machine's C library.
    (
        "another_standard_header",
        "#include <stdlib.h>",
        "#include <stdlib.h>\n#include <stdio.h>",
        Refused("bindgen cannot read it: "),
    ),
    (
        "function_that_is_removed_with_its_types",
        "CUDAAPI cuStreamBeginCaptureToCig(",
        "CUDAAPI cuAnother(",
        Has(&[
            "pub fn cuStreamBeginCaptureToCig:",
            "pub struct CUstreamCigParam {",
            "pub enum CUstreamCigDataType:",
        ]),
    ),
    ("handle_that_is_removed", "CUkernel kern;", "void *kern;", Has(&["*mut CUkern_st;", " CUkern_st,"])),
    ("macro_that_is_removed", "CU_TRSF_SRGB ", "ANOTHER ", Has(&["pub const CU_TRSF_SRGB: u32 = 16;"])),
    (
        "function_that_is_renamed_by_a_macro",
        "#define cuMemAlloc ",
        "#define cuMemCreate cuMemCreate_v2\n#define cuMemAlloc ",
        Has(&["pub fn cuMemCreate: PFN_cuMemCreate("]),
    ),
    (
        "function_with_another_argument",
        "prop, unsigned long long flags);",
        "prop, int flags, int more);",
        Has(&["prop: *const CUmemAllocationProp,\n        flags: c_int,\n        more: c_int,\n"]),
    ),
    (
        "enumerators_that_are_added_and_removed",
        "CUDA_ERROR_NOT_READY ",
        "CUDA_ERROR_BRAND_NEW = 9140,\nCUDA_ERROR_NOT_READY_ANY_MORE ",
        Has(&["CUDA_ERROR_BRAND_NEW = 9140,", "CUDA_ERROR_NOT_READY = 600,"]),
    ),
    (
        "struct_with_a_new_unnamed_member",
        "} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        "union { int a; float b; };\n} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        Has(&[
            "    pub unnamed_1: CUDA_EXTERNAL_MEMORY_BUFFER_DESC_unnamed_1,\n}",
            "pub union CUDA_EXTERNAL_MEMORY_BUFFER_DESC_unnamed_1 {\n    pub a: c_int,\n    pub b: f32,\n}",
        ]),
    ),
    // C makes such an enum signed, whatever the compiler.
    (
        "enum_with_a_negative_value",
        "    CU_STREAM_DEFAULT ",
        "    CU_STREAM_NONE = -1,\n    CU_STREAM_DEFAULT ",
        Has(&["pub enum CUstream_flags(c_int): CUstream_flags_values {\n        CU_STREAM_NONE = -1,"]),
    ),
    // Such an enum is not an int.
    (
        "enum_with_a_64_bit_value",
        "    CU_STREAM_DEFAULT ",
        "    CU_STREAM_WIDE = 0x100000000,\n    CU_STREAM_DEFAULT ",
        Refused("the enum CUstream_flags_enum is a "),
    ),
    (
        "packed_struct",
        "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {",
        "struct __attribute__((packed, aligned(4))) CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {",
        Refused("unexpected code from bindgen: "),
    ),
    ("hand_written_struct_that_grew", "} CUmemLocation_v1;", "int more;\n} CUmemLocation_v1;", LOCATION),
];

const OLDER_CASES: &[Case] = &[
    (
        "hand_written_struct_with_another_order",
        "} CUmemLocation_v1;",
        "} another;\ntypedef struct { int id; CUmemLocationType type; } CUmemLocation_v1;",
        LOCATION,
    ),
    (
        "hand_written_struct_with_another_id",
        "} CUmemLocation_v1;",
        "} another;\ntypedef struct { CUmemLocationType type; unsigned int id; } CUmemLocation_v1;",
        LOCATION,
    ),
    (
        "hand_written_struct_with_another_type",
        "} CUmemLocation_v1;",
        "} another;\ntypedef struct { int type; int id; } CUmemLocation_v1;",
        LOCATION,
    ),
    (
        "older_header_with_another_layout",
        "} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        "unsigned long long more[2];\n} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        Refused("CUDA_EXTERNAL_MEMORY_BUFFER_DESC has 104 bytes, aligned to 8 in this header"),
    ),
    (
        "older_header_with_a_shorter_struct",
        "} CUgraphEdgeData;",
        "} another;\ntypedef struct { char from_port, to_port, type; } CUgraphEdgeData;",
        Refused("CUgraphEdgeData has 3 bytes, aligned to 1 in this header"),
    ),
    // The sizes are the same.
    (
        "older_header_with_another_order",
        "} CUgraphEdgeData;",
        "} another;\ntypedef struct { char to_port, from_port, type, reserved[5]; } CUgraphEdgeData;",
        Refused("CUgraphEdgeData.from_port is at 1 with 1 bytes"),
    ),
    (
        "older_header_with_a_wider_field",
        "} CUgraphEdgeData;",
        "} another;\ntypedef struct { char from_port; char to_port[7]; } CUgraphEdgeData;",
        Refused("CUgraphEdgeData.to_port is at 1 with 7 bytes"),
    ),
    (
        "older_header_with_another_typedef",
        "unsigned long long CUsurfObject_v1;",
        "unsigned char CUsurfObject_v1;",
        Refused("CUsurfObject is c_uchar in this header and c_ulonglong in the newest"),
    ),
    (
        "older_header_with_another_result",
        "CUresult CUDAAPI cuMemCreate(",
        "unsigned long long CUDAAPI cuMemCreate(",
        Refused("the arguments of cuMemCreate are not those of the newest header"),
    ),
    (
        "older_header_with_another_argument",
        "prop, unsigned long long flags);",
        "prop, int flags);",
        Refused("the arguments of cuMemCreate are not those of the newest header"),
    ),
];

pub fn all() -> Vec<Trial> {
    let needs = needs();
    let trial = |release: &'static str, (name, find, put, answer): &'static Case| {
        support::test(&format!("future::{name}"), &needs, move || {
            answer.check(generate(&edit(&header(release), find, put), &[]), release);
        })
    };
    let newer = NEWER_CASES.iter().map(|case| trial(NEWER, case));
    newer.chain(OLDER_CASES.iter().map(|case| trial(OLDER, case))).collect()
}

/// What a generation from either header needs.
pub fn needs() -> [Need; 4] {
    let [libclang, bindgen] = crate::generation();
    let header = |release| Need::new("headers", &support::headers(release));
    [header(releases::newest()), header(OLDER), libclang, bindgen]
}

pub fn header(release: &str) -> String {
    if release == NEWER {
        return edit(&header(releases::newest()), "#define CUDA_VERSION 13050", "#define CUDA_VERSION 14000");
    }
    let path = support::headers(release).expect("the test needs it").join("cuda.h");
    fs::read_to_string(path).expect("a header is text")
}

fn edit(text: &str, find: &str, put: &str) -> String {
    assert!(text.contains(find), "the header has no {find}");
    text.replace(find, put)
}

/// The text of the bindings, or what the build script prints.
pub fn generate(header: &str, variables: &[(&str, &str)]) -> Result<String, String> {
    let include = tempdir().expect("a temporary directory");
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    let script = test_support::build_script!(&host()).generate_from(include.path());
    let run = variables.iter().fold(script, |script, (name, value)| script.env(name, value)).run();
    match run.bindings {
        Some(text) if run.output.status.success() => Ok(text),
        _ => Err(support::told(&run.output)),
    }
}

/// The bindings of an unchanged header. The newest one's are the embedded ones, and a number alone changes the number alone.
fn unchanged(release: &str) -> String {
    static OF_OLDER: LazyLock<String> =
        LazyLock::new(|| generate(&header(OLDER), &[]).unwrap_or_else(|error| panic!("{error}")));
    let newest = format!("CUDA {};", releases::newest());
    match release {
        OLDER => OF_OLDER.clone(),
        NEWER => releases::embedded().replace(&newest, "CUDA 14.0;").replace("= 13050;", "= 14000;"),
        _ => releases::embedded().to_owned(),
    }
}

impl Answer {
    /// Compares what was generated from a changed header.
    #[track_caller]
    pub fn check(&self, generated: Result<String, String>, release: &str) {
        match (self, generated) {
            (Same, generated) => assert_eq!(generated, Ok(unchanged(release))),
            (Has(texts), generated) => {
                let text = generated.unwrap_or_else(|error| panic!("{error}"));
                assert!(texts.iter().all(|part| text.contains(part)), "{text}");
                let (ours, theirs) = (names(releases::embedded()), names(&text));
                let missing: Vec<_> = ours.difference(&theirs).collect();
                assert!(missing.is_empty(), "missing: {missing:?}");
            }
            (Refused(reason), Ok(text)) => panic!("not refused for {reason}: {text}"),
            (Refused(reason), Err(error)) => {
                // Its own message has the reason, and not only clang's diagnostics, which come before it.
                let message = error.replace(&format!("cuda-external-sys: {reason}"), "");
                assert!(message.contains(reason) && !message.contains("panicked"), "{error}");
            }
        }
    }
}

fn names(text: &str) -> BTreeSet<String> {
    facts::facts(&comparison::read(text)).into_iter().map(|fact| fact.about.to_string()).collect()
}
