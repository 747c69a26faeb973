//! What random edits put into a header. The items of a list stand between ` | `.

/// Declarations of a field; `%` is its name.
pub const DECLARATORS: &str = "\
    char % | unsigned char % | short % | int % | unsigned int % | long % | unsigned long % | \
    unsigned long long % | int64_t % | size_t % | void *% | const void *% | float % | double % | \
    _Bool % | long double % | _Complex double % | __int128 % | wchar_t % | const volatile int % | \
    int %[4] | char %[2][3] | int %[] | int %[0] | unsigned int %[16] | int % : 5 | \
    unsigned long long % : 33 | int : 0 | void (*%)(int, void *) | int (*%)(void) | \
    struct { int a; double b; } | union { int a; float b; } | struct { int a; double b; } % | \
    union { int a; float b; } %_union | struct { struct { int a; } a_enum; } %_st | \
    enum { CU_EDIT_A = 3, CU_EDIT_B = -1 } % | float % __attribute__((vector_size(16))) | \
    int % __attribute__((aligned(16))) | short % __attribute__((aligned(8))) | \
    long long % __attribute__((packed)) | struct unknown_st *% | CUdeviceptr % | CUstream % | \
    CUmemLocation % | CUuuid % | CUarray_format % | CUmemAllocationType % | CUDA_ARRAY3D_DESCRIPTOR % | \
    CUDA_ARRAY3D_DESCRIPTOR *% | CUhostFn %";

/// Names of fields: some are words of Rust's, some are bindgen's own, some mean something to the merge.
pub const NAMES: &str = "\
    added | _unused | type | type_ | self | crate | async | Self | reserved9 | flags | size | \
    _bindgen_opaque_blob | __bindgen_anon_1 | __bindgen_padding_0 | value_union | unnamed_1";

/// Types of parameters, results and typedefs.
pub const TYPES: &str = "\
    int | unsigned int | unsigned long long | long | size_t | char | float | double | _Bool | void * | \
    const void * | CUstream | CUdeviceptr | CUuuid | CUresult * | struct CUctx_st * | \
    struct { int edited; } | union { int edited; void *more; } | enum { CU_EDIT_C, CU_EDIT_D } | \
    long double | __int128";

/// What stands before a record, and what between `struct` and its tag.
pub const RECORD_PREFIXES: &[&(&str, &str)] = &[
    &("", "__attribute__((packed))"),
    &("", "__attribute__((aligned(64)))"),
    &("", "__attribute__((packed, aligned(4)))"),
    &("", "__attribute__((deprecated))"),
    &("", "__attribute__((may_alias))"),
    &("", "__attribute__((unknown_to_all))"),
    &("\n#pragma pack(push, 1)\n", ""),
    &("\n#pragma pack(push, 4)\n", ""),
    &("\n#pragma pack(push, 8)\n", ""),
    &("\n#pragma clang diagnostic ignored \"-Wall\"\n", ""),
    &("_Static_assert(sizeof(int) == 4, \"edited\");\n", ""),
    &("extern int edited_variable;\nstatic const int edited_constant = 3;\n", ""),
    &("static inline int edited_function(void) { return 1; }\n", ""),
    &("\n#if CUDA_VERSION < 1\n#error edited\n#endif\n", ""),
    &("\n#include <stdint.h>\n", ""),
    &("\n#include <stdbool.h>\n", ""),
    &("\n#define bool edited\n", ""),
];

pub const FUNCTION_PREFIXES: &str = "\
    static | static inline | extern | __attribute__((ms_abi)) | __attribute__((sysv_abi)) | \
    __attribute__((vectorcall)) | __attribute__((preserve_most)) | __attribute__((stdcall)) | \
    __attribute__((regparm(2))) | __attribute__((noreturn)) | __attribute__((warn_unused_result)) | \
    __attribute__((deprecated(\"edited\"))) | __attribute__((weak)) | \
    __attribute__((visibility(\"hidden\"))) | __attribute__((nonnull))";

/// Values of enumerators.
pub const VALUES: &str = "\
    5 | -1 | 'a' | 1 << 3 | sizeof(int) | 0x7fffffff | 0x80000000 | 0xffffffff | 0x100000000 | \
    -2147483647 - 1 | (int)3.5";

/// Definitions of a macro; `%` is its name.
pub const MACRO_VALUES: &[&str] = &[
    "#define % 7",
    "#define % 0xffffffffu",
    "#define % 0x100000000",
    "#define % (-1)",
    "#define % ((unsigned char)300)",
    "#define % (1 ? 2 : 3)",
    "#define % sizeof(void *)",
    "#define % \"text\"",
    "#define % 1.5",
    "#define %",
    "#define %(x) (x)",
    "#define % % ",
    "#define % edited_elsewhere",
    "#define % CUDA_SUCCESS",
    "enum { % = 9 };",
    "static const int % = 9;",
    "",
];
