//! What becomes of a header, without bindgen and without a C compiler: bindgen's code in, bindings or the reason out.

mod added;
mod checked;
mod compared;
mod embedded;
mod header;

use std::time::{Duration, Instant};

use cuda_external_sys_build::Surface;
use cuda_external_sys_build::toolkit::Version;

use header::{
    FUNCTIONS, PAIR, RESULT, SURFACE, VERSIONS, assert_has, assert_refused, changed, header, merged,
};

#[test]
fn values_are_the_headers_and_the_rest_stands() {
    let made = changed("", "");
    assert_has(
        &made,
        &["CUDA_VERSION: u32 = 14000;", "CUDA_ERROR_OLD = 8,", "CU_NONE = -1,", "CU_FLAG: u32 = 1;"],
    );
    assert_has(
        &made,
        &["    /// The first.\n    pub first: c_uint,", "pub enum CUsigned(c_int)", "pub fn cuTake:"],
    );
    assert_has(&merged((12, 0), ""), &["CUDA_VERSION: u32 = 12000;", "CUDA_ERROR_OLD = 7,"]);
}

#[test]
fn another_header_than_the_located_one_is_refused() {
    let surface = Surface::read(SURFACE, Version { major: 13, minor: 5 }).expect("the surface can be read");
    let error = surface.bindings("pub const CUDA_VERSION: i64 = 13050;", Version { major: 13, minor: 0 });
    assert!(
        error
            .expect_err("another version")
            .contains("CUDA_VERSION is 13000 in this one and 13050 in what was read")
    );
}

#[test]
fn constants_are_found_wherever_they_are() {
    let code = header("pub const CU_FLAG: i64 = 4;", &[RESULT]);
    assert_has(&merged((12, 0), &code), &["CU_FLAG: u32 = 4;"]);
    for value in ["-1", "4294967296"] {
        let code = header(&format!("pub const CU_FLAG: i64 = {value};"), &[]);
        let error = merged((12, 0), &code).expect_err("it is not a u32");
        assert_eq!(error, format!("CU_FLAG is {value}, which is not a number of 32 bits without a sign"));
    }
    let code = header("pub const CUDA_SUCCESS: i64 = -1;", &[]);
    assert_eq!(
        merged((12, 0), &code).expect_err("not unsigned"),
        "CUDA_SUCCESS is -1, which does not fit CUresult"
    );
}

#[test]
fn names_behind_the_surfaces_make_no_difference() {
    let same = changed("", "");
    for (tag, other) in [
        ("CUpair_st", "CUpair_tag"),
        ("CUpair_st", "pair"),
        ("CUresult_enum", "result_e"),
        ("-> CUresult;", "-> CUresult_enum;"),
    ] {
        assert_eq!(changed(tag, other), same, "{tag} as {other}");
    }
    let handle = "pub struct CUctx_st { pub defined: ::core::ffi::c_int, } const _: () = { [\"Size of CUctx_st\"][a - 4usize]; };";
    assert_eq!(changed("pub struct CUctx_st { _unused: [u8; 0], }", handle), same);
}

/// The plain name may be a later version's: the function that takes ours is then gone, or takes it by its version.
#[test]
fn a_later_version_is_an_item_of_its_own() {
    let later = "pub type CUpair_v2 = CUpair_st; pub type CUpair_v3 = CUpair_v3_st; pub type CUpair = CUpair_v3; \
        #[repr(C)] pub struct CUpair_v3_st { pub old: CUpair_v2, pub more: ::core::ffi::c_uint, } \
        const _: () = { [\"Size of CUpair_v3_st\"][a - 32usize]; [\"Alignment of CUpair_v3_st\"][a - 8usize]; \
        [\"Offset of field: CUpair_v3_st::old\"][a - 0usize]; [\"Offset of field: CUpair_v3_st::more\"][a - 24usize]; };";
    let gone = header("", &[PAIR, later, RESULT]);
    let by_version =
        header("", &[PAIR, later, RESULT, &FUNCTIONS.replace("*const CUpair", "*const CUpair_v2")]);
    for code in [gone, by_version] {
        let texts = [
            "pub struct CUpair {\n    /// The first.",
            "pub struct CUpair_v3 {\n    pub old: CUpair,\n    pub more: c_uint,\n",
        ];
        assert_has(&merged((14, 0), &code), &texts);
    }
    let same_symbol = header("", &[PAIR, later, RESULT, FUNCTIONS]);
    assert!(
        merged((14, 0), &same_symbol)
            .expect_err("the symbol takes ours")
            .starts_with("cuTake: argument 1: CUpair has 32 bytes")
    );
    let earlier = header("", &[PAIR, "pub type CUpair_v1 = CUpair_st; pub type CUpair = CUpair_v1;", RESULT]);
    assert_has(&merged((12, 0), &earlier), &["pub struct CUpair {"]);
    // The tag of one type is the name of another one.
    let both = header("", &[&PAIR.replace("CUpair_st", "CUpair"), later]);
    assert_eq!(merged((14, 0), &both).expect_err("bindgen mixes them up"), "two items are called CUpair");
}

/// What is found in a header that agrees, what is put there, and how the reason begins, which names both definitions.
const DIFFERENCES: &str = "
CUpair_st>() - 24usize => CUpair_st>() - 32usize => CUpair has 32 bytes, aligned to 8 in this header, and 24 bytes
CUpair_st>() - 8usize => CUpair_st>() - 16usize => CUpair has 24 bytes, aligned to 16 in this header, and 24 bytes
second) - 8usize => second) - 4usize => CUpair.second is at 4 with 8 bytes
first: ::core::ffi::c_uint => first: f32 => CUpair.first: it is f32 in this header, and c_uint
first: ::core::ffi::c_uint => first: CUresult => CUpair.first: it is CUresult in this header, and c_uint
pub struct CUpair_st => pub union CUpair_st => CUpair is a union in this header, and a struct
*const CUpair, => *mut CUpair, => cuTake: argument 1: it is *mut CUpair in this header, and *const CUpair
context: CUcontext => context: *mut CUother_st => cuTake: argument 2: it is CUother_st in this header, and CUctx_st
context: CUcontext => context: CUcontext, more: CUcontext => cuTake: it takes 3 arguments in this header, and 2
-> CUresult => -> ::core::ffi::c_int => cuTake: the result: it is c_int in this header, and CUresult
CUcontext = *mut CUctx_st => CUcontext = usize => CUcontext: it is usize in this header, and *mut CUctx_st
CUresult_enum(0); => CUresult_enum(0); pub type cuuint64_t = f64; => cuuint64_t: it is f64 in this header, and u64
";

#[test]
fn what_differs_is_refused() {
    for line in DIFFERENCES.lines().skip(1) {
        let [find, put, reason] = line.split(" => ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert_refused(find, put, reason);
    }
    let an_enum = "pub type CUpair_v2 = CUpair_st; pub struct CUpair(pub ::core::ffi::c_uint);";
    assert_refused(
        VERSIONS,
        an_enum,
        "CUpair: it is CUpair in this header, and CUpair in the crate's bindings",
    );
    let other = "; #[repr(transparent)] pub struct CUother(pub ::core::ffi::c_uint)";
    let unsigned = "CUresult_enum(pub ::core::ffi::c_uint)";
    let signed = unsigned.replace("c_uint", "c_int") + other;
    assert_refused(unsigned, &signed, "CUresult is signed in this header, and unsigned");
}

/// Bytes that only one of the two has a name for must be reserved in the other.
#[test]
fn fields_may_come_out_of_reserved_bytes_alone() {
    let taken = PAIR
        .replace("pub reserved: [::core::ffi::c_uint; 2usize]", "pub more: ::core::ffi::c_uint")
        .replace("::reserved", "::more");
    assert!(merged((14, 0), &header("", &[&taken, VERSIONS, RESULT])).is_ok());
    // Numbered, as in CUgraphNodeParams.
    let numbered = PAIR.replace("second", "reserved0");
    merged((14, 0), &header("", &[&numbered, VERSIONS, RESULT])).expect("they are reserved there");
    assert_refused(
        "pub second",
        "pub renamed",
        "CUpair.renamed of this header has no room in the crate's bindings",
    );
    // The padding behind `first`.
    let padded = PAIR.replace("pub second", "pub padding: ::core::ffi::c_uint, pub second");
    let error = merged((14, 0), &header("", &[&padded, VERSIONS, RESULT]))
        .expect_err("a program leaves these bytes undefined");
    assert_eq!(error, "CUpair.padding of this header has no room in the crate's bindings");
}

/// The listed node parameters may have another size, where they are in CUgraphNodeParams; not another alignment.
#[test]
fn node_parameters_may_grow() {
    let host = |fields: &[&str], align: usize| {
        let declared: String =
            fields.iter().map(|field| format!("pub {field}: ::core::ffi::c_ulonglong,")).collect();
        let name = "CUDA_HOST_NODE_PARAMS_v2";
        let offsets = fields.iter().zip((0..).step_by(8));
        let offsets: String = offsets
            .map(|(field, at)| format!("[\"Offset of field: {name}::{field}\"][a - {at}usize];"))
            .collect();
        let size = fields.len() * 8;
        format!(
            "#[repr(C)] pub struct {name} {{ {declared} }} const _: () = {{ [\"Size of {name}\"][a - {size}usize]; \
             [\"Alignment of {name}\"][a - {align}usize]; {offsets} }};"
        )
    };
    let all = |size: usize| {
        format!(
            "#[repr(C)] pub union CUgraphNodeParams {{ pub host: CUDA_HOST_NODE_PARAMS_v2, pub all: [::core::ffi::c_ulonglong; 4usize], }} \
             const _: () = {{ [\"Size of CUgraphNodeParams\"][a - {size}usize]; [\"Alignment of CUgraphNodeParams\"][a - 8usize]; \
             [\"Offset of field: CUgraphNodeParams::host\"][a - 0usize]; [\"Offset of field: CUgraphNodeParams::all\"][a - 0usize]; }};"
        )
    };
    for fields in [&["a"][..], &["a", "b"], &["a", "b", "c"]] {
        assert!(merged((14, 0), &(host(fields, 8) + &all(32))).is_ok(), "{fields:?}");
    }
    let differs = |code: String| merged((14, 0), &code).expect_err("it differs");
    assert!(
        differs(host(&["a"], 4) + &all(32)).starts_with("CUDA_HOST_NODE_PARAMS_v2 has 8 bytes, aligned to 4")
    );
    assert!(differs(host(&["b", "a"], 8) + &all(32)).starts_with("CUDA_HOST_NODE_PARAMS_v2.a is at 8"));
    assert!(differs(host(&["a"], 8) + &all(40)).starts_with("CUgraphNodeParams has 40 bytes"));
    let elsewhere = host(&["a"], 8) + &all(32).replace("CUgraphNodeParams", "CUholder");
    assert!(differs(elsewhere).starts_with("CUholder.host: CUDA_HOST_NODE_PARAMS_v2 has 8 bytes"));
}

#[test]
fn code_of_an_unknown_form_is_refused() {
    let unknown = "unexpected code from bindgen: ";
    for (find, put) in [
        ("#[repr(C)] pub struct CUpair_st", "#[repr(C, packed)] pub struct CUpair_st"),
        ("#[repr(C)] pub struct CUpair_st", "#[repr(C)] #[repr(align(64))] pub struct CUpair_st"),
        ("#[repr(C)] pub struct CUpair_st", "#[repr(C)] #[unheard_of] pub struct CUpair_st"),
        ("#[must_use] pub fn", "#[link_name = \"cuTake_v9\"] pub fn"),
        ("extern \"C\" {", "extern \"win64\" {"),
        ("pub first: ::core::ffi::c_uint", "pub first: Option<unsafe extern \"vectorcall\" fn()>"),
        ("pub first: ::core::ffi::c_uint", "pub first: Option<unsafe extern \"C\" fn() -> u8>"),
        ("pub first: ::core::ffi::c_uint", "pub first: __IncompleteArrayField<u8>"),
        ("pub struct CUpair_st { pub", "pub struct CUpair_st {"),
        ("-> CUresult;", ";"),
        ("CUresult_enum(pub ::core::ffi::c_uint)", "CUresult_enum(pub ::core::ffi::c_uchar)"),
        ("unsafe extern", "impl CUpair_st {} unsafe extern"),
        ("unsafe extern", "#[repr(C)] pub struct CUempty { _address: u8, } unsafe extern"),
        ("unsafe extern", "#[repr(C, packed)] pub union CUpacked { pub a: u8, } unsafe extern"),
    ] {
        assert_refused(find, put, unknown);
    }
    // A field that is called so in C.
    let unused =
        PAIR.replace("pub first", "pub _unused: [u64; 1], pub first").replace("- 24usize", "- 32usize");
    assert!(merged((14, 0), &header("", &[&unused, VERSIONS])).is_err());
}

/// Names that once were renamed for ever, and aliases that lead to themselves.
#[test]
fn every_loop_ends() {
    let member = "#[repr(C)] pub struct CUpair_st { pub value_union: CUpair_st__bindgen_ty_1, } \
        #[repr(C)] pub union CUpair_st__bindgen_ty_1 { pub a_st: CUpair_st__bindgen_ty_1__bindgen_ty_1, } \
        #[repr(C)] pub struct CUpair_st__bindgen_ty_1__bindgen_ty_1 { pub b: u8, } ";
    assert!(merged((14, 0), &header("", &[member, VERSIONS])).is_err());
    assert!(
        merged((14, 0), "pub type CUpair = CUpair; pub type CUdeviceptr = CUa; pub type CUa = CUdeviceptr;")
            .is_err()
    );
    let chain: String = (0..5_000).map(|at| format!("pub type CU{} = CU{at};", at + 1)).collect();
    let start = Instant::now();
    assert!(
        merged((14, 0), &format!("{chain} pub type CUdeviceptr = CU5000; pub type CU0 = c_ulonglong;"))
            .is_err()
    );
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
