//! The first missing link of the chain, and what to do about it, in one sentence.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::facts::{Cuda, Ended, Machine, Manifest, NotByName, Outcome, RoundResult, State, VulkanDevice};
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

const SENTENCES: &str = include_str!("sentences.txt");
const PLACES: &[(&str, &str)] = &[
    ("driver", "first_aid/index.html#the-driver-and-the-context"),
    ("graphics", "first_aid/index.html#vulkan-and-opengl"),
    ("import", "first_aid/index.html#the-import"),
    ("containers", "platforms/index.html#containers"),
    ("wsl", "platforms/index.html#wsl-2"),
    ("software", "testing_without_a_gpu/index.html"),
    ("check", "check/index.html"),
];

/// The sentence of that name. The words go to its places.
fn say(id: &str, words: &[&str]) -> Option<Next> {
    let row = SENTENCES.lines().find_map(|line| line.strip_prefix(id)?.strip_prefix(' ')?.split_once(" | "));
    let (id, (place, text)) = (id_of(id)?, row?);
    let page = PLACES.iter().find(|(name, _)| *name == place)?.1;
    let sentence = words.iter().fold(text.to_owned(), |text, words| text.replacen("{}", words, 1));
    Some(Next { id, sentence, see: format!("{}/{page}", crate::GUIDE), went: false })
}

fn id_of(id: &str) -> Option<&'static str> {
    SENTENCES.lines().filter_map(|line| line.split(' ').next()).find(|known| *known == id)
}

/// Goes down the chain to the first link that is missing.
pub fn next(machine: &Machine) -> Next {
    let links = [library, init, vulkan_loader, vulkan_device, round];
    let missing = links.iter().find_map(|link| link(machine));
    missing.or_else(|| Some(Next { went: true, ..after(machine)? })).expect("each name has a sentence")
}

fn text(Ended { how, call }: &Ended) -> String {
    format!("{call} {how}")
}

/// libcuda.
fn library(machine: &Machine) -> Option<Next> {
    if let Some(ended) = machine.cuda.ended() {
        return say("cuda-ended", &[&text(ended)]);
    }
    let cuda = machine.cuda.answer()?;
    match &cuda.by_name {
        Some(NotByName::Stub(file)) => say("stub-first", &[&parent(file)]),
        Some(NotByName::NotADriver(file)) => say("not-a-driver", &[&file.to_string_lossy()]),
        Some(NotByName::NotOpened(words)) if !is_absent("libcuda.so.1", words) => {
            say("library-does-not-open", &[words])
        }
        _ if cuda.not_loaded.is_some() => no_library(machine),
        _ => None,
    }
}

/// There is no libcuda: of the reasons, the first that the surroundings show.
fn no_library(machine: &Machine) -> Option<Next> {
    let around = &machine.surroundings;
    if around.is_wsl {
        return say("wsl-no-driver", &[]);
    }
    if let Some(capabilities) = lacks_capability(machine, "compute") {
        return say("capability-compute", &[capabilities]);
    }
    match &around.kernel_module {
        _ if around.container.is_some() => say("container-without-driver", &[]),
        Some(version) => say("library-not-installed", &[version]),
        None if around.gpus > 0 => say("driver-not-installed", &[]),
        None => say("no-driver", &[]),
    }
}

/// `cuInit`, and what its code is about.
fn init(machine: &Machine) -> Option<Next> {
    let (cuda, around) = (machine.cuda.answer()?, &machine.surroundings);
    let (code, name) = cuda.init.as_ref()?;
    if *code == 0 {
        return None;
    }
    let file = cuda.file.as_deref().unwrap_or(Path::new("libcuda.so.1"));
    let returned = format!("cuInit returned {name}");
    if let (Some(library), Some(module)) = (library_version(file), &around.kernel_module) {
        if library != *module && !parent(file).contains("compat") {
            return say("versions-differ", &[&format!("{library} and {module}; {returned}")]);
        }
    }
    match name.as_str() {
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" => return say("versions-differ", &[&returned]),
        "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" => {
            return say("compat-library", &[&parent(file), &returned]);
        }
        "CUDA_ERROR_SYSTEM_NOT_READY" => return say("system-not-ready", &[&returned]),
        "CUDA_ERROR_STUB_LIBRARY" => return say("stub-first", &[&parent(file)]),
        _ => {}
    }
    let is_no_device = name == "CUDA_ERROR_NO_DEVICE";
    if let Some(hidden) = around.variable("CUDA_VISIBLE_DEVICES").filter(|_| is_no_device) {
        return say("devices-hidden", &[&format!("{hidden:?}"), &returned]);
    }
    device_files(machine, &returned)
        .or_else(|| say(if is_no_device { "no-device" } else { "init-failed" }, &[&returned]))
}

/// The files in /dev, where `cuInit` failed.
fn device_files(machine: &Machine, returned: &str) -> Option<Next> {
    let around = &machine.surroundings;
    let in_container = around.container.is_some();
    let is_absent = |how: &str| how.contains("No such file");
    let (absent, present): (Vec<_>, Vec<_>) = around.device_files.iter().partition(|(_, how)| is_absent(how));
    let about = |id, (path, how): (&PathBuf, &String)| {
        say(id, &[&path.to_string_lossy(), &format!("{how:?}"), returned])
    };
    let closed = |words| present.iter().copied().find(|(_, how)| how.contains(words));
    match (closed("Permission denied"), closed("not permitted")) {
        (Some(file), _) => return about("devices-unreadable", file),
        (_, Some(file)) => {
            return about(if in_container { "devices-denied" } else { "devices-unreadable" }, file);
        }
        _ => {}
    }
    let lacks = |name: &str| absent.iter().any(|(path, _)| path.ends_with(name));
    let has_gpu = around.device_files.len() > 2 && !lacks("nvidiactl");
    match (&around.kernel_module, around.gpus) {
        _ if has_gpu && lacks("nvidia-uvm") => say("no-uvm", &[returned]),
        _ if has_gpu => about("device-file-wrong", present.iter().copied().find(|(_, how)| *how != "opens")?),
        _ if in_container => say("container-without-devices", &[returned]),
        (None, 0) => say("no-gpu", &[returned]),
        (None, _) => say("module-not-loaded", &[returned]),
        _ => say("no-device-files", &[returned]),
    }
}

/// Vulkan's loader, and an instance.
fn vulkan_loader(machine: &Machine) -> Option<Next> {
    if let Some(ended) = machine.vulkan.ended() {
        let culprit = machine.manifests.iter().find(|manifest| matches!(manifest.state, State::Ended(_)));
        return match culprit {
            Some(manifest) => bad_manifest(machine, manifest, None),
            None => say("vulkan-ended", &[&text(ended)]),
        };
    }
    let words = machine.vulkan.answer()?.not_opened.as_ref()?;
    match is_absent("libvulkan.so.1", words) {
        true => say("vulkan-loader-absent", &[]),
        false => say("vulkan-loader", &[words]),
    }
}

/// A device of Vulkan that is one of CUDA's.
fn vulkan_device(machine: &Machine) -> Option<Next> {
    let (cuda, vulkan) = (machine.cuda.answer()?, machine.vulkan.answer()?);
    let pairs = pairs(machine);
    if pairs.is_empty() {
        return no_device(machine, cuda);
    }
    pairs.iter().map(|(_, at)| &vulkan.devices[*at]).find_map(|device| {
        let layers = if vulkan.layers.is_empty() { "none".to_owned() } else { vulkan.layers.join(", ") };
        say("device-lacks", &[&layers, &device.name, device.lacks()?])
    })
}

/// Why Vulkan has no device of CUDA's: the manifests, what selects them, and what their driver says.
fn no_device(machine: &Machine, cuda: &Cuda) -> Option<Next> {
    let (vulkan, around) = (machine.vulkan.answer()?, &machine.surroundings);
    let is_software = cuda.is_software();
    let (owner, mark) = if is_software { ("Mesa's lavapipe", "lvp") } else { ("NVIDIA's driver", "nvidia") };
    let is_of_owner = |manifest: &Manifest| {
        let name = manifest.path.file_name().unwrap_or_default().to_string_lossy();
        manifest.library.contains(mark) || name.contains(mark)
    };
    let opens = |manifest: &&Manifest| matches!(manifest.state, State::Opens(_));
    let names = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
    let variable = names.into_iter().find(|name| around.variable(name).is_some_and(|list| !list.is_empty()));
    let of_owner = Vec::from_iter(machine.manifests.iter().filter(|manifest| is_of_owner(manifest)));
    let Some(driver) = of_owner.iter().find(|manifest| opens(manifest)) else {
        // One that a variable names may be the driver's, whatever its name is.
        let named = machine.manifests.iter().filter(|_| variable.is_some());
        let bad = of_owner.into_iter().chain(named).find(|manifest| !opens(manifest));
        return match (bad, variable) {
            (Some(bad), _) => bad_manifest(machine, bad, variable),
            (None, Some(variable)) => say("manifest-not-named", &[owner, variable]),
            (None, None) => no_manifest(machine, is_software),
        };
    };
    let is_bare = |device: &VulkanDevice| is_software && device.name.starts_with("llvmpipe");
    let mark = if is_software { "cuda-external-cpu" } else { "NVIDIA" };
    let is_drivers = |device: &&VulkanDevice| is_bare(device) || device.name.contains(mark);
    let device = vulkan.devices.iter().find(is_drivers);
    let selection = ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"];
    let selection = selection.into_iter().find_map(|name| Some((name, around.variable(name)?)));
    match (device, selection) {
        (None, Some((name, value))) => say("driver-deselected", &[name, &format!("{value:?}"), owner]),
        (None, None) if !is_software && lacks_egl(machine) => say("driver-needs-egl", &[&driver.library]),
        (None, None) => {
            let failure = vulkan.failure.as_deref().unwrap_or("it has no device of it");
            let words = vulkan.words.iter().map(|words| format!(" ({words})"));
            let says = format!("{failure}{}", words.take(1).collect::<String>());
            say("vulkan-no-device", &[&driver.library, &says])
        }
        (Some(device), _) if is_bare(device) => say("software-without-layer", &[&device.name]),
        _ if cuda.devices.iter().any(|device| device.name.contains("MIG")) => say("mig", &[]),
        (Some(device), _) => {
            let hidden = around.variable("CUDA_VISIBLE_DEVICES");
            let hidden =
                hidden.map(|value| format!(" (CUDA_VISIBLE_DEVICES is {value:?})")).unwrap_or_default();
            let uuids = Vec::from_iter(cuda.devices.iter().map(|device| &*device.uuid)).join(", ");
            say("another-gpu", &[&format!("{uuids}{hidden}"), &format!("{} {}", device.name, device.uuid)])
        }
    }
}

/// Whether EGL has no driver of NVIDIA's that opens.
fn lacks_egl(machine: &Machine) -> bool {
    let opens =
        |vendor: &Manifest| vendor.library.contains("nvidia") && matches!(vendor.state, State::Opens(_));
    !machine.egl_vendors.iter().any(opens)
}

fn no_manifest(machine: &Machine, is_software: bool) -> Option<Next> {
    let around = &machine.surroundings;
    match lacks_capability(machine, "graphics") {
        _ if is_software => say("no-lavapipe", &[]),
        _ if around.is_wsl => say("wsl-no-vulkan", &[]),
        Some(capabilities) => say("capability-graphics", &[capabilities]),
        None => say("no-manifest", &[if around.is_gvisor { ", and gVisor adds none" } else { "" }]),
    }
}

/// A manifest that cannot be used.
fn bad_manifest(machine: &Machine, manifest: &Manifest, variable: Option<&str>) -> Option<Next> {
    let (path, library) = (manifest.path.to_string_lossy(), &*manifest.library);
    match &manifest.state {
        State::Opens(_) => None,
        State::Absent => say("manifest-absent", &[variable.unwrap_or("VK_ADD_DRIVER_FILES"), &path]),
        State::Unreadable(words) => say("manifest-unreadable", &[&path, words]),
        State::Invalid(words) => say("manifest-invalid", &[&path, words]),
        State::Ended(how) => say("driver-ended", &[library, &path, how]),
        State::NotOpened(words) if is_absent(library, words) => match lacks_capability(machine, "graphics") {
            Some(capabilities) => say("capability-graphics", &[capabilities]),
            None => say("driver-library-absent", &[&path, words]),
        },
        State::NotOpened(words) => {
            let needed = words.split(": ").next().unwrap_or_default();
            let what = match package(needed).filter(|_| words.contains("No such file")) {
                Some(package) => format!("{needed} (Debian: {package})"),
                None => "the library anew, or what it needs".to_owned(),
            };
            let is_glx = library.contains("libGLX_nvidia");
            let or = if is_glx { ", or name libEGL_nvidia.so.0 in the manifest" } else { "" };
            say("driver-library-needs", &[&what, or, library, &path, words])
        }
    }
}

/// Debian's package of a library that a driver needs.
fn package(library: &str) -> Option<&'static str> {
    let known = [
        ("libX11.", "libx11-6"),
        ("libXext.", "libxext6"),
        ("libxcb.", "libxcb1"),
        ("libEGL.", "libegl1"),
        ("libGLdispatch.", "libglvnd0"),
        ("libwayland-client.", "libwayland-client0"),
        ("libdrm.", "libdrm2"),
        ("libexpat.", "libexpat1"),
    ];
    let known = known.iter().find(|(start, _)| library.starts_with(start)).map(|(_, package)| *package);
    known.or_else(|| library.contains(".so").then_some("`apt-file search` finds the package"))
}

fn round(machine: &Machine) -> Option<Next> {
    machine.rounds.iter().find_map(|round| match &round.result {
        Outcome::Ended(ended) => say("round-ended", &[&text(ended)]),
        Outcome::Answer(RoundResult::EveryByteIsRight) => None,
        Outcome::Answer(RoundResult::WrongBytes(what)) => say("round-bytes", &[what]),
        Outcome::Answer(RoundResult::Failed { call, code }) => {
            let device = machine.cuda.answer().and_then(|cuda| cuda.devices.get(round.cuda));
            let id = match call.as_str() {
                "cuDevicePrimaryCtxRetain" if device.is_some_and(|device| device.compute_mode != 0) => {
                    "compute-mode"
                }
                call if call.starts_with("vk") => "round-graphics",
                call if call.contains("External") => "round-import",
                _ => "round-driver",
            };
            say(id, &[&format!("{call} returned {code}")])
        }
    })
}

/// The round went: what else a program may meet.
fn after(machine: &Machine) -> Option<Next> {
    let (cuda, vulkan) = (machine.cuda.answer()?, machine.vulkan.answer()?);
    if let (Some(NotByName::NotOpened(_)), Some(file)) = (&cuda.by_name, &cuda.file) {
        return say("library-not-on-path", &[&parent(file)]);
    }
    let pairs = pairs(machine);
    if let Some(alone) = (0..cuda.devices.len()).find(|at| !pairs.iter().any(|(cuda, _)| cuda == at)) {
        return say("one-device-alone", &[&alone.to_string()]);
    }
    let (_, first) = pairs.first()?;
    if *first != 0 {
        return say("first-device-differs", &[&vulkan.devices[0].name, &first.to_string()]);
    }
    if cuda.is_software() {
        return say("nothing-missing", &[", by the driver in software"]);
    }
    opengl(machine, cuda).or_else(|| say("nothing-missing", &[""]))
}

/// OpenGL, which a program may do without.
fn opengl(machine: &Machine, cuda: &Cuda) -> Option<Next> {
    if let Some(ended) = machine.egl.ended() {
        return say("egl-ended", &[&text(ended)]);
    }
    let egl = machine.egl.answer()?;
    if let Some(words) = &egl.not_opened {
        return say("egl-loader", &[words]);
    }
    let is_cudas = |uuid: &String| cuda.devices.iter().any(|device| device.uuid == *uuid);
    let has_cudas =
        egl.devices.iter().any(|device| device.cuda.is_some() || device.uuid.as_ref().is_some_and(is_cudas));
    if has_cudas {
        return None;
    }
    let is_bad =
        |vendor: &&Manifest| vendor.library.contains("nvidia") && !matches!(vendor.state, State::Opens(_));
    let renderers = egl.devices.iter().map(|device| &*device.renderer).filter(|name| !name.is_empty());
    let why = match (machine.egl_vendors.iter().find(is_bad), Vec::from_iter(renderers)) {
        (Some(bad), _) => format!("{} of {} does not open", bad.library, bad.path.display()),
        (None, renderers) if renderers.is_empty() => "EGL has no device that draws".to_owned(),
        (None, renderers) => format!("EGL has {}", renderers.join(", ")),
    };
    say("opengl-elsewhere", &[&why])
}

/// The value of NVIDIA_DRIVER_CAPABILITIES, where it lacks one.
fn lacks_capability<'m>(machine: &'m Machine, capability: &str) -> Option<&'m str> {
    let value =
        machine.surroundings.variable("NVIDIA_DRIVER_CAPABILITIES").filter(|value| !value.is_empty())?;
    let has = value.split(',').map(str::trim).any(|word| word == capability || word == "all");
    (!has).then_some(value)
}

/// Whether the loader's words say that the library itself does not exist, and not one that it needs.
fn is_absent(library: &str, words: &str) -> bool {
    let name = Path::new(words.split(": ").next().unwrap_or_default()).file_name();
    name == Path::new(library).file_name() && words.contains("No such file")
}

/// The version in a file's name: libcuda.so.580.159.04.
fn library_version(file: &Path) -> Option<&str> {
    let version = file.file_name()?.to_str()?.rsplit_once(".so.")?.1;
    version.contains('.').then_some(version)
}

fn parent(file: &Path) -> String {
    file.parent().unwrap_or(file).display().to_string()
}

#[test]
fn each_sentence_is_one_and_has_a_place() {
    let rows = SENTENCES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut names = Vec::from_iter(rows.map(|row| {
        let (head, sentence) = row.split_once(" | ").unwrap_or_else(|| panic!("{row}"));
        let name = head.split(' ').next().unwrap_or_default();
        let said = say(name, &["a", "b", "c", "d", "e"]).unwrap_or_else(|| panic!("{name} has no place"));
        assert!(
            !said.sentence.contains("{}") && sentence.ends_with('.') && !sentence.contains(". "),
            "{row}"
        );
        name
    }));
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "a name stands twice");
}
