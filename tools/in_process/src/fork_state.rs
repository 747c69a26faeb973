//! State of a library whose process may fork: the process's stage, and values that each process creates for itself.

use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU8};
use std::boxed::Box;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ProcessStage {
    /// This process has not initialized the driver.
    Fresh,
    Initialized,
    /// This process was forked from one that had initialized the driver, and cannot use the driver.
    Forked,
    /// This process runs the exit handlers that the program registered before it initialized the driver.
    Ended,
}

pub struct AtomicProcessStage(AtomicU8);

impl AtomicProcessStage {
    #[allow(clippy::new_without_default)] // statics need a const fn
    pub const fn new() -> Self {
        Self(AtomicU8::new(ProcessStage::Fresh as u8))
    }

    pub fn process_stage(&self) -> ProcessStage {
        match self.0.load(Acquire) {
            0 => ProcessStage::Fresh,
            1 => ProcessStage::Initialized,
            2 => ProcessStage::Forked,
            _ => ProcessStage::Ended,
        }
    }

    /// Changes `Fresh` to `Initialized`, and no other stage. Returns the stage before the call.
    pub fn mark_driver_initialized(&self) -> ProcessStage {
        let (fresh, new) = (ProcessStage::Fresh as u8, ProcessStage::Initialized as u8);
        match self.0.compare_exchange(fresh, new, AcqRel, Acquire) {
            Ok(_) => ProcessStage::Fresh,
            Err(_) => self.process_stage(),
        }
    }

    /// Changes `Initialized` to `Ended`, and no other stage.
    pub fn mark_process_ended(&self) {
        let (initialized, ended) = (ProcessStage::Initialized as u8, ProcessStage::Ended as u8);
        let _ = self.0.compare_exchange(initialized, ended, AcqRel, Acquire);
    }

    /// Changes every stage but `Fresh` to `Forked`. Call this in a fork's child, before the child has a second thread.
    pub fn after_fork_in_child(&self) {
        if self.process_stage() != ProcessStage::Fresh {
            self.0.store(ProcessStage::Forked as u8, Release);
        }
    }
}

/// A value that a fork's child creates again: a thread that the child lacks may have locked the parent's value.
pub struct PerProcess<T> {
    own: AtomicPtr<PerProcessNode<T>>,
    /// Keeps the parent process's value reachable, so that no leak checker reports the value.
    parent: AtomicPtr<PerProcessNode<T>>,
}

struct PerProcessNode<T> {
    value: T,
    _parent: *const Self,
}

impl<T: Default + Sync> PerProcess<T> {
    #[allow(clippy::new_without_default)] // statics need a const fn
    pub const fn new() -> Self {
        Self { own: AtomicPtr::new(ptr::null_mut()), parent: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Returns this process's value, or `None` if the process has not made one.
    pub fn get_if_created(&'static self) -> Option<&'static T> {
        // SAFETY: the pointer is null, or `create_for_this_process` stored it. A stored value is never freed.
        unsafe { self.own.load(Acquire).as_ref() }.map(|kept| &kept.value)
    }

    /// Returns this process's value, and creates it if necessary. If two threads create values at once, drops one.
    pub fn get_or_create(&'static self) -> &'static T {
        self.get_if_created().unwrap_or_else(|| self.create_for_this_process())
    }

    fn create_for_this_process(&'static self) -> &'static T {
        let new = Box::into_raw(Box::new(PerProcessNode {
            value: T::default(),
            _parent: self.parent.load(Acquire),
        }));
        let kept = match self.own.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
            Ok(_) => new,
            Err(first) => {
                // SAFETY: `new` is from `Box::into_raw`, and no other thread has seen it.
                drop(unsafe { Box::from_raw(new) });
                first
            }
        };
        // SAFETY: a stored value is never freed.
        unsafe { &(*kept).value }
    }

    /// Moves the parent's value to `parent`. Call this in a fork's child, before the child has a second thread.
    pub fn after_fork_in_child(&self) {
        let parent = self.own.swap(ptr::null_mut(), AcqRel);
        if !parent.is_null() {
            self.parent.store(parent, Relaxed);
        }
    }
}

#[test]
fn a_forked_child_gets_new_values_and_stays_forked() {
    static OWN: PerProcess<AtomicU8> = PerProcess::new();
    static LIFE: AtomicProcessStage = AtomicProcessStage::new();
    LIFE.after_fork_in_child();
    assert_eq!(LIFE.process_stage(), ProcessStage::Fresh);
    assert_eq!(
        (LIFE.mark_driver_initialized(), LIFE.mark_driver_initialized()),
        (ProcessStage::Fresh, ProcessStage::Initialized)
    );
    OWN.get_or_create().store(7, Relaxed);
    LIFE.after_fork_in_child();
    OWN.after_fork_in_child();
    assert_eq!(
        (LIFE.process_stage(), LIFE.mark_driver_initialized()),
        (ProcessStage::Forked, ProcessStage::Forked)
    );
    assert!(OWN.get_if_created().is_none());
    assert_eq!(OWN.get_or_create().load(Relaxed), 0);
}
