//! What `{:?}` prints of C's enums: the name where these bindings know it, the number where they do not. The driver is
//! not asked: a toolkit's stub library crashes in cuGetErrorName, and a machine may have no driver at all.

#[allow(dead_code)]
#[path = "../build/generate/model.rs"]
mod model;

use cuda_external_sys::*;

/// The constants of an enum, by the text that the crate was compiled from: names and values in C's order.
fn constants(of: &str) -> Vec<(String, i64)> {
    let text = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"));
    let bindings = model::Bindings::read(text).unwrap_or_else(|error| panic!("{error}"));
    bindings.enums.into_iter().find(|an_enum| an_enum.name == of).expect("the bindings have it").values
}

/// Each known value prints its first name, and all others below `limit` their number.
fn prints_names_and_numbers(of: &str, limit: i64, print: impl Fn(i64) -> String) {
    let constants = constants(of);
    assert!(constants.len() >= 2, "{of} has {} constants", constants.len());
    for (_, value) in &constants {
        let first = &constants.iter().find(|(_, other)| other == value).expect("it is there").0;
        assert_eq!(print(*value), *first);
    }
    let unknown = (0..limit).filter(|value| constants.iter().all(|(_, known)| known != value));
    let mut count = 0;
    for value in unknown {
        assert_eq!(print(value), format!("{of}({value})"));
        count += 1;
    }
    assert!(count > 0, "all numbers below {limit} are known");
}

macro_rules! check {
    ($($enum:ident below $limit:literal;)*) => {
        $(prints_names_and_numbers(stringify!($enum), $limit, |value| format!("{:?}", $enum(value as _)));)*
    };
}

#[test]
fn every_enum_prints_names_and_numbers() {
    check! {
        CUresult below 10_000;
        CUexternalMemoryHandleType below 100;
        CUexternalSemaphoreHandleType below 100;
        CUarray_format below 300;
        CUdevice_attribute below 1000;
        CUmemAccess_flags below 10;
        CUmemAllocationGranularity_flags below 10;
        CUmemAllocationHandleType below 20;
        CUmemAllocationType below 10;
        CUmemLocationType below 20;
        CUmemRangeHandleType below 10;
        CUmemorytype below 10;
        CUstream_flags below 10;
    }
}

#[test]
fn codes_that_no_header_knows_are_values_like_any_other() {
    assert_eq!(format!("{:?}", CUresult(9140)), "CUresult(9140)");
    assert_eq!(format!("{:?}", CUresult(0x7fff_ffff)), "CUresult(2147483647)");
    assert_eq!(format!("{CUDA_SUCCESS:?}"), "CUDA_SUCCESS");
    assert_eq!(
        format!("{CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD:?}"),
        "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD"
    );
    assert_eq!(format!("{:?}", CUexternalSemaphoreHandleType(77)), "CUexternalSemaphoreHandleType(77)");
}

/// Within larger types, too.
#[test]
fn structs_without_a_union_print_their_fields() {
    let text = format!("{:?}", CUDA_ARRAY3D_DESCRIPTOR { Format: CU_AD_FORMAT_HALF, ..Default::default() });
    assert!(text.contains("Format: CU_AD_FORMAT_HALF"), "{text}");
    let error: Result<(), CUresult> = Err(CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(format!("{error:?}"), "Err(CUDA_ERROR_NOT_SUPPORTED)");
}
