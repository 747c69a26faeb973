//! `cuda-external-check --machine`: which link of the chain from CUDA to Vulkan is missing on this machine.
//!
//! ```text
//! mod: the order, and the ends         text: for people     next: the sentence
//! cuda  manifests  vulkan  egl  round: probes               surroundings
//! process: a probe in a process of its own
//! facts: what is known
//! ```

mod cuda;
mod egl;
mod facts;
mod manifests;
mod next;
mod process;
mod round;
mod surroundings;
mod text;
mod vulkan;

use std::env;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use facts::{Machine, Outcome, Round, Vulkan};
use manifests::Of;

/// How long the first probes may take, and all of it.
const FIRST: Duration = Duration::from_millis(5500);
const ALL: Duration = Duration::from_millis(9500);

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
    let machine = look(start + FIRST, start + ALL);
    let next = next::next(&machine);
    _ = io::stdout().write_all(text::text(&machine, &next).as_bytes());
    let code = u8::from(!next.went);
    if let Some(path) = json {
        let version = env!("CARGO_PKG_VERSION");
        let json =
            serde_json::json!({ "version": version, "exit_code": code, "next": next, "machine": machine });
        std::fs::write(path, format!("{json:#}\n"))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(code)
}

fn look(first: Instant, last: Instant) -> Machine {
    let mut machine = thread::scope(|scope| {
        let cuda = scope.spawn(|| process::run(&[OsStr::new("cuda")], first).0);
        let vulkan = scope.spawn(|| process::run::<Vulkan>(&[OsStr::new("vulkan")], first));
        let egl = scope.spawn(|| process::run(&[OsStr::new("egl")], first).0);
        let manifests = scope.spawn(|| manifests::all(Of::Vulkan, first));
        let egl_vendors = scope.spawn(|| manifests::all(Of::Egl, first));
        let surroundings = surroundings::look();
        let (mut vulkan, log) = vulkan.join().expect("no probe panics");
        if let Outcome::Answer(vulkan) = &mut vulkan {
            vulkan::read_log(vulkan, &log);
        }
        Machine {
            cuda: cuda.join().expect("no probe panics"),
            manifests: manifests.join().expect("no probe panics"),
            vulkan,
            egl_vendors: egl_vendors.join().expect("no probe panics"),
            egl: egl.join().expect("no probe panics"),
            rounds: Vec::new(),
            surroundings,
        }
    });
    machine.rounds = rounds(&machine, last);
    machine
}

/// The devices that both have: CUDA's number and Vulkan's.
fn pairs(machine: &Machine) -> Vec<(usize, usize)> {
    let cuda = machine.cuda.answer().map(|cuda| &*cuda.devices).unwrap_or_default();
    let vulkan = machine.vulkan.answer().map(|vulkan| &*vulkan.devices).unwrap_or_default();
    let same = |uuid: &str| vulkan.iter().position(|device| device.uuid == uuid);
    cuda.iter().enumerate().filter_map(|(at, device)| Some((at, same(&device.uuid)?))).collect()
}

fn rounds(machine: &Machine, deadline: Instant) -> Vec<Round> {
    let vulkan = machine.vulkan.answer().map(|vulkan| &*vulkan.devices).unwrap_or_default();
    let pairs = pairs(machine).into_iter().filter(|(_, at)| vulkan[*at].lacks().is_none());
    let round = |(cuda, vulkan): (usize, usize)| {
        let numbers = [cuda, vulkan].map(|number| OsString::from(number.to_string()));
        let arguments = [OsStr::new("round"), &numbers[0], &numbers[1]];
        Round { cuda, vulkan, result: process::run(&arguments, deadline).0 }
    };
    thread::scope(|scope| {
        let threads = Vec::from_iter(pairs.map(|pair| scope.spawn(move || round(pair))));
        threads.into_iter().map(|thread| thread.join().expect("no probe panics")).collect()
    })
}

/// An error of a library's loader, in its own words alone.
fn words(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
