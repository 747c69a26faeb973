//! CUDA devices and Vulkan devices are matched by UUID. Two GPUs copy what one of them imported.

use std::ffi::{CStr, CString, c_char};

use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Cuda, DeviceMemory, Stream};
use interop::vulkan::{Uuid, Vulkan};
use libtest_mimic::Trial;
use test_support::Need;

use crate::fixtures::{self, assert_both_ways, assert_held};
use crate::machine::{found, gpu_need, vulkan_need, vulkan_test};

pub fn trials() -> Vec<Trial> {
    let count = found(cuda::device_count()).and_then(|count| match count {
        1 => Err("this machine has one CUDA device, not two".to_owned()),
        _ => Ok(()),
    });
    let (gpu, vulkan, second_gpu) = (gpu_need(), vulkan_need(), Need::new("second-gpu", &count));
    test_support::tests! {
        vulkan_test => every_cuda_device_is_one_vulkan_device;
        [gpu] => a_device_is_found_by_its_place_on_the_bus;
        [gpu, vulkan, second_gpu] => a_peer_copies_what_the_other_gpu_imported;
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
        assert_both_ways(&[fixtures::buffer(&vulkan, 1 << 20, false).ends()]);
    }
}

/// The copy waits for a semaphore of the importing GPU's.
fn a_peer_copies_what_the_other_gpu_imported() {
    const SIZE: usize = 1 << 20;
    for ordinals in [[0, 1], [1, 0]] {
        let [owner, peer] = ordinals.map(|ordinal| Cuda::open(ordinal).unwrap());
        let vulkan = Vulkan::open(&owner.uuid).unwrap();
        peer.make_current().unwrap();
        let at_peer = DeviceMemory::new(SIZE).unwrap();
        owner.make_current().unwrap();
        let (shared, timeline) = (fixtures::buffer(&vulkan, SIZE as u64, false), fixtures::timeline(&vulkan));
        let (stream, sent, back) = (Stream::new().unwrap(), pattern(4, SIZE), pattern(5, SIZE));
        shared.buffer.write(0, &sent).unwrap();
        stream.wait(&[(&timeline.cuda, 1)]).unwrap();
        stream.copy(at_peer.address, shared.address, SIZE).unwrap();
        assert_held(&stream);
        timeline.vulkan.signal(1).unwrap();
        stream.finish().unwrap();

        peer.make_current().unwrap();
        assert_same("the peer's copy", &cuda::read(at_peer.address, SIZE).unwrap(), &sent);
        cuda::write(at_peer.address, &back).unwrap();
        owner.make_current().unwrap();
        stream.copy(shared.address, at_peer.address, SIZE).unwrap();
        stream.finish().unwrap();
        assert_same("what the peer sent", &shared.buffer.read(0, SIZE as u64).unwrap(), &back);
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
