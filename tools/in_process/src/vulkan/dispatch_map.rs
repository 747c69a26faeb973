use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use ash::vk::Handle;

/// Values by instance or device. The key is the pointer that the loader stores in such an object and its children.
pub struct DispatchMap<T>(RwLock<BTreeMap<usize, Arc<T>>>);

/// # Safety
///
/// The handle is null, or that of a live instance, physical device, device, queue or command buffer.
unsafe fn dispatch_key(handle: impl Handle) -> usize {
    // SAFETY: the handle is null, or points to a live object whose first word the loader has written.
    unsafe { (handle.as_raw() as *const usize).as_ref() }.map_or(0, |key| *key)
}

impl<T> DispatchMap<T> {
    #[allow(clippy::new_without_default)] // statics need a const fn
    pub const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }

    /// Returns the value of the instance or device to which an object belongs.
    ///
    /// # Safety
    ///
    /// The handle is null, or that of a live instance, physical device, device, queue or command buffer.
    pub unsafe fn find_dispatchable(&self, handle: impl Handle) -> Option<Arc<T>> {
        // SAFETY: the caller passes null, or a live handle of one of the five kinds.
        let key = unsafe { dispatch_key(handle) };
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    pub(super) unsafe fn insert_dispatchable(&self, handle: impl Handle, new: T) {
        // SAFETY: the caller passes null, or the handle of a live instance or device.
        let key = unsafe { dispatch_key(handle) };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::new(new));
    }

    pub(super) unsafe fn remove_dispatchable(&self, handle: impl Handle) -> Option<Arc<T>> {
        // SAFETY: the caller passes null, or the handle of a live instance or device.
        let key = unsafe { dispatch_key(handle) };
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&key)
    }
}
