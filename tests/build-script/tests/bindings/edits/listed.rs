//! Listed edits of real headers, and the result of each.

use super::Answer::{self, Has, Same};
use super::{NEWER, NEWEST, OLDER, OLDEST};

/// The edit's name, the release that is edited, what is replaced in its header by what, and the answer.
pub type ListedEdit = (&'static str, &'static str, &'static [(&'static str, &'static str)], Answer);

/// An edit, as one row: what is replaced stands between the release and the answer.
macro_rules! listed {
    ($name:literal, $release:expr $(, $find:expr => $put:expr)*; $answer:expr) => {
        ($name, $release, &[$(($find, $put)),*], $answer)
    };
}

/// Headers that are used: the same surface, with the header's values and new items.
pub const USED: &[ListedEdit] = &[
    listed!("number", NEWER; Same),
    listed!("number_with_a_suffix", NEWER, "CUDA_VERSION 14000" => "CUDA_VERSION 14000u"; Same),
    listed!("more_standard_headers", NEWER, "#include <stdlib.h>" =>
        "#include <stdlib.h>\n#include <stddef.h>\n#include <stdbool.h>"; Same),
    listed!("comment_that_bindgen_would_obey", NEWER, " * External memory buffer descriptor\n" =>
        " * <div rustbindgen opaque></div>\n"; Same),
    listed!("function_that_is_removed", NEWER, "CUDAAPI cuStreamBeginCaptureToCig(" => "CUDAAPI cuAnother(";
        Same),
    listed!("function_of_two_names_that_is_removed", OLDEST, "CUDAAPI cuMemAlloc(" => "CUDAAPI cuAnother(";
        Same),
    listed!("macro_that_is_removed", NEWER, "CU_TRSF_SRGB " => "ANOTHER "; Same),
    listed!("macro_with_another_value", NEWER, "#define CU_TRSF_SRGB  0x10" =>
        "#define CU_TRSF_SRGB ((unsigned int)(sizeof(int) << 4))";
        Has(&["pub const CU_TRSF_SRGB: u32 = 64;"])),
    listed!("macro_that_becomes_an_enumerator", NEWER, "#define CU_TRSF_SRGB  0x10" =>
        "enum { CU_TRSF_SRGB = 0x20 };"; Has(&["pub const CU_TRSF_SRGB: u32 = 32;"])),
    listed!("function_that_is_renamed_by_a_macro", NEWER, "#define cuMemAlloc " =>
        "#define cuMemCreate cuMemCreate_v2\n#define cuMemAlloc "; Same),
    listed!("function_like_macro", NEWER, "#define cuMemAlloc " =>
        "#define cuMemCreate(a, b, c, d) cuMemCreate_v2(a, b, c, d)\n#define cuMemAlloc "; Same),
    listed!("function_that_becomes_inline", NEWER, "CUresult CUDAAPI cuInit(unsigned int Flags);" =>
        "static inline CUresult cuInit(int a, int b) { return CUDA_SUCCESS; }"; Same),
    listed!("enumerators_that_are_added_and_removed", NEWER, "CUDA_ERROR_NOT_READY " =>
        "CUDA_ERROR_BRAND_NEW = 9140,\nCUDA_ERROR_NOT_READY_ANY_MORE ";
        Has(&["CUDA_ERROR_BRAND_NEW = 9140,", "CUDA_ERROR_NOT_READY = 600,"])),
    listed!("enumerators_with_other_values", OLDER, "CUDA_ERROR_NOT_READY                      = 600" =>
        "CUDA_ERROR_NOT_READY = 601"; Has(&["CUDA_ERROR_NOT_READY = 601,"])),
    listed!("enumerator_with_the_highest_bit", NEWER, "    CU_STREAM_DEFAULT " =>
        "    CU_STREAM_HIGHEST = 0x80000000u,\n    CU_STREAM_DEFAULT ";
        Has(&["CU_STREAM_HIGHEST = 2147483648,"])),
    listed!("enumerator_that_moves_to_another_enum", NEWER,
        "CU_STREAM_NON_BLOCKING        = 0x1" => "CU_STREAM_OTHER = 0x1",
        "typedef enum CUevent_flags_enum {" =>
            "typedef enum CUevent_flags_enum {\nCU_STREAM_NON_BLOCKING = 3,";
        Has(&["CU_STREAM_DEFAULT = 0,\n        CU_STREAM_NON_BLOCKING = 3,", "CU_STREAM_OTHER = 1,"])),
    listed!("enumerator_that_moves_to_an_enum_of_nothing_bound", NEWER,
        "CU_STREAM_NON_BLOCKING        = 0x1" => "CU_STREAM_OTHER = 0x1",
        "typedef enum CUjit_option_enum" =>
            "enum unbound { CU_STREAM_NON_BLOCKING = 4 };\ntypedef enum CUjit_option_enum";
        Has(&["CU_STREAM_NON_BLOCKING = 4,"])),
    listed!("enumerator_that_becomes_a_macro", NEWER, "    CU_STREAM_NON_BLOCKING        = 0x1" =>
        "#define CU_STREAM_NON_BLOCKING (1 << 1)\n"; Has(&["CU_STREAM_NON_BLOCKING = 2,"])),
    listed!("negative_enumerator_that_is_removed", NEWEST, "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID = -1" =>
        "CU_ANOTHER_OWNERSHIP = 2"; Same),
    listed!("tag_of_an_enum_with_another_name", NEWER, "CUstream_flags_enum" => "stream_flags"; Same),
    listed!("tag_of_a_struct_with_another_name", NEWER, "CUDA_RESOURCE_DESC_st" => "resource"; Same),
    listed!("tag_of_a_hand_written_struct", NEWER, "CUmemLocation_st" => "CUmemLocation_e"; Same),
    listed!("tag_that_is_the_name", NEWER, "CUDA_RESOURCE_DESC_st" => "CUDA_RESOURCE_DESC"; Same),
    listed!("struct_without_a_tag", NEWER, "struct CUDA_RESOURCE_DESC_st\n{" => "struct\n{"; Same),
    listed!("handle_whose_struct_is_defined", NEWER, "typedef struct CUctx_st *CUcontext;" =>
        "struct CUctx_st { int a; };\ntypedef struct CUctx_st *CUcontext;"; Same),
    listed!("attributes_without_effect", NEWER, "CUresult CUDAAPI cuInit(" =>
        "__attribute__((warn_unused_result, nonnull, deprecated, visibility(\"default\"))) CUresult CUDAAPI cuInit(";
        Same),
    listed!("pragma_pack_of_eight", NEWER, "typedef struct CUDA_RESOURCE_DESC_st\n" =>
        "#pragma pack(push, 8)\ntypedef struct CUDA_RESOURCE_DESC_st\n"; Same),
    listed!("new_node_parameters", NEWER,
        "        CUDA_MEMCPY_NODE_PARAMS               memcpy;" =>
            "CUDA_NEW_NODE_PARAMS_v1 brandNew; CUDA_MEMCPY_NODE_PARAMS memcpy;",
        "typedef struct CUgraphNodeParams_st {" =>
            "typedef enum CUnewKind_enum { CU_NEW_KIND = 7 } CUnewKind;\ntypedef struct CUnewHandle_st *CUnewHandle;\n\
         typedef struct CUDA_NEW_NODE_PARAMS_st { CUnewKind kind; union { int a; double b; } value_union; CUDA_RESOURCE_DESC *of; CUnewHandle handle; } CUDA_NEW_NODE_PARAMS_v1;\n\
         typedef struct CUgraphNodeParams_st {";
        Has(&["pub struct CUDA_NEW_NODE_PARAMS_v1 {\n    pub kind: CUnewKind,\n    pub value_union: CUDA_NEW_NODE_PARAMS_v1_value_union,\n", "CU_NEW_KIND = 7,", "pub type CUnewHandle = *mut CUnewHandle_st;"])),
    listed!("node_parameters_that_grow", NEWER, "} CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;" =>
        "void *more; } CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;"; Same),
    listed!("reserved_bytes_that_become_a_field", NEWER, "unsigned int reserved[16];\n} CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;" =>
        "unsigned int more;\nunsigned int reserved[15];\n} CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;"; Same),
    listed!("field_that_moves_into_a_union", NEWER, "    CUmemAccess_flags flags; " =>
        "    union { CUmemAccess_flags flags; int other; }; "; Has(&["pub struct CUmemAccessDesc {\n"])),
    listed!("versioned_struct_and_function", NEWER,
        "typedef CUDA_MEMCPY3D_v2 CUDA_MEMCPY3D;" =>
            "typedef struct CUDA_MEMCPY3D_v3_st { char less; } CUDA_MEMCPY3D_v3;\ntypedef CUDA_MEMCPY3D_v3 CUDA_MEMCPY3D;",
        "    CUDA_MEMCPY3D copyParams;" => "    CUDA_MEMCPY3D_v2 copyParams;",
        "__CUDA_API_PTDS(cuMemcpy3D_v2)" => "__CUDA_API_PTDS(cuMemcpy3D_v3)",
        "__CUDA_API_PTSZ(cuMemcpy3DAsync_v2)" => "__CUDA_API_PTSZ(cuMemcpy3DAsync_v3)";
        Has(&["pub struct CUDA_MEMCPY3D_v3 {\n    pub less: c_char,\n}", "pub copyParams: CUDA_MEMCPY3D,"])),
    listed!("struct_that_gets_its_first_version", NEWER,
        "} CUgraphEdgeData;" =>
            "} CUgraphEdgeData_v1;\ntypedef struct CUgraphEdgeData_v2_st { CUgraphEdgeData_v1 old; int more; } CUgraphEdgeData_v2;\ntypedef CUgraphEdgeData_v2 CUgraphEdgeData;",
        "#define cuGraphAddNode                      cuGraphAddNode_v2" =>
            "#define cuGraphAddNode cuGraphAddNode_v3";
        Has(&["pub struct CUgraphEdgeData_v2 {\n    pub old: CUgraphEdgeData,\n    pub more: c_int,\n}"])),
    listed!("semaphore_parameters_of_a_later_version", NEWER,
        "typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;" =>
            "typedef struct { long long first; CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 old; } CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v2;\n\
         typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v2 CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;",
        "const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* paramsArray;" =>
            "const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1* paramsArray;",
        "#define cuMemAlloc " =>
            "#define cuSignalExternalSemaphoresAsync cuSignalExternalSemaphoresAsync_v2\n#define cuMemAlloc ";
        Has(&["pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v2 {\n    pub first: c_longlong,\n    pub old: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,\n}"])),
];
