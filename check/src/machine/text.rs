//! The chain as lines for people.

use std::fmt::Write;

use super::facts::{Cuda, Egl, Ended, Machine, Manifest, Outcome, RoundResult, State, Vulkan};
use super::next::Next;
use super::pairs;

/// The lines of one link, after its name.
struct Text(String);

impl Text {
    fn add(&mut self, link: &str, lines: Vec<String>) {
        for (at, line) in lines.iter().enumerate() {
            _ = writeln!(self.0, "{:10}{line}", if at == 0 { link } else { "" });
        }
    }
}

pub fn text(machine: &Machine, next: &Next) -> String {
    let mut text = Text(String::new());
    text.add("CUDA", said(&machine.cuda, |cuda| cuda_lines(cuda, machine)));
    let mut vulkan = said(&machine.vulkan, |vulkan| vulkan_lines(vulkan, machine));
    vulkan.splice(vulkan.len().min(1)..vulkan.len().min(1), machine.manifests.iter().map(manifest));
    text.add("Vulkan", vulkan);
    let mut egl = said(&machine.egl, |egl| egl_lines(egl, machine));
    egl.splice(0..0, machine.egl_vendors.iter().map(manifest));
    text.add("OpenGL", egl);
    let rounds = machine.rounds.iter().map(|round| {
        let result = match &round.result {
            Outcome::Answer(RoundResult::EveryByteIsRight) => {
                "64 KiB each way: every byte is right".to_owned()
            }
            Outcome::Answer(RoundResult::WrongBytes(what)) => what.clone(),
            Outcome::Answer(RoundResult::Failed { call, code }) => format!("{call} returned {code}"),
            Outcome::Ended(ended) => self::ended(ended),
        };
        format!("Vulkan's device {} and CUDA's {}: {result}", round.vulkan, round.cuda)
    });
    let mut rounds = Vec::from_iter(rounds);
    if rounds.is_empty() {
        rounds.push("no pair of devices".to_owned());
    }
    text.add("Round", rounds);
    text.add("Around", surroundings(machine));
    text.add("Next", vec![next.sentence.clone(), next.see.clone()]);
    text.0
}

fn ended(Ended { how, call }: &Ended) -> String {
    format!("{call} {how}")
}

fn said<T>(outcome: &Outcome<T>, lines: impl FnOnce(&T) -> Vec<String>) -> Vec<String> {
    match outcome {
        Outcome::Answer(answer) => lines(answer),
        Outcome::Ended(how) => vec![ended(how)],
    }
}

fn cuda_lines(cuda: &Cuda, machine: &Machine) -> Vec<String> {
    use super::facts::NotByName::{NotADriver, NotOpened, Stub};
    let mut lines = Vec::new();
    match &cuda.by_name {
        Some(NotOpened(words)) => lines.push(words.clone()),
        Some(Stub(file)) => lines.push(format!("{}: a toolkit's stub stands first", file.display())),
        Some(NotADriver(file)) => lines.push(format!("{}: not a CUDA driver", file.display())),
        None => {}
    }
    if let Some(file) = &cuda.file {
        let kind = if cuda.is_software() {
            ", a driver in software"
        } else if file.starts_with("/usr/lib/wsl") {
            ", WSL's"
        } else {
            ""
        };
        let module = machine.surroundings.kernel_module.as_deref().unwrap_or("not loaded");
        let (major, minor) = (cuda.version / 1000, cuda.version % 1000 / 10);
        lines.push(format!("{}{kind}, CUDA {major}.{minor}; kernel module: {module}", file.display()));
    }
    if let Some((_, name)) = &cuda.init {
        lines.push(format!("cuInit: {name}"));
    }
    for (at, device) in cuda.devices.iter().enumerate() {
        let mode = match device.compute_mode {
            0 => "default",
            2 => "prohibited",
            3 => "exclusive process",
            _ => "unknown",
        };
        lines.push(format!(
            "device {at}: {}, {}, PCI {}, compute mode {mode}, exports by FD: {}, as dma-buf: {}",
            device.name,
            device.uuid,
            device.pci,
            yes(device.exports_fd),
            yes(device.exports_dma_buf)
        ));
    }
    lines
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn manifest(Manifest { path, library, state }: &Manifest) -> String {
    let what = match state {
        State::Opens(file) => format!("{library} opens, {}", file.display()),
        State::Absent => "does not exist".to_owned(),
        State::Unreadable(words) | State::Invalid(words) => words.clone(),
        State::NotOpened(words) => format!("{library} does not open: {words}"),
        State::Ended(how) => format!("{library}: opening it {how}"),
    };
    format!("{}: {what}", path.display())
}

fn vulkan_lines(vulkan: &Vulkan, machine: &Machine) -> Vec<String> {
    let mut lines = Vec::from_iter(vulkan.not_opened.clone());
    lines.extend(vulkan.file.as_ref().map(|file| format!("{}, Vulkan {}", file.display(), vulkan.version)));
    lines.extend(vulkan.layers.iter().map(|layer| format!("layer {layer}")));
    lines.extend(vulkan.failure.clone());
    lines.extend(vulkan.words.iter().map(|words| format!("the loader: {words}")));
    let pairs = pairs(machine);
    for (at, device) in vulkan.devices.iter().enumerate() {
        let cuda = pairs.iter().find(|(_, vulkan)| *vulkan == at).map(|(cuda, _)| *cuda);
        let whose =
            cuda.map_or_else(|| "not a CUDA device".to_owned(), |cuda| format!("CUDA's device {cuda}"));
        let lacks = device
            .lacks()
            .map_or_else(|| "memory and semaphores by FD".to_owned(), |what| format!("no {what}"));
        lines.push(format!(
            "device {at}: {} ({}), Vulkan {}, {}: {whose}; {lacks}",
            device.name, device.kind, device.version, device.uuid
        ));
    }
    lines
}

fn egl_lines(egl: &Egl, machine: &Machine) -> Vec<String> {
    let mut lines = Vec::from_iter(egl.not_opened.iter().chain(&egl.failure).cloned());
    let devices = machine.cuda.answer().map(|cuda| &*cuda.devices).unwrap_or_default();
    for (at, device) in egl.devices.iter().enumerate() {
        let same = devices.iter().position(|cuda| Some(&cuda.uuid) == device.uuid.as_ref());
        let whose = match same.map(|at| at as i64).or(device.cuda) {
            Some(cuda) => format!("CUDA's device {cuda}"),
            None => "not a CUDA device".to_owned(),
        };
        let images = if device.images.is_empty() { "none".to_owned() } else { device.images.join(" ") };
        lines.push(match &device.failure {
            Some(failure) => format!("EGL device {at}: {failure}: {whose}"),
            None => format!("EGL device {at}: {}: {whose}; for images: {images}", device.renderer),
        });
    }
    lines
}

fn surroundings(machine: &Machine) -> Vec<String> {
    let around = &machine.surroundings;
    let mut lines = vec![match &around.container {
        Some(how) => format!("a container ({how})"),
        None => "no container was recognized".to_owned(),
    }];
    lines.extend(around.is_gvisor.then(|| "gVisor".to_owned()));
    lines.extend(around.is_wsl.then(|| "WSL".to_owned()));
    lines.push(format!("NVIDIA's GPUs on the PCI bus: {}", around.gpus));
    lines.extend(around.device_files.iter().map(|(path, how)| format!("{}: {how}", path.display())));
    lines.extend(around.displays.iter().map(|card| format!("a display at {card}")));
    lines.extend(around.ld_so_preload.iter().map(|list| format!("/etc/ld.so.preload: {list}")));
    lines.extend(around.variables.iter().map(|(name, value)| format!("{name}={value}")));
    lines
}
