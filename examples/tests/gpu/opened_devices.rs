//! Opens CUDA's first device and the Vulkan device with the same UUID, each once. Makes tests that need these devices.

use std::sync::LazyLock;

use cuda_external_sys::*;
use example_support::cuda::Cuda;
use example_support::opengl_context::Gl;
use example_support::vulkan::Vulkan;
use libtest_mimic::Trial;
use test_support::{Need, trial_if};

type ResultWithReason<T> = Result<T, String>;

/// Converts a result to one that [`Need::new`] takes.
pub fn error_as_text<T>(result: example_support::Result<T>) -> ResultWithReason<T> {
    result.map_err(|error| error.to_string())
}

static CUDA: LazyLock<ResultWithReason<Cuda>> = LazyLock::new(|| error_as_text(Cuda::retain_primary(0)));
static VULKAN: LazyLock<ResultWithReason<Vulkan>> =
    LazyLock::new(|| error_as_text(Vulkan::open_by_uuid(&CUDA.as_ref()?.uuid)));

/// The name of cuda-external-cpu's device.
const IN_SOFTWARE: &str = "CPU (cuda-external-cpu)";

/// Returns CUDA's first device, and makes its context current in this thread.
pub fn opened_cuda() -> &'static Cuda {
    let cuda = CUDA.as_ref().unwrap();
    cuda.make_current().unwrap();
    cuda
}

pub fn opened_vulkan() -> &'static Vulkan {
    VULKAN.as_ref().unwrap()
}

/// Returns the need `gpu`, which a GPU meets. cuda-external-cpu's device meets the need too, unless
/// CUDA_EXTERNAL_SYS_REQUIRE requires a GPU.
pub fn gpu_need() -> Need {
    let is_in_software = CUDA.as_ref().is_ok_and(|cuda| cuda.name == IN_SOFTWARE);
    if is_in_software && test_support::is_required("gpu") {
        return Need::new::<()>("gpu", &Err(format!("{IN_SOFTWARE} is not a GPU")));
    }
    Need::new("gpu", &*CUDA)
}

pub fn print_driver() {
    if let Ok(cuda) = &*CUDA {
        let driver = load().expect("its functions were called");
        eprintln!("CUDA: {}, by {}", cuda.name, driver.name().to_string_lossy());
    }
}

/// Returns the need `vulkan`: CUDA's device must be a Vulkan device too, and Vulkan must export memory and semaphores.
pub fn vulkan_need() -> Need {
    Need::new("vulkan", &*VULKAN)
}

pub fn opengl_need() -> Need {
    let cuda = CUDA.as_ref().map_err(String::clone);
    Need::new("opengl", &cuda.and_then(|cuda| error_as_text(Gl::open_by_uuid(&cuda.uuid))))
}

/// Opens an OpenGL context on CUDA's first device. The context is current in the calling thread only.
pub fn open_opengl_context() -> Gl {
    Gl::open_by_uuid(&opened_cuda().uuid).unwrap()
}

pub fn cuda_trial(name: &str, run: fn()) -> Trial {
    trial_if(name, &[gpu_need()], move || {
        opened_cuda();
        run();
    })
}

pub fn vulkan_trial(name: &str, run: impl FnOnce(&'static Vulkan) + Send + 'static) -> Trial {
    trial_if(name, &[gpu_need(), vulkan_need()], move || {
        opened_cuda();
        run(opened_vulkan());
    })
}

#[track_caller]
pub fn assert_success(code: CUresult) {
    assert_eq!(code, CUDA_SUCCESS);
}
