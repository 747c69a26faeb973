//! `cuda-external-check --machine`: which link of the chain from CUDA to Vulkan is missing on this machine.
//!
//! ```text
//! mod: the order, and the ends        text: for people        next: what the links say together
//! cuda  manifests  vulkan  egl  round: the links, each with its facts, its probe and its reasons
//! process: a probe in a process of its own    sentences    surroundings
//! ```

mod cuda;
mod egl;
mod manifests;
mod next;
mod process;
mod round;
mod sentences;
mod surroundings;
mod text;
mod vulkan;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use next::Machine;
use process::Probe;
use sentences::say;

/// How many seconds all of it may take, 10 without this variable: on a busy machine the tests have to wait longer.
const SECONDS: &str = "CUDA_EXTERNAL_CHECK_MACHINE_SECONDS";

/// Runs a probe and ends, where this process is one.
pub fn probe() {
    let arguments = Vec::from_iter(env::args_os().skip(1));
    if arguments.first().is_none_or(|first| first != process::ARGUMENT) {
        return;
    }
    let text = |at: usize| arguments.get(at).map(OsString::as_os_str).unwrap_or_default();
    let number = |at: usize| text(at).to_string_lossy().parse().unwrap_or_default();
    match &*text(1).to_string_lossy() {
        "cuda" => cuda::probe(),
        "vulkan" => vulkan::probe(),
        "egl" => egl::probe(),
        "library" => manifests::probe(text(2), &text(3).to_string_lossy()),
        "round" => round::probe(number(2), number(3)),
        _ => {}
    }
}

/// Looks at the machine, and prints what was found. Returns the exit code.
pub fn run(json: Option<&Path>) -> Result<u8, String> {
    let start = Instant::now();
    let seconds = env::var(SECONDS).ok().and_then(|seconds| seconds.parse::<u16>().ok()).unwrap_or(10);
    let part = |percent: u64| start + Duration::from_millis(u64::from(seconds) * 10 * percent);
    let machine = look(part(55), part(95));
    let (next, went) = next::next(&machine);
    let facts = serde_json::json!(machine);
    _ = io::stdout().write_all(text::text(&facts, &next).as_bytes());
    let (code, version) = (u8::from(!went), env!("CARGO_PKG_VERSION"));
    if let Some(path) = json {
        let json =
            serde_json::json!({ "version": version, "exit_code": code, "next": next, "machine": facts });
        std::fs::write(path, format!("{json:#}\n"))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(code)
}

fn look(first: Instant, last: Instant) -> Machine {
    let [cuda, vulkan, egl] = ["cuda", "vulkan", "egl"].map(|name| Probe::start(&[OsStr::new(name)]));
    let [drivers, vendors] = [&manifests::VULKAN, &manifests::EGL].map(manifests::Loader::start);
    let surroundings = surroundings::look();
    let (vulkan, log) = vulkan.finish(first);
    let mut machine = Machine {
        cuda: cuda
            .finish(first)
            .0
            .unwrap_or_else(|how| cuda::Cuda { missing: say("cuda-ended", &[&how]), ..Default::default() }),
        vulkan: vulkan.unwrap_or_else(|how| vulkan::Vulkan {
            missing: say("vulkan-ended", &[&how]),
            ..Default::default()
        }),
        opengl: egl
            .finish(first)
            .0
            .unwrap_or_else(|how| egl::Egl { missing: say("egl-ended", &[&how]), ..Default::default() }),
        rounds: Vec::new(),
        surroundings,
    };
    machine.vulkan.read_log(&log);
    machine.vulkan.manifests = manifests::finish(drivers, &machine.surroundings, first);
    machine.opengl.manifests = manifests::finish(vendors, &machine.surroundings, first);
    let cudas = |uuid: &str| machine.cuda.devices.iter().position(|cuda| cuda.uuid == uuid);
    for device in &mut machine.vulkan.devices {
        device.cuda_device = cudas(&device.uuid);
    }
    for device in &mut machine.opengl.devices {
        device.cuda_device = device.uuid.as_deref().and_then(cudas).or(device.cuda_device);
    }
    if machine.cuda.missing.is_none() {
        machine.vulkan.missing = next::vulkan(&machine).or(machine.vulkan.missing);
    }
    machine.rounds = rounds(&machine, last);
    machine
}

/// A round for each pair of devices that can share.
fn rounds(machine: &Machine, deadline: Instant) -> Vec<round::Round> {
    let pairs = machine.vulkan.devices.iter().enumerate().filter(|(_, device)| device.lacks.is_none());
    let pairs = pairs.filter_map(|(at, device)| Some((device.cuda_device?, at)));
    let start = |(cuda, vulkan): (usize, usize)| {
        let numbers = [cuda, vulkan].map(|number| OsString::from(number.to_string()));
        (cuda, vulkan, Probe::start(&[OsStr::new("round"), &numbers[0], &numbers[1]]))
    };
    let finish = |(cuda_device, vulkan_device, probe): (usize, usize, Probe)| {
        probe.finish(deadline).0.unwrap_or_else(|how| {
            let missing = say("round-ended", &[&how]);
            round::Round { cuda_device, vulkan_device, name: how, missing }
        })
    };
    Vec::from_iter(pairs.map(start)).into_iter().map(finish).collect()
}
