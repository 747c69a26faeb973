//! What is known of a machine. The probes answer with these, and `--json` writes them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub struct Machine {
    pub cuda: Outcome<Cuda>,
    pub manifests: Vec<Manifest>,
    pub vulkan: Outcome<Vulkan>,
    pub egl_vendors: Vec<Manifest>,
    pub egl: Outcome<Egl>,
    pub rounds: Vec<Round>,
    pub surroundings: Surroundings,
}

/// How a probe's process ended.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome<T> {
    Answer(T),
    /// Without an answer.
    Ended(Ended),
}

impl<T> Outcome<T> {
    pub fn answer(&self) -> Option<&T> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Ended(_) => None,
        }
    }

    pub fn ended(&self) -> Option<&Ended> {
        match self {
            Self::Answer(_) => None,
            Self::Ended(ended) => Some(ended),
        }
    }
}

#[derive(Serialize)]
pub struct Ended {
    /// Such as `crashed (signal: 11 (SIGSEGV))`.
    pub how: String,
    /// The call that it was in.
    pub call: String,
}

#[derive(Default, Serialize, Deserialize)]
pub struct Cuda {
    /// The file of the driver that was asked, or of a stub where there is no driver.
    pub file: Option<PathBuf>,
    /// Why the name `libcuda.so.1` alone does not lead to a driver.
    pub by_name: Option<NotByName>,
    /// Where none was found: every name that was tried.
    pub not_loaded: Option<String>,
    /// As `cuDriverGetVersion` returns it.
    pub version: i32,
    /// The result of `cuInit`, and its name.
    pub init: Option<(u32, String)>,
    pub devices: Vec<CudaDevice>,
}

impl Cuda {
    /// Whether it is `cuda-external-cpu`.
    pub fn is_software(&self) -> bool {
        self.devices.iter().any(|device| device.name.contains("cuda-external-cpu"))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotByName {
    /// The words of the system's loader.
    NotOpened(String),
    Stub(PathBuf),
    NotADriver(PathBuf),
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct CudaDevice {
    pub name: String,
    pub uuid: String,
    pub pci: String,
    /// 0 is the default, 2 prohibits contexts, 3 allows one process.
    pub compute_mode: i32,
    pub exports_fd: bool,
    pub exports_dma_buf: bool,
}

/// A manifest of a driver, for Vulkan's loader or for EGL's.
#[derive(Serialize)]
pub struct Manifest {
    pub path: PathBuf,
    /// As the manifest names it.
    pub library: String,
    pub state: State,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The library's file.
    Opens(PathBuf),
    /// A variable names it, and it does not exist.
    Absent,
    Unreadable(String),
    Invalid(String),
    /// The words of the system's loader about the library.
    NotOpened(String),
    /// The process that opened the library.
    Ended(String),
}

#[derive(Default, Serialize, Deserialize)]
pub struct Vulkan {
    pub not_opened: Option<String>,
    /// The loader's.
    pub file: Option<PathBuf>,
    pub version: String,
    /// A call and its code.
    pub failure: Option<String>,
    pub devices: Vec<VulkanDevice>,
    /// Those of the layers that stand before the driver, as the loader says.
    pub layers: Vec<String>,
    /// The loader's errors.
    pub words: Vec<String>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct VulkanDevice {
    pub name: String,
    pub uuid: String,
    pub kind: String,
    pub version: String,
    pub memory_fd: bool,
    pub semaphore_fd: bool,
    pub timeline: bool,
}

impl VulkanDevice {
    /// What the device lacks for sharing.
    pub fn lacks(&self) -> Option<&'static str> {
        [
            (self.memory_fd, "VK_KHR_external_memory_fd"),
            (self.semaphore_fd, "VK_KHR_external_semaphore_fd"),
            (self.timeline, "timeline semaphores"),
        ]
        .into_iter()
        .find_map(|(has, what)| (!has).then_some(what))
    }
}

#[derive(Default, Serialize, Deserialize)]
pub struct Egl {
    pub not_opened: Option<String>,
    pub failure: Option<String>,
    pub devices: Vec<EglDevice>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct EglDevice {
    /// `GL_RENDERER`.
    pub renderer: String,
    pub uuid: Option<String>,
    /// CUDA's ordinal, as EGL says.
    pub cuda: Option<i64>,
    /// The extensions for images.
    pub images: Vec<String>,
    /// The call that failed.
    pub failure: Option<String>,
}

/// 64 KiB from Vulkan to CUDA and back.
#[derive(Serialize)]
pub struct Round {
    pub cuda: usize,
    pub vulkan: usize,
    pub result: Outcome<RoundResult>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundResult {
    EveryByteIsRight,
    WrongBytes(String),
    Failed { call: String, code: String },
}

#[derive(Default, Serialize)]
pub struct Surroundings {
    /// Of NVIDIA's kernel module.
    pub kernel_module: Option<String>,
    /// NVIDIA's GPUs on the PCI bus.
    pub gpus: usize,
    /// What each file of the driver says when it is opened.
    pub device_files: BTreeMap<PathBuf, String>,
    /// How a container was recognized.
    pub container: Option<String>,
    pub is_gvisor: bool,
    pub is_wsl: bool,
    /// The cards whose connectors have a display, with the kernel's driver.
    pub displays: Vec<String>,
    /// Those that choose libraries, drivers and devices.
    pub variables: BTreeMap<String, String>,
    pub ld_so_preload: Option<String>,
}

impl Surroundings {
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }
}
