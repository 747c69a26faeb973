//! CUDA's devices and Vulkan's are matched by UUID.

use interop::cuda::{self, Cuda};
use interop::vulkan::{Uuid, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::{self, assert_both_ways};
use crate::machine::vulkan_test;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => every_cuda_device_is_one_vulkan_device;
    }
}

/// It has the same name, no other device of CUDA's matches it, and the two share memory.
fn every_cuda_device_is_one_vulkan_device(_: &Vulkan) {
    let mut uuids = Vec::new();
    for ordinal in 0..cuda::device_count().unwrap() {
        let cuda = Cuda::open(ordinal).unwrap();
        let vulkan = Vulkan::open(&cuda.uuid).unwrap();
        println!("CUDA {ordinal}: {} is {}, {}", cuda.name, vulkan.name, Uuid(&cuda.uuid));
        assert_eq!(vulkan.name, cuda.name);
        assert!(!uuids.contains(&cuda.uuid), "two devices have one UUID");
        uuids.push(cuda.uuid);
        assert_both_ways(&[fixtures::buffer(&vulkan, 1 << 20, false).ends()]);
    }
}
