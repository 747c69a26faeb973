//! `cuda-external-check --machine`: finds the first missing link of the chain from CUDA to Vulkan on this machine.

mod cuda_driver;
mod diagnosis;
mod dlopen_errors;
mod driver_manifests;
mod egl_devices;
mod machine_environment;
mod probe_process;
mod remedy;
mod round_trip;
mod text_report;
mod vulkan_devices;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use diagnosis::MachineReport;
use machine_environment::MachineEnvironment;
use probe_process::ProbeProcess;
use remedy::MachineFix;
use round_trip::RoundTripResult;
use serde::de::DeserializeOwned;

/// The environment variable with the time limit of `--machine` in seconds, by default 10. Most tests set 60, for busy
/// machines.
const TIME_LIMIT_VARIABLE: &str = "CUDA_EXTERNAL_CHECK_MACHINE_SECONDS";

/// Runs a probe and ends the process, if the first argument is `PROBE_ARGUMENT` and the next one names a probe.
pub fn run_as_probe_if_asked() {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != probe_process::PROBE_ARGUMENT) {
        return;
    }
    let [name, first, second] = [(); 3].map(|()| arguments.next().unwrap_or_default());
    let number = |text: &OsStr| text.to_string_lossy().parse().unwrap_or_default();
    match &*name.to_string_lossy() {
        "cuda" => cuda_driver::probe_cuda_driver(),
        "vulkan" => vulkan_devices::probe_vulkan_devices(),
        "egl" => egl_devices::probe_egl_devices(),
        "library" => driver_manifests::probe_driver_library(&first, &second.to_string_lossy()),
        "round-trip" => round_trip::probe_round_trip(number(&first), number(&second)),
        _ => {}
    }
}

pub fn run_doctor(json: Option<&Path>) -> Result<u8, String> {
    let start = Instant::now();
    let seconds =
        env::var(TIME_LIMIT_VARIABLE).ok().and_then(|seconds| seconds.parse::<u16>().ok()).unwrap_or(10);
    let part = |percent: u64| start + Duration::from_millis(u64::from(seconds) * 10 * percent);
    let machine = examine_machine(part(55), part(95));
    let (next, is_shared) = diagnosis::first_needed_remedy(&machine);
    let facts = serde_json::json!(machine);
    _ = io::stdout().write_all(text_report::format_report(&facts, &next).as_bytes());
    let (code, version) = (u8::from(!is_shared), env!("CARGO_PKG_VERSION"));
    if let Some(path) = json {
        let json =
            serde_json::json!({ "version": version, "exit_code": code, "next": next, "machine": facts });
        std::fs::write(path, format!("{json:#}\n"))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(code)
}

/// Runs all probes: those of single links until the time `first`, the round trips until the time `last`.
fn examine_machine(first: Instant, last: Instant) -> MachineReport {
    let [cuda, vulkan, egl] =
        ["cuda", "vulkan", "egl"].map(|name| ProbeProcess::start_probe(&[OsStr::new(name)]));
    let [[drivers, unread], [vendors, _]] = [&driver_manifests::VULKAN, &driver_manifests::EGL]
        .map(driver_manifests::ManifestSearch::start_manifest_probes);
    let libraries = driver_manifests::start_nvidia_library_probes();
    let environment = MachineEnvironment::examine_environment();
    let (vulkan, log) = vulkan.wait_for_answer(first);
    let mut machine = MachineReport {
        cuda: probe_answer_or_remedy("cuda-ended", cuda.wait_for_answer(first).0),
        vulkan: probe_answer_or_remedy("vulkan-ended", vulkan),
        opengl: probe_answer_or_remedy("egl-ended", egl.wait_for_answer(first).0),
        round_trips: Vec::new(),
        environment,
    };
    machine.vulkan.read_loader_log(&log);
    machine.vulkan.manifests = driver_manifests::finish_driver_manifest_probes(drivers, first);
    machine.vulkan.unread_manifests = driver_manifests::finish_driver_manifest_probes(unread, first);
    machine.opengl.manifests = driver_manifests::finish_driver_manifest_probes(vendors, first);
    if !machine.cuda.is_cpu_driver() {
        machine.vulkan.nvidia_libraries = driver_manifests::finish_driver_manifest_probes(libraries, first);
    }
    let ordinal = |uuid: &str| machine.cuda.devices.iter().position(|cuda| cuda.uuid == uuid);
    for device in &mut machine.vulkan.devices {
        device.cuda_device = ordinal(&device.uuid);
    }
    if machine.cuda.missing.is_none() {
        machine.vulkan.missing = diagnosis::vulkan_remedy(&machine);
    }
    machine.round_trips = run_round_trips(&machine, last);
    machine
}

/// Returns a probe's answer, or a report with only a remedy if the probe gave no answer.
fn probe_answer_or_remedy<T: DeserializeOwned>(id: &str, answer: Result<T, String>) -> T {
    let ended = |how: String| serde_json::json!({ "missing": MachineFix::new(id, &[&how]) });
    answer.unwrap_or_else(|how| serde_json::from_value(ended(how)).expect("every fact has a default"))
}

/// Runs a round trip on each device that both CUDA and Vulkan have, unless the Vulkan device lacks a needed feature.
fn run_round_trips(machine: &MachineReport, deadline: Instant) -> Vec<RoundTripResult> {
    let pairs = machine.vulkan.devices.iter().enumerate().filter(|(_, device)| device.lacks.is_none());
    let pairs = pairs.filter_map(|(at, device)| Some((device.cuda_device?, at)));
    let start = |(cuda, vulkan): (usize, usize)| {
        let numbers = [cuda, vulkan].map(|number| OsString::from(number.to_string()));
        (cuda, vulkan, ProbeProcess::start_probe(&[OsStr::new("round-trip"), &numbers[0], &numbers[1]]))
    };
    let finish = |(cuda_device, vulkan_device, probe): (usize, usize, ProbeProcess)| {
        probe.wait_for_answer(deadline).0.unwrap_or_else(|how| {
            let missing = Some(MachineFix::new("round-wrong", &[&format!("{how} in the round trip")]));
            RoundTripResult { cuda_device, vulkan_device, name: how, missing }
        })
    };
    Vec::from_iter(pairs.map(start)).into_iter().map(finish).collect()
}
