//! What explains a missing link: the kernel's side, containers, and variables.

use std::env;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::facts::Surroundings;

/// The variables that choose libraries, drivers and devices, by the beginnings of their names.
const VARIABLES: [&str; 22] = [
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "VK_",
    "__EGL_",
    "__GLX_",
    "__NV_",
    "__VK_",
    "EGL_PLATFORM",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_MPS_",
    "CUDA_EXTERNAL_CPU_",
    "NVIDIA_",
    "DRI_PRIME",
    "MESA_",
    "LIBGL_",
    "GALLIUM_DRIVER",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
    "DISABLE_LAYER",
];

pub fn look() -> Surroundings {
    let is_listed = |name: &str| VARIABLES.iter().any(|listed| name.starts_with(listed));
    let variables = env::vars_os().map(|(name, value)| (text(&name), text(&value)));
    let kernel = read("/proc/version");
    Surroundings {
        kernel_module: read("/sys/module/nvidia/version").or_else(|| {
            // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …"
            let text = read("/proc/driver/nvidia/version")?;
            let is_version =
                |word: &&str| word.contains('.') && word.bytes().all(|b| b == b'.' || b.is_ascii_digit());
            text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
        }),
        gpus: entries("/sys/bus/pci/devices").iter().filter(|device| is_gpu(device)).count(),
        device_files: device_files().into_iter().map(|path| (path.clone(), how_it_opens(&path))).collect(),
        container: container(),
        // The version that gVisor shows for every kernel of its own.
        is_gvisor: kernel.as_ref().is_some_and(|kernel| kernel.contains("Sun Jan 10 15:06:54 PST 2016")),
        is_wsl: Path::new("/dev/dxg").exists()
            || kernel.is_some_and(|kernel| kernel.to_lowercase().contains("microsoft")),
        displays: displays(),
        variables: variables.filter(|(name, _)| is_listed(name)).collect(),
        ld_so_preload: read("/etc/ld.so.preload"),
    }
}

fn text(words: &std::ffi::OsStr) -> String {
    words.to_string_lossy().into_owned()
}

/// The text of a small file, unless it is empty.
fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn entries(directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths = Vec::from_iter(entries.map(|entry| entry.path()));
    paths.sort();
    paths
}

/// NVIDIA's, of a class that displays or computes.
fn is_gpu(device: &Path) -> bool {
    let is = |file, start| read(device.join(file)).is_some_and(|text| text.starts_with(start));
    is("vendor", "0x10de") && is("class", "0x03")
}

/// The files by which the driver reaches its kernel module. Two are always needed.
fn device_files() -> Vec<PathBuf> {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let is_ours = |name: String| {
        name.strip_prefix("nvidia").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut files = entries("/dev");
    files.retain(|path| name(path).is_some_and(is_ours));
    files.extend(["/dev/nvidiactl", "/dev/nvidia-uvm"].map(PathBuf::from));
    files
}

fn how_it_opens(path: &Path) -> String {
    // A module may be loaded by the opening.
    match OpenOptions::new().read(true).write(true).open(path) {
        // The major number 1 is that of /dev/null, which covers a file in some sandboxes.
        Ok(file) => match file.metadata() {
            Ok(of) if !of.file_type().is_char_device() => "opens, and is not a device".to_owned(),
            Ok(of) if libc::major(of.rdev()) == 1 => "opens, and is another device".to_owned(),
            _ => "opens".to_owned(),
        },
        Err(error) => error.to_string(),
    }
}

fn container() -> Option<String> {
    let marks = ["/.dockerenv", "/run/.containerenv", "/.singularity.d"];
    let mark = marks.into_iter().find(|mark| Path::new(mark).exists()).map(str::to_owned);
    let by_variable = || {
        let names = ["container", "KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"];
        names.into_iter().find(|name| env::var_os(name).is_some()).map(|name| format!("the variable {name}"))
    };
    let by_group = || {
        let groups = read("/proc/1/cgroup")?;
        let names = ["docker", "kubepods", "containerd", "lxc"];
        names.into_iter().find(|name| groups.contains(name)).map(|name| format!("{name} in /proc/1/cgroup"))
    };
    mark.or_else(by_variable).or_else(by_group)
}

fn displays() -> Vec<String> {
    let connectors = entries("/sys/class/drm").into_iter();
    let connected = connectors.filter(|path| read(path.join("status")).as_deref() == Some("connected"));
    let card = |path: PathBuf| {
        let driver = fs::read_link(path.join("device/device/driver")).ok();
        let driver = driver.and_then(|driver| Some(text(driver.file_name()?))).unwrap_or_default();
        format!("{} ({driver})", text(path.file_name().unwrap_or_default()))
    };
    connected.map(card).collect()
}
