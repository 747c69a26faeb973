//! What is compared between a header's item and the surface's.

use crate::header::{PAIR, RESULT, VERSIONS, assert_refused, header, merged};

/// What becomes of a header of CUDA 14 with these items and a pair that agrees.
fn with(items: &str) -> Result<(), String> {
    merged((14, 0), &header("", &[PAIR, VERSIONS, items])).map(drop)
}

#[test]
fn arrays_and_callbacks() {
    let array = |length| format!("pub type CUbytes = [::core::ffi::c_char; {length}usize];");
    assert_eq!(with(&array(8)), Ok(()));
    let why = "CUbytes: it is [c_char; 4] in this header, and [c_char; 8] in the crate's bindings";
    assert_eq!(with(&array(4)), Err(why.to_owned()));
    let callback = |arguments| format!("pub type CUcallback = Option<unsafe extern \"C\" fn({arguments})>;");
    assert_eq!(with(&callback("data: *mut ::core::ffi::c_void")), Ok(()));
    let why =
        "CUcallback: argument 1: it is *const c_void in this header, and *mut c_void in the crate's bindings";
    assert_eq!(with(&callback("data: *const ::core::ffi::c_void")), Err(why.to_owned()));
    let why = "CUcallback: it takes 0 arguments in this header, and 1 in the crate's bindings";
    assert_eq!(with(&callback("")), Err(why.to_owned()));
}

/// The version that is the surface's is compared where the header has no other name for it.
#[test]
fn a_version_without_its_plain_name() {
    let code = |pair: &str| header("", &[pair, "pub type CUpair_v2 = CUpair_st;"]);
    assert!(merged((14, 0), &code(PAIR)).is_ok());
    let error = merged((14, 0), &code(&PAIR.replace("- 24usize", "- 32usize"))).expect_err("it is longer");
    assert!(error.starts_with("CUpair has 32 bytes"), "{error}");
}

/// C compilers spell the fixed integers differently, and Microsoft's has `int` for every enum.
#[test]
fn what_compilers_have_differently_is_equal() {
    for (name, bits, spelled) in [("cuuint32_t", "u32", "c_uint"), ("cuuint64_t", "u64", "c_ulonglong")] {
        for ty in [bits, &format!("::core::ffi::{spelled}")] {
            assert_eq!(with(&format!("pub type {name} = {ty};")), Ok(()));
        }
        let why = format!("{name}: it is c_ushort in this header, and {bits} in the crate's bindings");
        assert_eq!(with(&format!("pub type {name} = ::core::ffi::c_ushort;")), Err(why));
    }
    let signed = RESULT.replace("c_uint", "c_int");
    let negative = "pub struct CUsigned(pub ::core::ffi::c_int); pub const CU_NONE: CUsigned = CUsigned(-1);";
    assert_eq!(with(&(signed.clone() + negative)), Ok(()));
    let error = with(&(signed + "pub const CU_NEW: CUresult_enum = CUresult_enum(-1);"));
    assert_eq!(
        error,
        Err("CUresult is signed in this header, and unsigned in the crate's bindings".to_owned())
    );
}

/// The surface has `first`, and behind it a union without a name. Another release may have another grouping.
#[test]
fn members_without_a_name_are_their_owners() {
    let event = |fields: &str, offset: usize, more: &str| {
        let name = "CUDA_EVENT_RECORD_NODE_PARAMS";
        with(&format!(
            "#[repr(C)] pub struct {name}_st {{ pub first: ::core::ffi::c_ulonglong, {fields} }} pub type {name} = {name}_st; \
             const _: () = {{ [\"Size of {name}_st\"][a - 16usize]; [\"Alignment of {name}_st\"][a - 8usize]; \
             [\"Offset of field: {name}_st::first\"][a - 0usize]; [\"Offset of field: {name}_st::number\"][a - {offset}usize]; }}; {more}"
        ))
    };
    let number = "pub number: ::core::ffi::c_ulonglong,";
    assert_eq!(event(number, 8, ""), Ok(()));
    let error = event(number, 0, "").expect_err("it is elsewhere");
    assert!(error.starts_with("CUDA_EVENT_RECORD_NODE_PARAMS.number is at 0 with 8 bytes"), "{error}");
    let inner = "CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1";
    let union = format!("#[repr(C)] pub union {inner} {{ {number} pub other: ::core::ffi::c_longlong, }}");
    assert_eq!(event(&format!("pub __bindgen_anon_1: {inner},"), 8, &union), Ok(()));
    let error = event(&format!("pub named: {inner},"), 8, &union).expect_err("the member has a name");
    assert!(error.contains("CUDA_EVENT_RECORD_NODE_PARAMS.named of this header has no room"), "{error}");
}

/// A member without a name that the surface does not know of.
#[test]
fn a_field_in_a_new_union() {
    let union = "pub struct CUpair_st { pub __bindgen_anon_1: CUpair_st__bindgen_ty_1,";
    let of = "#[repr(C)] pub union CUpair_st__bindgen_ty_1 { pub first: ::core::ffi::c_uint, pub again: ::core::ffi::c_int, } \
        #[repr(C)] pub struct CUpair_st {";
    let pair = PAIR
        .replace("pub struct CUpair_st { pub first: ::core::ffi::c_uint,", union)
        .replace("[\"Offset of field: CUpair_st::first\"][offset_of!(CUpair_st, first) - 0usize];", "")
        .replace("#[repr(C)] pub struct CUpair_st {", of);
    assert!(merged((14, 0), &header("", &[&pair, VERSIONS])).is_ok());
    // Its second field is where the first and its padding end.
    let fields = "pub first: ::core::ffi::c_uint, pub second: ::core::ffi::c_ulonglong,";
    let inner = format!("#[repr(C)] pub struct CUpair_st__bindgen_ty_1 {{ {fields} }}");
    let grouped = PAIR.replace(fields, "pub __bindgen_anon_1: CUpair_st__bindgen_ty_1,") + &inner;
    assert!(grouped.contains("anon_1") && merged((14, 0), &header("", &[&grouped, VERSIONS])).is_ok());
    // Without the field that both have, nothing says that the bytes are free.
    assert_refused(
        "pub first",
        "pub renamed",
        "CUpair.renamed of this header has no room in the crate's bindings",
    );
}
