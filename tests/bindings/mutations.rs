//! Breaks the bindings on purpose: each check of the comparison with the header finds what it is there for.

use std::sync::LazyLock;

use libtest_mimic::Trial;

use crate::layout::comparison;
use crate::layout::compilers::Bindings;
use crate::layout::releases;
use crate::support::{self, Need};

/// What is broken, the edits of the bindings' text that break it, and how the problem that is found begins.
struct Mutation {
    name: &'static str,
    edits: &'static [(&'static str, &'static str)],
    problem: &'static str,
}

/// One for each check. The edits are of lines without indentation and documentation.
const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "swap_two_fields",
        edits: &[(
            "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub offset: c_ulonglong,\npub size: c_ulonglong,",
            "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub size: c_ulonglong,\npub offset: c_ulonglong,",
        )],
        problem: "offset: that of CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size is 8 in C and 0 in Rust",
    },
    Mutation {
        name: "drop_a_field_in_the_middle",
        edits: &[("pub size: c_ulonglong,\npub flags: c_uint,", "pub size: c_ulonglong,")],
        problem: "missing field: flags of CUDA_EXTERNAL_MEMORY_HANDLE_DESC",
    },
    Mutation {
        name: "drop_a_field_of_a_union",
        edits: &[("pub nvSciSyncObj: *const c_void,", "")],
        problem: "missing field: nvSciSyncObj of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle",
    },
    Mutation {
        name: "rename_a_field_of_a_union",
        edits: &[("pub nvSciSyncObj: *const c_void,", "pub nvSciSyncObject: *const c_void,")],
        problem: "missing field: nvSciSyncObj of",
    },
    Mutation {
        name: "make_a_union_a_struct",
        edits: &[(
            "pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
            "pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
        )],
        problem: "size: that of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle is 16 in C and 32 in Rust",
    },
    Mutation {
        name: "change_a_fields_sign",
        edits: &[("pub timeoutMs: c_uint,", "pub timeoutMs: c_int,")],
        problem: "C type: that of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex.timeoutMs is another",
    },
    Mutation {
        name: "drop_const_from_a_fields_pointer",
        edits: &[("pub nvSciBufObject: *const c_void,", "pub nvSciBufObject: *mut c_void,")],
        problem: "C type: that of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle.nvSciBufObject is another",
    },
    Mutation {
        name: "weaken_an_alignment",
        edits: &[("pub type CUdeviceptr = c_ulonglong;", "pub type CUdeviceptr = [c_uint; 2];")],
        problem: "alignment: that of CUdeviceptr is 8 in C and 4 in Rust",
    },
    Mutation {
        name: "change_a_handles_type",
        edits: &[(
            "pub type CUexternalMemory = *mut CUextMemory_st;",
            "pub type CUexternalMemory = *mut CUextSemaphore_st;",
        )],
        problem: "C type: that of CUexternalMemory is another",
    },
    Mutation {
        name: "flip_an_enums_sign",
        edits: &[("pub enum CUexternalMemoryHandleType:", "pub enum CUexternalMemoryHandleType(c_int):")],
        problem: "sign: that of CUexternalMemoryHandleType is 0 in C and 1 in Rust",
    },
    Mutation {
        name: "change_an_enumerator",
        edits: &[("CUDA_ERROR_NOT_READY = 600,", "CUDA_ERROR_NOT_READY = 601,")],
        problem: "value: that of CUDA_ERROR_NOT_READY is 600 in C and 601 in Rust",
    },
    Mutation {
        name: "give_an_enumerator_another_enum",
        edits: &[
            ("CU_STREAM_NON_BLOCKING = 1,\n", ""),
            ("CU_MEMORYTYPE_HOST = 1,", "CU_STREAM_NON_BLOCKING = 1,\nCU_MEMORYTYPE_HOST = 1,"),
        ],
        problem: "missing enumerator in C: CU_STREAM_NON_BLOCKING of CUmemorytype",
    },
    Mutation {
        name: "drop_an_enumerator",
        edits: &[("CU_STREAM_NON_BLOCKING = 1,\n", "")],
        problem: "missing constant: CU_STREAM_NON_BLOCKING of CUstream_flags",
    },
    Mutation {
        name: "change_a_macro",
        edits: &[(
            "pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;",
            "pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 2;",
        )],
        problem: "value: that of CUDA_EXTERNAL_MEMORY_DEDICATED is 1 in C and 2 in Rust",
    },
    Mutation {
        name: "widen_an_argument",
        edits: &[("phStream: *mut CUstream, Flags: c_uint", "phStream: *mut CUstream, Flags: c_ulonglong")],
        problem: "signature: that of cuStreamCreate is another",
    },
    Mutation {
        name: "break_a_signature_of_cudatypedefs",
        edits: &[("extMem_out: *mut CUexternalMemory,", "extMem_out: *mut CUexternalSemaphore,")],
        problem: "pointer type in cudaTypedefs.h: that of cuImportExternalMemory is another",
    },
    Mutation {
        name: "break_a_ptsz_signature",
        edits: &[(
            "PFN_cuWaitExternalSemaphoresAsync_ptsz(\nextSemArray: *const CUexternalSemaphore,",
            "PFN_cuWaitExternalSemaphoresAsync_ptsz(\nextSemArray: *mut CUexternalSemaphore,",
        )],
        problem: "signature: that of cuWaitExternalSemaphoresAsync_ptsz is another",
    },
    Mutation {
        name: "swap_two_arguments_of_one_type",
        edits: &[(
            "PFN_cuMemcpyDtoD(\ndstDevice: CUdeviceptr,\nsrcDevice: CUdeviceptr,",
            "PFN_cuMemcpyDtoD(\nsrcDevice: CUdeviceptr,\ndstDevice: CUdeviceptr,",
        )],
        problem: "argument names: cuMemcpyDtoD_v2 has",
    },
    Mutation {
        name: "give_a_plain_name_to_another_symbol",
        edits: &[
            (
                "pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(",
                "pub fn cuMemFree_v2: PFN_cuMemFree_v2(",
            ),
            (
                "pub fn cuMemMap: PFN_cuMemMap(",
                "pub fn cuMemMap as cuMemFree: PFN_cuMemMap as PFN_cuMemFree(",
            ),
        ],
        problem: "plain name: that of cuMemFree is another",
    },
    Mutation {
        name: "drop_a_function",
        edits: &[(
            "pub fn cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(extMem: CUexternalMemory) -> CUresult;",
            "",
        )],
        problem: "missing function: cuDestroyExternalMemory",
    },
];

pub fn all() -> Vec<Trial> {
    let needs =
        [Need::new("c-compiler", &support::compiler()), Need::new("headers", &support::headers(newest()))];
    let trial = |mutation: &'static Mutation| {
        support::test(&format!("mutations::{}", mutation.name), &needs, || mutation.is_found())
    };
    MUTATIONS.iter().map(trial).collect()
}

fn newest() -> &'static str {
    releases::all().pop().expect("there are releases")
}

impl Mutation {
    fn is_found(&self) {
        let include = support::headers(newest()).expect("the test needs it");
        let directory = releases::directory("mutations", self.name);
        let (_, problems) = comparison::problems(&self.bindings(), &include, &directory);
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(lines.iter().any(|line| line.starts_with(self.problem)), "not found: {lines:#?}");
    }

    fn bindings(&self) -> Bindings {
        let mut text = WHOLE.text.clone();
        for (find, put) in self.edits {
            assert!(text.contains(find), "the bindings have no {find}");
            text = text.replacen(find, put, 1);
        }
        Bindings { text, ..WHOLE.clone() }
    }
}

/// The embedded bindings, without documentation and indentation.
static WHOLE: LazyLock<Bindings> = LazyLock::new(|| {
    let bindings = releases::embedded();
    let lines = bindings.text.lines().map(str::trim).filter(|line| !line.starts_with("///"));
    let text = lines.flat_map(|line| [line, "\n"]).collect();
    Bindings { text, ..bindings }
});
