//! What the layer does when it is loaded, when the process forks, and when the process ends.
//!
//! After a fork the child gets new locks, since another thread of the parent may have held the parent's locks.
//!
//! At the end of a process the layer waits only briefly for its own locks. The layer then takes neither the dynamic
//! loader's lock nor the allocator's lock: a signal handler may have called `exit`, and the interrupted thread may hold
//! the loader's or the allocator's lock.

use std::ffi::{CString, c_int, c_void};
use std::sync::atomic::Ordering::{Relaxed, Release};

use cuda_external_in_process::SignalsBlocked;

use crate::call_stack::link_map_of;
use crate::close_watch::{CloseWatch, ProcessExitCallback};
use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::chassis::{double_close, process_state};
use crate::layer::host_process::current_process::{self, ActiveCheck, active_check, own_shared_file_entry};
use crate::layer::host_process::driver_functions;
use crate::layer_options::LayerOptions;
use crate::shared_file::{self, SharedFile};

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> c_int;
}

/// Returns the path of the shared file, which is in the directory of the layer's own file. Returns `None` if the layer
/// does not find its own file. The path does not come from an environment variable, since the program may have cleared
/// its environment.
fn shared_file_path() -> Option<CString> {
    let own = link_map_of(on_load as *const () as usize)?.file_name();
    let directory = own.to_bytes().rsplitn(2, |byte| *byte == b'/').nth(1)?;
    CString::new([directory, b"/", shared_file::FILE_NAME.as_bytes()].concat()).ok()
}

extern "C" fn on_load() {
    let Some(shared) = shared_file_path().and_then(|path| SharedFile::map_shared_file(&path)) else { return };
    driver_functions::count_gpus_in_proc();
    let options = LayerOptions::from_words(shared.options.each_ref().map(|number| number.load(Relaxed)));
    current_process::set_active_check(ActiveCheck { shared, options });
    // The process's entry in the shared file shows `cuda-external-check` that the program loaded the layer.
    LayerCall::default().lock_state().register_process();
    if let Some(watch) = CloseWatch::of_preloaded_library() {
        watch.on_exit.store(before_raw_exit as ProcessExitCallback as *mut c_void, Relaxed);
    }
    // SAFETY: both handlers are functions of this library, which stays loaded.
    unsafe {
        libc::pthread_atfork(None, None, Some(after_fork_in_child));
        at_quick_exit(after_exit_handlers);
    }
}

/// Runs in the child of a fork, which must not use the parent's state, locks or entry in the shared file.
extern "C" fn after_fork_in_child() {
    current_process::after_fork_in_child();
    process_state::after_fork_in_child();
    double_close::after_fork_in_child();
}

/// Runs after the exit handlers and destructors of the program, and at quick_exit.
extern "C" fn after_exit_handlers() {
    note_process_end(shared_file::RAN_EXIT_HANDLERS);
}

/// Runs when the program calls `_exit` or `_Exit`, also in a signal handler. In the child of a vfork, which shares its
/// parent's memory, `note_process_end` does nothing: the shared file's entry is the parent's.
unsafe extern "C" fn before_raw_exit() {
    note_process_end(shared_file::CALLED_EXIT);
}

fn note_process_end(how: u32) {
    let (Some(check), Some((_, image))) = (active_check(), own_shared_file_entry()) else { return };
    let quiet = SignalsBlocked::block_signals();
    if image.process.load(Relaxed) == std::process::id() {
        double_close::report_second_closes_at_end(&quiet, check);
        image.ended.store(how, Release);
    }
}

#[cfg_attr(feature = "library", used)]
#[cfg_attr(feature = "library", unsafe(link_section = ".init_array"))]
#[allow(dead_code)]
static BEGIN: extern "C" fn() = on_load;
#[cfg_attr(feature = "library", used)]
#[cfg_attr(feature = "library", unsafe(link_section = ".fini_array"))]
#[allow(dead_code)]
static END: extern "C" fn() = after_exit_handlers;
