//! This machine: CUDA's first device and the same one in Vulkan, opened once, and the tests that need them.

use std::fs::read_to_string;
use std::sync::OnceLock;

use ash::vk;
use cuda_external_sys::*;
use interop::Error;
use interop::cuda::Cuda;
use interop::vulkan::{Instance, Vulkan};
use libtest_mimic::Trial;
use test_support::{Need, test as trial};

type Found<T> = Result<T, String>;

pub fn found_cuda() -> &'static Found<Cuda> {
    static CUDA: OnceLock<Found<Cuda>> = OnceLock::new();
    CUDA.get_or_init(|| Cuda::open(0).map_err(|error| error.to_string()))
}

fn found_vulkan() -> &'static Found<Vulkan> {
    static VULKAN: OnceLock<Found<Vulkan>> = OnceLock::new();
    VULKAN.get_or_init(|| {
        let cuda = found_cuda().as_ref()?;
        Vulkan::open(&cuda.uuid).map_err(|error| error.to_string())
    })
}

/// The Vulkan of tests of memory alone: where CUDA's driver is the mock driver, whose memory is the CPU's, a CPU.
fn found_memory_vulkan() -> &'static Found<Vulkan> {
    static CPU: OnceLock<Found<Vulkan>> = OnceLock::new();
    match found_cuda() {
        Ok(cuda) if is_mock(cuda) => CPU.get_or_init(cpu_vulkan),
        _ => found_vulkan(),
    }
}

fn is_mock(cuda: &Cuda) -> bool {
    cuda.name.starts_with("mock driver")
}

/// Returns the first device, with its context current in this thread.
pub fn cuda() -> &'static Cuda {
    let cuda = found_cuda().as_ref().unwrap();
    cuda.make_current().unwrap();
    cuda
}

/// Returns the same device in Vulkan.
pub fn vulkan() -> &'static Vulkan {
    found_vulkan().as_ref().unwrap()
}

/// Opens a Vulkan device that is a CPU, for what needs Vulkan and no CUDA.
pub fn cpu_vulkan() -> Found<Vulkan> {
    let open = || {
        let instance = Instance::open()?;
        let devices = instance.devices()?;
        let device = devices
            .iter()
            .find(|device| device.kind == vk::PhysicalDeviceType::CPU)
            .ok_or_else(|| Error::Missing("Vulkan has no CPU device".to_owned()))?;
        Vulkan::open_device(instance, device)
    };
    open().map_err(|error: Error| error.to_string())
}

/// A device of CUDA's.
pub fn gpu_need() -> Need {
    Need::new("gpu", found_cuda())
}

/// That device in Vulkan, with memory and semaphores that it exports.
pub fn vulkan_need() -> Need {
    Need::new("vulkan", found_vulkan())
}

/// The driver of the tables in survey/results. Where NVIDIA's manual leaves a behavior open, another driver may differ.
pub fn driver_need() -> Need {
    const DRIVER: &str = "580";
    const FILE: &str = "/sys/module/nvidia/version";
    let found = read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"));
    let found = found.and_then(|version| match version.split('.').next() {
        Some(DRIVER) => Ok(()),
        _ => Err(format!("it was measured with driver {DRIVER}, and this is {}", version.trim())),
    });
    Need::new("driver", &found)
}

/// A test with CUDA alone.
pub fn cuda_test(name: &str, run: fn()) -> Trial {
    trial(name, &[gpu_need()], move || {
        cuda();
        run();
    })
}

/// A test with the device in CUDA and in Vulkan.
pub fn test(name: &str, run: impl FnOnce(&'static Vulkan) + Send + 'static) -> Trial {
    trial(name, &[gpu_need(), vulkan_need()], move || {
        cuda();
        run(vulkan());
    })
}

/// A test of memory, which the mock driver shares too.
pub fn memory_test(name: &str, run: impl FnOnce(&'static Vulkan) + Send + 'static) -> Trial {
    trial(name, &[gpu_need(), Need::new("vulkan", found_memory_vulkan())], move || {
        cuda();
        run(found_memory_vulkan().as_ref().unwrap());
    })
}

/// Panics with the name of the error.
#[track_caller]
pub fn ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}

/// Panics where the library's error is not of this code.
#[track_caller]
pub fn assert_code(error: &Error, code: CUresult) {
    let (error, code) = (error.to_string(), format!("CUDA: {code} at "));
    assert!(error.starts_with(&code), "{error} is not {code}");
}

/// Fills a mapping, and waits until that is done.
pub fn fill(address: CUdeviceptr, byte: u8, size: u64) {
    // SAFETY: the driver checks the range.
    unsafe {
        ok(cuMemsetD8(address, byte, size as usize));
        ok(cuCtxSynchronize());
    }
}
