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
}
