//! A call of a wrapped function: a visit that knows the driver's function.

use std::ops::{Deref, DerefMut};

use cuda_external_sys::*;

use crate::layer::chassis::context_state;
use crate::layer::chassis::layer_call::Visit;
use crate::layer::error_messages::finding::Finding;
use crate::layer::error_messages::result_codes::is_sticky;
use crate::layer::host_process::call_site::Site;
use crate::layer::state_tracker::stream_identity::{LEGACY, PER_THREAD};
use crate::rules::Rule;

pub struct Call<'a> {
    pub name: &'static str,
    /// The driver's function, with the program's arguments.
    driver: &'a dyn Fn() -> CUresult,
    visit: Visit,
    /// Whether the driver succeeded, and so wrote what it writes.
    pub has_written: bool,
}

impl<'a> Call<'a> {
    pub fn new(name: &'static str, driver: &'a dyn Fn() -> CUresult) -> Self {
        Self { name, driver, visit: Visit::default(), has_written: false }
    }

    /// Calls the driver.
    pub fn driver(&mut self) -> CUresult {
        let code = self.visit.outside(self.driver);
        self.has_written = code == CUDA_SUCCESS;
        if is_sticky(code) {
            context_state::note_lost(&mut self.visit, self.name, code);
        }
        code
    }

    pub fn site(&mut self) -> Site {
        Site::here(&mut self.visit, self.name)
    }

    pub fn finding(&self, rule: Rule, text: impl Into<String>) -> Finding {
        Finding::new(rule, self.name, text)
    }

    /// Returns the number of a stream. Null is the default stream of all threads, or of this thread for functions
    /// that end in `_ptsz`.
    pub fn stream(&self, handle: CUstream) -> usize {
        match handle.is_null() {
            true if self.name.ends_with("_ptsz") => PER_THREAD,
            true => LEGACY,
            false => handle.addr(),
        }
    }
}

impl Deref for Call<'_> {
    type Target = Visit;
    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl DerefMut for Call<'_> {
    fn deref_mut(&mut self) -> &mut Visit {
        &mut self.visit
    }
}

/// The result of a wrapped function: the driver's code, or a code that the check returns without calling the driver.
pub type CallResult = Result<CUresult, CUresult>;

pub trait IntoCode {
    fn into_code(self) -> CUresult;
}

impl IntoCode for CUresult {
    fn into_code(self) -> CUresult {
        self
    }
}

impl IntoCode for CallResult {
    fn into_code(self) -> CUresult {
        self.unwrap_or_else(|code| code)
    }
}

#[test]
fn the_default_stream_is_of_all_threads_or_of_one() {
    let on = std::ptr::without_provenance_mut;
    let stream = |name, handle| Call::new(name, &|| CUDA_SUCCESS).stream(on(handle));
    assert_eq!((stream("cuGraphLaunch", 0), stream("cuGraphLaunch_ptsz", 0)), (1, 2));
    assert_eq!((stream("cuGraphLaunch", 0x70), stream("cuGraphLaunch_ptsz", 0x70)), (0x70, 0x70));
}
