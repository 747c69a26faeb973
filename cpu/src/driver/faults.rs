//! Faults on demand: a call of a function fails, is slow, or loses the device.

use std::str::FromStr;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use super::context;
use super::prelude::*;

/// The variable with faults for programs that do not call [`inject`]: faults with commas between them.
pub const VARIABLE: &str = "CUDA_EXTERNAL_CPU_FAULTS";

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The call returns this code and does nothing else: an import leaves its descriptor open. So does NVIDIA's driver (measured,
    /// 580.159), except where `cuImportExternalMemory` returns CUDA_ERROR_UNKNOWN.
    Fail(CUresult),
    /// The call takes longer.
    Delay(Duration),
    /// The call returns CUDA_ERROR_LAUNCH_FAILED, and so does every later call that needs the current context.
    LoseDevice,
}

/// A fault. As text: `cuMemAlloc:3=CUDA_ERROR_OUT_OF_MEMORY` is the third call from now on, `cuStreamSynchronize=delay:50` makes
/// every call 50 ms longer, `cuLaunchKernel:1=lost` loses the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name that C programs write or the library exports: `cuMemAlloc` or `cuMemAlloc_v2`. `*` is every function.
    pub function: String,
    /// Which call from now on, counted from 1; `None` for every one.
    pub call: Option<u64>,
    pub effect: Effect,
}

impl FromStr for Fault {
    /// Says what is wrong.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text.trim())
            .ok_or(format!("{text}: not FUNCTION[:CALL]=CODE, =delay:MILLISECONDS or =lost"))
    }
}

impl Fault {
    fn parse(text: &str) -> Option<Self> {
        let (place, effect) = text.split_once('=')?;
        let (function, call) = match place.split_once(':') {
            Some((function, call)) => (function, Some(call.parse().ok().filter(|call| *call > 0)?)),
            None => (place, None),
        };
        let effect = match effect.split_once(':') {
            Some(("delay", time)) => Effect::Delay(Duration::from_millis(time.parse().ok()?)),
            None if effect == "lost" => Effect::LoseDevice,
            _ => Effect::Fail(code(effect)?),
        };
        (!function.is_empty()).then(|| Self { function: function.to_owned(), call, effect })
    }
}

/// Returns a code by its name or its number.
fn code(text: &str) -> Option<CUresult> {
    let number = text.parse::<u32>().ok();
    let named = || (1..1000).find(|number| CUresult::from(*number).name() == Some(text));
    number.or_else(named).map(CUresult::from)
}

/// Faults, each with how many calls of its function there were.
static FAULTS: LazyLock<Mutex<Vec<(Fault, u64)>>> = LazyLock::new(|| Mutex::new(from_variable()));

/// Adds a fault.
pub fn inject(fault: Fault) {
    lock(&FAULTS).push((fault, 0));
}

/// Removes all faults. A lost device comes back with a new context.
pub fn clear() {
    lock(&FAULTS).clear();
}

fn from_variable() -> Vec<(Fault, u64)> {
    let text = std::env::var(VARIABLE).unwrap_or_default();
    let parse = |part: &str| match part.parse() {
        Ok(fault) => (fault, 0),
        Err(error) => {
            eprintln!("cuda-external-cpu: {VARIABLE}: {error}");
            std::process::abort();
        }
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(parse).collect()
}

/// Applies the faults of this call.
pub fn before(name: &str) -> Answer {
    let is_due = |(fault, calls): &mut (Fault, u64)| {
        let is_called = is_named(name, &fault.function);
        *calls += u64::from(is_called);
        let is_due = is_called && fault.call.is_none_or(|call| call == *calls);
        is_due.then_some(fault.effect)
    };
    let due: Vec<Effect> = lock(&FAULTS).iter_mut().filter_map(is_due).collect();
    for effect in due {
        match effect {
            Effect::Fail(code) => return Err(code),
            Effect::Delay(time) => sleep(time),
            Effect::LoseDevice => {
                context::lose_current();
                return Err(CUDA_ERROR_LAUNCH_FAILED);
            }
        }
    }
    Ok(())
}

/// Whether a fault's name is this function's: with or without the version at its end.
fn is_named(function: &str, name: &str) -> bool {
    let rest = function.strip_prefix(name);
    name == "*" || rest.is_some_and(|rest| matches!(rest, "" | "_v2" | "_v3" | "_v4" | "_ptsz"))
}
