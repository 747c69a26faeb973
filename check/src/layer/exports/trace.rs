//! What `--log` and `--sync` add to a call of the family.

use std::fmt::Debug;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::report::{Finding, say};
use crate::layer::site::is_sticky;
use crate::layer::state::{WANTS_MORE, note_lost, state};
use crate::rules::Rule;

/// How long `--sync` waits for the work of a call. A wait for a semaphore may need a signal that this thread sends later.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs a call of the family. With the options it is printed with its arguments, and its work is waited for.
pub fn traced(
    call: &'static str,
    stream: Option<usize>,
    arguments: impl FnOnce() -> String,
    run: impl FnOnce() -> CUresult,
) -> CUresult {
    let code = run();
    if WANTS_MORE.load(Ordering::Relaxed) {
        if state().output.options.log {
            say(&format!("{call}({}) = {code:?}", arguments()));
        }
        stream.filter(|_| code == CUDA_SUCCESS).into_iter().for_each(|stream| synchronize(call, stream));
    }
    code
}

/// Runs a call of another function. With `--sync` its work is waited for.
pub fn synchronized(call: &'static str, stream: usize, run: impl FnOnce() -> CUresult) -> CUresult {
    let code = run();
    if WANTS_MORE.load(Ordering::Relaxed) && code == CUDA_SUCCESS {
        synchronize(call, stream);
    }
    code
}

#[cold]
fn synchronize(call: &'static str, stream: usize) {
    if !state().output.options.sync || driver::is_capturing(stream) {
        return;
    }
    let began = Instant::now();
    let code = loop {
        let code = driver::stream_query(stream as CUstream);
        if code != CUDA_ERROR_NOT_READY || began.elapsed() > PATIENCE {
            break code;
        }
        thread::sleep(Duration::from_micros(50));
    };
    if is_sticky(code) && !state().lost.contains_key(&driver::current_context()) {
        note_lost(call, code);
        let text = format!("Its work, or work before it, ended with {code:?}.");
        state().report(Finding::new(Rule::StickyError, call, text));
    }
}

/// What a pointer of the program's points to.
///
/// # Safety
///
/// The pointer is null or valid.
pub unsafe fn pointee<T: Debug>(pointer: *const T) -> String {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.map_or("null".to_owned(), |value| format!("{value:?}"))
}
