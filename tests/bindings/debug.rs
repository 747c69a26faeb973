//! What `{:?}` prints of C's enums and unions: the name where these bindings know it, the number where they do not. The
//! driver is not asked: a toolkit's stub library crashes in cuGetErrorName, and a machine may have no driver at all.

use cuda_external_sys::*;
use libtest_mimic::Trial;

use crate::{model, support};

pub fn all() -> Vec<Trial> {
    let test = |name: &str, run: fn()| support::test(&format!("debug::{name}"), &[], run);
    vec![
        test("every_enum_prints_names_and_numbers", every_enum),
        test("unknown_codes_are_values", unknown_codes),
        test("structs_print_their_fields_and_unions_their_name", structs_and_unions),
    ]
}

/// The enums of the text that the crate was compiled from: names and values in C's order.
fn enums() -> Vec<model::Enum> {
    let text = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"));
    model::Bindings::read(text).unwrap_or_else(|error| panic!("{error}")).enums
}

/// Each known value prints its first name, and all others below 10,000 their number.
fn check(of: &model::Enum, print: impl Fn(i64) -> String) {
    assert!(!of.values.is_empty());
    for (_, value) in &of.values {
        let first = &of.values.iter().find(|(_, other)| other == value).expect("it is there").0;
        assert_eq!(print(*value), *first);
    }
    for value in (0..10_000).filter(|value| of.values.iter().all(|(_, known)| known != value)) {
        assert_eq!(print(value), format!("{}({value})", of.name));
    }
}

/// How each enum prints a value, and passes it to a function that takes `unsigned int`.
macro_rules! printers {
    ($($name:ident),* $(,)?) => {
        fn printer(name: &str) -> fn(i64) -> String {
            match name {
                $(stringify!($name) => |value| {
                    assert_eq!(u32::from($name(value as _)), value as u32);
                    format!("{:?}", $name(value as _))
                },)*
                _ => panic!("add {name} to this list"),
            }
        }
    };
}

printers! {
    CUstream_flags,
    CUstreamBatchMemOpType,
    CUstreamAtomicReductionOpType,
    CUstreamAtomicReductionDataType,
    CUarray_format,
    CUaddress_mode,
    CUfilter_mode,
    CUdevice_attribute,
    CUmemorytype,
    CUresourcetype,
    CUgraphConditionalNodeType,
    CUgraphNodeType,
    CUexecAffinityType,
    CUcigDataType,
    CUstreamCigDataType,
    CUresult,
    CUresourceViewFormat,
    CUexternalMemoryHandleType,
    CUexternalSemaphoreHandleType,
    CUmemAllocationHandleType,
    CUmemAccess_flags,
    CUmemLocationType,
    CUmemAllocationType,
    CUmemAllocationGranularity_flags,
    CUmemRangeHandleType,
    CUmemcpySrcAccessOrder,
    CUgraphChildGraphNodeOwnership,
    CUfabricCpyOperandType,
}

fn every_enum() {
    for an_enum in enums() {
        check(&an_enum, printer(&an_enum.name));
    }
    // The same constants by the type.
    assert_eq!(CUresult::CUDA_SUCCESS, CUDA_SUCCESS);
    assert!(matches!(CUresult(1), CUresult::CUDA_ERROR_INVALID_VALUE));
}

fn unknown_codes() {
    assert_eq!(format!("{:?}", CUresult(9140)), "CUresult(9140)");
    assert_eq!(format!("{:?}", CUresult(0x7fff_ffff)), "CUresult(2147483647)");
    assert_eq!(format!("{:?}", CUexternalSemaphoreHandleType(77)), "CUexternalSemaphoreHandleType(77)");
}

fn structs_and_unions() {
    let text = format!("{:?}", CUDA_ARRAY3D_DESCRIPTOR { Format: CU_AD_FORMAT_HALF, ..Default::default() });
    assert!(text.contains("Format: CU_AD_FORMAT_HALF"), "{text}");
    // Which field was written is unknown, and reading another one may be undefined.
    let text = format!("{:?}", CUDA_EXTERNAL_MEMORY_HANDLE_DESC::default());
    assert!(text.contains("handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { .. }, size: 0"), "{text}");
    let error: Result<(), CUresult> = Err(CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(format!("{error:?}"), "Err(CUDA_ERROR_NOT_SUPPORTED)");
}
