//! Handles: numbers that are not addresses and are never used again, so that a wrong one is recognized.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::results::{CudaResult, abort_as_driver_crashes, ensure, ensure_valid, write_out};
use cuda_external_in_process::lock_ignoring_poison as lock;

/// No address that a process can have: reading through a handle crashes. The last byte of a handle is its kind.
const PREFIX: u64 = 0x00cd_0000_0000_0000;

static NEXT: AtomicU64 = AtomicU64::new(1);

pub fn new_object_number() -> u64 {
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
    /// The code for a handle that is not of these objects.
    invalid_code: CUresult,
    live: Mutex<BTreeMap<u64, Arc<T>>>,
    owners: Mutex<ObjectOwners>,
}

/// One life of a context. A primary context has the same handle in each of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextId(pub u64);

struct ObjectOwners {
    owned: BTreeSet<(ContextId, u64)>,
    /// The objects that ended with a context, the last ones.
    ended: VecDeque<u64>,
}

static OWNING_REGISTRIES: Mutex<Vec<&'static dyn EndsWithContext>> = Mutex::new(Vec::new());

trait EndsWithContext: Sync {
    fn remove_objects_of_context(&self, context: ContextId);
}

pub fn remove_objects_of_context(context: ContextId) {
    let registries = lock(&OWNING_REGISTRIES).clone();
    registries.iter().for_each(|registry| registry.remove_objects_of_context(context));
}

impl<T: Send + Sync> EndsWithContext for HandleRegistry<T> {
    fn remove_objects_of_context(&self, context: ContextId) {
        let mut owners = lock(&self.owners);
        let of_context = owners.owned.range((context, 0)..=(context, u64::MAX)).copied();
        let numbers = Vec::from_iter(of_context.map(|(_, number)| number));
        owners.owned.retain(|(owner, _)| *owner != context);
        owners.ended.extend(&numbers);
        let surplus = owners.ended.len().saturating_sub(4096);
        owners.ended.drain(..surplus);
        drop(owners);
        // An object's end may look something up.
        let objects = Vec::from_iter(numbers.iter().map(|number| lock(&self.live).remove(number)));
        drop(objects);
    }
}

impl<T: Send + Sync + 'static> HandleRegistry<T> {
    /// Each registry has a separate number.
    pub const fn new(kind: u8, invalid: CUresult) -> Self {
        Self {
            kind: kind as u64,
            invalid_code: invalid,
            live: Mutex::new(BTreeMap::new()),
            owners: Mutex::new(ObjectOwners { owned: BTreeSet::new(), ended: VecDeque::new() }),
        }
    }

    pub fn new_handle_number(&self) -> u64 {
        PREFIX | new_object_number() << 8 | self.kind
    }

    pub fn insert_at_number(&self, number: u64, object: impl Into<Arc<T>>) {
        lock(&self.live).insert(number, object.into());
    }

    pub fn add_object(&self, object: impl Into<Arc<T>>) -> u64 {
        let number = self.new_handle_number();
        self.insert_at_number(number, object);
        number
    }

    /// Makes an object and writes its handle as [`write_out`] does. Makes nothing where the pointer is null.
    pub unsafe fn create_object<H: Handle, O: Into<Arc<T>>>(
        &'static self,
        handle: *mut H,
        make: impl FnOnce() -> CudaResult<O>,
    ) -> CudaResult {
        // SAFETY: `handle` is null, or valid for a write.
        unsafe { self.create_owned(handle, None, make) }
    }

    /// The same for an object that ends with a context, if it has one.
    pub unsafe fn create_owned<H: Handle, O: Into<Arc<T>>>(
        &'static self,
        handle: *mut H,
        owner: impl Into<Option<ContextId>>,
        make: impl FnOnce() -> CudaResult<O>,
    ) -> CudaResult {
        ensure_valid(!handle.is_null())?;
        let number = self.new_handle_number();
        let object = make()?;
        match owner.into() {
            Some(owner) => self.insert_owned(number, owner, object),
            None => self.insert_at_number(number, object),
        }
        // SAFETY: `handle` is null, or valid for a write.
        unsafe { write_out(handle, H::from_number(number)) }
    }

    pub fn insert_owned(&'static self, number: u64, owner: ContextId, object: impl Into<Arc<T>>) {
        self.insert_at_number(number, object);
        let mut owners = lock(&self.owners);
        if owners.owned.is_empty() {
            let mut all = lock(&OWNING_REGISTRIES);
            if !all.iter().any(|known| std::ptr::addr_eq(*known, self)) {
                all.push(self);
            }
        }
        owners.owned.insert((owner, number));
    }

    pub fn find_object(&self, handle: impl Handle) -> CudaResult<Arc<T>> {
        match self.look_up(handle) {
            HandleLookup::Live(object) => Ok(object),
            _ => Err(self.invalid_code),
        }
    }

    /// The same, where a destroyed object makes NVIDIA's driver crash.
    pub fn find_or_abort(&self, handle: impl Handle, what: &str) -> CudaResult<Arc<T>> {
        let handle_number = handle.handle_number();
        match self.look_up(handle) {
            HandleLookup::Live(object) => Ok(object),
            HandleLookup::Destroyed if lock(&self.owners).ended.contains(&handle_number) => {
                Err(CUDA_ERROR_CONTEXT_IS_DESTROYED)
            }
            HandleLookup::Destroyed => abort_as_driver_crashes(what),
            _ => Err(self.invalid_code),
        }
    }

    pub fn look_up(&self, handle: impl Handle) -> HandleLookup<T> {
        let found = lock(&self.live).get(&handle.handle_number()).cloned();
        self.lookup_result(handle.handle_number(), found)
    }

    /// Removes an object. Work that uses it keeps it alive.
    pub fn remove_object(&self, handle: impl Handle) -> HandleLookup<T> {
        let removed = lock(&self.live).remove(&handle.handle_number());
        if removed.is_some() {
            lock(&self.owners).owned.retain(|(_, number)| *number != handle.handle_number());
        }
        self.lookup_result(handle.handle_number(), removed)
    }

    pub fn destroy_object(&self, handle: impl Handle) -> CudaResult {
        ensure(matches!(self.remove_object(handle), HandleLookup::Live(_)), self.invalid_code)
    }

    fn lookup_result(&self, number: u64, found: Option<Arc<T>>) -> HandleLookup<T> {
        match (found, number) {
            (Some(object), _) => HandleLookup::Live(object),
            (None, 0) => HandleLookup::Null,
            (None, number) if number & !0 << 48 != PREFIX => HandleLookup::NotAHandle,
            (None, number) if number & 0xff == self.kind => HandleLookup::Destroyed,
            (None, _) => HandleLookup::OtherKind,
        }
    }

    pub fn find_if(&self, condition: impl Fn(&T) -> bool) -> Option<(u64, Arc<T>)> {
        let live = lock(&self.live);
        live.iter().find(|(_, object)| condition(object)).map(|(number, object)| (*number, object.clone()))
    }

    /// Removes every object for which the condition holds, and returns them: an object's end may look something up.
    #[cfg(feature = "kernels")]
    pub fn remove_if(&self, condition: impl Fn(&T) -> bool) -> BTreeMap<u64, Arc<T>> {
        let mut live = lock(&self.live);
        let (removed, kept) =
            std::mem::take(&mut *live).into_iter().partition(|(_, object)| condition(object));
        *live = kept;
        removed
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
