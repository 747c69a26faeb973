//! Headers that do not exist yet: the bindings are right, or the reason is said.
//!
//! The headers are made from the newest release's by edits.

use std::fs;

use libtest_mimic::Trial;
use tempfile::tempdir;
use test_support::build_script::{BuildScript, host};

use crate::layout::model::Bindings;
use crate::layout::releases;
use crate::support::{self, Need};

pub fn all() -> Vec<Trial> {
    let needs = needs();
    let test = |name: &str, run: fn()| support::test(&format!("future::{name}"), &needs, run);
    vec![
        test("new_number_alone", new_number),
        test("number_with_a_suffix", number_with_a_suffix),
        test("function_that_is_removed", removed_function),
        test("function_that_is_renamed_by_a_macro", renamed_function),
        test("function_with_another_argument", changed_function),
        test("enumerators_that_are_added_and_removed", enumerators),
        test("struct_with_a_new_unnamed_member", unnamed_member),
        test("hand_written_struct_that_grew", grown_hand_written),
        test("hand_written_struct_with_another_order", reordered_hand_written),
        test("more_standard_headers", standard_headers),
        test("enum_with_a_negative_value", negative_enumerator),
        test("enum_with_a_64_bit_value", wide_enumerator),
        test("packed_struct", packed_struct),
        test("older_header_with_another_layout", older_with_another_layout),
        test("older_header_with_another_order", older_with_another_order),
        test("older_header_with_another_argument", older_with_another_argument),
    ]
}

/// What a generation from either header needs.
pub fn needs() -> [Need; 4] {
    [
        Need::new("headers", &support::headers(newest())),
        Need::new("headers", &support::headers(OLDER)),
        Need::new("libclang", &support::libclang()),
        Need::feature("bindgen", cfg!(feature = "bindgen")),
    ]
}

pub const OLDER: &str = "12.9";

pub fn newest() -> &'static str {
    releases::all().pop().expect("there are releases")
}

pub fn header(release: &str) -> String {
    let path = support::headers(release).expect("the test needs it").join("cuda.h");
    fs::read_to_string(path).expect("a header is text")
}

/// The newest header, renumbered 14.0.
fn future() -> String {
    edit(&header(newest()), "#define CUDA_VERSION 13050", "#define CUDA_VERSION 14000")
}

#[track_caller]
fn edit(text: &str, find: &str, put: &str) -> String {
    assert!(text.contains(find), "the header has no {find}");
    text.replacen(find, put, 1)
}

/// The text of the bindings, or what the build script prints.
pub fn generate(header: &str, with: impl FnOnce(BuildScript) -> BuildScript) -> Result<String, String> {
    let include = tempdir().expect("a temporary directory");
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    let run = with(test_support::build_script!(&host()).generate_from(include.path())).run();
    match run.bindings {
        Some(text) if run.output.status.success() => Ok(text),
        _ => Err(support::told(&run.output)),
    }
}

#[track_caller]
fn bindings(header: &str) -> Bindings {
    let text = generate(header, |script| script).unwrap_or_else(|error| panic!("{error}"));
    let bindings = Bindings::read(&text).unwrap_or_else(|error| panic!("{error}"));
    let embedded = embedded();
    // Nothing of the newest release's surface is missing.
    for function in &embedded.functions {
        assert!(bindings.functions.iter().any(|other| other.name == function.name), "{}", function.name);
    }
    for record in &embedded.records {
        assert!(bindings.records.iter().any(|other| other.name == record.name), "{}", record.name);
    }
    for an_enum in &embedded.enums {
        let other = bindings.enums.iter().find(|other| other.name == an_enum.name).expect("each enum");
        for (name, _) in &an_enum.values {
            assert!(other.values.iter().any(|(value, _)| value == name), "{name}");
        }
    }
    bindings
}

fn embedded() -> Bindings {
    Bindings::read(&releases::embedded().text).unwrap_or_else(|error| panic!("{error}"))
}

/// The build stops, and this is the reason.
#[track_caller]
pub fn assert_refused(header: &str, with: impl FnOnce(BuildScript) -> BuildScript, reason: &str) {
    let error = generate(header, with).expect_err("the header is refused");
    assert_reason(&error, reason);
}

/// The build script's own message has the reason, and not only clang's diagnostics, which come before it.
#[track_caller]
pub fn assert_reason(error: &str, reason: &str) {
    let message = error.replace(&format!("cuda-external-sys: {reason}"), "");
    assert!(message.contains(reason) && !message.contains("panicked"), "{error}");
}

fn new_number() {
    let mut expected = embedded();
    let version = expected.macros.iter_mut().find(|(name, _)| name == "CUDA_VERSION");
    version.expect("each header has a version").1 = 14000;
    assert_eq!(bindings(&future()), expected);
}

fn number_with_a_suffix() {
    let header = edit(&future(), "#define CUDA_VERSION 14000", "#define CUDA_VERSION 14000u");
    let bindings = bindings(&header);
    assert!(bindings.macros.contains(&("CUDA_VERSION".to_owned(), 14000)));
}

const CU_MEM_CREATE: &str = "CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, \
                             const CUmemAllocationProp *prop, unsigned long long flags);";

/// The function is still there, for the drivers that have it.
fn removed_function() {
    bindings(&edit(&future(), CU_MEM_CREATE, ""));
}

fn renamed_function() {
    let header =
        edit(&future(), "#define cuMemAlloc ", "#define cuMemCreate cuMemCreate_v2\n#define cuMemAlloc ");
    bindings(&header);
}

/// A newer header rules.
fn changed_function() {
    let header = edit(
        &future(),
        CU_MEM_CREATE,
        &CU_MEM_CREATE.replace("unsigned long long flags", "int flags, int more"),
    );
    let bindings = bindings(&header);
    let function = bindings.functions.iter().find(|function| function.name == "cuMemCreate");
    assert_eq!(function.expect("it is there").arguments.len(), 5);
}

fn enumerators() {
    let header = edit(
        &future(),
        "CUDA_ERROR_NOT_READY ",
        "CUDA_ERROR_BRAND_NEW = 9140,\n    CUDA_ERROR_NOT_READY_ANY_MORE ",
    );
    let bindings = bindings(&header);
    let results = bindings.enums.iter().find(|an_enum| an_enum.name == "CUresult").expect("CUresult");
    for (name, value) in [("CUDA_ERROR_BRAND_NEW", 9140), ("CUDA_ERROR_NOT_READY", 600)] {
        assert!(results.values.contains(&(name.to_owned(), value)), "{name}");
    }
}

/// The text before the end of a struct, and the rest.
fn at_end_of(header: &str, end: &str) -> (String, String) {
    let at = header.find(end).unwrap_or_else(|| panic!("the header has no {end}"));
    (header[..at].to_owned(), header[at..].to_owned())
}

fn unnamed_member() {
    let (before, after) = at_end_of(&future(), "} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;");
    let bindings = bindings(&format!("{before}    union {{ int first; float second; }};\n{after}"));
    let record = |name: &str| bindings.records.iter().find(|record| record.name == name).cloned();
    let owner = record("CUDA_EXTERNAL_MEMORY_BUFFER_DESC").expect("the struct");
    assert_eq!(owner.fields.last().expect("fields").0, "unnamed_1");
    let member = record("CUDA_EXTERNAL_MEMORY_BUFFER_DESC_unnamed_1").expect("the union");
    assert!(member.is_union && member.fields.len() == 2, "{member:?}");
}

const LOCATION: &str = "CUmemLocation is not the struct that this version of the crate knows";

fn grown_hand_written() {
    let (before, after) = at_end_of(&future(), "} CUmemLocation_v1;");
    assert_refused(&format!("{before}    int more;\n{after}"), |script| script, LOCATION);
}

fn reordered_hand_written() {
    let (before, after) = at_end_of(&header(OLDER), "} CUmemLocation_v1;");
    let start = before.rfind("typedef struct CUmemLocation_st").expect("the struct");
    let header = format!(
        "{}typedef struct CUmemLocation_st {{ int id; CUmemLocationType type; {after}",
        &before[..start]
    );
    assert_refused(&header, |script| script, LOCATION);
}

fn standard_headers() {
    let more = "#include <stdlib.h>\n#include <stddef.h>\n#include <stdbool.h>\n";
    bindings(&edit(&future(), "#include <stdlib.h>", more));
}

/// C makes such an enum signed, whatever the compiler.
fn negative_enumerator() {
    let header =
        edit(&future(), "    CU_STREAM_DEFAULT ", "    CU_STREAM_NONE = -1,\n    CU_STREAM_DEFAULT ");
    let bindings = bindings(&header);
    let flags = bindings.enums.iter().find(|an_enum| an_enum.name == "CUstream_flags").expect("it is there");
    assert!(flags.is_signed && flags.values.contains(&("CU_STREAM_NONE".to_owned(), -1)));
}

/// Such an enum is not an int.
fn wide_enumerator() {
    let header = edit(
        &future(),
        "    CU_STREAM_DEFAULT ",
        "    CU_STREAM_WIDE = 0x100000000,\n    CU_STREAM_DEFAULT ",
    );
    assert_refused(&header, |script| script, "the enum CUstream_flags_enum is a ");
}

fn packed_struct() {
    let header = edit(
        &future(),
        "typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {",
        "typedef struct __attribute__((packed, aligned(4))) CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {",
    );
    assert_refused(&header, |script| script, "unexpected code from bindgen: ");
}

fn older_with_another_layout() {
    let (before, after) = at_end_of(&header(OLDER), "} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;");
    let header = format!("{before}    unsigned long long more[2];\n{after}");
    assert_refused(
        &header,
        |script| script,
        "CUDA_EXTERNAL_MEMORY_BUFFER_DESC has 104 bytes, aligned to 8 in this header",
    );
}

/// The sizes are the same.
fn older_with_another_order() {
    let header = header(OLDER);
    let start = header.find("typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st").expect("the struct");
    let (before, after) = header.split_at(start);
    let after = edit(after, "unsigned long long offset;", "unsigned long long other;");
    let after = edit(&after, "unsigned long long size;", "unsigned long long offset;");
    let header = format!("{before}{}", edit(&after, "unsigned long long other;", "unsigned long long size;"));
    assert_refused(&header, |script| script, "CUDA_EXTERNAL_MEMORY_BUFFER_DESC.offset is at 8 with 8 bytes");
}

fn older_with_another_argument() {
    let header =
        edit(&header(OLDER), CU_MEM_CREATE, &CU_MEM_CREATE.replace("unsigned long long flags", "int flags"));
    assert_refused(
        &header,
        |script| script,
        "the arguments of cuMemCreate are not those of the newest header",
    );
}
