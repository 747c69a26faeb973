//! Handles: numbers that are not addresses and are never used again, so that a wrong one is recognized.

use std::collections::BTreeMap;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::results::{CudaResult, abort_as_driver_crashes, ensure, ensure_valid, write_out};
use cuda_external_in_process::lock_ignoring_poison as lock;

/// No address that a process can have: reading through a handle crashes. The last byte of a handle is its kind.
const PREFIX: u64 = 0x00cd_0000_0000_0000;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// The result of looking up a handle.
pub enum Lookup<T> {
    Live(Arc<T>),
    Null,
    Destroyed,
    /// A handle of another kind of object.
    OtherKind,
    NotAHandle,
}

/// The objects of one kind.
pub struct HandleRegistry<T> {
    kind: u64,
    /// The code for a handle that is not of these objects.
    invalid_code: CUresult,
    live: Mutex<BTreeMap<u64, Arc<T>>>,
}

impl<T> HandleRegistry<T> {
    /// Each registry has a number of its own.
    pub const fn new(kind: u8, invalid: CUresult) -> Self {
        Self { kind: kind as u64, invalid_code: invalid, live: Mutex::new(BTreeMap::new()) }
    }

    pub fn new_handle_number(&self) -> u64 {
        PREFIX | NEXT.fetch_add(1, Ordering::Relaxed) << 8 | self.kind
    }

    pub fn insert(&self, number: u64, object: impl Into<Arc<T>>) {
        lock(&self.live).insert(number, object.into());
    }

    pub fn add(&self, object: impl Into<Arc<T>>) -> u64 {
        let number = self.new_handle_number();
        self.insert(number, object);
        number
    }

    /// Makes an object and writes its handle as [`write_out`] does. Makes nothing where the pointer is null.
    pub unsafe fn create_object<H: Handle, O: Into<Arc<T>>>(
        &self,
        handle: *mut H,
        make: impl FnOnce() -> CudaResult<O>,
    ) -> CudaResult {
        ensure_valid(!handle.is_null())?;
        // SAFETY: the caller guarantees it.
        unsafe { write_out(handle, H::from_number(self.add(make()?))) }
    }

    pub fn find(&self, handle: impl Handle) -> CudaResult<Arc<T>> {
        match self.look_up(handle) {
            Lookup::Live(object) => Ok(object),
            _ => Err(self.invalid_code),
        }
    }

    /// The same, where a destroyed object makes NVIDIA's driver crash.
    pub fn find_or_abort(&self, handle: impl Handle, what: &str) -> CudaResult<Arc<T>> {
        match self.look_up(handle) {
            Lookup::Live(object) => Ok(object),
            Lookup::Destroyed => abort_as_driver_crashes(what),
            _ => Err(self.invalid_code),
        }
    }

    pub fn look_up(&self, handle: impl Handle) -> Lookup<T> {
        let found = lock(&self.live).get(&handle.number()).cloned();
        self.lookup_result(handle.number(), found)
    }

    /// Removes an object. Work that uses it keeps it alive.
    pub fn remove(&self, handle: impl Handle) -> Lookup<T> {
        let removed = lock(&self.live).remove(&handle.number());
        self.lookup_result(handle.number(), removed)
    }

    pub fn destroy(&self, handle: impl Handle) -> CudaResult {
        ensure(matches!(self.remove(handle), Lookup::Live(_)), self.invalid_code)
    }

    fn lookup_result(&self, number: u64, found: Option<Arc<T>>) -> Lookup<T> {
        match (found, number) {
            (Some(object), _) => Lookup::Live(object),
            (None, 0) => Lookup::Null,
            (None, number) if number & !0 << 48 != PREFIX => Lookup::NotAHandle,
            (None, number) if number & 0xff == self.kind => Lookup::Destroyed,
            (None, _) => Lookup::OtherKind,
        }
    }

    /// Returns an object for which the condition holds, and its handle's number.
    pub fn find_if(&self, condition: impl Fn(&T) -> bool) -> Option<(u64, Arc<T>)> {
        let live = lock(&self.live);
        live.iter().find(|(_, object)| condition(object)).map(|(number, object)| (*number, object.clone()))
    }

    /// Removes every object for which the condition holds, and returns them: an object's end may look something up.
    pub fn remove_if(&self, condition: impl Fn(&T) -> bool) -> BTreeMap<u64, Arc<T>> {
        let mut live = lock(&self.live);
        let (removed, kept) =
            std::mem::take(&mut *live).into_iter().partition(|(_, object)| condition(object));
        *live = kept;
        removed
    }
}

/// C's types of handles: pointers, and numbers.
pub trait Handle {
    fn from_number(number: u64) -> Self;
    fn number(&self) -> u64;
}

impl<T> Handle for *mut T {
    fn from_number(number: u64) -> Self {
        without_provenance_mut(number as usize)
    }

    fn number(&self) -> u64 {
        self.addr() as u64
    }
}

impl Handle for u64 {
    fn from_number(number: u64) -> Self {
        number
    }

    fn number(&self) -> u64 {
        *self
    }
}
