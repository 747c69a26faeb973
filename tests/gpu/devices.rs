//! CUDA's devices and Vulkan's are matched by UUID; the wrong ones are refused.

use ash::vk;
use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::machine;
use interop::Error;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Cuda, DeviceMemory, ImportedMemory, ImportedSemaphore, Stream};
use interop::vulkan::{self, Buffer, Instance, Semaphore, Vulkan};

pub fn trials() -> Vec<Trial> {
    let cpu = [Need::new("cpu-vulkan", &machine::cpu_vulkan())];
    vec![
        support::test("devices::this_machines_cpu_device_is_refused", &cpu, this_machines_cpu),
        machine::test("devices::every_cuda_device_is_one_vulkan_device", |_| every_device()),
        two_gpus("devices::each_gpu_shares_with_itself", each_with_itself),
        two_gpus("devices::the_wrong_gpu_is_refused_by_its_uuid", the_wrong_gpu),
        two_gpus("devices::a_peer_copies_what_the_other_gpu_imported", peer_copies),
    ]
}

/// A test with two GPUs: the need `second-gpu`.
fn two_gpus(name: &str, run: fn([Cuda; 2], [Vulkan; 2])) -> Trial {
    let count = cuda::device_count().and_then(|count| match count {
        1 => Err(Error::Missing("this machine has one CUDA device, not two".to_owned())),
        _ => Ok(()),
    });
    let gpus = count.map_err(|error| error.to_string());
    let needs = [machine::gpu_need(), machine::vulkan_need(), Need::new("second-gpu", &gpus)];
    support::test(name, &needs, move || {
        let cuda = [0, 1].map(|ordinal| Cuda::open(ordinal).unwrap());
        let vulkan = [0, 1].map(|i| Vulkan::open(&cuda[i].uuid).unwrap());
        run(cuda, vulkan);
    })
}

fn this_machines_cpu() {
    let instance = Instance::open().unwrap();
    let devices = instance.devices().unwrap();
    let cpu = devices.iter().find(|device| device.kind == vk::PhysicalDeviceType::CPU).unwrap();
    // Even asked for by its own UUID.
    let error = vulkan::find(&devices, &cpu.uuid).unwrap_err();
    assert!(error.to_string().contains(&format!("{} (a CPU)", cpu.name)), "{error}");
}

fn every_device() {
    let instance = Instance::open().unwrap();
    let devices = instance.devices().unwrap();
    let mut found = Vec::new();
    for ordinal in 0..cuda::device_count().unwrap() {
        let cuda = Cuda::open(ordinal).unwrap();
        let device = vulkan::find(&devices, &cuda.uuid).unwrap();
        println!("CUDA {ordinal}: {} is {}, {}", cuda.name, device.name, vulkan::Uuid(&cuda.uuid));
        assert_eq!(device.name, cuda.name);
        found.push(device.raw);
    }
    found.sort();
    found.dedup();
    assert_eq!(found.len() as i32, cuda::device_count().unwrap(), "two matched one");
}

fn each_with_itself(cuda: [Cuda; 2], vulkan: [Vulkan; 2]) {
    for (cuda, vulkan) in cuda.iter().zip(&vulkan) {
        cuda.make_current().unwrap();
        let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, false).unwrap();
        let import = ImportedMemory::from_vulkan(&memory).unwrap();
        let address = import.map_buffer(0, buffer.size).unwrap();
        let sent = pattern(1, 1 << 20);
        buffer.write(0, &sent).unwrap();
        assert_same("from Vulkan", &cuda::read(address, sent.len()).unwrap(), &sent);
        let sent = pattern(2, 1 << 20);
        cuda::write(address, &sent).unwrap();
        assert_same("from CUDA", &buffer.read(0, buffer.size).unwrap(), &sent);
    }
}

/// Which is why the matching must refuse it: what the driver does with another GPU's objects is in docs/measured.md.
fn the_wrong_gpu(cuda: [Cuda; 2], _: [Vulkan; 2]) {
    let devices = Instance::open().unwrap().devices().unwrap();
    let second = vulkan::find(&devices, &cuda[1].uuid).unwrap();
    let refusal = second.check(&cuda[0].uuid).unwrap_err();
    assert_eq!(refusal, format!("another device, {}", vulkan::Uuid(&cuda[1].uuid)));
}

/// Memory is imported on its own GPU; the other one gets it by a copy, after a semaphore of the
/// first one's.
fn peer_copies(cuda: [Cuda; 2], vulkan: [Vulkan; 2]) {
    for (owner, peer) in [(0, 1), (1, 0)] {
        cuda[owner].make_current().unwrap();
        let (buffer, memory) = Buffer::with_memory(&vulkan[owner], 1 << 20, false).unwrap();
        let import = ImportedMemory::from_vulkan(&memory).unwrap();
        let address = import.map_buffer(0, buffer.size).unwrap();
        let semaphore = Semaphore::timeline(&vulkan[owner], 0).unwrap();
        let in_cuda = ImportedSemaphore::from_vulkan(&semaphore).unwrap();
        let stream = Stream::new().unwrap();
        let sent = pattern(4, 1 << 20);
        buffer.write(0, &sent).unwrap();

        cuda[peer].make_current().unwrap();
        let scratch = DeviceMemory::new(1 << 20).unwrap();
        cuda[owner].make_current().unwrap();
        stream.wait(&[(&in_cuda, 1)]).unwrap();
        stream.copy(scratch.address, address, sent.len()).unwrap();
        assert!(!stream.is_done().unwrap());
        semaphore.signal(1).unwrap();
        stream.finish().unwrap();

        cuda[peer].make_current().unwrap();
        assert_same("the peer's copy", &cuda::read(scratch.address, sent.len()).unwrap(), &sent);
        let sent = pattern(5, 1 << 20);
        cuda::write(scratch.address, &sent).unwrap();
        cuda[owner].make_current().unwrap();
        stream.copy(address, scratch.address, sent.len()).unwrap();
        stream.finish().unwrap();
        assert_same("what the peer sent", &buffer.read(0, buffer.size).unwrap(), &sent);
    }
}
