//! CUDA devices and Vulkan devices are matched by UUID.

use cuda_external_sys::CUuuid;
use example_support::cuda::{self, Cuda};
use example_support::shared_resources::SharedBuffer;
use example_support::vulkan::Vulkan;
use libtest_mimic::Trial;

use crate::opened_devices::vulkan_trial;
use crate::shared_objects::assert_both_ways;

pub fn trials() -> Vec<Trial> {
    test_support::tests! { vulkan_trial => every_cuda_device_is_one_vulkan_device; }
}

/// No two CUDA devices may have the same UUID. Each CUDA device's UUID must lead to a Vulkan device. The Vulkan device
/// must have the CUDA device's name, and the two devices must be able to share memory.
fn every_cuda_device_is_one_vulkan_device(_: &Vulkan) {
    let mut uuids = Vec::new();
    for ordinal in 0..cuda::device_count().unwrap() {
        let cuda = Cuda::retain_primary(ordinal).unwrap();
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid).unwrap();
        println!("CUDA {ordinal}: {} is {}, {}", cuda.name, vulkan.name, CUuuid::from(cuda.uuid));
        assert_eq!(vulkan.name, cuda.name);
        assert!(!uuids.contains(&cuda.uuid), "two devices have one UUID");
        uuids.push(cuda.uuid);
        assert_both_ways(&[SharedBuffer::new(&vulkan, 1 << 20, false).unwrap().buffer_and_mapping()]);
    }
}
