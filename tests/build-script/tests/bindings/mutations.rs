//! Breaks the bindings on purpose: each check of the comparison with the header finds what it is there for.

use build_script::model::Model;
use libtest_mimic::Trial;

use crate::layout::comparison::{self, Compiled, Problem};
use crate::layout::facts;
use crate::layout::{compilers, releases};
use crate::support::{self, Need};

/// A text of the bindings, its replacement, and the beginning of the problem that is found. The texts are of lines
/// without indentation and documentation.
type Mutation = (&'static str, &'static str, &'static str);

macro_rules! mutations {
    ($($find:literal => $put:literal, $problem:literal;)*) => { &[$(($find, $put, $problem)),*] };
}

const MUTATIONS: &[Mutation] = mutations! {
    "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub offset: c_ulonglong,\npub size: c_ulonglong," =>
        "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub size: c_ulonglong,\npub offset: c_ulonglong,",
        "offset of CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size: 8 in C and 0 in Rust";
    "pub size: c_ulonglong,\npub flags: c_uint," => "pub size: c_ulonglong,",
        "missing: Field(\"CUDA_EXTERNAL_MEMORY_HANDLE_DESC\", \"flags\")";
    "pub array: CUDA_RESOURCE_DESC_res_array," => "pub arrays: CUDA_RESOURCE_DESC_res_array,",
        "not in C: Field(\"CUDA_RESOURCE_DESC\", \"res.arrays\")";
    "pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {" =>
        "pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
        "size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle: 16 in C and 32 in Rust";
    "pub nvSciBufObject: *const c_void," => "pub nvSciBufObject: *mut c_void,",
        "type of CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle.nvSciBufObject: 0 in C";
    "pub type CUdeviceptr = c_ulonglong;" => "pub type CUdeviceptr = [c_uint; 2];",
        "align of CUdeviceptr: 8 in C";
    "pub type CUexternalMemory = *mut CUextMemory_st;" =>
        "pub type CUexternalMemory = *mut CUextSemaphore_st;", "type of CUexternalMemory: 0 in C";
    "pub enum CUexternalMemoryHandleType:" => "pub enum CUexternalMemoryHandleType(c_int):",
        "sign of CUexternalMemoryHandleType: 0 in C and 1 in Rust";
    "CUDA_ERROR_NOT_READY = 600," => "CUDA_ERROR_NOT_READY = 601,",
        "value of CUDA_ERROR_NOT_READY: 600 in C and 601 in Rust";
    "CU_MEMORYTYPE_HOST = 1," => "CU_STREAM_NON_BLOCKING = 1,\nCU_MEMORYTYPE_HOST = 1,",
        "not in C: Constant(\"CU_STREAM_NON_BLOCKING\", Some(\"CUmemorytype\"))";
    "CU_STREAM_DEFAULT = 0,\nCU_STREAM_NON_BLOCKING = 1,\n" => "CU_STREAM_DEFAULT = 0,\n",
        "missing: Constant(\"CU_STREAM_NON_BLOCKING\", Some(\"CUstream_flags\"))";
    "pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;" =>
        "pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 2;",
        "value of CUDA_EXTERNAL_MEMORY_DEDICATED: 1 in C and 2 in Rust";
    "phStream: *mut CUstream, Flags: c_uint" => "phStream: *mut CUstream, Flags: c_ulonglong",
        "signature of cuStreamCreate: 0 in C";
    "extMem_out: *mut CUexternalMemory," => "extMem_out: *mut CUexternalSemaphore,",
        "pointer of cuImportExternalMemory: 0 in C";
    "PFN_cuWaitExternalSemaphoresAsync_ptsz(\nextSemArray: *const CUexternalSemaphore," =>
        "PFN_cuWaitExternalSemaphoresAsync_ptsz(\nextSemArray: *mut CUexternalSemaphore,",
        "signature of cuWaitExternalSemaphoresAsync_ptsz: 0 in C";
    "pub fn cuCtxCreate_v2: PFN_cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint," =>
        "pub fn cuCtxCreate_v2: PFN_cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_ulonglong,",
        "signature of cuCtxCreate_v2: 0 in C";
    "image: c_uint,\ntarget: c_uint," => "image: c_uint,\ntarget: c_int,",
        "signature of cuGraphicsGLRegisterImage: 0 in C";
    "PFN_cuMemcpyDtoD(\ndstDevice: CUdeviceptr,\nsrcDevice: CUdeviceptr," =>
        "PFN_cuMemcpyDtoD(\nsrcDevice: CUdeviceptr,\ndstDevice: CUdeviceptr,",
        "missing: Function(\"cuMemcpyDtoD_v2\", \"dstDevice, srcDevice, ByteCount\")";
    "pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(" =>
        "pub fn cuMemFree_v2: PFN_cuMemFree_v2(", "macroname of cuMemFree: 0 in C";
    "pub fn cuMemMap: PFN_cuMemMap(" => "pub fn cuMemMap as cuMemFree: PFN_cuMemMap as PFN_cuMemFree(",
        "macroname of cuMemFree: 0 in C";
    "PFN_cuMemcpyHtoD(\ndstDevice: CUdeviceptr," => "PFN_cuMemcpyHtoD(\nsrcDevice: CUdeviceptr,",
        "not in C: Function(\"cuMemcpyHtoD_v2\", \"srcDevice, srcHost, ByteCount\")";
};

/// What the crate does not compile without.
const DROPPED: &[Mutation] = mutations! {
    "pub const CU_TRSF_SRGB: u32 = 16;" => "", "missing: Constant(\"CU_TRSF_SRGB\", None)";
    "pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {" => "pub struct ANOTHER {",
        "missing: Type(\"CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2\")";
};

pub fn all() -> Vec<Trial> {
    let cc = Need::new("c-compiler", &support::compiler());
    let header = Need::new("headers", &support::headers(releases::newest()));
    support::tests! { [cc, header] => each_check_finds_its_mutation; }
}

/// All at once: each problem names its item.
fn each_check_finds_its_mutation() {
    let include = support::headers(releases::newest()).expect("the test needs it");
    let directory = releases::directory("layout", "mutations");
    let compiled = Compiled::new(&mutated(MUTATIONS), &directory);
    let header = compiled.in_header(&include, &directory);
    assert_found(MUTATIONS, &compiled.problems(&compiled.numbers, &header));

    let mut bindings = comparison::read(&mutated(DROPPED));
    let header = compilers::header(&include);
    let missing = |bindings: &Model| {
        let found = comparison::missing(&header, bindings, &facts::facts(bindings));
        found.into_iter().map(Problem::Missing).collect::<Vec<_>>()
    };
    assert_found(DROPPED, &missing(&bindings));
    // The one struct that src/ writes by hand: what it leaves out on purpose is not missing, and all else is.
    let by_hand = bindings.records.iter_mut().find(|record| record.name == "CUmemLocation");
    by_hand.expect("the struct is read").fields.clear();
    let fields = missing(&bindings).into_iter().map(|problem| problem.to_string());
    let fields: Vec<String> = fields.filter(|line| line.contains("\"CUmemLocation\"")).collect();
    assert_eq!(fields, ["type", "id"].map(|name| format!("missing: Field(\"CUmemLocation\", \"{name}\")")));
}

fn mutated(mutations: &[Mutation]) -> String {
    let edits: Vec<_> = mutations.iter().map(|(find, put, _)| (*find, *put)).collect();
    releases::edited(releases::embedded(), &edits)
}

fn assert_found(mutations: &[Mutation], problems: &[Problem]) {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let is_found = |problem: &str| lines.iter().any(|line| line.starts_with(problem));
    let missed: Vec<_> = mutations.iter().filter(|(.., problem)| !is_found(problem)).collect();
    assert!(missed.is_empty(), "not found: {missed:#?}\nin {lines:#?}");
}
