//! The first missing link of the chain, and what to do about it, in one sentence.

use std::path::Path;

use serde::Serialize;

use super::facts::{Cuda, Ended, Machine, Manifest, NotByName, RoundResult, State, VulkanDevice};
use super::pairs;

#[derive(Serialize)]
pub struct Next {
    /// A name for scripts.
    pub id: &'static str,
    pub sentence: String,
    /// The part of the guide.
    pub see: String,
    /// Whether the round went.
    pub went: bool,
}

const CONTAINERS: &str = "platforms/index.html#containers";
const WSL: &str = "platforms/index.html#wsl-2";
const DRIVER: &str = "first_aid/index.html#the-driver-and-the-context";
const GRAPHICS: &str = "first_aid/index.html#vulkan-and-opengl";
const IMPORT: &str = "first_aid/index.html#the-import";
const WITHOUT_GPU: &str = "testing_without_a_gpu/index.html";

fn broken(id: &'static str, page: &str, sentence: impl Into<String>) -> Option<Next> {
    let see = format!("{}/{page}", crate::GUIDE);
    Some(Next { id, sentence: sentence.into(), see, went: false })
}

/// Goes down the chain to the first link that is missing.
pub fn next(machine: &Machine) -> Next {
    let links = [library, init, vulkan_loader, vulkan_device, round];
    links.iter().find_map(|link| link(machine)).unwrap_or_else(|| Next { went: true, ..after(machine) })
}

/// libcuda.
fn library(machine: &Machine) -> Option<Next> {
    if let Some(Ended { how, call }) = machine.cuda.ended() {
        return broken(
            "cuda-ended",
            DRIVER,
            format!(
                "{call} {how}: reinstall the driver, and unset LD_PRELOAD and LD_LIBRARY_PATH where they name another library."
            ),
        );
    }
    let cuda = machine.cuda.answer()?;
    match &cuda.by_name {
        Some(NotByName::Stub(file)) => broken(
            "stub-first",
            DRIVER,
            format!(
                "Remove {} from LD_LIBRARY_PATH or the program's rpath: its libcuda.so.1 is a toolkit's stub, which is for linking only.",
                parent(file)
            ),
        ),
        Some(NotByName::NotADriver(file)) => broken(
            "not-a-driver",
            DRIVER,
            format!(
                "Remove {} from the search path: it is called libcuda.so.1, and has no cuDriverGetVersion.",
                file.display()
            ),
        ),
        Some(NotByName::NotOpened(words)) if !is_absent("libcuda.so.1", words) => broken(
            "library-does-not-open",
            DRIVER,
            format!(
                "Repair or remove the first libcuda.so.1 on the search path, which does not open: {words}."
            ),
        ),
        _ if cuda.not_loaded.is_some() => no_library(machine),
        _ => None,
    }
}

/// There is no libcuda: of the reasons, the first that the surroundings show.
fn no_library(machine: &Machine) -> Option<Next> {
    let around = &machine.surroundings;
    let has_kernel_side =
        around.kernel_module.is_some() || around.device_files.values().any(|how| how == "opens");
    if around.is_wsl {
        return broken(
            "wsl-no-driver",
            WSL,
            "Install NVIDIA's driver in Windows, and none in WSL: /usr/lib/wsl/lib has no libcuda.so.1.",
        );
    }
    if let Some(capabilities) = lacks_capability(machine, "compute") {
        return broken(
            "capability-compute",
            CONTAINERS,
            format!(
                "Start the container with NVIDIA_DRIVER_CAPABILITIES=all: {capabilities:?} lacks compute, so libcuda.so.1 is not in it."
            ),
        );
    }
    if around.container.is_some() {
        return broken(
            "container-without-driver",
            CONTAINERS,
            "Start the container with the host's GPU and driver (docker: --gpus all), or test without a GPU with cuda-external-cpu: libcuda.so.1 \
             is not in the container.",
        );
    }
    if let Some(version) = &around.kernel_module {
        return broken(
            "library-not-installed",
            DRIVER,
            format!(
                "Install the driver's libcuda.so.1 of version {version}, which the kernel module has (Debian: libcuda1)."
            ),
        );
    }
    if around.gpus > 0 || has_kernel_side {
        return broken(
            "driver-not-installed",
            DRIVER,
            "Install NVIDIA's driver: this machine has a GPU, and no libcuda.so.1.",
        );
    }
    broken(
        "no-driver",
        WITHOUT_GPU,
        "Install NVIDIA's driver, or test without a GPU with cuda-external-cpu: this machine has no libcuda.so.1 and no GPU of NVIDIA's.",
    )
}

/// `cuInit`, and what its code is about.
fn init(machine: &Machine) -> Option<Next> {
    let (cuda, around) = (machine.cuda.answer()?, &machine.surroundings);
    let (code, name) = cuda.init.as_ref()?;
    if *code == 0 {
        return None;
    }
    let file = cuda.file.as_deref().unwrap_or(Path::new("libcuda.so.1"));
    let version = library_version(file);
    if let (Some(library), Some(module)) = (&version, &around.kernel_module) {
        if library != module {
            return broken(
                "versions-differ",
                DRIVER,
                format!(
                    "Restart the machine, or take the libcuda.so.1 out of the container's image: the library is {library}, the kernel \
                 module {module} (cuInit returned {name})."
                ),
            );
        }
    }
    match name.as_str() {
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" => {
            return broken(
                "versions-differ",
                DRIVER,
                format!(
                    "Restart the machine, or take the libcuda.so.1 out of the container's image: library and kernel module differ (cuInit \
             returned {name})."
                ),
            );
        }
        "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" => {
            return broken(
                "compat-library",
                DRIVER,
                format!(
                    "Take {} out of LD_LIBRARY_PATH: this GPU cannot use the compatibility library (cuInit returned {name}).",
                    parent(file)
                ),
            );
        }
        "CUDA_ERROR_SYSTEM_NOT_READY" => {
            return broken(
                "system-not-ready",
                DRIVER,
                format!(
                    "Start nvidia-fabricmanager, and look at `systemctl status nvidia-fabricmanager`: cuInit returned {name}."
                ),
            );
        }
        _ => {}
    }
    if let Some(hidden) = around.variable("CUDA_VISIBLE_DEVICES").filter(|_| name == "CUDA_ERROR_NO_DEVICE") {
        return broken(
            "devices-hidden",
            DRIVER,
            format!("Unset CUDA_VISIBLE_DEVICES: {hidden:?} leaves no device (cuInit returned {name})."),
        );
    }
    device_files(machine, name).or_else(|| match name.as_str() {
        "CUDA_ERROR_NO_DEVICE" => broken("no-device", DRIVER, format!(
            "Look at `nvidia-smi -L`: cuInit returned {name}, as where the GPU is in MIG mode without an instance, or prohibited."
        )),
        "CUDA_ERROR_STUB_LIBRARY" => broken("stub-first", DRIVER, format!(
            "Remove {} from the search path: it is a toolkit's stub, which is for linking only.", file.display()
        )),
        _ => broken("init-failed", DRIVER, format!(
            "Look for NVRM and Xid in `dmesg`, and reset the GPU or restart the machine: cuInit returned {name}."
        )),
    })
}

/// The files in /dev, where `cuInit` failed.
fn device_files(machine: &Machine, name: &str) -> Option<Next> {
    let around = &machine.surroundings;
    let in_container = around.container.is_some();
    let closed =
        around.device_files.iter().find(|(_, how)| how.contains("denied") || how.contains("not permitted"));
    if let Some((path, how)) = closed {
        let remedy = match () {
            () if how.contains("not permitted") && in_container => {
                "Start the container with the GPU (docker: --gpus all)"
            }
            () => "Let this user read and write it, such as by the group that owns it",
        };
        return broken(
            "devices-unreadable",
            DRIVER,
            format!("{remedy}: {} says {how:?} (cuInit returned {name}).", path.display()),
        );
    }
    let absent =
        |path: &str| around.device_files.get(Path::new(path)).is_some_and(|how| how.contains("No such file"));
    let has_gpu_file = around.device_files.len() > 2;
    if has_gpu_file && !absent("/dev/nvidiactl") && absent("/dev/nvidia-uvm") {
        return broken(
            "no-uvm",
            DRIVER,
            format!(
                "Run `nvidia-modprobe -u -c 0` as root on the host: /dev/nvidia-uvm is missing (cuInit returned {name})."
            ),
        );
    }
    if has_gpu_file && !absent("/dev/nvidiactl") {
        return None;
    }
    if in_container {
        return broken(
            "container-without-devices",
            CONTAINERS,
            format!(
                "Start the container with the GPU (docker: --gpus all): it has no /dev/nvidiactl or no /dev/nvidia0 (cuInit returned {name})."
            ),
        );
    }
    match (&around.kernel_module, around.gpus) {
        (None, 0) => broken(
            "no-gpu",
            WITHOUT_GPU,
            format!(
                "Test without a GPU with cuda-external-cpu: libcuda.so.1 is here, and no GPU of NVIDIA's (cuInit returned {name})."
            ),
        ),
        (None, _) => broken(
            "module-not-loaded",
            DRIVER,
            format!(
                "Load the kernel module (`modprobe nvidia`, and `dmesg` where it fails): it is not loaded (cuInit returned {name})."
            ),
        ),
        _ => broken(
            "no-device-files",
            DRIVER,
            format!(
                "Run `nvidia-modprobe -c 0 -u` as root: the module is loaded, and /dev has no files of it (cuInit returned {name})."
            ),
        ),
    }
}

/// Vulkan's loader, and an instance.
fn vulkan_loader(machine: &Machine) -> Option<Next> {
    if let Some(Ended { how, call }) = machine.vulkan.ended() {
        let culprit = machine.manifests.iter().find(|manifest| matches!(manifest.state, State::Ended(_)));
        let remedy = culprit.map_or_else(
            || "name one manifest at a time in VK_DRIVER_FILES, and unset VK_INSTANCE_LAYERS, until it returns".to_owned(),
            |manifest| format!("remove {}, whose library does the same", manifest.path.display()),
        );
        return broken("vulkan-ended", GRAPHICS, format!("{call} {how}: {remedy}."));
    }
    let words = machine.vulkan.answer()?.not_opened.as_ref()?;
    broken(
        "vulkan-loader",
        GRAPHICS,
        if is_absent("libvulkan.so.1", words) {
            "Install Vulkan's loader (Debian: libvulkan1): there is no libvulkan.so.1.".to_owned()
        } else {
            format!(
                "Repair or remove the first libvulkan.so.1 on the search path, which does not open: {words}."
            )
        },
    )
}

/// A device of Vulkan that is one of CUDA's.
fn vulkan_device(machine: &Machine) -> Option<Next> {
    let (cuda, vulkan) = (machine.cuda.answer()?, machine.vulkan.answer()?);
    let pairs = pairs(machine);
    if pairs.is_empty() {
        return no_device(machine, cuda);
    }
    pairs.iter().find_map(|(_, at)| {
        let (device, lacks) = (&vulkan.devices[*at], vulkan.devices[*at].lacks()?);
        let by = if vulkan.layers.is_empty() {
            String::new()
        } else {
            format!(", or leave out {}", vulkan.layers.join(" and "))
        };
        broken(
            "device-lacks",
            GRAPHICS,
            format!(
                "Take a newer driver for Vulkan{by}: {} is CUDA's device, and has no {lacks}.",
                device.name
            ),
        )
    })
}

/// Of the manifests, the first that explains why Vulkan has no device of CUDA's.
fn no_device(machine: &Machine, cuda: &Cuda) -> Option<Next> {
    let (vulkan, around) = (machine.vulkan.answer()?, &machine.surroundings);
    let is_software = cuda.is_software();
    let is_wanted = |manifest: &&Manifest| {
        let named = |text: &str| if is_software { text.contains("lvp") } else { text.contains("nvidia") };
        named(&manifest.library) || named(&manifest.path.file_name().unwrap_or_default().to_string_lossy())
    };
    let opens = |manifest: &&Manifest| matches!(manifest.state, State::Opens(_));
    let (owner, library) = if is_software {
        ("Mesa's lavapipe", "libvulkan_lvp.so")
    } else {
        ("NVIDIA's driver", "libGLX_nvidia.so.0")
    };
    let wanted = Vec::from_iter(machine.manifests.iter().filter(is_wanted));
    let variable = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]
        .into_iter()
        .find(|name| around.variable(name).is_some_and(|v| !v.is_empty()));
    // One that is named and cannot be used is the reason, also where its name says nothing of the driver.
    let bad = wanted.iter().copied().chain(&machine.manifests).find(|manifest| !opens(manifest));
    let others_open = wanted.iter().any(|manifest| opens(manifest));
    if let Some(bad) = bad.filter(|bad| !others_open && (is_wanted(bad) || variable.is_some())) {
        return bad_manifest(machine, bad, variable);
    }
    let Some(good) = wanted.iter().find(|manifest| opens(manifest)) else {
        if let Some(variable) = variable {
            return broken(
                "manifest-not-named",
                GRAPHICS,
                format!(
                    "Add the manifest of {owner} to {variable}, or unset it: the loader reads no other manifests than it names."
                ),
            );
        }
        if is_software {
            return broken(
                "no-manifest",
                WITHOUT_GPU,
                "Install lavapipe (Debian: mesa-vulkan-drivers): Vulkan's loader finds no manifest of it.",
            );
        }
        if around.is_wsl {
            return broken(
                "wsl-no-vulkan",
                WSL,
                "Share between processes of CUDA, or write a Windows program: WSL has no Vulkan driver that shares with CUDA.",
            );
        }
        if let Some(capabilities) = lacks_capability(machine, "graphics") {
            return broken(
                "capability-graphics",
                CONTAINERS,
                format!(
                    "Start the container with NVIDIA_DRIVER_CAPABILITIES=all: {capabilities:?} lacks graphics, so NVIDIA's Vulkan driver is \
                 not in it."
                ),
            );
        }
        let why = if around.is_gvisor { ", and gVisor adds none" } else { "" };
        return broken(
            "no-manifest",
            CONTAINERS,
            format!(
                "Write /etc/vulkan/icd.d/nvidia_icd.json, which names {library} (or libEGL_nvidia.so.0, where there is no X library): Vulkan's \
             loader finds no manifest of {owner}{why}."
            ),
        );
    };
    let selection = ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"]
        .into_iter()
        .find_map(|name| Some((name, around.variable(name)?)));
    let from_driver = |device: &&VulkanDevice| {
        if is_software { device.name.starts_with("llvmpipe") } else { device.name.contains("NVIDIA") }
    };
    let found = vulkan.devices.iter().find(from_driver);
    if let (Some((name, value)), None) = (selection, found) {
        return broken(
            "driver-deselected",
            GRAPHICS,
            format!("Unset {name}: {value:?} leaves out the manifest of {owner}."),
        );
    }
    match found {
        Some(device) if is_software => broken(
            "software-without-layer",
            WITHOUT_GPU,
            format!(
                "Start the program with `cuda-external-cpu`, which sets LD_LIBRARY_PATH, VK_LAYER_PATH and VK_INSTANCE_LAYERS: {} is without \
             its layer, VK_LAYER_CUDA_EXTERNAL_cpu.",
                device.name
            ),
        ),
        Some(_) if cuda.devices.iter().any(|device| device.name.contains("MIG")) => broken(
            "mig",
            GRAPHICS,
            "Use a whole GPU, or end MIG mode (`nvidia-smi -mig 0`): CUDA's device is a MIG instance, which Vulkan does not have.",
        ),
        Some(device) => {
            let hidden = around
                .variable("CUDA_VISIBLE_DEVICES")
                .map(|value| format!(" (CUDA_VISIBLE_DEVICES is {value:?})"));
            broken(
                "another-gpu",
                GRAPHICS,
                format!(
                    "Let both APIs see the same GPU: CUDA has {}{}, and Vulkan {} {}.",
                    cuda.devices.iter().map(|device| &*device.uuid).collect::<Vec<_>>().join(", "),
                    hidden.unwrap_or_default(),
                    device.name,
                    device.uuid
                ),
            )
        }
        None => {
            let failure = vulkan.failure.clone().unwrap_or_else(|| "it has no device".to_owned());
            let words = vulkan.words.first().map(|words| format!(" ({words})")).unwrap_or_default();
            broken(
                "vulkan-no-device",
                CONTAINERS,
                format!(
                    "Give Vulkan's driver what CUDA has (in a container NVIDIA_DRIVER_CAPABILITIES=all; libraries of the kernel module's version): \
                 {} opens, and {failure}{words}.",
                    good.library
                ),
            )
        }
    }
}

/// A manifest that cannot be used.
fn bad_manifest(machine: &Machine, manifest: &Manifest, variable: Option<&str>) -> Option<Next> {
    let (path, library) = (manifest.path.display(), &manifest.library);
    let is_gone = |words: &str| is_absent(library, words);
    match &manifest.state {
        State::Opens(_) => None,
        State::Absent => broken(
            "manifest-absent",
            GRAPHICS,
            format!(
                "Correct {}: it names {path}, which does not exist.",
                variable.unwrap_or("VK_ADD_DRIVER_FILES")
            ),
        ),
        State::Unreadable(words) => broken(
            "manifest-unreadable",
            GRAPHICS,
            format!("Let this user read the manifest {path}: {words}."),
        ),
        State::Invalid(words) => {
            broken("manifest-invalid", GRAPHICS, format!("Write the manifest {path} anew: {words}."))
        }
        State::Ended(how) => broken(
            "driver-ended",
            GRAPHICS,
            format!("Reinstall {library}, or remove {path}: opening it {how}."),
        ),
        State::NotOpened(words) if is_gone(words) => match lacks_capability(machine, "graphics") {
            Some(capabilities) => broken(
                "capability-graphics",
                CONTAINERS,
                format!(
                    "Start the container with NVIDIA_DRIVER_CAPABILITIES=all: {capabilities:?} lacks graphics, so {library} is not in it."
                ),
            ),
            None => broken(
                "driver-library-absent",
                GRAPHICS,
                format!(
                    "Install the library that {path} names (in a container: NVIDIA_DRIVER_CAPABILITIES=all): {words}."
                ),
            ),
        },
        State::NotOpened(words) => {
            let needs = words.split(": ").next().unwrap_or_default();
            let needed = words.contains("No such file").then(|| package(needs)).flatten();
            let headless = if library.contains("libGLX_nvidia") {
                ", or name libEGL_nvidia.so.0 in the manifest"
            } else {
                ""
            };
            broken(
                "driver-library-needs",
                CONTAINERS,
                match needed {
                    Some(package) => format!(
                        "Install {needs} (Debian: {package}){headless}: {library} of {path} does not open ({words})."
                    ),
                    None => format!("Repair what {library} of {path} needs{headless}: {words}."),
                },
            )
        }
    }
}

/// Debian's package of a library that a driver needs.
fn package(library: &str) -> Option<&'static str> {
    let known = [
        ("libX11", "libx11-6"),
        ("libXext", "libxext6"),
        ("libxcb", "libxcb1"),
        ("libEGL.", "libegl1"),
        ("libGLdispatch", "libglvnd0"),
        ("libGLX.", "libglx0"),
        ("libwayland-client", "libwayland-client0"),
        ("libdrm", "libdrm2"),
        ("libgbm", "libgbm1"),
        ("libexpat", "libexpat1"),
        ("libz.", "zlib1g"),
        ("libstdc++", "libstdc++6"),
        ("libLLVM", "the libllvm of Mesa's version"),
    ];
    let known = known.iter().find(|(start, _)| library.starts_with(start)).map(|(_, package)| *package);
    known.or_else(|| library.contains(".so").then_some("`apt-file search` finds its package"))
}

fn round(machine: &Machine) -> Option<Next> {
    machine.rounds.iter().find_map(|round| match &round.result {
        super::facts::Outcome::Ended(Ended { how, call }) => broken("round-ended", IMPORT, format!(
            "Report this driver with the output of --json: {call} {how} in the round with CUDA's device {}.", round.cuda
        )),
        super::facts::Outcome::Answer(RoundResult::EveryByteIsRight) => None,
        super::facts::Outcome::Answer(RoundResult::WrongBytes(what)) => broken("round-bytes", IMPORT, format!(
            "Report this driver with the output of --json: {what}."
        )),
        super::facts::Outcome::Answer(RoundResult::Failed { call, code }) => {
            let mode = machine.cuda.answer().and_then(|cuda| cuda.devices.get(round.cuda)).map_or(0, |device| device.compute_mode);
            if call == "cuDevicePrimaryCtxRetain" && mode != 0 {
                return broken("compute-mode", DRIVER, format!(
                    "Set the default compute mode (`nvidia-smi -c 0`) or end the process that has the GPU: {call} returned {code}."
                ));
            }
            let page = if call.starts_with("vk") { GRAPHICS } else if call.contains("Import") || call.contains("Mapped") { IMPORT } else { DRIVER };
            broken("round-failed", page, format!("Look {code} up in the first aid: {call} returned it in the round."))
        }
    })
}

/// The round went: what else a program may meet.
fn after(machine: &Machine) -> Next {
    let fine = |id, page: &str, sentence: String| Next {
        id,
        sentence,
        see: format!("{}/{page}", crate::GUIDE),
        went: true,
    };
    let (Some(cuda), Some(vulkan)) = (machine.cuda.answer(), machine.vulkan.answer()) else {
        return fine("nothing-missing", GRAPHICS, String::new());
    };
    if let (Some(NotByName::NotOpened(_)), Some(file)) = (&cuda.by_name, &cuda.file) {
        return fine(
            "library-not-on-path",
            DRIVER,
            format!(
                "Put {} on LD_LIBRARY_PATH for programs that open libcuda.so.1 by name: memory is shared here, and the system's loader does not \
             look there.",
                parent(file)
            ),
        );
    }
    let pairs = pairs(machine);
    if let Some(alone) = (0..cuda.devices.len()).find(|at| !pairs.iter().any(|(cuda, _)| cuda == at)) {
        return fine(
            "one-device-alone",
            GRAPHICS,
            format!(
                "Let Vulkan see CUDA's device {alone} too, or leave it out: the others share memory with Vulkan, and it is not among Vulkan's devices."
            ),
        );
    }
    if pairs.first().is_some_and(|(_, at)| *at != 0) {
        return fine(
            "first-device-differs",
            "device/index.html#matching-devices",
            format!(
                "Choose Vulkan's device by CUDA's UUID and not the first one, which is {}: memory is shared with the device {}.",
                vulkan.devices[0].name, pairs[0].1
            ),
        );
    }
    if let Some(next) = (!cuda.is_software()).then(|| opengl(machine)).flatten() {
        return Next { went: true, ..next };
    }
    let with = if cuda.is_software() { ", by the driver in software" } else { "" };
    fine(
        "nothing-missing",
        "check/index.html",
        format!(
            "Run the program with `cuda-external-check` if it fails all the same: Vulkan and CUDA share memory and semaphores here{with}."
        ),
    )
}

/// OpenGL, which a program may do without.
fn opengl(machine: &Machine) -> Option<Next> {
    if let Some(Ended { how, call }) = machine.egl.ended() {
        return broken(
            "egl-ended",
            GRAPHICS,
            format!("For OpenGL, repair EGL's drivers; Vulkan shares with CUDA: {call} {how}."),
        );
    }
    let egl = machine.egl.answer()?;
    if let Some(words) = &egl.not_opened {
        return broken(
            "egl-loader",
            GRAPHICS,
            format!(
                "For OpenGL without a display, install EGL (Debian: libegl1); Vulkan shares with CUDA: {words}."
            ),
        );
    }
    let uuids = Vec::from_iter(machine.cuda.answer()?.devices.iter().map(|device| &device.uuid));
    let is_cuda = egl.devices.iter().any(|device| {
        device.cuda.is_some() || device.uuid.as_ref().is_some_and(|uuid| uuids.contains(&uuid))
    });
    if is_cuda {
        return None;
    }
    let has = egl.devices.iter().map(|device| &*device.renderer).filter(|name| !name.is_empty());
    let has = Vec::from_iter(has).join(", ");
    let bad = machine
        .egl_vendors
        .iter()
        .find(|vendor| vendor.library.contains("nvidia") && !matches!(vendor.state, State::Opens(_)));
    let why = match (bad, has.as_str()) {
        (Some(bad), _) => format!("{} of {} does not open", bad.library, bad.path.display()),
        (None, "") => egl.failure.clone().unwrap_or_else(|| "EGL has no device".to_owned()),
        (None, has) => format!("EGL has {has}"),
    };
    broken(
        "opengl-elsewhere",
        GRAPHICS,
        format!(
            "For OpenGL, give EGL NVIDIA's driver (10_nvidia.json in /usr/share/glvnd/egl_vendor.d names libEGL_nvidia.so.0); Vulkan shares with \
         CUDA: {why}."
        ),
    )
}

/// The value of NVIDIA_DRIVER_CAPABILITIES, where it lacks one.
fn lacks_capability<'m>(machine: &'m Machine, capability: &str) -> Option<&'m str> {
    let value = machine.surroundings.variable("NVIDIA_DRIVER_CAPABILITIES")?;
    let has = value.split(',').map(str::trim).any(|word| word == capability || word == "all");
    (!has && !value.is_empty()).then_some(value)
}

/// Whether the loader's words say that the library itself does not exist, and not one that it needs.
fn is_absent(library: &str, words: &str) -> bool {
    let name = Path::new(words.split(": ").next().unwrap_or_default()).file_name();
    name == Path::new(library).file_name() && words.contains("No such file")
}

/// The version in a file's name: libcuda.so.580.159.04.
fn library_version(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let version = name.rsplit_once(".so.")?.1;
    version.contains('.').then(|| version.to_owned())
}

fn parent(file: &Path) -> String {
    file.parent().unwrap_or(file).display().to_string()
}
