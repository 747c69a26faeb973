//! When the layer is loaded, when a process forks, and when it ends.

use crate::layer::state::state;
use crate::layer::{driver, exports, fds, site, state};
use crate::options::Options;
use crate::sys;

/// A forked process has no context and none of the parent's objects, and the lock may be another thread's.
extern "C" fn in_forked_process() {
    fds::in_forked_process();
    site::in_forked_process();
    driver::leave_in_forked_process();
    state::forget();
}

/// Runs when the layer is loaded: the program is to know that it was.
extern "C" fn begin() {
    if Options::of_this_process().is_some() {
        exports::number();
        drop(state());
        // SAFETY: the function stays loaded.
        unsafe { sys::pthread_atfork(None, None, Some(in_forked_process)) };
    }
}

/// Runs after the program's own exit handlers and destructors.
extern "C" fn end() {
    if state::is_there() {
        let state = &mut *state();
        state.look_at_descriptors();
        state.end_process();
    }
}

// The loader runs what these sections name; the program that has the same code runs nothing.
#[cfg_attr(not(feature = "library"), allow(dead_code))]
#[cfg_attr(feature = "library", used, unsafe(link_section = ".init_array"))]
static BEGIN: extern "C" fn() = begin;
#[cfg_attr(not(feature = "library"), allow(dead_code))]
#[cfg_attr(feature = "library", used, unsafe(link_section = ".fini_array"))]
static END: extern "C" fn() = end;
