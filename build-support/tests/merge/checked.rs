//! What is written is checked before rustc sees it.

use crate::header::{RESULT, assert_has, header, merged};

/// What becomes of a header of CUDA 14 with these items, beside one that agrees with the surface.
fn with(items: &str) -> Result<String, String> {
    merged((14, 0), &header("", &[RESULT, items]))
}

#[test]
fn what_rustc_would_refuse_is_refused() {
    let field = |name| format!("CUnew: the name of the field {name} is not one of C's, or stands twice");
    let value = |value: i64| format!("pub const CU_NEW: CUresult_enum = CUresult_enum({value});");
    for (items, reason) in [
        ("pub struct CUnew { pub a: u8, pub b: u8, pub a: u8, }", &*field("a")),
        ("pub struct CUnew { pub a: u8, pub __bindgen_padding_0: u8, }", &field("__bindgen_padding_0")),
        (
            "pub struct CUnew__bindgen_ty_9 { pub a: u8, }",
            "CUnew__bindgen_ty_9: a type without a name, which no item leads to",
        ),
        ("pub struct CUnew { pub a: *mut [CUunheard_of; 2], }", "CUnew.a: the type CUunheard_of is unknown"),
        ("pub type CUnew = CUunheard_of;", "CUnew: the type CUunheard_of is unknown"),
        (
            "pub type CUnew = Option<unsafe extern \"C\" fn(a: CUunheard_of)>;",
            "CUnew: the type CUunheard_of is unknown",
        ),
        (&value(-1), "CU_NEW is -1, which does not fit CUresult"),
        (&value(1 << 32), "CU_NEW is 4294967296, which does not fit CUresult"),
        ("pub struct CUresult_values { pub a: u8, }", "two items are called CUresult_values"),
        ("pub struct CUnew { pub a: u8, } pub type CUnew = u8;", "two items are called CUnew"),
    ] {
        assert_eq!(with(items).expect_err(items), reason);
    }
    assert_has(&with(&value((1 << 32) - 1)), &["CU_NEW = 4294967295,"]);
}

/// A signed enum is an `int`, an unsigned one an `unsigned int`.
#[test]
fn enumerators_fit_their_enum() {
    let signed = |value: i64| {
        with(&format!(
            "#[repr(transparent)] pub struct CUsigned(pub ::core::ffi::c_int); pub const CU_NEW: CUsigned = CUsigned({value});"
        ))
    };
    for value in [i64::from(i32::MAX), i64::from(i32::MIN)] {
        assert_has(&signed(value), &[&format!("CU_NEW = {value},")]);
    }
    for value in [i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1] {
        assert_eq!(signed(value), Err(format!("CU_NEW is {value}, which does not fit CUsigned")));
    }
}

/// Rust derives Debug for pointers to functions of twelve arguments at most.
#[test]
fn callbacks_have_twelve_arguments() {
    let callback = |count: usize| {
        let arguments: String = (0..count).map(|at| format!("a{at}: u8, ")).collect();
        with(&format!("pub type CUnew = Option<unsafe extern \"C\" fn({arguments})>;"))
    };
    assert_has(&callback(12), &["a11: u8)>;"]);
    assert_eq!(callback(13), Err("CUnew: a callback of too many arguments".to_owned()));
}
