//! Decides which links of the chain from CUDA to Vulkan a machine lacks, and which remedy the user must follow first.

use serde::Serialize;

use super::cuda_driver::CudaDriverReport;
use super::dlopen_errors::parent_directory;
use super::driver_manifests::{DriverManifest, VULKAN};
use super::egl_devices::{EglDevice, EglDevicesReport};
use super::machine_environment::MachineEnvironment;
use super::probe_process::NOT_STARTED;
use super::remedy::{MachineFix, first_remedy_in_table};
use super::round_trip::RoundTripResult;
use super::vulkan_devices::{VulkanDeviceReport, VulkanDriversReport};

/// The facts of all probes, which `--json` writes.
#[derive(Serialize)]
pub struct MachineReport {
    pub cuda: CudaDriverReport,
    pub vulkan: VulkanDriversReport,
    pub opengl: EglDevicesReport,
    pub round_trips: Vec<RoundTripResult>,
    pub environment: MachineEnvironment,
}

/// Returns the remedy for the chain's first missing link, or for what may still fail, and whether memory was shared.
pub fn first_needed_remedy(machine: &MachineReport) -> (MachineFix, bool) {
    let round_trips = machine.round_trips.iter().map(|round_trip| &round_trip.missing);
    let mut links = [&machine.cuda.missing, &machine.vulkan.missing].into_iter().chain(round_trips);
    match links.find_map(Option::as_ref) {
        Some(missing) => (process_limit_remedy(machine, missing).unwrap_or_else(|| missing.clone()), false),
        None => (remedy_after_round_trip(machine), true),
    }
}

/// Returns the remedy if a limit, a failed mapping, a missing /proc or a failed process start explains `missing`.
fn process_limit_remedy(machine: &MachineReport, missing: &MachineFix) -> Option<MachineFix> {
    let environment = &machine.environment;
    let says = |words: &[&str]| words.iter().any(|words| missing.sentence.contains(words));
    for (name, limit) in &environment.limits {
        let is_reason = match *name {
            // At a low limit on open files, NVIDIA's driver may return codes that do not name the limit.
            "ulimit -n" => *limit < 64 || says(&["Too many open files"]),
            // NVIDIA's driver maps gigabytes of address space.
            _ => *limit < 1 << 30 || says(&["memory", "MEMORY", " map ", "crashed"]),
        };
        if is_reason {
            return Some(MachineFix::new("limit", &[name, &limit.to_string()]));
        }
    }
    if let Some((before, _)) = missing.sentence.split_once(": failed to map") {
        return Some(MachineFix::new("not-mapped", &[before.rsplit([' ', '(']).next().unwrap_or_default()]));
    }
    if environment.without_proc {
        return Some(MachineFix::new("no-proc", &[]));
    }
    let (_, why) = missing.sentence.split_once(NOT_STARTED)?;
    Some(MachineFix::new("no-process", &[why.trim_end_matches('.')]))
}

/// Returns the remedy if Vulkan's probe failed, if Vulkan has none of CUDA's devices, or if a device that Vulkan and
/// CUDA both have cannot share memory. Otherwise returns `None`.
pub fn vulkan_remedy(machine: &MachineReport) -> Option<MachineFix> {
    let vulkan = &machine.vulkan;
    let mut missing = Vec::from_iter(vulkan.missing.clone());
    if missing.iter().any(|remedy| remedy.id == "vulkan-ended") {
        // A driver's library that ended its own probe, or an invalid manifest, may have ended Vulkan's probe too.
        let culprits = vulkan.manifests.iter().filter_map(|manifest| manifest.missing.clone());
        missing
            .extend(culprits.filter(|remedy| remedy.id == "driver-ended" || remedy.id == "manifest-invalid"));
    }
    if vulkan.devices.iter().all(|device| device.cuda_device.is_none()) {
        missing.extend(driver_manifest_remedies(machine));
        missing.extend(absent_vulkan_device_remedies(machine));
    }
    let is_bare =
        |device: &&VulkanDeviceReport| machine.cuda.is_cpu_driver() && device.name.starts_with("llvmpipe");
    let shares = |device: &VulkanDeviceReport| device.cuda_device.is_some() && device.lacks.is_none();
    if let Some(bare) = vulkan.devices.iter().find(is_bare).filter(|_| !vulkan.devices.iter().any(shares)) {
        let hidden = remedy_for_hiding_variable(
            machine,
            "VK_LOADER_LAYERS_DISABLE",
            "VK_LAYER_CUDA_EXTERNAL_cpu",
            |_| true,
        );
        missing.push(hidden.unwrap_or_else(|| MachineFix::new("software-without-layer", &[&bare.name])));
    }
    for device in vulkan.devices.iter().filter(|device| device.cuda_device.is_some()) {
        let layers = if vulkan.layers.is_empty() { "none".to_owned() } else { vulkan.layers.join(", ") };
        let lacks = device.lacks.as_ref();
        missing.extend(lacks.map(|lacks| MachineFix::new("device-lacks", &[&layers, &device.name, lacks])));
    }
    if !missing.is_empty() {
        // A manifest for Vulkan 1.0 hides UUIDs, and a manifest for 1.1 hides timeline semaphores.
        let lacks_timeline =
            |device: &VulkanDeviceReport| device.lacks.as_deref() == Some("timeline semaphores");
        let old = if vulkan.devices.iter().any(lacks_timeline) { "1.0. 1.1." } else { "1.0." };
        let open = vulkan.manifests.iter().filter(|manifest| manifest.file.is_some());
        missing.extend(open.filter_map(|manifest| {
            let version = manifest.api_version.as_deref()?;
            let is_old = old.split(' ').any(|old| version.starts_with(old));
            is_old.then(|| MachineFix::new("manifest-version", &[&manifest.name.to_string_lossy(), version]))
        }));
    }
    first_remedy_in_table(missing)
}

/// Returns which Vulkan driver should have CUDA's devices, and a word in the name of that driver's manifest or library.
fn expected_vulkan_driver(cuda: &CudaDriverReport) -> (&'static str, &'static str) {
    if cuda.is_cpu_driver() { ("Mesa's lavapipe", "lvp") } else { ("NVIDIA's driver", "nvidia") }
}

/// Returns the remedy for the variable `name`, if its value hides `what`, a driver or a layer.
fn remedy_for_hiding_variable(
    machine: &MachineReport,
    name: &str,
    what: &str,
    hides: impl Fn(&str) -> bool,
) -> Option<MachineFix> {
    let value = machine.environment.variable_value(name).filter(|value| hides(value))?;
    Some(MachineFix::new("hidden", &[name, &format!("{value:?}"), what]))
}

/// Returns remedies for the expected Vulkan driver's library and manifest, and for variables that select manifests.
fn driver_manifest_remedies(machine: &MachineReport) -> Vec<MachineFix> {
    let (vulkan, environment) = (&machine.vulkan, &machine.environment);
    let is_cpu_driver = machine.cuda.is_cpu_driver();
    let (owner, mark) = expected_vulkan_driver(&machine.cuda);
    let variable = VULKAN.manifest_list_variable();
    let opens = |manifest: &&DriverManifest| manifest.file.is_some();
    let is_owners = |manifest: &&DriverManifest| manifest.is_manifest_of_driver(mark);
    if let Some(driver) = vulkan.manifests.iter().filter(is_owners).find(opens) {
        let file = driver.name.file_name().unwrap_or_default().to_string_lossy();
        let selects = [("VK_LOADER_DRIVERS_SELECT", true), ("VK_LOADER_DRIVERS_DISABLE", false)];
        let hides = selects.map(|(name, is_select)| {
            remedy_for_hiding_variable(machine, name, owner, |value| {
                matches_manifest_pattern(value, &file) != is_select
            })
        });
        return hides.into_iter().flatten().collect();
    }
    let of_owner = || vulkan.manifests.iter().chain(&vulkan.unread_manifests).filter(is_owners);
    // A manifest that a variable names may be the driver's, whatever its file name is.
    let may_be_named = |manifest: &&DriverManifest| {
        variable.is_some() || manifest.missing.as_ref().is_some_and(|remedy| remedy.id == "manifest-absent")
    };
    let named = vulkan.manifests.iter().filter(may_be_named);
    let mut missing = Vec::from_iter(of_owner().chain(named).filter_map(|manifest| manifest.missing.clone()));
    let libraries = &vulkan.nvidia_libraries;
    if !is_cpu_driver && !of_owner().chain(libraries).any(|manifest| opens(&manifest)) {
        let reasons = libraries.iter().filter_map(|library| library.missing.clone());
        let (absent, broken): (Vec<_>, Vec<_>) =
            reasons.partition(|remedy| remedy.id == "driver-library-absent");
        missing.extend(broken);
        let version = environment.kernel_module.as_ref();
        let version = version.map(|version| format!(", of version {version}")).unwrap_or_default();
        missing.extend(match environment.missing_capability("graphics") {
            _ if environment.is_wsl => Some(MachineFix::new("wsl-no-vulkan", &[])),
            Some(capabilities) => Some(MachineFix::new("capability-graphics", &[&capabilities])),
            None if absent.len() == libraries.len() => {
                Some(MachineFix::new("no-graphics-libraries", &[&version]))
            }
            None => None,
        });
    }
    missing.push(match (of_owner().find(opens), variable) {
        (Some(manifest), Some(variable)) => {
            MachineFix::new("manifest-not-named", &[&manifest.name.to_string_lossy(), variable, owner])
        }
        _ if is_cpu_driver => MachineFix::new("no-lavapipe", &[]),
        _ => {
            let usable = libraries.iter().find(opens).map(|library| &*library.library);
            let usable =
                usable.unwrap_or("libGLX_nvidia.so.0 (or libEGL_nvidia.so.0, where there is no X library)");
            let gvisor = if environment.is_gvisor { ", and gVisor adds none" } else { "" };
            MachineFix::new("no-manifest", &[usable, gvisor])
        }
    });
    missing
}

/// Returns whether one of the Vulkan loader's comma-separated patterns matches this name.
fn matches_manifest_pattern(patterns: &str, name: &str) -> bool {
    let (patterns, name) = (patterns.to_lowercase(), name.to_lowercase());
    patterns.split(',').any(|pattern| {
        let word = pattern.trim_matches('*');
        match (pattern.starts_with('*'), pattern.ends_with('*')) {
            (true, true) => name.contains(word),
            (true, false) => name.ends_with(word),
            (false, true) => name.starts_with(word),
            (false, false) => name == word,
        }
    })
}

/// Returns remedies if Vulkan has none of CUDA's devices, for example because Vulkan's driver has another GPU.
fn absent_vulkan_device_remedies(machine: &MachineReport) -> Vec<MachineFix> {
    let (cuda, vulkan, environment) = (&machine.cuda, &machine.vulkan, &machine.environment);
    let is_cpu_driver = cuda.is_cpu_driver();
    let (owner, mark) = expected_vulkan_driver(cuda);
    let not_nvidia = |value: &str| value != "NVIDIA_only";
    let mut missing =
        Vec::from_iter(remedy_for_hiding_variable(machine, "__VK_LAYER_NV_optimus", owner, not_nvidia));
    let name = if is_cpu_driver { "cuda-external-cpu" } else { "NVIDIA" };
    if let Some(device) = vulkan.devices.iter().find(|device| device.name.contains(name)) {
        if cuda.devices.iter().any(|device| device.name.contains("MIG")) {
            missing.push(MachineFix::new("mig", &[]));
        }
        // A device of Vulkan 1.0 has no UUID to compare with CUDA's.
        if let Some(lacks) = device.lacks.as_ref().filter(|lacks| *lacks == "Vulkan 1.1") {
            return vec![MachineFix::new("device-lacks", &["none", &device.name, lacks])];
        }
        let hidden = environment.variable_value("CUDA_VISIBLE_DEVICES");
        let hidden = hidden.map(|value| format!(" (CUDA_VISIBLE_DEVICES is {value:?})")).unwrap_or_default();
        let uuids = Vec::from_iter(cuda.devices.iter().map(|device| &*device.uuid)).join(", ");
        missing.push(MachineFix::new(
            "another-gpu",
            &[&format!("{uuids}{hidden}"), &format!("{} {}", device.name, device.uuid)],
        ));
    }
    // If a layer's manifest is not JSON, Vulkan's loader finds no device.
    for words in vulkan.errors.iter().filter(|words| words.contains("parse JSON")) {
        if let Some(path) = words.split([' ', ',']).find(|word| word.ends_with(".json")) {
            missing.push(MachineFix::new("manifest-invalid", &[path, words.trim_end_matches('.')]));
        }
    }
    let mut drivers = vulkan.manifests.iter().filter(|manifest| manifest.is_manifest_of_driver(mark));
    let Some(driver) = drivers.find(|manifest| manifest.file.is_some()) else { return missing };
    let egl = &machine.opengl;
    if !is_cpu_driver {
        missing.extend(match (&egl.error, nvidia_egl_manifest(egl)) {
            (Some(words), _) if egl.missing.is_some() => {
                Some(MachineFix::new("driver-needs-libegl", &[&driver.library, words]))
            }
            (_, None) => Some(MachineFix::new(
                "driver-needs-egl",
                &[&describe_egl_directories(environment), &driver.library],
            )),
            (_, Some(vendor)) => vendor.missing.clone(),
        });
    }
    let errors = vulkan.errors.join("; ");
    let why = if errors.is_empty() { "has none of CUDA's devices" } else { &errors };
    missing.push(MachineFix::new("vulkan-no-device", &[&driver.library, why]));
    missing
}

/// Returns the remedy for what may still fail in a program if the round trip succeeded, such as OpenGL on another GPU.
fn remedy_after_round_trip(machine: &MachineReport) -> MachineFix {
    let (cuda, vulkan) = (&machine.cuda, &machine.vulkan);
    let mut remedies = Vec::new();
    if let (Some(_), Some(file)) = (&cuda.by_name, &cuda.driver) {
        remedies.push(MachineFix::new("library-not-on-path", &[&parent_directory(file)]));
    }
    let is_shared = |at: &usize| vulkan.devices.iter().any(|device| device.cuda_device == Some(*at));
    if let Some(alone) = (0..cuda.devices.len()).find(|at| !is_shared(at)) {
        remedies.push(MachineFix::new("one-device-alone", &[&alone.to_string()]));
    }
    let first = vulkan.devices.iter().position(|device| device.cuda_device.is_some());
    if let Some(first) = first.filter(|first| *first != 0) {
        remedies
            .push(MachineFix::new("first-device-differs", &[&vulkan.devices[0].name, &first.to_string()]));
    }
    let is_drivers =
        |words: &&String| vulkan.manifests.iter().any(|manifest| words.contains(&manifest.library));
    let mut layers = vulkan.errors.iter().filter(|words| words.contains("cannot open"));
    remedies.extend(
        layers.find(|words| !is_drivers(words)).map(|words| MachineFix::new("layer-does-not-open", &[words])),
    );
    if cuda.is_cpu_driver() {
        remedies.push(MachineFix::new("nothing-missing", &[", by the driver in software"]));
    } else {
        remedies.extend(opengl_remedy(machine));
        remedies.push(MachineFix::new("nothing-missing", &[""]));
    }
    first_remedy_in_table(remedies).unwrap_or_default()
}

fn opengl_remedy(machine: &MachineReport) -> Option<MachineFix> {
    let egl = &machine.opengl;
    let alone =
        |missing: &MachineFix| MachineFix::new("opengl-vendor", &[missing.sentence.trim_end_matches('.')]);
    if egl.missing.is_some() {
        let mut reasons = egl.manifests.iter().filter_map(|vendor| vendor.missing.as_ref());
        let culprit = reasons.find(|missing| missing.id == "driver-ended").map(alone);
        return culprit.or_else(|| egl.missing.clone());
    }
    let name = |device: &EglDevice| match &device.error {
        Some(error) => format!("a device where {error}"),
        None => device.name.clone(),
    };
    let names = Vec::from_iter(egl.devices.iter().map(name));
    let fails = |what: String| Some(MachineFix::new("opengl-fails", &[&what]));
    let Some(at) = egl.devices.iter().position(|device| device.cuda_device.is_some()) else {
        let Some(vendor) = nvidia_egl_manifest(egl) else {
            let has = if names.is_empty() { "no device".to_owned() } else { names.join(", ") };
            return Some(MachineFix::new(
                "opengl-elsewhere",
                &[&describe_egl_directories(&machine.environment), &has],
            ));
        };
        let has_none = || fails(format!("{} opens, and has no device of CUDA's", vendor.library));
        return vendor.missing.as_ref().map(alone).or_else(has_none);
    };
    match &egl.devices[at].error {
        Some(error) => fails(format!("on EGL's device {at}, which is CUDA's, {error}")),
        None => (at > 0).then(|| MachineFix::new("first-opengl-differs", &[&names[0], &at.to_string()])),
    }
}

/// Returns the end of a remedy's sentence: where EGL looks for manifests.
fn describe_egl_directories(environment: &MachineEnvironment) -> String {
    let variables = ["__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"];
    let variable = variables.into_iter().find(|name| environment.variables.contains_key(*name));
    let named = variable.map(|name| format!("in {name}, or unset that variable"));
    named.unwrap_or_else(|| "in /usr/share/glvnd/egl_vendor.d".to_owned())
}

/// Returns a manifest of NVIDIA's driver that EGL reads, preferably one whose library opens.
fn nvidia_egl_manifest(egl: &EglDevicesReport) -> Option<&DriverManifest> {
    let vendors = egl.manifests.iter().filter(|vendor| vendor.is_manifest_of_driver("nvidia"));
    vendors.min_by_key(|vendor| vendor.file.is_none())
}
