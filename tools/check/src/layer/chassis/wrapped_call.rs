//! Wrapped functions: what the layer does in a call by the program, and the macro that exports such functions.
//!
//! Before the driver, Vulkan or a host function runs, the layer call sends its findings, since that function may crash.
//! The layer call holds no lock while it sends findings.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::ffi::{CStr, c_void};
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::HookScope;
use cuda_external_sys::*;

use crate::layer::chassis::process_state::{self, ProcessState};
use crate::layer::error_messages::finding::{self, Finding};
use crate::layer::error_messages::sticky_codes::is_sticky_code;
use crate::layer::host_process::current_process::{CallSite, active_check};
use crate::layer::host_process::driver_functions::RealDriverFunction;
use crate::layer::state_tracker::stream_identity::StreamAndContext;
use crate::rules::Rule;

/// A call by the program of a function of CUDA or Vulkan: what the layer does before and after the function itself.
#[derive(Default)]
pub struct LayerCall {
    pub name: &'static str,
    section: HookScope,
    found: RefCell<Vec<Finding>>,
}

impl LayerCall {
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    pub fn call_site(&mut self) -> CallSite {
        CallSite::capture_call_site(&mut self.section, self.name)
    }

    pub fn new_finding(&self, rule: &'static Rule, text: impl Into<String>) -> Finding {
        Finding::new(rule, self.name, text)
    }

    /// Locks the state of this process. While the guard lives, a call of `run_unlocked` does not compile.
    pub fn lock_state(&self) -> StateGuard<'_> {
        StateGuard {
            state: process_state::current_state().lock(self.section.block_signals()),
            found: &self.found,
        }
    }

    /// Sends the findings, and runs foreign code: the driver, the next Vulkan layer or the program's host function.
    pub fn run_unlocked<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.send_findings();
        self.section.run_foreign_code(run)
    }

    pub fn send_findings(&mut self) {
        for finding in mem::take(self.found.get_mut()) {
            if let Some(check) = active_check() {
                finding::send_finding(&mut self.section, check, &finding);
            }
        }
    }
}

impl Deref for LayerCall {
    type Target = HookScope;
    fn deref(&self) -> &HookScope {
        &self.section
    }
}

impl DerefMut for LayerCall {
    fn deref_mut(&mut self) -> &mut HookScope {
        &mut self.section
    }
}

pub struct StateGuard<'a> {
    state: MutexGuard<'a, ProcessState>,
    found: &'a RefCell<Vec<Finding>>,
}

impl Deref for StateGuard<'_> {
    type Target = ProcessState;
    fn deref(&self) -> &ProcessState {
        &self.state
    }
}

impl DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut ProcessState {
        &mut self.state
    }
}

impl Drop for StateGuard<'_> {
    /// Moves the findings to the layer call that found them: another thread could take them from the unlocked state.
    fn drop(&mut self) {
        self.found.borrow_mut().append(&mut self.state.findings);
    }
}

/// A layer call of a function of the driver, and that function.
pub struct WrappedCall<'a> {
    /// The stream that a null handle names: PER_THREAD in functions with the suffix _ptsz or _ptds, otherwise LEGACY.
    pub default_stream: usize,
    driver: &'a dyn Fn() -> CUresult,
    layer_call: LayerCall,
}

impl<'a> WrappedCall<'a> {
    pub fn new(name: &'static str, default_stream: usize, driver: &'a dyn Fn() -> CUresult) -> Self {
        Self { default_stream, driver, layer_call: LayerCall::new(name) }
    }

    pub fn call_driver(&mut self) -> CUresult {
        self.call_replacement_function(self.driver)
    }

    /// Calls `driver`, which need not be the function that the program called. Records a sticky code that it returns.
    pub fn call_replacement_function(&mut self, driver: &dyn Fn() -> CUresult) -> CUresult {
        let code = self.layer_call.run_unlocked(driver);
        if is_sticky_code(code) {
            note_lost_context(&mut self.layer_call, code);
        }
        code
    }

    pub fn stream_key(&self, handle: CUstream) -> usize {
        if handle.is_null() { self.default_stream } else { handle.addr() }
    }
}

impl Deref for WrappedCall<'_> {
    type Target = LayerCall;
    fn deref(&self) -> &LayerCall {
        &self.layer_call
    }
}

impl DerefMut for WrappedCall<'_> {
    fn deref_mut(&mut self) -> &mut LayerCall {
        &mut self.layer_call
    }
}

/// Records that this call returned a sticky code, if it is the first such call in the current context.
#[cold]
fn note_lost_context(layer_call: &mut LayerCall, code: CUresult) {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let context = StreamAndContext::from_current_context(layer_call).context();
    // Later calls in the context return the code too, so only the first call's stack is needed.
    if LAST.swap(context, Relaxed) == context && layer_call.lock_state().lost.contains_key(&context) {
        return;
    }
    let site = layer_call.call_site();
    let state = &mut *layer_call.lock_state();
    if let Entry::Vacant(first) = state.lost.entry(context) {
        first.insert((code, site));
        // The program cannot free the objects of a lost context any more, so no report lists them as unfreed.
        for number in state.objects.objects_alive_in_context(context) {
            state.remove_from_live_objects(number);
        }
    }
}

/// The result of a wrapped function: `Ok` with the driver's code, or `Err` with the layer's code and no driver call.
pub type WrappedCallResult = Result<CUresult, CUresult>;

pub trait IntoResultCode {
    fn into_result_code(self) -> CUresult;
}

impl IntoResultCode for CUresult {
    fn into_result_code(self) -> CUresult {
        self
    }
}

impl IntoResultCode for WrappedCallResult {
    fn into_result_code(self) -> CUresult {
        self.unwrap_or_else(|code| code)
    }
}

/// A wrapped function of the driver: the layer's function and the driver's.
pub struct WrappedFunction {
    pub function: *const c_void,
    pub real: RealDriverFunction,
}

// SAFETY: `function` points to code, which no thread writes.
unsafe impl Sync for WrappedFunction {}

impl WrappedFunction {
    /// `name` must end in a zero byte.
    pub const fn new(name: &'static str, function: *const c_void) -> Self {
        let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { panic!("a zero at the end") };
        Self { function, real: RealDriverFunction::new(name) }
    }
}

/// Exports functions that run their row's code while the check is active, and otherwise call the driver. In a row, a
/// slash precedes the functions for the per-thread default stream, and a colon precedes the functions' type, whose name
/// is from `cuda_external_sys::pfn`.
macro_rules! wrap {
    ($(
        $($name:ident)|+ $(/ $($per_thread:ident)|+)? $(: $pfn:ident)? ($($args:tt)*) |$call:ident| $body:expr;
    )*) => {
        $(wrap! { @row [$($name)+] [$($($per_thread)+)?] [$($pfn)?] ($($args)*) |$call| $body })*
        pub static WRAPPED_FUNCTIONS: &[&$crate::layer::chassis::wrapped_call::WrappedFunction] =
            &[$($(&$name::WRAPPED_FUNCTION),+ $(, $(&$per_thread::WRAPPED_FUNCTION),+)?),*];
    };
    (@row [$($name:ident)+] [$($per_thread:ident)*] $pfn:tt $args:tt |$call:ident| $body:expr) => {
        $(wrap! { @typed LEGACY $name $pfn $args |$call| $body })+
        $(wrap! { @typed PER_THREAD $per_thread $pfn $args |$call| $body })*
    };
    (@typed $stream:ident $name:ident [$pfn:ident] $args:tt |$call:ident| $body:expr) => {
        wrap! { @one $stream $name [cuda_external_sys::pfn::$pfn] $args |$call| $body }
    };
    (@typed $stream:ident $name:ident [] ($($arg:ident: $ty:ty),* $(,)?) |$call:ident| $body:expr) => {
        wrap! { @one $stream $name [unsafe extern "C" fn($($ty),*) -> CUresult] ($($arg),*) |$call| $body }
    };
    (@one $stream:ident $name:ident [$pfn:ty] ($($arg:ident),* $(,)?) |$call:ident| $body:expr) => {
        #[allow(non_snake_case)] // cuda.h's name
        mod $name {
            use $crate::layer::chassis::wrapped_call::WrappedFunction;
            pub static WRAPPED_FUNCTION: WrappedFunction =
                WrappedFunction::new(concat!(stringify!($name), "\0"), super::$name as *const std::ffi::c_void);
        }
        cuda_external_in_process::export! {
            #[cfg_attr(feature = "library", unsafe(no_mangle))]
            pub fn $name: $pfn, ($($arg),*) {
                let driver = || -> CUresult {
                    let address = $name::WRAPPED_FUNCTION.real.driver_address();
                    if address.is_null() {
                        return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
                    }
                    // SAFETY: `$pfn` is the type of the driver's function, and the program passes its arguments.
                    unsafe { std::mem::transmute::<*mut std::ffi::c_void, $pfn>(address)($($arg),*) }
                };
                if $crate::layer::host_process::current_process::active_check().is_none() {
                    return driver();
                }
                let mut call = $crate::layer::chassis::wrapped_call::WrappedCall::new(
                    stringify!($name),
                    $crate::layer::state_tracker::stream_identity::$stream,
                    &driver,
                );
                let $call = &mut call;
                // SAFETY: the program's arguments are as the driver needs them.
                #[allow(unused_unsafe)] // not every function looks at what its pointers point to
                let answer = unsafe { $body };
                call.send_findings();
                $crate::layer::chassis::wrapped_call::IntoResultCode::into_result_code(answer)
            }
        }
    };
}
pub(in crate::layer) use wrap;
