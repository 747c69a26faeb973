//! Handles: numbers that are no addresses and are never used again, so that a wrong one is recognized.

use std::collections::BTreeMap;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::call::Answer;
use super::lock;

/// No address that a process can have: reading through a handle crashes.
const PREFIX: u64 = 0x00cd_0000_0000_0000;
const PREFIX_MASK: u64 = 0xffff_0000_0000_0000;
const KIND_MASK: u64 = 0xff;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// What a handle refers to.
pub enum Lookup<T> {
    Live(Arc<T>),
    Null,
    Destroyed,
    /// A handle of another kind of object.
    OtherKind,
    NotAHandle,
}

impl<T> Lookup<T> {
    /// Returns the object, or the code.
    pub fn or(self, code: CUresult) -> Answer<Arc<T>> {
        match self {
            Self::Live(object) => Ok(object),
            _ => Err(code),
        }
    }

    /// Returns the code where there is no object.
    pub fn done(self, code: CUresult) -> Answer {
        self.or(code).map(drop)
    }
}

/// The objects of one kind.
pub struct Registry<T> {
    kind: u64,
    live: Mutex<BTreeMap<u64, Arc<T>>>,
}

impl<T> Registry<T> {
    /// Each registry has a number of its own.
    pub const fn new(kind: u8) -> Self {
        Self { kind: kind as u64, live: Mutex::new(BTreeMap::new()) }
    }

    /// Adds an object that is made with its handle.
    pub fn add_with<H: Handle>(&self, make: impl FnOnce(u64) -> T) -> H {
        let number = PREFIX | NEXT.fetch_add(1, Ordering::Relaxed) << 8 | self.kind;
        lock(&self.live).insert(number, Arc::new(make(number)));
        H::from_number(number)
    }

    pub fn add<H: Handle>(&self, object: T) -> H {
        self.add_with(|_| object)
    }

    /// Adds an object under a handle that was removed.
    pub fn revive(&self, number: u64, object: T) {
        lock(&self.live).insert(number, Arc::new(object));
    }

    pub fn find(&self, handle: impl Handle) -> Lookup<T> {
        let number = handle.number();
        self.lookup(number, lock(&self.live).get(&number).cloned())
    }

    /// Removes an object. Work that uses it keeps it alive.
    pub fn remove(&self, handle: impl Handle) -> Lookup<T> {
        let number = handle.number();
        let removed = lock(&self.live).remove(&number);
        self.lookup(number, removed)
    }

    fn lookup(&self, number: u64, found: Option<Arc<T>>) -> Lookup<T> {
        match (found, number) {
            (Some(object), _) => Lookup::Live(object),
            (None, 0) => Lookup::Null,
            (None, number) if number & PREFIX_MASK != PREFIX => Lookup::NotAHandle,
            (None, number) if number & KIND_MASK == self.kind => Lookup::Destroyed,
            (None, _) => Lookup::OtherKind,
        }
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
