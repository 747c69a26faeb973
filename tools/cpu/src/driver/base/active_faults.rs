//! Injected faults: which faults apply to a call, and their effects.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread::sleep;
use std::time::Duration;

use cuda_external_in_process::lock_ignoring_poison as lock;
use cuda_external_sys::{CUDA_ERROR_LAUNCH_FAILED, CUresult};

use super::cuda_result::CudaResult;
use super::current_context;
use super::function_versions::check_function_name;
use super::notices::abort_with_notice;

/// The environment variable with faults, separated by commas, for programs that do not call `inject_fault`.
const FAULTS_VARIABLE: &str = "CUDA_EXTERNAL_CPU_FAULTS";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultEffect {
    /// The call returns this code and does nothing else: an import's file descriptor stays open. On NVIDIA's driver, a
    /// failed import closes the descriptor only if `cuImportExternalMemory` returns CUDA_ERROR_UNKNOWN (measured).
    Fail(CUresult),
    /// The call starts after this delay.
    Delay(Duration),
    /// The call returns CUDA_ERROR_LAUNCH_FAILED. So does every later call that needs the context that is current now.
    LoseDevice,
}

/// An injected fault. Its text is `FUNCTION[:CALL]=EFFECT`; an effect is an error code, `delay:MILLISECONDS` or `lost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedFault {
    /// The function's name in C, `cuMemAlloc`, or in the library, `cuMemAlloc_v2`. `*` means every function.
    pub function: String,
    /// The number of the call, counted from 1 since the fault was added; `None` for every call.
    pub call: Option<u64>,
    pub effect: FaultEffect,
}

impl FromStr for InjectedFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = Self::parse_fault(text.trim());
        let fault = fault.ok_or(format!("{text}: not FUNCTION[:CALL]=CODE, =delay:MILLISECONDS or =lost"))?;
        fault.check_fault_function().map(|()| fault)
    }
}

impl InjectedFault {
    fn parse_fault(text: &str) -> Option<Self> {
        let (place, effect) = text.split_once('=')?;
        let (function, call) = match place.split_once(':') {
            Some((function, call)) => (function, Some(call.parse().ok().filter(|call| *call > 0)?)),
            None => (place, None),
        };
        let effect = match effect.split_once(':') {
            Some(("delay", time)) => FaultEffect::Delay(Duration::from_millis(time.parse().ok()?)),
            None if effect == "lost" => FaultEffect::LoseDevice,
            _ => FaultEffect::Fail(parse_error_code(effect)?),
        };
        Some(Self { function: function.to_owned(), call, effect })
    }

    /// Returns an error if the driver does not have the function: the fault would apply to no call.
    pub(crate) fn check_fault_function(&self) -> Result<(), String> {
        if self.function == "*" { Ok(()) } else { check_function_name(&self.function) }
    }
}

fn parse_error_code(text: &str) -> Option<CUresult> {
    let number = text.parse::<u32>().ok().filter(|number| *number > 0);
    let named = || (1..1000).find(|number| CUresult::from(*number).name() == Some(text));
    number.or_else(named).map(CUresult::from)
}

pub const EVERY_THREAD: u64 = 0;

pub fn current_thread_number() -> u64 {
    // SAFETY: the call only returns a number.
    unsafe { libc::pthread_self() }
}

/// An added fault, and how many calls have matched its function and thread.
struct ActiveFault {
    fault: InjectedFault,
    thread: u64,
    number: u64,
    calls: u64,
}

static ACTIVE_FAULTS: LazyLock<Mutex<Vec<ActiveFault>>> =
    LazyLock::new(|| Mutex::new(faults_from_environment()));

pub fn add_fault(fault: InjectedFault, thread: u64) -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    lock(&ACTIVE_FAULTS).push(ActiveFault { fault, thread, number, calls: 0 });
    number
}

pub fn remove_fault(number: u64) {
    lock(&ACTIVE_FAULTS).retain(|injected| number != 0 && injected.number != number);
}

fn faults_from_environment() -> Vec<ActiveFault> {
    let text = std::env::var(FAULTS_VARIABLE).unwrap_or_default();
    let parse = |part: &str| match part.parse() {
        Ok(fault) => ActiveFault { fault, thread: EVERY_THREAD, number: 0, calls: 0 },
        Err(error) => abort_with_notice(&format!("{FAULTS_VARIABLE}: {error}")),
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(parse).collect()
}

pub fn apply_faults(name: &str) -> CudaResult {
    let thread = current_thread_number();
    let is_due = |injected: &mut ActiveFault| {
        let is_called = is_function_named(name, &injected.fault.function)
            && [EVERY_THREAD, thread].contains(&injected.thread);
        injected.calls += u64::from(is_called);
        let is_due = is_called && injected.fault.call.is_none_or(|call| call == injected.calls);
        is_due.then_some(injected.fault.effect)
    };
    let due: Vec<FaultEffect> = lock(&ACTIVE_FAULTS).iter_mut().filter_map(is_due).collect();
    for effect in due {
        match effect {
            FaultEffect::Fail(code) => return Err(code),
            FaultEffect::Delay(time) => sleep(time),
            FaultEffect::LoseDevice => {
                current_context::mark_current_context_lost();
                return Err(CUDA_ERROR_LAUNCH_FAILED);
            }
        }
    }
    Ok(())
}

fn is_function_named(function: &str, name: &str) -> bool {
    let rest = function.strip_prefix(name);
    name == "*" || rest.is_some_and(|rest| matches!(rest, "" | "_v2" | "_v3" | "_v4" | "_ptsz" | "_ptds"))
}
