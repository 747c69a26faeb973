//! Breaks the bindings on purpose: the comparison with the header must find each mistake.

use libtest_mimic::Trial;

use crate::layout::comparison::{self, CompiledBindings};
use crate::layout::facts;
use crate::layout::{compilers, releases};
use crate::support::{self, Need};

/// A text of the bindings, its replacement, and the beginning of the message that the comparison must report.
const MUTATIONS: &[(&str, &str, &str)] = &[
    (
        "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub offset: c_ulonglong,\npub size: c_ulonglong,",
        "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub size: c_ulonglong,\npub offset: c_ulonglong,",
        "offset of CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size: 8 in C and 0 in Rust",
    ),
    (
        "pub size: c_ulonglong,\npub flags: c_uint,",
        "pub size: c_ulonglong,",
        "missing: Field(\"CUDA_EXTERNAL_MEMORY_HANDLE_DESC\", \"flags\")",
    ),
    (
        "pub array: CUDA_RESOURCE_DESC_res_array,",
        "pub arrays: CUDA_RESOURCE_DESC_res_array,",
        "not in C: Field(\"CUDA_RESOURCE_DESC\", \"res.arrays\")",
    ),
    (
        "pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
        "pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
        "size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle: 16 in C and 32 in Rust",
    ),
    (
        "pub nvSciBufObject: *const c_void,",
        "pub nvSciBufObject: *mut c_void,",
        "type of CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle.nvSciBufObject: 0 in C",
    ),
    (
        "pub type CUdeviceptr = c_ulonglong;",
        "pub type CUdeviceptr = [c_uint; 2];",
        "align of CUdeviceptr: 8 in C",
    ),
    (
        "pub enum CUexternalMemoryHandleType:",
        "pub enum CUexternalMemoryHandleType(c_int):",
        "sign of CUexternalMemoryHandleType: 0 in C and 1 in Rust",
    ),
    (
        "CUDA_ERROR_NOT_READY = 600,",
        "CUDA_ERROR_NOT_READY = 601,",
        "value of CUDA_ERROR_NOT_READY: 600 in C and 601 in Rust",
    ),
    (
        "phStream: *mut CUstream, Flags: c_uint",
        "phStream: *mut CUstream, Flags: c_ulonglong",
        "signature of cuStreamCreate: 0 in C",
    ),
    (
        "extMem_out: *mut CUexternalMemory,",
        "extMem_out: *mut CUexternalSemaphore,",
        "pointer of cuImportExternalMemory: 0 in C",
    ),
    (
        "PFN_cuMemcpyDtoD(\ndstDevice: CUdeviceptr,\nsrcDevice: CUdeviceptr,",
        "PFN_cuMemcpyDtoD(\nsrcDevice: CUdeviceptr,\ndstDevice: CUdeviceptr,",
        "missing: Function(\"cuMemcpyDtoD_v2\", \"dstDevice, srcDevice, ByteCount\")",
    ),
    (
        "pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(",
        "pub fn cuMemFree_v2: PFN_cuMemFree_v2(",
        "macroname of cuMemFree: 0 in C",
    ),
    (
        "pub fn cuMemMap: PFN_cuMemMap(",
        "pub fn cuMemMap as cuMemFree: PFN_cuMemMap as PFN_cuMemFree(",
        "macroname of cuMemFree: 0 in C",
    ),
];

pub fn trials() -> Vec<Trial> {
    let cc = Need::new("c-compiler", &support::find_compiler());
    let header = Need::new("headers", &support::fetched_headers(releases::newest_release()));
    support::tests! { [cc, header] => each_check_finds_its_mutation; }
}

/// Makes all edits of `MUTATIONS` in one copy of the bindings. Each problem names its item, so the problems can be told
/// apart. The last two edits together make one mistake: `cuMemFree` becomes a name of the function `cuMemMap`.
fn each_check_finds_its_mutation() {
    let include = support::fetched_headers(releases::newest_release()).expect("the test needs it");
    let directory = releases::test_directory("layout", "mutations");
    let edits: Vec<_> = MUTATIONS.iter().map(|(find, put, _)| (*find, *put)).collect();
    let compiled = CompiledBindings::compile_bindings(
        &releases::replace_in_bindings(releases::embedded_bindings(), &edits),
        &directory,
    );
    let problems =
        compiled.compare_with_header(&compiled.numbers, &compiled.facts_in_header(&include, &directory));
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let is_found = |problem: &str| lines.iter().any(|line| line.starts_with(problem));
    let missed: Vec<_> = MUTATIONS.iter().filter(|(.., problem)| !is_found(problem)).collect();
    assert!(missed.is_empty(), "not found: {missed:#?}\nin {lines:#?}");

    // Clears the fields of `CUmemLocation`. The comparison must then report that `type` and `id` are missing. It must
    // not report cuda.h's field `localized`, which src/bindings.rs leaves out on purpose.
    let mut bindings = comparison::parse_bindings_text(releases::embedded_bindings());
    let by_hand = bindings.records.iter_mut().find(|record| record.name == "CUmemLocation");
    by_hand.expect("the struct is read").fields.clear();
    let header = compilers::parse_release_header(&include);
    let fields: Vec<String> =
        comparison::missing_declarations(&header, &bindings, &facts::all_facts(&bindings))
            .into_iter()
            .map(|about| format!("{about:?}"))
            .filter(|line| line.contains("\"CUmemLocation\""))
            .collect();
    assert_eq!(fields, ["type", "id"].map(|name| format!("Field(\"CUmemLocation\", \"{name}\")")));
}
