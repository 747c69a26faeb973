//! CUDA devices and Vulkan devices are matched by UUID. The survey asks what a second GPU can do with the first one's
//! memory (two-gpus).

use std::ffi::{CStr, CString, c_char};

use cuda_external_sys::*;
use example_support::cuda::{self, Cuda};
use example_support::vulkan::{Uuid, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::{self, assert_both_ways};
use crate::opened_devices::{gpu_need, vulkan_test};

pub fn trials() -> Vec<Trial> {
    let gpu = gpu_need();
    test_support::tests! {
        vulkan_test => every_cuda_device_is_one_vulkan_device;
        [gpu] => a_device_is_found_by_its_place_on_the_bus;
    }
}

/// The names agree, no two devices of CUDA have one UUID, and the two APIs share memory.
fn every_cuda_device_is_one_vulkan_device(_: &Vulkan) {
    let mut uuids = Vec::new();
    for ordinal in 0..cuda::device_count().unwrap() {
        let cuda = Cuda::open(ordinal).unwrap();
        let vulkan = Vulkan::open(&cuda.uuid).unwrap();
        println!("CUDA {ordinal}: {} is {}, {}", cuda.name, vulkan.name, Uuid(&cuda.uuid));
        assert_eq!(vulkan.name, cuda.name);
        assert!(!uuids.contains(&cuda.uuid), "two devices have one UUID");
        uuids.push(cuda.uuid);
        assert_both_ways(&[fixtures::shared_buffer(&vulkan, 1 << 20, false).ends()]);
    }
}

fn a_device_is_found_by_its_place_on_the_bus() {
    let place = |text: &CStr| {
        let mut device = -1;
        // SAFETY: a text with a zero at its end, and the function writes a device.
        unsafe { cuDeviceGetByPCIBusId(&mut device, text.as_ptr()) }.result().map(|()| device)
    };
    for ordinal in 0..cuda::device_count().unwrap() {
        let device = Cuda::open(ordinal).unwrap().device;
        let mut text = [0; 13];
        // SAFETY: there is room for as many bytes as said.
        let get =
            |text: &mut [c_char], length| unsafe { cuDeviceGetPCIBusId(text.as_mut_ptr(), length, device) };
        assert_eq!(get(&mut text, 13), CUDA_SUCCESS);
        // SAFETY: the function has written a text with a zero at its end.
        let name = unsafe { CStr::from_ptr(text.as_ptr()) };
        println!("CUDA {ordinal}: {}", name.to_string_lossy());
        assert_eq!(name.count_bytes(), 12);
        assert_eq!(place(name), Ok(device));
        let short = &name.to_str().expect("ASCII")[..10];
        assert_eq!(place(&CString::new(short).expect("no zero")), Ok(device));
        assert_eq!(get(&mut text, 4), CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(place(c"ffff:ff:1f.7"), Err(CUDA_ERROR_INVALID_DEVICE));
    assert_eq!(place(c"GPU 0"), Err(CUDA_ERROR_INVALID_VALUE));
}
