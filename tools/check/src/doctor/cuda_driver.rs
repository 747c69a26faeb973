//! Loads the CUDA driver, calls `cuInit` and lists the devices, and finds the remedy if one of these steps fails.

use std::env;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use cuda_external_sys::*;
use libloading::Library;
use serde::{Deserialize, Serialize};

use super::dlopen_errors::{parent_directory, says_library_is_absent, why_dlopen_skips_file};
use super::machine_environment::MachineEnvironment;
use super::probe_process::{note_next_call, write_answer_and_exit};
use super::remedy::{MachineFix, first_remedy_in_table};
use crate::command::library_of_function;

const LIBRARY_NAME: &str = "libcuda.so.1";

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CudaDriverReport {
    /// The file of the driver that was loaded.
    pub driver: Option<PathBuf>,
    pub kind: Option<String>,
    pub version: Option<String>,
    pub kernel_module: Option<String>,
    /// The result of `cuInit`.
    #[serde(rename = "cuInit")]
    pub cu_init: Option<String>,
    pub devices: Vec<CudaDevice>,
    /// The dynamic loader's error, if it cannot open a library by the name `libcuda.so.1`.
    pub by_name: Option<String>,
    pub missing: Option<MachineFix>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct CudaDevice {
    pub name: String,
    pub uuid: String,
    pub pci: String,
    pub compute_mode: String,
    pub exports_fd: bool,
    pub exports_dma_buf: bool,
}

impl CudaDriverReport {
    /// Returns whether the driver is `cuda-external-cpu`.
    pub fn is_cpu_driver(&self) -> bool {
        self.devices.iter().any(|device| device.name.contains("cuda-external-cpu"))
    }
}

pub fn probe_cuda_driver() -> ! {
    let environment = MachineEnvironment::examine_environment();
    let mut cuda =
        CudaDriverReport { kernel_module: environment.kernel_module.clone(), ..CudaDriverReport::default() };
    let mut missing = Vec::new();
    note_next_call("dlopen of libcuda.so.1");
    // SAFETY: this process exists to run the library's initializers. A library that has cuDriverGetVersion, and is not
    // a stub, has the driver's functions with their types.
    if let Err(LoadError::NoDriver(attempts)) = unsafe { load_from(LIBRARY_NAME) } {
        missing.extend(match &attempts[0].error {
            AttemptError::Stub => {
                Some(MachineFix::new("stub-first", &[&parent_directory(&driver_file_by_name())]))
            }
            AttemptError::NotADriver => {
                Some(MachineFix::new("not-a-driver", &[&driver_file_by_name().to_string_lossy()]))
            }
            error => {
                let AttemptError::NotOpened(words) = error else { unreachable!("{error:?}") };
                cuda.by_name = Some(words.clone());
                (!says_library_is_absent(LIBRARY_NAME, words))
                    .then(|| MachineFix::new("library-does-not-open", &[words]))
            }
        });
    }
    note_next_call("load");
    let Ok(driver) = load() else {
        missing.extend(cause_of_missing_driver(&environment, missing.first()));
        cuda.missing = first_remedy_in_table(missing);
        write_answer_and_exit(&cuda);
    };
    cuda.version = Some(format!("{}.{}", driver.version() / 1000, driver.version() % 1000 / 10));
    cuda.driver =
        driver.symbol(c"cuDriverGetVersion").and_then(|function| library_of_function(function.as_ptr()));
    note_next_call("cuInit");
    // SAFETY: cuInit takes no pointer.
    let code = unsafe { cuInit(0) };
    cuda.cu_init = Some(format!("{code:?}"));
    let file = cuda.driver.as_deref().unwrap_or(Path::new(LIBRARY_NAME));
    let devices = if code == CUDA_SUCCESS { list_cuda_devices() } else { Err(("cuInit", code)) };
    match devices {
        Ok(devices) => {
            cuda.devices = devices;
            let kind = if file.starts_with("/usr/lib/wsl") { "WSL's" } else { "NVIDIA's" };
            let kind = if cuda.is_cpu_driver() { "a driver in software" } else { kind };
            cuda.kind = Some(kind.to_owned());
        }
        Err((call, code)) => missing.extend(causes_of_cuda_error(&environment, call, code, file)),
    }
    cuda.missing = first_remedy_in_table(missing);
    write_answer_and_exit(&cuda)
}

/// Returns the file that defines the `cuInit` of the library `LIBRARY_NAME`. Returns `LIBRARY_NAME` if the library does
/// not open, if the library has no `cuInit`, or if the file cannot be found. The library stays loaded.
fn driver_file_by_name() -> PathBuf {
    // SAFETY: `load_from` has run the library's initializers already, and nothing calls the address.
    let address = unsafe {
        let library = Library::new(OsStr::new(LIBRARY_NAME)).ok().map(std::mem::ManuallyDrop::new);
        library.and_then(|library| library.get::<*const c_void>(b"cuInit\0").ok().map(|symbol| *symbol))
    };
    address.and_then(library_of_function).unwrap_or_else(|| LIBRARY_NAME.into())
}

fn list_cuda_devices() -> Result<Vec<CudaDevice>, (&'static str, CUresult)> {
    let mut count = 0;
    note_next_call("cuDeviceGetCount");
    // SAFETY: the pointer is to one value.
    match unsafe { cuDeviceGetCount(&mut count) } {
        CUDA_SUCCESS if count > 0 => Ok((0..count).map(describe_cuda_device).collect()),
        CUDA_SUCCESS => Err(("cuDeviceGetCount", CUDA_ERROR_NO_DEVICE)),
        code => Err(("cuDeviceGetCount", code)),
    }
}

fn describe_cuda_device(ordinal: c_int) -> CudaDevice {
    let (mut device, mut uuid) = (0, CUuuid::default());
    let (mut name, mut pci) = ([0 as c_char; 128], [0 as c_char; 32]);
    note_next_call("the attributes of a device");
    // SAFETY: each pointer is to one value, or to a buffer whose length is passed.
    unsafe {
        _ = cuDeviceGet(&mut device, ordinal);
        _ = cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device);
        // In MIG mode `cuDeviceGetUuid`, the first version, returns the UUID of the whole GPU.
        if cuDeviceGetUuid_v2(&mut uuid, device) != CUDA_SUCCESS {
            _ = cuDeviceGetUuid(&mut uuid, device);
        }
        _ = cuDeviceGetPCIBusId(pci.as_mut_ptr(), pci.len() as c_int, device);
    }
    // SAFETY: the buffers were zeroed, and the driver ends each text with a zero.
    let text = |text: &[c_char]| unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
    CudaDevice {
        name: text(&name),
        uuid: uuid.to_string(),
        pci: text(&pci),
        compute_mode: compute_mode(device).to_owned(),
        exports_fd: device_attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device)
            != 0,
        exports_dma_buf: device_attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, device) != 0,
    }
}

/// Returns a device's attribute, or 0 if the driver returns an error.
fn device_attribute(attribute: CUdevice_attribute, device: CUdevice) -> c_int {
    let mut value = 0;
    // SAFETY: the call writes one number at most.
    let code = unsafe { cuDeviceGetAttribute(&mut value, attribute, device) };
    if code == CUDA_SUCCESS { value } else { 0 }
}

pub fn compute_mode(device: CUdevice) -> &'static str {
    let modes = ["default", "exclusive", "prohibited", "exclusive process"];
    modes
        .get(device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device) as usize)
        .copied()
        .unwrap_or("unknown")
}

/// Returns the remedy for a missing driver, or `None` if `by_name`, the remedy for the first libcuda.so.1, is enough.
fn cause_of_missing_driver(
    environment: &MachineEnvironment,
    by_name: Option<&MachineFix>,
) -> Option<MachineFix> {
    let list = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual =
        [&*format!("/usr/lib/{}-linux-gnu", env::consts::ARCH), "/usr/lib64", "/usr/lib"].map(PathBuf::from);
    let files = env::split_paths(&list).chain(usual).map(|directory| directory.join(LIBRARY_NAME));
    let other = match by_name {
        Some(remedy) if remedy.id == "library-does-not-open" => return None,
        // `by_name` removes the first libcuda.so.1 from the search path. That is enough if the path has another one.
        Some(_) => {
            let first = driver_file_by_name();
            let mut others = files.filter_map(|file| file.canonicalize().ok()).filter(|file| *file != first);
            if others.any(|file| file.is_file()) {
                return None;
            }
            format!(" ({} is not one)", first.display())
        }
        None => {
            for file in files {
                if let Some(why) = why_dlopen_skips_file(&file) {
                    return Some(MachineFix::new("library-passed-over", &[&file.to_string_lossy(), &why]));
                }
            }
            String::new()
        }
    };
    Some(match (&environment.kernel_module, environment.missing_capability("compute")) {
        _ if environment.is_wsl => MachineFix::new("wsl-no-driver", &[&other]),
        (_, Some(capabilities)) => MachineFix::new("capability-compute", &[&capabilities, &other]),
        _ if environment.container.is_some() => MachineFix::new("container-without-driver", &[&other]),
        (Some(version), _) => MachineFix::new("library-not-installed", &[version, &other]),
        _ if environment.gpus > 0 => MachineFix::new("driver-not-installed", &[&other]),
        _ => MachineFix::new("no-driver", &[&other]),
    })
}

fn causes_of_cuda_error(
    environment: &MachineEnvironment,
    call: &str,
    code: CUresult,
    file: &Path,
) -> Vec<MachineFix> {
    let returned = format!("{call} returned {code:?}");
    let mut reasons = Vec::new();
    let is_compat = parent_directory(file).contains("compat");
    let library = file.file_name().and_then(OsStr::to_str).and_then(|name| name.split_once(".so."));
    let library = library.map(|(_, version)| version).filter(|version| version.contains('.'));
    let differ = match (library, &environment.kernel_module) {
        (Some(library), Some(module)) if library != module => {
            Some(format!("{library} and {module}; {returned}"))
        }
        _ if code == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => Some(returned.clone()),
        _ => None,
    };
    let is_refused = code == CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE;
    if is_compat || is_refused {
        let words = differ.as_ref().or(is_refused.then_some(&returned));
        reasons
            .extend(words.map(|words| MachineFix::new("compat-library", &[&parent_directory(file), words])));
    }
    reasons.extend(differ.map(|differ| MachineFix::new("versions-differ", &[&differ])));
    match code {
        CUDA_ERROR_STUB_LIBRARY => reasons.push(MachineFix::new("stub-first", &[&parent_directory(file)])),
        CUDA_ERROR_SYSTEM_NOT_READY => reasons.push(MachineFix::new("system-not-ready", &[&returned])),
        _ if returned.contains("_MPS_") => reasons.push(MachineFix::new("mps", &[&returned])),
        // `cuInit` refuses any CUDA_DEVICE_ORDER but FASTEST_FIRST and PCI_BUS_ID.
        CUDA_ERROR_INVALID_DEVICE if environment.variable_value("CUDA_DEVICE_ORDER").is_some() => {
            let order = format!("{:?}", environment.variable_value("CUDA_DEVICE_ORDER").unwrap_or_default());
            reasons.push(MachineFix::new("device-order", &[&order, &returned]));
        }
        // The driver returns these codes after the kernel module has answered, so the device files are right.
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH | CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {}
        _ => {
            let files = device_file_problem(environment, &returned);
            if code == CUDA_ERROR_UNKNOWN && files.is_none() && !environment.is_wsl {
                reasons.push(MachineFix::new("uvm-lost", &[&returned]));
            }
            reasons.extend(files);
        }
    }
    if code == CUDA_ERROR_NO_DEVICE {
        let hidden = environment.variables.get("CUDA_VISIBLE_DEVICES");
        reasons.extend(
            hidden.map(|value| MachineFix::new("devices-hidden", &[&format!("{value:?}"), &returned])),
        );
        reasons.push(MachineFix::new("no-device", &[&returned]));
    }
    reasons.push(MachineFix::new("init-failed", &[&returned]));
    reasons
}

/// Returns the remedy, if the driver's files in /dev explain the error in `returned`.
fn device_file_problem(environment: &MachineEnvironment, returned: &str) -> Option<MachineFix> {
    let in_container = environment.container.is_some();
    let files = &environment.device_files;
    let find = |words: &str| files.iter().find(|(_, result)| result.contains(words));
    let lacks = |name| files.get(Path::new(name)).is_some_and(|result| result.contains("No such file"));
    let about_file = |id: &str, (path, result): (&PathBuf, &String)| {
        MachineFix::new(id, &[&path.to_string_lossy(), &format!("{result:?}"), returned])
    };
    if environment.is_wsl {
        return None;
    }
    // `device_files` has /dev/nvidiactl and /dev/nvidia-uvm even without a GPU.
    if files.len() <= 2 || lacks("/dev/nvidiactl") {
        return Some(match (&environment.kernel_module, environment.gpus) {
            _ if in_container => MachineFix::new("container-without-devices", &[returned]),
            (None, 0) => MachineFix::new("no-gpu", &[returned]),
            (None, _) => MachineFix::new("module-not-loaded", &[returned]),
            _ => MachineFix::new("no-device-files", &[returned]),
        });
    }
    Some(match (find("not permitted"), find("Permission denied")) {
        (Some(file), _) if in_container => about_file("devices-denied", file),
        (Some(file), _) | (_, Some(file)) => about_file("devices-unreadable", file),
        _ if lacks("/dev/nvidia-uvm") => MachineFix::new("no-uvm", &[returned]),
        _ => about_file("device-file-wrong", files.iter().find(|(_, result)| *result != "opens")?),
    })
}
