//! This machine: CUDA's first device and the same one in Vulkan, opened once, and the tests that need them.

use std::sync::OnceLock;

use cuda_external_sys::*;
use example_support::cuda::Cuda;
use example_support::opengl_context::Gl;
use example_support::vulkan::Vulkan;
use libtest_mimic::Trial;
use test_support::{Need, test};

type Found<T> = Result<T, String>;

/// A result as [`Need::new`] takes it.
pub fn found<T>(result: example_support::Result<T>) -> Found<T> {
    result.map_err(|error| error.to_string())
}

pub fn found_cuda() -> &'static Found<Cuda> {
    static CUDA: OnceLock<Found<Cuda>> = OnceLock::new();
    CUDA.get_or_init(|| found(Cuda::open(0)))
}

fn found_vulkan() -> &'static Found<Vulkan> {
    static VULKAN: OnceLock<Found<Vulkan>> = OnceLock::new();
    VULKAN.get_or_init(|| found(Vulkan::open(&found_cuda().as_ref()?.uuid)))
}

/// How the driver in software calls its device, in CUDA and in Vulkan.
const IN_SOFTWARE: &str = "CPU (cuda-external-cpu)";

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

/// A CUDA device: a GPU, or the driver in software where no GPU is required.
pub fn gpu_need() -> Need {
    let is_in_software = found_cuda().as_ref().is_ok_and(|cuda| cuda.name == IN_SOFTWARE);
    if is_in_software && test_support::is_required("gpu") {
        return Need::new::<()>("gpu", &Err(format!("{IN_SOFTWARE} is not a GPU")));
    }
    Need::new("gpu", found_cuda())
}

/// Prints which driver the tests are about to say something about.
pub fn print_driver() {
    if let Ok(cuda) = found_cuda() {
        let driver = load().expect("its functions were called");
        eprintln!("CUDA: {}, by {}", cuda.name, driver.name().to_string_lossy());
    }
}

/// That device in Vulkan, with memory and semaphores that it exports.
pub fn vulkan_need() -> Need {
    Need::new("vulkan", found_vulkan())
}

/// That device in OpenGL.
pub fn opengl_need() -> Need {
    let cuda = found_cuda().as_ref().map_err(String::clone);
    Need::new("opengl", &cuda.and_then(|cuda| found(Gl::open(&cuda.uuid))))
}

/// An OpenGL context on that device. It belongs to the thread that created it, so each test creates its own.
/// Destroying it deletes its imports.
pub fn opengl() -> Gl {
    Gl::open(&cuda().uuid).unwrap()
}

/// A test with CUDA alone.
pub fn cuda_test(name: &str, run: fn()) -> Trial {
    test(name, &[gpu_need()], move || {
        cuda();
        run();
    })
}

/// A test with the device in CUDA and in Vulkan.
pub fn vulkan_test(name: &str, run: impl FnOnce(&'static Vulkan) + Send + 'static) -> Trial {
    test(name, &[gpu_need(), vulkan_need()], move || {
        cuda();
        run(vulkan());
    })
}

/// Panics with the name of the error.
#[track_caller]
pub fn ok(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}
