//! The first link that is missing, and one sentence that says what to do about it.

use serde::Serialize;

use super::cuda::{Cuda, parent};
use super::egl::Egl;
use super::manifests::{Manifest, VULKAN};
use super::process::NOT_STARTED;
use super::round::Round;
use super::sentences::{Next, say};
use super::surroundings::Surroundings;
use super::vulkan::{Device, Vulkan};

/// All that is known. `--json` writes it.
#[derive(Serialize)]
pub struct Machine {
    pub cuda: Cuda,
    pub vulkan: Vulkan,
    pub opengl: Egl,
    pub rounds: Vec<Round>,
    pub surroundings: Surroundings,
}

/// Goes down the chain to the first link that is missing. Also returns whether the round succeeded.
pub fn next(machine: &Machine) -> (Next, bool) {
    let rounds = machine.rounds.iter().map(|round| &round.missing);
    let mut links = [&machine.cuda.missing, &machine.vulkan.missing].into_iter().chain(rounds);
    match links.find_map(Option::as_ref) {
        Some(missing) => (limits(machine, missing).unwrap_or_else(|| missing.clone()), false),
        None => (after(machine).expect("each name has a sentence"), true),
    }
}

/// Returns the limit that stops a link of a machine that is otherwise right.
fn limits(machine: &Machine, missing: &Next) -> Option<Next> {
    let around = &machine.surroundings;
    let says = |words: &[&str]| words.iter().any(|words| missing.sentence.contains(words));
    for (name, limit) in &around.limits {
        // With 24 files NVIDIA's driver begins, and returns codes that do not say it.
        let is_reason = match *name {
            "ulimit -n" => *limit < 64 || says(&["Too many open files"]),
            "ulimit -f" => says(&["SIGXFSZ"]),
            "ulimit -u" if *limit > 64 => says(&["Resource temporarily unavailable"]),
            _ => says(&["memory", "MEMORY", " map ", "crashed", "Resource temporarily unavailable"]),
        };
        if is_reason {
            return say("limit", &[name, &limit.to_string()]);
        }
    }
    if let Some((before, _)) = missing.sentence.split_once(": failed to map") {
        return say("not-mapped", &[before.rsplit([' ', '(']).next().unwrap_or_default()]);
    }
    if around.without_proc {
        return say("no-proc", &[]);
    }
    let (_, why) = missing.sentence.split_once(NOT_STARTED)?;
    say("no-process", &[why.trim_end_matches('.')])
}

/// Why Vulkan has no device of CUDA's that shares.
pub fn vulkan(machine: &Machine) -> Option<Next> {
    let vulkan = &machine.vulkan;
    if vulkan.missing.as_ref().is_some_and(|next| next.is("vulkan-ended")) {
        // Where the opening of a driver ends its process too, or a manifest cannot be read, it is the culprit.
        let culprit = vulkan.manifests.iter().filter_map(|manifest| manifest.missing.clone());
        return culprit.into_iter().find(|next| next.is("driver-ended") || next.is("manifest-invalid"));
    }
    let mut shared = vulkan.devices.iter().filter(|device| device.cuda_device.is_some()).peekable();
    if shared.peek().is_none() && vulkan.missing.is_none() {
        return no_device(machine);
    }
    shared.find_map(|device| {
        let lacks = device.lacks.as_ref()?;
        // Every driver of 1.2 has timelines.
        let hides = |manifest: &&Manifest| {
            let version = manifest.api_version.as_deref().unwrap_or_default();
            manifest.file.is_some() && (version.starts_with("1.0.") || version.starts_with("1.1."))
        };
        let is_hidden = lacks == "timeline semaphores" && device.version.as_str() >= "1.2";
        if let Some(manifest) = vulkan.manifests.iter().find(hides).filter(|_| is_hidden) {
            let (name, version) = (manifest.name.to_string_lossy(), manifest.api_version.as_deref());
            return say("manifest-version", &[&name, version.unwrap_or_default(), &device.name, lacks]);
        }
        let layers = if vulkan.layers.is_empty() { "none".to_owned() } else { vulkan.layers.join(", ") };
        say("device-lacks", &[&layers, &device.name, lacks])
    })
}

/// The manifests, what selects them, and what their driver says.
fn no_device(machine: &Machine) -> Option<Next> {
    let (cuda, vulkan, around) = (&machine.cuda, &machine.vulkan, &machine.surroundings);
    let is_software = cuda.is_software();
    let (owner, mark) = if is_software { ("Mesa's lavapipe", "lvp") } else { ("NVIDIA's driver", "nvidia") };
    let variable = VULKAN.variable();
    let of_owner = || vulkan.manifests.iter().filter(|manifest| manifest.is_of(mark));
    let Some(driver) = of_owner().find(|manifest| manifest.file.is_some()) else {
        // One that a variable names may be the driver's, whatever its name is.
        let is_absent = |missing: &Next| missing.is("manifest-absent");
        let is_named =
            |manifest: &&Manifest| variable.is_some() || manifest.missing.as_ref().is_some_and(is_absent);
        let named = vulkan.manifests.iter().filter(is_named);
        if let Some(missing) = of_owner().chain(named).find_map(|manifest| manifest.missing.clone()) {
            return Some(missing);
        }
        return match (variable, around.lacks_capability("graphics")) {
            (Some(variable), _) => say("manifest-not-named", &[owner, variable]),
            _ if is_software => say("no-lavapipe", &[]),
            _ if around.is_wsl => say("wsl-no-vulkan", &[]),
            (None, Some(capabilities)) => say("capability-graphics", &[&capabilities]),
            (None, None) => {
                say("no-manifest", &[if around.is_gvisor { ", and gVisor adds none" } else { "" }])
            }
        };
    };
    let is_bare = |device: &&Device| is_software && device.name.starts_with("llvmpipe");
    if let Some(device) = vulkan.devices.iter().find(is_bare) {
        if let Some(hidden) = hidden(around, "VK_LOADER_LAYERS_DISABLE", "VK_LAYER_CUDA_EXTERNAL_cpu") {
            return Some(hidden);
        }
        return say("software-without-layer", &[&device.name]);
    }
    let name = if is_software { "cuda-external-cpu" } else { "NVIDIA" };
    if let Some(device) = vulkan.devices.iter().find(|device| device.name.contains(name)) {
        if cuda.devices.iter().any(|device| device.name.contains("MIG")) {
            return say("mig", &[]);
        }
        // Without a UUID, too.
        if let Some(lacks) = device.lacks.as_ref().filter(|lacks| *lacks == "Vulkan 1.1") {
            return say("device-lacks", &["none", &device.name, lacks]);
        }
        let hidden = around.variable("CUDA_VISIBLE_DEVICES");
        let hidden = hidden.map(|value| format!(" (CUDA_VISIBLE_DEVICES is {value:?})")).unwrap_or_default();
        let uuids = Vec::from_iter(cuda.devices.iter().map(|device| &*device.uuid)).join(", ");
        return say(
            "another-gpu",
            &[&format!("{uuids}{hidden}"), &format!("{} {}", device.name, device.uuid)],
        );
    }
    let by_variable = ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE", "__VK_LAYER_NV_optimus"];
    let hidden = by_variable.into_iter().find_map(|name| hidden(around, name, owner));
    if hidden.is_some() {
        return hidden;
    }
    // A layer's manifest that is not JSON ends the loader's work.
    for words in vulkan.errors.iter().filter(|words| words.contains("parse JSON")) {
        if let Some(path) = words.split([' ', ',']).find(|word| word.ends_with(".json")) {
            return say("manifest-invalid", &[path, words.trim_end_matches('.')]);
        }
    }
    let egl = &machine.opengl;
    match (&egl.error, nvidias_egl(egl)) {
        _ if is_software => {}
        (Some(words), _) if egl.missing.is_some() => {
            return say("driver-needs-libegl", &[&driver.library, words]);
        }
        (_, None) => return say("driver-needs-egl", &[&place_of_egl(around), &driver.library]),
        (_, Some(vendor)) if vendor.missing.is_some() => return vendor.missing.clone(),
        _ => {}
    }
    let errors = vulkan.errors.join("; ");
    let why = if errors.is_empty() { "it has no device of it" } else { &errors };
    say("vulkan-no-device", &[&driver.library, why])
}

/// A variable that leaves out a driver or a layer.
fn hidden(around: &Surroundings, name: &str, what: &str) -> Option<Next> {
    say(
        "hidden",
        &[name, &format!("{:?}", around.variable(name).filter(|value| *value != "NVIDIA_only")?), what],
    )
}

/// The round went: what else a program may meet.
fn after(machine: &Machine) -> Option<Next> {
    let (cuda, vulkan) = (&machine.cuda, &machine.vulkan);
    if let (Some(_), Some(file)) = (&cuda.by_name, &cuda.driver) {
        return say("library-not-on-path", &[&parent(file)]);
    }
    let has = |at| vulkan.devices.iter().any(|device| device.cuda_device == Some(at));
    if let Some(alone) = (0..cuda.devices.len()).find(|at| !has(*at)) {
        return say("one-device-alone", &[&alone.to_string()]);
    }
    let first = vulkan.devices.iter().position(|device| device.cuda_device.is_some())?;
    if first != 0 {
        return say("first-device-differs", &[&vulkan.devices[0].name, &first.to_string()]);
    }
    let is_drivers =
        |words: &&String| vulkan.manifests.iter().any(|manifest| words.contains(&manifest.library));
    if let Some(words) =
        vulkan.errors.iter().find(|words| words.contains("cannot open") && !is_drivers(words))
    {
        return say("layer-does-not-open", &[words]);
    }
    if cuda.is_software() {
        return say("nothing-missing", &[", by the driver in software"]);
    }
    opengl(machine).or_else(|| say("nothing-missing", &[""]))
}

/// OpenGL, which a program may do without.
fn opengl(machine: &Machine) -> Option<Next> {
    let egl = &machine.opengl;
    let alone = |missing: &Next| say("opengl-vendor", &[missing.sentence.trim_end_matches('.')]);
    if egl.missing.is_some() {
        let mut reasons = egl.manifests.iter().filter_map(|vendor| vendor.missing.as_ref());
        let culprit = reasons.find(|missing| missing.is("driver-ended")).and_then(alone);
        return culprit.or_else(|| egl.missing.clone());
    }
    let vendor = nvidias_egl(egl);
    let name = |device: &super::egl::Device| match &device.error {
        Some(error) => format!("a device where {error}"),
        None => device.name.clone(),
    };
    let names = Vec::from_iter(egl.devices.iter().map(name));
    let cudas = egl.devices.iter().position(|device| device.cuda_device.is_some());
    match (cudas, vendor) {
        (Some(at), _) if egl.devices[at].error.is_some() => say(
            "opengl-fails",
            &[&format!(
                "on EGL's device {at}, which is CUDA's, {}",
                egl.devices[at].error.as_deref().unwrap_or_default()
            )],
        ),
        (Some(0), _) => None,
        (Some(at), _) => say("first-opengl-differs", &[&names[0], &at.to_string()]),
        (None, Some(vendor)) => match &vendor.missing {
            Some(missing) => alone(missing),
            None => say("opengl-fails", &[&format!("{} opens, and has no device of CUDA's", vendor.library)]),
        },
        (None, None) => {
            let has = if names.is_empty() { "no device".to_owned() } else { names.join(", ") };
            say("opengl-elsewhere", &[&place_of_egl(&machine.surroundings), &has])
        }
    }
}

/// Where EGL looks for manifests.
fn place_of_egl(around: &Surroundings) -> String {
    let variables = ["__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"];
    let variable = variables.into_iter().find(|name| around.variables.contains_key(*name));
    let named = variable.map(|name| format!("in {name}, or unset that variable"));
    named.unwrap_or_else(|| "in /usr/share/glvnd/egl_vendor.d".to_owned())
}

/// NVIDIA's manifest, and the one of an open library before others.
fn nvidias_egl(egl: &Egl) -> Option<&Manifest> {
    egl.manifests.iter().filter(|vendor| vendor.is_of("nvidia")).min_by_key(|vendor| vendor.file.is_none())
}
