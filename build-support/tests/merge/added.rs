//! What a newer header adds.

use crate::header::{FUNCTIONS, PAIR, RESULT, VERSIONS, assert_has, header, merged};

/// Only a newer header adds, and an equal one does not.
#[test]
fn a_newer_header_adds() {
    let new = "pub const CU_NEW: CUresult_enum = CUresult_enum(2147483648); pub const NOT_CUDAS: CUresult_enum = CUresult_enum(3);\
        #[repr(C)] pub struct CUnew_st { pub of: CUpair, pub many: [CUpair_st; 2usize], } \
        const _: () = { [\"Size of CUnew_st\"][a - 72usize]; [\"Alignment of CUnew_st\"][a - 8usize]; \
        [\"Offset of field: CUnew_st::of\"][a - 0usize]; [\"Offset of field: CUnew_st::many\"][a - 24usize]; }; pub type CUnew = CUnew_st;";
    let code = header("", &[PAIR, VERSIONS, RESULT, FUNCTIONS, new]);
    let newer = merged((13, 6), &code);
    assert_has(
        &newer,
        &[
            "        CU_NEW = 2147483648,\n",
            "pub struct CUnew {\n    pub of: CUpair,\n    pub many: [CUpair; 2],\n",
        ],
    );
    assert!(!newer.expect("it was made").contains("NOT_CUDAS"));
    for version in [(13, 5), (13, 4)] {
        let made = merged(version, &code).expect("the header can be used");
        assert!(!made.contains("CU_NEW") && !made.contains("CUnew"), "{version:?}: {made}");
    }
    let misplaced = code.replace("CUnew_st\"][a - 72usize]", "CUnew_st\"][a - 80usize]");
    assert_eq!(
        merged((14, 0), &misplaced).expect_err("C is right"),
        "CUnew is laid out otherwise in C than in Rust"
    );
}

#[test]
fn handles_of_a_newer_header() {
    let new = "#[repr(C)] #[derive(Debug, Copy, Clone)] pub struct CUnew_st { _unused: [u8; 0], } pub type CUnew = *mut CUnew_st;";
    let code = header("", &[PAIR, VERSIONS, RESULT, FUNCTIONS, new]);
    assert_has(&merged((13, 6), &code), &["    CUnew_st,\n", "pub type CUnew = *mut CUnew_st;\n"]);
}

/// They are named by their owner, and by its field where that has a name.
#[test]
fn types_without_a_name() {
    let new = "#[repr(C)] pub struct CUnew_st { pub value: CUnew_st__bindgen_ty_1, \
            pub __bindgen_anon_1: CUnew_st__bindgen_ty_2, pub many: [CUnew_st__bindgen_ty_3; 2usize], } \
        #[repr(C)] pub union CUnew_st__bindgen_ty_1 { pub inner: CUnew_st__bindgen_ty_1__bindgen_ty_1, } \
        #[repr(C)] pub struct CUnew_st__bindgen_ty_1__bindgen_ty_1 { pub a: ::core::ffi::c_uint, } \
        #[repr(C)] pub struct CUnew_st__bindgen_ty_2 { pub b: ::core::ffi::c_uint, } \
        #[repr(transparent)] pub struct CUnew_st__bindgen_ty_3(pub ::core::ffi::c_uint); \
        pub const CU_FIRST: CUnew_st__bindgen_ty_3 = CUnew_st__bindgen_ty_3(1); pub type CUnew = CUnew_st;";
    let texts = [
        "pub struct CUnew {\n    pub value: CUnew_value,\n    pub unnamed_1: CUnew_unnamed_1,\n    pub many: [CUnew_many; 2],\n",
        "pub union CUnew_value {\n    pub inner: CUnew_value_inner,\n",
        "pub struct CUnew_value_inner {\n    pub a: c_uint,\n",
        "pub struct CUnew_unnamed_1 {\n    pub b: c_uint,\n",
        "pub enum CUnew_many: CUnew_many_values {\n        CU_FIRST = 1,\n",
    ];
    assert_has(&merged((14, 0), &header("", &[new])), &texts);
}

/// A struct of a header of CUDA 14 that has a byte, and behind it a field of this type and size.
fn with_number(number: &str, size: usize) -> Result<String, String> {
    let record = format!(
        "#[repr(C)] pub struct CUnew {{ pub byte: u8, pub number: {number}, }} const _: () = {{ \
         [\"Size of CUnew\"][a - {}usize]; [\"Alignment of CUnew\"][a - {size}usize]; \
         [\"Offset of field: CUnew::number\"][a - {size}usize]; }};",
        2 * size
    );
    merged((14, 0), &header("", &[&record]))
}

#[test]
fn numbers_have_cs_sizes() {
    for (size, numbers) in [
        (1, "c_char c_schar c_uchar i8 u8"),
        (2, "c_short c_ushort i16 u16"),
        (4, "c_int c_uint i32 u32 f32 CUresult"),
        (8, "c_longlong c_ulonglong i64 u64 isize usize f64 CUcontext"),
    ] {
        for number in numbers.split(' ') {
            let made = with_number(number, size);
            assert_has(&made, &[&format!("pub number: {number},")]);
            for other in [1, 2, 4, 8].into_iter().filter(|other| *other != size) {
                let error = with_number(number, other).expect_err("C is right");
                assert_eq!(error, "CUnew is laid out otherwise in C than in Rust", "{number}");
            }
        }
    }
    for number in ["c_long", "u128", "CUunheard_of"] {
        assert_eq!(
            with_number(number, 8).expect_err("it is unknown"),
            format!("CUnew.number: the type {number} is unknown")
        );
    }
    // As cuuint32_t is named.
    let small = "pub type cunew32_t = u32; pub struct CUnew { pub byte: u8, pub number: cunew32_t, } const _: () = { \
        [\"Size of CUnew\"][a - 8usize]; [\"Alignment of CUnew\"][a - 4usize]; };";
    let texts = ["pub type cunew32_t = u32;", "pub number: cunew32_t,"];
    assert_has(&merged((14, 0), &header("", &[small])), &texts);
    let by_hand = "pub struct CUnew { pub byte: u8, pub location: CUmemLocation, } const _: () = { \
        [\"Size of CUnew\"][a - 12usize]; [\"Alignment of CUnew\"][a - 4usize]; };";
    assert_has(&merged((14, 0), &header("", &[by_hand])), &["pub location: CUmemLocation,"]);
}
