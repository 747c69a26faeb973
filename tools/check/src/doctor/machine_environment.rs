//! Collects facts that explain a missing link: the kernel module, the device files, containers, limits and variables.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// The beginnings of the names of variables that choose libraries, drivers and devices.
const LISTED_VARIABLES: &str = "LD_LIBRARY_PATH LD_PRELOAD VK_ __EGL_ __GLX_ __NV_ __VK_ EGL_PLATFORM \
    CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_MPS_ CUDA_EXTERNAL_CPU_ NVIDIA_DRIVER_CAPABILITIES \
    NVIDIA_VISIBLE_DEVICES DRI_PRIME MESA_ LIBGL_ GALLIUM_DRIVER DISPLAY WAYLAND_DISPLAY XDG_DATA_DIRS \
    XDG_CONFIG_DIRS DISABLE_LAYER";

const LIMITS: [(&str, libc::__rlimit_resource_t); 2] =
    [("ulimit -n", libc::RLIMIT_NOFILE), ("ulimit -v", libc::RLIMIT_AS)];

#[derive(Default, Serialize)]
pub struct MachineEnvironment {
    /// The file, variable or control group that shows that this process runs in a container.
    pub container: Option<String>,
    pub is_gvisor: bool,
    pub is_wsl: bool,
    /// The version of NVIDIA's kernel module.
    pub kernel_module: Option<String>,
    /// The number of NVIDIA's GPUs on the PCI bus.
    pub gpus: usize,
    /// The result of opening each of the driver's device files.
    pub device_files: BTreeMap<PathBuf, String>,
    pub ld_so_preload: Option<String>,
    pub without_proc: bool,
    /// The limits of this process, by the option of `ulimit`.
    pub limits: BTreeMap<&'static str, u64>,
    pub variables: BTreeMap<String, String>,
}

impl MachineEnvironment {
    pub fn examine_environment() -> Self {
        let is_listed = |name: &str| LISTED_VARIABLES.split(' ').any(|listed| name.starts_with(listed));
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let variables = env::vars_os().map(|(name, value)| (text(name), text(value)));
        let kernel = read_small_file("/proc/version").unwrap_or_default();
        // A line of /proc/driver/nvidia/version: "NVRM version: NVIDIA UNIX x86_64 Kernel Module 580.159.04 Tue …"
        let is_version =
            |word: &&str| word.contains('.') && word.bytes().all(|b| b == b'.' || b.is_ascii_digit());
        let by_proc = || {
            read_small_file("/proc/driver/nvidia/version")?
                .split_whitespace()
                .find(is_version)
                .map(str::to_owned)
        };
        Self {
            container: container_evidence(),
            // Every gVisor kernel reports this version.
            is_gvisor: kernel.contains("Sun Jan 10 15:06:54 PST 2016"),
            is_wsl: Path::new("/dev/dxg").exists() || kernel.to_lowercase().contains("microsoft"),
            kernel_module: read_small_file("/sys/module/nvidia/version").or_else(by_proc),
            gpus: sorted_directory_entries("/sys/bus/pci/devices")
                .iter()
                .filter(|device| is_nvidia_pci_gpu(device))
                .count(),
            device_files: device_file_paths()
                .into_iter()
                .map(|path| (path.clone(), device_file_result(&path)))
                .collect(),
            ld_so_preload: read_small_file("/etc/ld.so.preload"),
            without_proc: !Path::new("/proc/self").exists(),
            limits: LIMITS
                .into_iter()
                .filter_map(|(name, resource)| Some((name, resource_limit(resource)?)))
                .collect(),
            variables: variables.filter(|(name, _)| is_listed(name)).collect(),
        }
    }

    /// Returns the value of a variable, unless it is empty.
    pub fn variable_value(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the value of NVIDIA_DRIVER_CAPABILITIES, if the variable has a value that lacks `capability`.
    pub fn missing_capability(&self, capability: &str) -> Option<String> {
        let value = self.variable_value("NVIDIA_DRIVER_CAPABILITIES")?;
        let has = value.split(',').map(str::trim).any(|word| word == capability || word == "all");
        (!has).then(|| value.to_owned())
    }
}

/// Returns the text of a small file, unless it is empty.
fn read_small_file(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn sorted_directory_entries(directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths = Vec::from_iter(entries.map(|entry| entry.path()));
    paths.sort();
    paths
}

/// Returns whether a PCI device is an NVIDIA display controller or 3D controller.
fn is_nvidia_pci_gpu(device: &Path) -> bool {
    let is = |file, start| read_small_file(device.join(file)).is_some_and(|text| text.starts_with(start));
    is("vendor", "0x10de") && is("class", "0x03")
}

/// Returns the device files of the driver's kernel module: one for each GPU, and two that every CUDA program needs.
fn device_file_paths() -> Vec<PathBuf> {
    let is_gpu = |path: &PathBuf| {
        let number = path.to_str().and_then(|path| path.strip_prefix("/dev/nvidia"));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let gpus = sorted_directory_entries("/dev").into_iter().filter(is_gpu);
    gpus.chain(["/dev/nvidiactl", "/dev/nvidia-uvm"].map(PathBuf::from)).collect()
}

fn device_file_result(path: &Path) -> String {
    // A side effect: opening the file may load the kernel module.
    match OpenOptions::new().read(true).write(true).open(path) {
        // Some sandboxes mount /dev/null, whose major number is 1, over a file.
        Ok(file) => match file.metadata() {
            Ok(of) if !of.file_type().is_char_device() => "opens, and is not a device".to_owned(),
            Ok(of) if libc::major(of.rdev()) == 1 => "opens, and is another device".to_owned(),
            _ => "opens".to_owned(),
        },
        Err(error) => error.to_string(),
    }
}

fn container_evidence() -> Option<String> {
    let files = ["/.dockerenv", "/run/.containerenv", "/.singularity.d"];
    let names = ["container", "KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"];
    let groups = read_small_file("/proc/1/cgroup").unwrap_or_default();
    let by_file = files.into_iter().find(|file| Path::new(file).exists());
    let by_variable = names.into_iter().find(|name| env::var_os(name).is_some());
    let by_group = ["docker", "kubepods", "containerd", "lxc"].into_iter().find(|name| groups.contains(name));
    by_file.or(by_variable).or(by_group).map(str::to_owned)
}

fn resource_limit(resource: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the struct.
    let code = unsafe { libc::getrlimit(resource, &mut limit) };
    (code == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}
