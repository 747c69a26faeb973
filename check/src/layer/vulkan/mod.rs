//! The other side: a Vulkan layer in the same library, so that one state knows what Vulkan exported and what CUDA imported.
//!
//! `loader` is what Vulkan's loader asks for, `tables` has the instances and devices, and `device` and `commands` are the
//! functions that stand before those of the next layer. `records` is the data. `pairs` compares both sides of an import, `timelines` the values that both
//! signal, and `hand_over` what each side does to the same memory between two submissions.
//!
//! The rules of the lock are the layer's: nothing here calls Vulkan while it holds the state.

mod commands;
mod device;
mod formats;
mod hand_over;
mod loader;
mod pairs;
mod records;
mod tables;
mod timelines;

pub use hand_over::{host_waited, used_by_cuda};
pub use loader::vkNegotiateLoaderLayerInterfaceVersion;
pub use records::Vulkan;

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

/// Whether the program exported something. Until then CUDA's functions look at nothing here.
static HAS_EXPORTS: AtomicBool = AtomicBool::new(false);

pub fn has_exports() -> bool {
    HAS_EXPORTS.load(Ordering::Acquire)
}

/// The first structure of a type in a chain.
///
/// # Safety
///
/// Each structure of the chain begins as Vulkan's structures do.
unsafe fn in_chain<'a, T: vk::TaggedStructure>(chain: *const c_void) -> Option<&'a T> {
    // SAFETY: the caller's promise; a structure of this type is a `T`.
    unsafe { find_in_chain(chain, T::STRUCTURE_TYPE)?.cast::<T>().as_ref() }
}

/// # Safety
///
/// As above.
unsafe fn find_in_chain(mut next: *const c_void, kind: vk::StructureType) -> Option<*const c_void> {
    // SAFETY: the caller's promise.
    while let Some(structure) = unsafe { next.cast::<vk::BaseInStructure<'_>>().as_ref() } {
        if structure.s_type == kind {
            return Some(next);
        }
        next = structure.p_next.cast();
    }
    None
}

/// Entries of an array that Vulkan gets with its length.
///
/// # Safety
///
/// The array has as many entries, or its length is 0.
unsafe fn entries<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if count == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}
