//! Runs examples on cuda-external-cpu and Mesa's lavapipe, with and without Vulkan's validation layer.

use std::ffi::CStr;
use std::process::Command;

use ash::vk;
use example_support::vulkan::Instance;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::example_program;

const EXAMPLES: [&str; 10] = [
    "cuda_to_vulkan",
    "dma_buf",
    "frames_in_flight",
    "graph_semaphores",
    "image_in_place",
    "kernel",
    "opaque_fd",
    "two_processes",
    "vulkan_image",
    "vulkan_semaphores",
];

/// The ID of a message that Vulkan's validation layer 1.3.239 prints because of a bug: the layer's synchronization
/// validation waits in vain for CUDA's signals (fixed by Vulkan-ValidationLayers#8519).
const KNOWN_BUG: &str = "UNASSIGNED-VkSemaphore-state-timeout";

/// Because of `KNOWN_BUG` this example would wait for a minute, so it runs with the core checks only.
const WITHOUT_SYNCHRONIZATION: &str = "vulkan_semaphores";

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

pub fn trials() -> Vec<Trial> {
    let cpu = Need::new("cpu-vulkan", &require_cpu_vulkan_device());
    let validation = Need::new("vulkan-validation", &require_validation_layer());
    let mut trials = Vec::new();
    for name in EXAMPLES {
        trials.push(support::trial_if(&format!("on_cpu::{name}"), [&cpu], move || {
            drop(run_example(name, &[]))
        }));
        let test = move || run_example_under_validation(name);
        trials.push(support::trial_if(&format!("on_cpu::{name}_is_valid"), [&cpu, &validation], test));
    }
    trials.push(support::trial_if("on_cpu::two_processes_imports_again", [&cpu], || {
        let fault = ("CUDA_EXTERNAL_CPU_FAULTS", "cuImportExternalMemory:1=CUDA_ERROR_OUT_OF_MEMORY");
        assert!(run_example("two_processes", &[fault]).contains("it tries again"));
    }));
    trials
}

fn require_cpu_vulkan_device() -> Result<(), String> {
    let devices = Instance::create_instance()
        .and_then(|instance| instance.physical_devices())
        .map_err(|error| error.to_string())?;
    let is_cpu = devices.iter().any(|device| device.kind == vk::PhysicalDeviceType::CPU);
    is_cpu.then_some(()).ok_or_else(|| "Vulkan has no CPU device".to_owned())
}

fn require_validation_layer() -> Result<(), String> {
    // SAFETY: the initializers of Vulkan's loader may run in any process.
    let entry = unsafe { ash::Entry::load() }.map_err(|error| error.to_string())?;
    // SAFETY: `entry` keeps Vulkan's loader loaded.
    let layers =
        unsafe { entry.enumerate_instance_layer_properties() }.map_err(|code| format!("{code:?}"))?;
    let has = layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION));
    has.then_some(()).ok_or_else(|| "Vulkan's validation layer is not installed".to_owned())
}

/// Runs an example, asserts that the example succeeded and that the machine lacks nothing, and returns the output.
fn run_example(name: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(support::repository().join("dev/scripts/on-cpu"));
    command.args(["timeout", "120"]).arg(example_program(name)).envs(variables.iter().copied());
    let output = command.output().expect("bash runs the script");
    let report = support::describe_exit(&output);
    assert!(output.status.success() && !report.contains("This machine "), "{report}");
    report
}

fn run_example_under_validation(name: &str) {
    let layer = VALIDATION.to_str().expect("ASCII");
    let checks = if name == WITHOUT_SYNCHRONIZATION {
        ""
    } else {
        "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
    };
    let report = run_example(name, &[("VK_INSTANCE_LAYERS", layer), ("VK_LAYER_ENABLES", checks)]);
    let is_message = |line: &&str| line.contains("Validation ") && !line.contains(KNOWN_BUG);
    assert_eq!(report.lines().find(is_message), None, "{report}");
}
