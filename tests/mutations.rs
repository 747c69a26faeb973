//! Who watches the watchmen: breaks the bindings on purpose, and shows that each break is caught,
//! and by which check.

#[path = "layout/mod.rs"]
mod layout;
use test_support as support;

use std::process::ExitCode;
use std::sync::OnceLock;

use layout::compilers::Bindings;
use layout::judge;
use layout::releases;
use support::Need;

/// What is broken, the edits of the bindings' text that break it, and the check that must see it.
struct Mutation {
    name: &'static str,
    edits: &'static [(&'static str, &'static str)],
    check: &'static str,
}

/// The edits are of lines without indentation, and `c_` stands for `::core::ffi::c_`.
const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "swap_two_fields",
        edits: &[(
            "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub offset: c_ulonglong,\npub size: c_ulonglong,",
            "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {\npub size: c_ulonglong,\npub offset: c_ulonglong,",
        )],
        check: "offset",
    },
    Mutation {
        name: "drop_a_field_in_the_middle",
        edits: &[("pub size: c_ulonglong,\npub flags: c_uint,", "pub size: c_ulonglong,")],
        check: "missing field",
    },
    Mutation {
        name: "drop_the_last_field",
        edits: &[("pub numLevels: c_uint,\npub reserved: [c_uint; 16usize],", "pub numLevels: c_uint,")],
        check: "size",
    },
    Mutation {
        name: "drop_an_arm_of_a_union",
        edits: &[("pub nvSciSyncObj: *const c_void,", "")],
        check: "missing field",
    },
    Mutation {
        name: "rename_an_arm_of_a_union",
        edits: &[("pub nvSciSyncObj: *const c_void,", "pub nvSciSyncObject: *const c_void,")],
        check: "C compiler refuses",
    },
    Mutation {
        name: "make_a_union_a_struct",
        edits: &[(
            "pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
            "pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {",
        )],
        check: "size",
    },
    Mutation {
        name: "widen_a_field",
        edits: &[("pub timeoutMs: c_uint,", "pub timeoutMs: c_ulonglong,")],
        check: "size",
    },
    Mutation {
        name: "change_a_fields_sign",
        edits: &[("pub timeoutMs: c_uint,", "pub timeoutMs: c_int,")],
        check: "C type",
    },
    Mutation {
        name: "drop_const_from_a_fields_pointer",
        edits: &[("pub nvSciBufObject: *const c_void,", "pub nvSciBufObject: *mut c_void,")],
        check: "C type",
    },
    Mutation {
        name: "shorten_an_array",
        edits: &[("pub bytes: [c_char; 16usize],", "pub bytes: [c_char; 8usize],")],
        check: "size",
    },
    Mutation {
        name: "pack_a_struct",
        edits: &[(
            "#[repr(C)]\n#[derive(Debug, Default, Copy, Clone)]\npub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {",
            "#[repr(C, packed)]\n#[derive(Debug, Default, Copy, Clone)]\npub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {",
        )],
        check: "alignment",
    },
    Mutation {
        name: "change_a_handles_type",
        edits: &[(
            "pub type CUexternalMemory = *mut CUextMemory_st;",
            "pub type CUexternalMemory = *mut CUextSemaphore_st;",
        )],
        check: "C type",
    },
    Mutation {
        name: "flip_an_enums_sign",
        edits: &[(
            "pub struct CUexternalMemoryHandleType(pub c_uint);",
            "pub struct CUexternalMemoryHandleType(pub c_int);",
        )],
        check: "enum's sign",
    },
    Mutation {
        name: "change_an_enumerator",
        edits: &[(
            "pub const CUDA_ERROR_NOT_READY: CUresult = CUresult(600);",
            "pub const CUDA_ERROR_NOT_READY: CUresult = CUresult(601);",
        )],
        check: "value",
    },
    Mutation {
        name: "drop_an_enumerator",
        edits: &[
            ("pub const CU_STREAM_NON_BLOCKING: CUstream_flags = CUstream_flags(1);", ""),
            ("CU_STREAM_DEFAULT,\nCU_STREAM_NON_BLOCKING,", "CU_STREAM_DEFAULT,"),
        ],
        check: "missing constant",
    },
    Mutation {
        name: "give_an_enumerator_another_enum",
        edits: &[
            (
                "pub const CU_STREAM_NON_BLOCKING: CUstream_flags = CUstream_flags(1);",
                "pub const CU_STREAM_NON_BLOCKING: CUmemorytype = CUmemorytype(1);",
            ),
            ("CU_STREAM_DEFAULT,\nCU_STREAM_NON_BLOCKING,", "CU_STREAM_DEFAULT,"),
            ("CU_MEMORYTYPE_HOST,", "CU_STREAM_NON_BLOCKING,\nCU_MEMORYTYPE_HOST,"),
        ],
        check: "another enum",
    },
    Mutation {
        name: "change_a_macro",
        edits: &[(
            "pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;",
            "pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 2;",
        )],
        check: "value",
    },
    Mutation {
        name: "widen_an_argument",
        edits: &[(
            "PFN_cuStreamCreate(\nphStream: *mut CUstream,\nFlags: c_uint,",
            "PFN_cuStreamCreate(\nphStream: *mut CUstream,\nFlags: c_ulonglong,",
        )],
        check: "signature",
    },
    Mutation {
        name: "drop_an_argument",
        edits: &[(
            "PFN_cuStreamCreate(\nphStream: *mut CUstream,\nFlags: c_uint,",
            "PFN_cuStreamCreate(\nphStream: *mut CUstream,",
        )],
        check: "signature",
    },
    Mutation {
        name: "swap_two_arguments_of_one_type",
        edits: &[(
            "PFN_cuMemcpyDtoD_v2(\ndstDevice: CUdeviceptr,\nsrcDevice: CUdeviceptr,",
            "PFN_cuMemcpyDtoD_v2(\nsrcDevice: CUdeviceptr,\ndstDevice: CUdeviceptr,",
        )],
        check: "argument names",
    },
    Mutation {
        name: "drop_const_from_an_arguments_pointer",
        edits: &[(
            "memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,",
            "memHandleDesc: *mut CUDA_EXTERNAL_MEMORY_HANDLE_DESC,",
        )],
        check: "signature",
    },
    Mutation {
        name: "break_a_signature_for_the_second_witness",
        edits: &[("extMem_out: *mut CUexternalMemory,", "extMem_out: *mut CUexternalSemaphore,")],
        check: "cudaTypedefs.h",
    },
    Mutation {
        name: "break_a_ptsz_signature",
        edits: &[(
            "PFN_cuWaitExternalSemaphoresAsync_ptsz(\nextSemArray: *const CUexternalSemaphore,",
            "PFN_cuWaitExternalSemaphoresAsync_ptsz(\nextSemArray: *mut CUexternalSemaphore,",
        )],
        check: "signature",
    },
    Mutation {
        name: "change_a_return_type",
        edits: &[(
            "pub fn cuInit: PFN_cuInit(Flags: c_uint) -> CUresult;",
            "pub fn cuInit: PFN_cuInit(Flags: c_uint) -> CUstream_flags;",
        )],
        check: "signature",
    },
    Mutation {
        name: "drop_a_function",
        edits: &[(
            "#[must_use]\npub fn cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(extMem: CUexternalMemory) -> CUresult;",
            "",
        )],
        check: "missing function",
    },
];

/// The release whose bindings are broken: the newest.
fn newest() -> &'static str {
    releases::all().pop().expect("there are releases")
}

fn main() -> ExitCode {
    let needs = [
        Need::new("c-compiler", &support::compiler()),
        Need::new("libclang", &support::libclang()),
        Need::new("headers", &support::headers(newest())),
    ];
    let mut trials = Vec::new();
    for mutation in MUTATIONS {
        trials.push(support::test(mutation.name, &needs, || mutation.is_caught()));
    }
    support::run(trials, None)
}

impl Mutation {
    fn is_caught(&self) {
        let include = support::headers(newest()).expect("the test needs it");
        let folder = releases::folder("mutations", self.name);
        let (_, problems) = judge::verdict(&self.bindings(), &include, &folder);
        let caught = problems.iter().find(|problem| problem.check == self.check);
        let caught = caught.unwrap_or_else(|| panic!("not caught by `{}`: {problems:?}", self.check));
        let line = caught.what.lines().next().unwrap_or_default();
        println!("| {} | {} | {line} |", self.name.replace('_', " "), self.check);
    }

    fn bindings(&self) -> Bindings {
        let whole = whole();
        Bindings { text: self.broken(&whole.text), cfgs: whole.cfgs.clone() }
    }

    fn broken(&self, whole: &str) -> String {
        let mut text = whole.to_owned();
        for (find, put) in self.edits {
            let full =
                |words: &str| words.replace(" c_", " ::core::ffi::c_").replace("[c_", "[::core::ffi::c_");
            let (find, put) = (full(find), full(put));
            assert!(text.contains(&find), "the bindings have no {find}");
            text = text.replacen(&find, &put, 1);
        }
        assert_ne!(text, whole);
        text
    }
}

/// The bindings as they are generated, without documentation and indentation.
fn whole() -> &'static Bindings {
    static WHOLE: OnceLock<Bindings> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let (bindings, _) = releases::generated(newest());
        let lines = bindings.text.lines().map(str::trim).filter(|line| !line.starts_with("///"));
        let text = lines.flat_map(|line| [line, "\n"]).collect();
        Bindings { text, ..bindings }
    })
}
