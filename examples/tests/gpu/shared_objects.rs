use cuda_external_sys::*;
use example_support::cuda::{read, write};
use example_support::test_bytes::{assert_same_bytes, test_pattern};
use example_support::vulkan::ExportableBuffer;

/// Asserts that each API reads what the other API wrote. One API fills all buffers before the other API reads any, so
/// that overlapping buffers fail the assertion.
#[track_caller]
pub fn assert_both_ways(buffers: &[(&ExportableBuffer, CUdeviceptr)]) {
    for (seed, (buffer, _)) in (1..).zip(buffers) {
        buffer.write(0, &test_pattern(seed, buffer.size as usize)).unwrap();
    }
    for (seed, (buffer, address)) in (1..).zip(buffers) {
        let seen = read(*address, buffer.size as usize).unwrap();
        assert_same_bytes("from Vulkan to CUDA", &seen, &test_pattern(seed, seen.len()));
    }
    for (seed, (buffer, address)) in (100..).zip(buffers) {
        write(*address, &test_pattern(seed, buffer.size as usize)).unwrap();
    }
    for (seed, (buffer, _)) in (100..).zip(buffers) {
        let seen = buffer.read(0, buffer.size).unwrap();
        assert_same_bytes("from CUDA to Vulkan", &seen, &test_pattern(seed, seen.len()));
    }
}
