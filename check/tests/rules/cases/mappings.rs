//! Mapped buffers: their ranges.

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::cuda::*;
use super::descriptors::whole;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new(Rule::MappingBeyondImport, beyond, whole),
        Case {
            options: &["--enable", "mapping-overlap"],
            ..Case::new(Rule::MappingOverlap, overlapping, side_by_side)
        },
        Case::new(Rule::MappingDedicatedOffset, || dedicated_from(SIZE / 2), || dedicated_from(0)),
    ]
}

fn beyond() {
    let _context = context();
    let memory = import();
    for (offset, size) in [(0, SIZE + 1), (SIZE, 1), (0, 0), (u64::MAX, 1), (1, u64::MAX)] {
        assert!(map(memory, offset, size).is_err());
    }
    ok(destroy(memory));
}

fn two(first: (u64, u64), second: (u64, u64)) {
    let _context = context();
    let memory = import();
    let mappings = [first, second].map(|(offset, size)| map(memory, offset, size).expect("the mapping"));
    mappings.into_iter().for_each(|address| ok(free(address)));
    ok(destroy(memory));
}

fn overlapping() {
    two((0, SIZE), (SIZE - 1, 1));
}

/// Beside each other, and one in the place of one that was freed.
fn side_by_side() {
    two((0, SIZE / 2), (SIZE / 2, SIZE / 2));
    let memory = import();
    for _ in 0..2 {
        ok(free(map(memory, 0, SIZE).expect("the mapping")));
    }
    ok(destroy(memory));
}

fn dedicated_from(offset: u64) {
    let _context = context();
    let description =
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC { flags: CUDA_EXTERNAL_MEMORY_DEDICATED, ..description(export()) };
    let memory = import_as(&description).expect("the import");
    match map(memory, offset, SIZE / 2) {
        Ok(address) => ok(free(address)),
        Err(code) => assert_eq!((code, offset > 0), (CUDA_ERROR_INVALID_VALUE, true)),
    }
    ok(destroy(memory));
}
