//! Handles: numbers that are not addresses and are not reused, so that a wrong handle is recognized.

use std::collections::{BTreeMap, VecDeque};
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::cuda_result::{CudaResult, ensure, ensure_valid};
use super::notices::abort_as_driver_crashes;
use cuda_external_in_process::lock_ignoring_poison as lock;

/// The upper 16 bits of each handle. No process has memory at such addresses, so reading through a handle crashes.
const HANDLE_PREFIX: u64 = 0x00cd_0000_0000_0000;

pub fn new_object_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub enum HandleLookup<T> {
    Live(Arc<T>),
    Null,
    Destroyed,
    OtherKind,
    NotAHandle,
}

pub struct HandleRegistry<T> {
    kind: u64,
    /// The code that a call returns for a handle that names no object of this kind.
    invalid_code: CUresult,
    objects: Mutex<RegisteredObjects<T>>,
}

struct RegisteredObjects<T> {
    /// The objects by handle, each with the context that owns the object, if there is one.
    live: BTreeMap<u64, (Option<ContextId>, Arc<T>)>,
    /// The handles of the last 4,096 objects that ended with their context.
    ended: VecDeque<u64>,
}

/// Identifies a context. A primary context that is retained again keeps its handle and gets another id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextId(pub u64);

/// The registries that have had objects of a context.
static OWNING_REGISTRIES: Mutex<Vec<&'static dyn EndObjectsWithContext>> = Mutex::new(Vec::new());

trait EndObjectsWithContext: Sync {
    fn end_objects_of_context(&self, context: ContextId);
}

pub fn end_objects_of_context(context: ContextId) {
    let registries = lock(&OWNING_REGISTRIES).clone();
    registries.iter().for_each(|registry| registry.end_objects_of_context(context));
}

impl<T: Send + Sync> EndObjectsWithContext for HandleRegistry<T> {
    fn end_objects_of_context(&self, context: ContextId) {
        let mut objects = lock(&self.objects);
        let all = std::mem::take(&mut objects.live).into_iter();
        let (ended, live): (BTreeMap<_, _>, _) = all.partition(|(_, (owner, _))| *owner == Some(context));
        objects.live = live;
        objects.ended.extend(ended.keys());
        let surplus = objects.ended.len().saturating_sub(4096);
        objects.ended.drain(..surplus);
        // The lock is released first: an object's destructor may look up another object in this registry.
        drop(objects);
        drop(ended);
    }
}

impl<T: Send + Sync + 'static> HandleRegistry<T> {
    /// Makes an empty registry. Registries have different kinds, unless their handles have the same type in cuda.h.
    pub const fn new(kind: u8, invalid_code: CUresult) -> Self {
        let objects = Mutex::new(RegisteredObjects { live: BTreeMap::new(), ended: VecDeque::new() });
        Self { kind: kind as u64, invalid_code, objects }
    }

    pub fn new_handle_number(&self) -> u64 {
        HANDLE_PREFIX | new_object_number() << 8 | self.kind
    }

    /// Adds an object with the handle `number`. The object ends with the context `owner`, if there is one.
    pub fn insert_at_handle(&'static self, number: u64, owner: Option<ContextId>, object: impl Into<Arc<T>>) {
        lock(&self.objects).live.insert(number, (owner, object.into()));
        if owner.is_some() {
            let mut all = lock(&OWNING_REGISTRIES);
            if !all.iter().any(|known| std::ptr::addr_eq(*known, self)) {
                all.push(self);
            }
        }
    }

    /// Adds an object that no context owns, and returns its handle.
    pub fn register_object(&'static self, object: impl Into<Arc<T>>) -> u64 {
        let number = self.new_handle_number();
        self.insert_at_handle(number, None, object);
        number
    }

    /// Makes an object and writes its handle, or returns INVALID_VALUE and makes nothing if the pointer is null.
    pub unsafe fn create_object<H: Handle, O: Into<Arc<T>>>(
        &'static self,
        handle: *mut H,
        owner: Option<ContextId>,
        make: impl FnOnce() -> CudaResult<O>,
    ) -> CudaResult {
        ensure_valid(!handle.is_null())?;
        let (number, object) = (self.new_handle_number(), make()?);
        self.insert_at_handle(number, owner, object);
        // SAFETY: `handle` is not null, and so valid for a write.
        unsafe { handle.write(H::from_number(number)) };
        Ok(())
    }

    pub fn find_object(&self, handle: impl Handle) -> CudaResult<Arc<T>> {
        match self.look_up_handle(handle) {
            HandleLookup::Live(object) => Ok(object),
            _ => Err(self.invalid_code),
        }
    }

    /// Returns the live object, or an error for an invalid handle. For one of the last 4,096 objects that ended with
    /// their context, returns CONTEXT_IS_DESTROYED. Aborts for any other destroyed object: NVIDIA's driver may crash
    /// if a program uses such an object.
    pub fn find_object_or_abort(&self, handle: impl Handle, what: &str) -> CudaResult<Arc<T>> {
        let number = handle.handle_number();
        match self.look_up_handle(handle) {
            HandleLookup::Live(object) => Ok(object),
            HandleLookup::Destroyed if lock(&self.objects).ended.contains(&number) => {
                Err(CUDA_ERROR_CONTEXT_IS_DESTROYED)
            }
            HandleLookup::Destroyed => abort_as_driver_crashes(what),
            _ => Err(self.invalid_code),
        }
    }

    pub fn look_up_handle(&self, handle: impl Handle) -> HandleLookup<T> {
        let found = lock(&self.objects).live.get(&handle.handle_number()).cloned();
        self.classify_handle(handle.handle_number(), found)
    }

    /// Removes an object. Work that uses the object keeps it alive.
    pub fn remove_object(&self, handle: impl Handle) -> HandleLookup<T> {
        let removed = lock(&self.objects).live.remove(&handle.handle_number());
        self.classify_handle(handle.handle_number(), removed)
    }

    pub fn destroy_object(&self, handle: impl Handle) -> CudaResult {
        ensure(matches!(self.remove_object(handle), HandleLookup::Live(_)), self.invalid_code)
    }

    fn classify_handle(&self, number: u64, found: Option<(Option<ContextId>, Arc<T>)>) -> HandleLookup<T> {
        match (found, number) {
            (Some((_, object)), _) => HandleLookup::Live(object),
            (None, 0) => HandleLookup::Null,
            (None, number) if number & !0 << 48 != HANDLE_PREFIX => HandleLookup::NotAHandle,
            (None, number) if number & 0xff == self.kind => HandleLookup::Destroyed,
            (None, _) => HandleLookup::OtherKind,
        }
    }

    pub fn find_object_where(&self, condition: impl Fn(&T) -> bool) -> Option<(u64, Arc<T>)> {
        let objects = lock(&self.objects);
        let found = objects.live.iter().find(|(_, (_, object))| condition(object));
        found.map(|(number, (_, object))| (*number, object.clone()))
    }
}

pub trait Handle {
    fn from_number(number: u64) -> Self;
    fn handle_number(&self) -> u64;
}

impl<T> Handle for *mut T {
    fn from_number(number: u64) -> Self {
        without_provenance_mut(number as usize)
    }

    fn handle_number(&self) -> u64 {
        self.addr() as u64
    }
}

impl Handle for u64 {
    fn from_number(number: u64) -> Self {
        number
    }

    fn handle_number(&self) -> u64 {
        *self
    }
}
