//! A library's state when its process forks: one explicit state, and the values that each process has of its own.

use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU8};
use std::boxed::Box;

/// The driver's state in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// It did not initialize the driver.
    Fresh,
    Initialized,
    /// The child of a fork, where a process before it had initialized the driver. It stays so: no driver works here.
    Forked,
}

/// The stage of this process.
pub struct Life(AtomicU8);

impl Life {
    #[allow(clippy::new_without_default)] // for statics
    pub const fn new() -> Self {
        Self(AtomicU8::new(Stage::Fresh as u8))
    }

    pub fn stage(&self) -> Stage {
        match self.0.load(Acquire) {
            0 => Stage::Fresh,
            1 => Stage::Initialized,
            _ => Stage::Forked,
        }
    }

    /// Returns the stage before. A forked process stays forked.
    pub fn initialize(&self) -> Stage {
        let (fresh, new) = (Stage::Fresh as u8, Stage::Initialized as u8);
        match self.0.compare_exchange(fresh, new, AcqRel, Acquire) {
            Ok(_) => Stage::Fresh,
            Err(_) => self.stage(),
        }
    }

    /// For the child of a fork, which has one thread.
    pub fn in_child(&self) {
        if self.stage() != Stage::Fresh {
            self.0.store(Stage::Forked as u8, Release);
        }
    }
}

/// A value that each process has for itself. After a fork the child makes its own, since another thread may have
/// locked the parent's value. The value stays reachable, so that a leak checker finds it.
pub struct OfProcess<T> {
    own: AtomicPtr<Kept<T>>,
    parent: AtomicPtr<Kept<T>>,
}

struct Kept<T> {
    value: T,
    _parent: *const Self,
}

impl<T: Default + Sync> OfProcess<T> {
    #[allow(clippy::new_without_default)] // for statics
    pub const fn new() -> Self {
        Self { own: AtomicPtr::new(ptr::null_mut()), parent: AtomicPtr::new(ptr::null_mut()) }
    }

    /// None in a process that did not need one yet.
    pub fn if_made(&'static self) -> Option<&'static T> {
        // SAFETY: the pointer is null, or was made below and is never freed.
        unsafe { self.own.load(Acquire).as_ref() }.map(|kept| &kept.value)
    }

    /// Makes the value if there is none. If two threads make one, one of the two values is dropped, and neither thread
    /// waits.
    pub fn get(&'static self) -> &'static T {
        self.if_made().unwrap_or_else(|| self.make())
    }

    fn make(&'static self) -> &'static T {
        let new = Box::into_raw(Box::new(Kept { value: T::default(), _parent: self.parent.load(Acquire) }));
        let kept = match self.own.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
            Ok(_) => new,
            Err(first) => {
                // SAFETY: another thread was first. This one's was made above and seen by nobody.
                drop(unsafe { Box::from_raw(new) });
                first
            }
        };
        // SAFETY: the value was made here or by the other thread, and is never freed.
        unsafe { &(*kept).value }
    }

    /// For the child of a fork, which has one thread.
    pub fn in_child(&self) {
        let parent = self.own.swap(ptr::null_mut(), AcqRel);
        if !parent.is_null() {
            self.parent.store(parent, Relaxed);
        }
    }
}

#[test]
fn a_child_begins_anew_and_stays_forked() {
    static OWN: OfProcess<AtomicU8> = OfProcess::new();
    static LIFE: Life = Life::new();
    LIFE.in_child();
    assert_eq!(LIFE.stage(), Stage::Fresh);
    assert_eq!((LIFE.initialize(), LIFE.initialize()), (Stage::Fresh, Stage::Initialized));
    OWN.get().store(7, Relaxed);
    LIFE.in_child();
    OWN.in_child();
    assert_eq!((LIFE.stage(), LIFE.initialize()), (Stage::Forked, Stage::Forked));
    assert!(OWN.if_made().is_none());
    assert_eq!(OWN.get().load(Relaxed), 0);
}
