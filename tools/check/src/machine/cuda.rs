//! The driver's library, `cuInit` and the devices, and why one of them is missing.

use std::env;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use cuda_external_sys::*;
use libloading::Library;
use serde::{Deserialize, Serialize};

use super::process::{answer, calling};
use super::sentences::{Next, is_absent, say, why_passed_over};
use super::surroundings::{self, Surroundings};
use crate::command::file_of_function;

const NAME: &str = "libcuda.so.1";

#[derive(Default, Serialize, Deserialize)]
pub struct Cuda {
    /// The file of the driver that was asked.
    pub driver: Option<PathBuf>,
    pub kind: Option<String>,
    pub version: Option<String>,
    pub kernel_module: Option<String>,
    /// The result of `cuInit`.
    #[serde(rename = "cuInit")]
    pub cu_init: Option<String>,
    pub devices: Vec<Device>,
    /// The words of the system's loader, where the name `libcuda.so.1` alone leads to nothing.
    pub by_name: Option<String>,
    pub missing: Option<Next>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct Device {
    pub name: String,
    pub uuid: String,
    pub pci: String,
    pub compute_mode: String,
    pub exports_fd: bool,
    pub exports_dma_buf: bool,
}

impl Cuda {
    /// Whether it is `cuda-external-cpu`.
    pub fn is_software(&self) -> bool {
        self.devices.iter().any(|device| device.name.contains("cuda-external-cpu"))
    }
}

pub fn probe() -> ! {
    let around = surroundings::look();
    let mut cuda = Cuda { kernel_module: around.kernel_module.clone(), ..Cuda::default() };
    calling("dlopen of libcuda.so.1");
    // SAFETY: a driver of that name has the driver's functions.
    if let Err(LoadError::NoDriver(attempts)) = unsafe { load_from(NAME) } {
        cuda.missing = match &attempts[0].error {
            AttemptError::Stub => say("stub-first", &[&parent(&by_name())]),
            AttemptError::NotADriver => say("not-a-driver", &[&by_name().to_string_lossy()]),
            error => {
                let AttemptError::NotOpened(words) = error else { unreachable!("{error:?}") };
                cuda.by_name = Some(words.clone());
                (!is_absent(NAME, words)).then(|| say("library-does-not-open", &[words])).flatten()
            }
        };
    }
    calling("load");
    let Ok(driver) = load() else {
        cuda.missing = cuda.missing.or_else(|| no_library(&around));
        answer(&cuda);
    };
    cuda.version = Some(format!("{}.{}", driver.version() / 1000, driver.version() % 1000 / 10));
    cuda.driver =
        driver.symbol(c"cuDriverGetVersion").and_then(|function| file_of_function(function.as_ptr()));
    calling("cuInit");
    // SAFETY: the function takes flags alone.
    let code = unsafe { cuInit(0) };
    cuda.cu_init = Some(format!("{code:?}"));
    let file = cuda.driver.as_deref().unwrap_or(Path::new(NAME));
    let devices = if code == CUDA_SUCCESS { devices() } else { Err(("cuInit", code)) };
    if let Ok(devices) = devices {
        cuda.devices = devices;
        let kind = if file.starts_with("/usr/lib/wsl") { "WSL's" } else { "NVIDIA's" };
        let kind = if cuda.is_software() { "a driver in software" } else { kind };
        cuda.kind = Some(kind.to_owned());
    } else if let (Err((call, code)), None) = (devices, &cuda.missing) {
        cuda.missing = not_ready(&around, call, code, file);
    }
    answer(&cuda)
}

/// The file that the name leads to. It stays open.
fn by_name() -> PathBuf {
    // SAFETY: it was opened before, and its initializers did no harm. The address is not called.
    let address = unsafe {
        let library = Library::new(OsStr::new(NAME)).ok().map(std::mem::ManuallyDrop::new);
        library.and_then(|library| library.get::<*const c_void>(b"cuInit\0").ok().map(|symbol| *symbol))
    };
    address.and_then(file_of_function).unwrap_or_else(|| NAME.into())
}

fn devices() -> Result<Vec<Device>, (&'static str, CUresult)> {
    let mut count = 0;
    calling("cuDeviceGetCount");
    // SAFETY: the pointer is to one value.
    match unsafe { cuDeviceGetCount(&mut count) } {
        CUDA_SUCCESS if count > 0 => Ok((0..count).map(device).collect()),
        CUDA_SUCCESS => Err(("cuDeviceGetCount", CUDA_ERROR_NO_DEVICE)),
        code => Err(("cuDeviceGetCount", code)),
    }
}

fn device(ordinal: c_int) -> Device {
    let (mut device, mut uuid) = (0, CUuuid::default());
    let (mut name, mut pci) = ([0 as c_char; 128], [0 as c_char; 32]);
    calling("the attributes of a device");
    // SAFETY: the texts are as long as said.
    unsafe {
        _ = cuDeviceGet(&mut device, ordinal);
        _ = cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device);
        // The first version returns the whole GPU's in MIG mode.
        if cuDeviceGetUuid_v2(&mut uuid, device) != CUDA_SUCCESS {
            _ = cuDeviceGetUuid(&mut uuid, device);
        }
        _ = cuDeviceGetPCIBusId(pci.as_mut_ptr(), pci.len() as c_int, device);
    }
    let attribute = |attribute| {
        let mut value = 0;
        // SAFETY: the device is one of CUDA's, and the call writes one number.
        let code = unsafe { cuDeviceGetAttribute(&mut value, attribute, device) };
        if code == CUDA_SUCCESS { value } else { 0 }
    };
    // SAFETY: zeros follow what the driver wrote.
    let text = |text: &[c_char]| unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
    let compute_mode = match attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) {
        0 => "default",
        2 => "prohibited",
        3 => "exclusive process",
        _ => "unknown",
    };
    Device {
        name: text(&name),
        uuid: uuid.to_string(),
        pci: text(&pci),
        compute_mode: compute_mode.to_owned(),
        exports_fd: attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0,
        exports_dma_buf: attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) != 0,
    }
}

/// There is no libcuda. Returns the first reason that the surroundings show.
fn no_library(around: &Surroundings) -> Option<Next> {
    let list = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual =
        [&*format!("/usr/lib/{}-linux-gnu", env::consts::ARCH), "/usr/lib64", "/usr/lib"].map(PathBuf::from);
    for file in env::split_paths(&list).chain(usual).map(|directory| directory.join(NAME)) {
        if let Some(why) = why_passed_over(&file) {
            return say("library-passed-over", &[&file.to_string_lossy(), &why]);
        }
    }
    if around.is_wsl {
        return say("wsl-no-driver", &[]);
    }
    if let Some(capabilities) = around.lacks_capability("compute") {
        return say("capability-compute", &[&capabilities]);
    }
    match &around.kernel_module {
        _ if around.container.is_some() => say("container-without-driver", &[]),
        Some(version) => say("library-not-installed", &[version]),
        None if around.gpus > 0 => say("driver-not-installed", &[]),
        None => say("no-driver", &[]),
    }
}

/// The first calls failed: what their code is about.
fn not_ready(around: &Surroundings, call: &str, code: CUresult, file: &Path) -> Option<Next> {
    let returned = format!("{call} returned {code:?}");
    let is_compat = parent(file).contains("compat");
    let library = file.file_name().and_then(OsStr::to_str).and_then(|name| name.split_once(".so."));
    let library = library.map(|(_, version)| version).filter(|version| version.contains('.'));
    let differ = match (library, &around.kernel_module) {
        (Some(library), Some(module)) if library != module => format!("{library} and {module}; {returned}"),
        _ if code == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => returned.clone(),
        _ => String::new(),
    };
    match code {
        CUDA_ERROR_STUB_LIBRARY => return say("stub-first", &[&parent(file)]),
        CUDA_ERROR_SYSTEM_NOT_READY => return say("system-not-ready", &[&returned]),
        _ if is_compat && !differ.is_empty() => return say("compat-library", &[&parent(file), &differ]),
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            return say("compat-library", &[&parent(file), &returned]);
        }
        _ if returned.contains("_MPS_") => return say("mps", &[&returned]),
        _ if !differ.is_empty() => return say("versions-differ", &[&differ]),
        _ => {}
    }
    let hidden = around.variables.get("CUDA_VISIBLE_DEVICES").filter(|_| code == CUDA_ERROR_NO_DEVICE);
    // Another value than the two that it has.
    if let Some(order) = around.variable("CUDA_DEVICE_ORDER").filter(|_| code == CUDA_ERROR_INVALID_DEVICE) {
        return say(
            "hidden",
            &["CUDA_DEVICE_ORDER", &format!("{order:?}"), &format!("every device ({returned})")],
        );
    }
    let files = device_files(around, &returned);
    match hidden {
        // A number hides a device only where one is.
        Some(value) if files.is_none() || ["", "-1"].contains(&value.as_str()) => {
            say("devices-hidden", &[&format!("{value:?}"), &returned])
        }
        _ if files.is_some() => files,
        _ if code == CUDA_ERROR_NO_DEVICE => say("no-device", &[&returned]),
        _ => say("init-failed", &[&returned]),
    }
}

/// The files in /dev, where `cuInit` failed.
fn device_files(around: &Surroundings, returned: &str) -> Option<Next> {
    let in_container = around.container.is_some();
    let files = &around.device_files;
    let says = |words: &str| files.iter().find(|(_, how)| how.contains(words));
    if let Some((path, how)) = says("ioctl") {
        return say("ioctl-denied", &[&path.to_string_lossy(), &format!("{how:?}"), returned]);
    }
    if let Some((path, how)) = says("Permission denied").or(says("not permitted")) {
        let words = [&path.to_string_lossy(), &*format!("{how:?}"), returned];
        let is_denied = in_container && how.contains("not permitted");
        return if is_denied { say("devices-denied", &words) } else { say("devices-unreadable", &words) };
    }
    let lacks = |name| files.get(Path::new(name)).is_some_and(|how| how.contains("No such file"));
    // Two are listed without a GPU.
    let has_gpu = files.len() > 2 && !lacks("/dev/nvidiactl");
    match (&around.kernel_module, around.gpus) {
        _ if has_gpu && lacks("/dev/nvidia-uvm") => say("no-uvm", &[returned]),
        _ if has_gpu => {
            let (path, how) = files.iter().find(|(_, how)| *how != "opens")?;
            say("device-file-wrong", &[&path.to_string_lossy(), &format!("{how:?}"), returned])
        }
        _ if in_container => say("container-without-devices", &[returned]),
        (None, 0) => say("no-gpu", &[returned]),
        (None, _) => say("module-not-loaded", &[returned]),
        _ => say("no-device-files", &[returned]),
    }
}

pub fn parent(file: &Path) -> String {
    file.parent().unwrap_or(file).display().to_string()
}
