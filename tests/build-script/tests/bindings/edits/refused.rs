//! Listed edits after which a header cannot be used, with the reason that the build gives.

use super::Answer::Refused;
use super::listed::ListedEdit;
use super::{NEWER, NEWEST, OLDER};

const LOCATION: &str = "CUmemLocation is not the struct that this version of the crate knows";

/// An edit of one text.
macro_rules! edit {
    ($name:literal, $release:expr, $find:expr => $put:expr, $reason:expr) => {
        ($name, $release, &[($find, $put)], Refused($reason))
    };
}

const BUFFER_DESC: &str = "} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;";
const HAND_WRITTEN: &str = "} CUmemLocation_v1;";
const ACCESS_DESC: &str = "} CUmemAccessDesc_v1;";
const CREATE: &str = "prop, unsigned long long flags);";
const INIT: &str = "CUresult CUDAAPI cuInit(unsigned int Flags);";
const STREAM: &str = "    CU_STREAM_DEFAULT ";
const SRGB: &str = "#define CU_TRSF_SRGB  0x10";

pub const REFUSED: &[ListedEdit] = &[
    // Files and macros.
    edit!("another_standard_header", NEWER, "#include <stdlib.h>" => "#include <stdlib.h>\n#include <stdio.h>",
        "bindgen cannot read it: "),
    edit!("file_that_is_missing", NEWER, "#include <stdlib.h>" => "#include <stdlib.h>\n#include \"gone.h\"",
        "bindgen cannot read it: "),
    edit!("version_that_changes", NEWER,
        "#define cuMemAlloc " => "#undef CUDA_VERSION\n#define CUDA_VERSION 13000\n#define cuMemAlloc ",
        "clang read another cuda.h: CUDA_VERSION is 13000 in this one and 14000 in what was read"),
    edit!("assertion_that_fails", NEWER,
        "#define cuMemAlloc " => "_Static_assert(sizeof(int) == 8, \"no\");\n#define cuMemAlloc ",
        "bindgen cannot read it: "),
    edit!("cplusplus", NEWER, "#define cuMemAlloc " => "namespace cuda {}\n#define cuMemAlloc ",
        "bindgen cannot read it: "),
    edit!("macro_above_32_bits", NEWER, SRGB => "#define CU_TRSF_SRGB 0x100000000",
        "CU_TRSF_SRGB is 4294967296, which is not a number of 32 bits without a sign"),
    edit!("negative_macro", NEWER, SRGB => "#define CU_TRSF_SRGB (-1)",
        "CU_TRSF_SRGB is -1, which is not a number of 32 bits without a sign"),
    edit!("macro_that_is_a_string", NEWER, SRGB => "#define CU_TRSF_SRGB \"16\"", "bindgen cannot read it: "),
    edit!("macro_with_arguments", NEWER, SRGB => "#define CU_TRSF_SRGB(x) x", "bindgen cannot read it: "),
    // Enums.
    edit!("enum_with_a_negative_value", NEWER, STREAM => "    CU_STREAM_NONE = -1,\n    CU_STREAM_DEFAULT ",
        "CUstream_flags is signed in this header, and unsigned in the crate's bindings"),
    edit!("enum_with_a_64_bit_value", NEWER, STREAM => "    CU_STREAM_WIDE = 0x100000000,\n    CU_STREAM_DEFAULT ",
        "unexpected code from bindgen: the enum CUstream_flags_enum is a c_ulong and not an int"),
    edit!("enum_that_is_packed", NEWER,
        "typedef enum CUstream_flags_enum {" => "typedef enum __attribute__((packed)) CUstream_flags_enum {",
        "unexpected code from bindgen: the enum CUstream_flags_enum is a c_uchar and not an int"),
    edit!("enum_of_a_signed_type", NEWER,
        "typedef enum CUstream_flags_enum {" => "typedef enum CUstream_flags_enum : int {",
        "CUstream_flags is signed in this header"),
    edit!("enumerator_that_becomes_negative", OLDER,
        "CU_CUBEMAP_FACE_POSITIVE_X  = 0x00" =>
            "CU_CUBEMAP_FACE_POSITIVE_X = 0x00 } CUanother;\ntypedef enum { CU_STREAM_NON_BLOCKING = -1",
        "bindgen cannot read it: "),
    // Structs.
    edit!("struct_that_grows", NEWER,
        BUFFER_DESC => "unsigned long long more[2];\n} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        "CUDA_EXTERNAL_MEMORY_BUFFER_DESC has 104 bytes, aligned to 8 in this header, and 88 bytes"),
    edit!("struct_with_an_unnamed_member", NEWER,
        BUFFER_DESC => "union { int a; float b; };\n} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        "CUDA_EXTERNAL_MEMORY_BUFFER_DESC.a of this header has no room in the crate's bindings"),
    edit!("member_called_union", NEWER, ACCESS_DESC => "union { int a; float b; } value_union;\n} CUmemAccessDesc_v1;",
        "CUmemAccessDesc has 16 bytes, aligned to 4 in this header, and 12 bytes"),
    edit!("field_called_unused", NEWER,
        ACCESS_DESC => "int _unused;\n} CUmemAccessDesc_v1;", "CUmemAccessDesc has 16 bytes"),
    edit!("field_with_another_name", NEWER, "unsigned int numLevels;" => "unsigned int levels;",
        "CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC.levels of this header has no room in the crate's bindings"),
    edit!("padding_that_becomes_a_field", NEWER,
        "    CUexternalMemoryHandleType type;\n    union {" =>
            "    CUexternalMemoryHandleType type;\n    int padding;\n    union {",
        "CUDA_EXTERNAL_MEMORY_HANDLE_DESC.padding of this header has no room in the crate's bindings"),
    edit!("field_that_is_signed", NEWER, "unsigned int numLevels;" => "int numLevels;",
        "CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC.numLevels: it is c_int in this header, and c_uint in the crate's bindings"),
    edit!("field_of_bits", NEWER, "unsigned int numLevels;" => "unsigned int numLevels : 16; unsigned int more : 16;",
        "unexpected code from bindgen: "),
    edit!("field_without_a_length", NEWER, BUFFER_DESC => "int more[];\n} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;",
        "unexpected code from bindgen: "),
    edit!("field_of_a_vector", NEWER,
        BUFFER_DESC => "float more __attribute__((vector_size(16)));\n} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;", ""),
    edit!("field_that_is_aligned", NEWER,
        "unsigned int numLevels;" => "unsigned int numLevels __attribute__((aligned(16)));", ""),
    edit!("packed_struct", NEWER,
        "struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {" =>
            "struct __attribute__((packed, aligned(4))) CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {",
        "unexpected code from bindgen: a type is packed, or aligned otherwise than C does"),
    edit!("pragma_pack", NEWER,
        "typedef struct CUmemAccessDesc_st {" => "#pragma pack(1)\ntypedef struct CUmemAccessDesc_st {", ""),
    edit!("struct_that_becomes_a_union", NEWER,
        "typedef struct CUmemAccessDesc_st {" => "typedef union CUmemAccessDesc_st {",
        "CUmemAccessDesc is a union in this header, and a struct in the crate's bindings"),
    edit!("later_version_that_another_struct_has", NEWER,
        "typedef CUDA_MEMCPY3D_v2 CUDA_MEMCPY3D;" =>
            "typedef struct { char less; } CUDA_MEMCPY3D_v3;\ntypedef CUDA_MEMCPY3D_v3 CUDA_MEMCPY3D;",
        "CUDA_MEMCPY_NODE_PARAMS has 24 bytes, aligned to 8 in this header, and 216 bytes"),
    edit!("later_version_of_the_same_function", NEWER,
        "typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;" =>
        "typedef struct { long long first; CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 old; } CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v2;\n\
         typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v2 CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;",
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS has 152 bytes, aligned to 8 in this header, and 144 bytes"),
    edit!("tag_that_is_another_types_name", NEWEST,
        "} CUDA_CONDITIONAL_NODE_PARAMS;" =>
        "} CUDA_CONDITIONAL_NODE_PARAMS_v1;\ntypedef struct { CUDA_CONDITIONAL_NODE_PARAMS_v1 old; int more; } CUDA_CONDITIONAL_NODE_PARAMS_v2;\n\
         typedef CUDA_CONDITIONAL_NODE_PARAMS_v2 CUDA_CONDITIONAL_NODE_PARAMS;",
        "two items are called CUDA_CONDITIONAL_NODE_PARAMS"),
    edit!("edge_data_in_another_order", OLDER,
        "} CUgraphEdgeData;" =>
            "} another;\ntypedef struct { unsigned char to_port, from_port, type, reserved[5]; } CUgraphEdgeData;",
        "CUgraphEdgeData.from_port is at 1 with 1 bytes"),
    edit!("edge_data_with_a_wider_field", OLDER,
        "} CUgraphEdgeData;" =>
            "} another;\ntypedef struct { unsigned char from_port; unsigned char to_port[7]; } CUgraphEdgeData;",
        "CUgraphEdgeData.to_port: it is [c_uchar; 7] in this header"),
    // The first error is the reason, and not what follows from it.
    edit!("hand_written_struct_after_an_error", NEWER,
        HAND_WRITTEN => "int more;\n} CUmemLocation_v1;\nan_unknown_type number;",
        "bindgen cannot read it: "),
    edit!("hand_written_struct_that_grew", NEWER, HAND_WRITTEN => "int more;\n} CUmemLocation_v1;",
        LOCATION),
    edit!("hand_written_struct_with_another_order", OLDER,
        HAND_WRITTEN => "} another;\ntypedef struct { int id; CUmemLocationType type; } CUmemLocation_v1;", LOCATION),
    edit!("hand_written_struct_with_another_type", OLDER,
        HAND_WRITTEN => "} another;\ntypedef struct { int type; int id; } CUmemLocation_v1;", LOCATION),
    // Typedefs.
    edit!("handle_that_is_a_number", NEWER,
        "typedef struct CUctx_st *CUcontext;" => "typedef unsigned long long CUcontext;",
        "CUcontext: it is c_ulonglong in this header, and *mut CUctx_st in the crate's bindings"),
    edit!("struct_that_becomes_an_enum", NEWER,
        "typedef CUexecAffinityParam_v1 CUexecAffinityParam;" => "typedef enum { CU_EDIT } CUexecAffinityParam;",
        "CUexecAffinityParam: it is "),
    edit!("enum_that_becomes_a_number", NEWER,
        "} CUstream_flags;" => "} CUanother;\ntypedef unsigned int CUstream_flags;",
        "CUstream_flags: it is c_uint in this header, and CUstream_flags in the crate's bindings"),
    edit!("handle_of_another_kind", NEWER,
        "typedef struct CUextMemory_st *CUexternalMemory;" => "typedef struct CUextSemaphore_st *CUexternalMemory;",
        "CUexternalMemory: it is CUextSemaphore_st in this header, and CUextMemory_st in the crate's bindings"),
    edit!("handle_that_is_a_void_pointer", NEWER, "CUkernel kern;" => "void *kern;", ": it is "),
    edit!("device_pointer_of_a_later_version", NEWER,
        "typedef CUdeviceptr_v2 CUdeviceptr;" =>
            "typedef struct { int a, b, c; } CUdeviceptr_v3;\ntypedef CUdeviceptr_v3 CUdeviceptr;",
        "CUstreamBatchMemOpParams has 56 bytes, aligned to 8 in this header, and 48 bytes"),
    edit!("typedef_of_another_number", OLDER, "unsigned long long CUsurfObject_v1;" => "unsigned char CUsurfObject_v1;",
        "CUsurfObject: it is c_uchar in this header, and c_ulonglong in the crate's bindings"),
    edit!("fixed_integer_that_is_a_float", NEWER,
        "typedef uint32_t cuuint32_t;" => "typedef float cuuint32_t;", "cuuint32_t"),
    // Functions.
    edit!("function_with_another_argument", NEWER, CREATE => "prop, int flags, int more);",
        "cuMemCreate: it takes 5 arguments in this header, and 4 in the crate's bindings"),
    edit!("function_with_another_type", OLDER, CREATE => "prop, int flags);",
        "cuMemCreate: argument 4: it is c_int in this header, and c_ulonglong in the crate's bindings"),
    edit!("function_that_returns_int", NEWER, "CUresult CUDAAPI cuMemCreate(" => "int CUDAAPI cuMemCreate(",
        "cuMemCreate: the result: it is c_int in this header, and CUresult in the crate's bindings"),
    edit!("function_that_returns_nothing", NEWER, "CUresult CUDAAPI cuMemCreate(" => "void CUDAAPI cuMemCreate(",
        "unexpected code from bindgen: cuMemCreate returns nothing"),
    edit!("function_without_parameters", NEWER, INIT => "CUresult CUDAAPI cuInit();", "cuInit: it takes 0 arguments"),
    edit!("function_of_any_arguments", NEWER,
        INIT => "CUresult CUDAAPI cuInit(unsigned int Flags, ...);", "unexpected code from bindgen: "),
    edit!("function_with_an_asm_label", NEWER,
        INIT => "CUresult CUDAAPI cuInit(unsigned int Flags) __asm__(\"cuInit_v9\");",
        "unexpected code from bindgen: an unknown attribute: link_name"),
    edit!("function_of_another_abi", NEWER, INIT => "CUresult __attribute__((ms_abi)) cuInit(unsigned int Flags);",
        "unexpected code from bindgen: a function has the calling convention win64"),
    edit!("function_of_an_unsupported_abi", NEWER,
        INIT => "CUresult __attribute__((vectorcall)) cuInit(unsigned int Flags);",
        "cuInit is declared in a way that bindgen has no form for"),
    edit!("function_that_is_static", NEWER, INIT => "static CUresult cuInit(unsigned int Flags);",
        "cuInit is declared in a way that bindgen has no form for"),
    // Another function's name begins with it.
    edit!("function_with_a_longer_namesake", NEWER,
        "CUresult CUDAAPI cuStreamCreate(" => "static CUresult cuStreamCreate(",
        "cuStreamCreate is declared in a way that bindgen has no form for"),
    edit!("callback_of_another_abi", NEWER,
        "typedef void (CUDA_CB *CUhostFn)(void *userData);" =>
            "typedef void (__attribute__((ms_abi)) *CUhostFn)(void *userData);",
        "unexpected code from bindgen: a function has the calling convention win64"),
    edit!("callback_with_a_result", NEWER,
        "typedef void (CUDA_CB *CUhostFn)(void *userData);" => "typedef int (CUDA_CB *CUhostFn)(void *userData);",
        "unexpected code from bindgen: a callback that returns a value"),
];
