//! Reads Vulkan's chains of structures, and its arrays.

use std::ffi::c_void;
use std::slice;

use ash::vk::{BaseOutStructure, StructureType, TaggedStructure};

/// Returns the first structure of the type `T` in a chain that Vulkan reads.
///
/// # Safety
///
/// Each structure of the chain is one of Vulkan's, which begin with `sType` and `pNext`. The chain outlives the result.
pub unsafe fn find_in_chain<'a, T: TaggedStructure>(chain: *const c_void) -> Option<&'a T> {
    // SAFETY: the chain outlives the result, and a structure with the `sType` of `T` is a `T`.
    unsafe { find_structure(chain, T::STRUCTURE_TYPE)?.cast::<T>().as_ref() }
}

/// Returns the first structure of the type `T` in a chain that Vulkan fills in.
///
/// # Safety
///
/// The rules of [`find_in_chain`] apply, and nothing else refers to the structure.
pub unsafe fn find_in_output_chain<'a, T: TaggedStructure>(chain: *mut c_void) -> Option<&'a mut T> {
    // SAFETY: the chain outlives the result, and a structure with the `sType` of `T` is a `T`.
    unsafe { find_structure(chain, T::STRUCTURE_TYPE)?.cast::<T>().as_mut() }
}

/// # Safety
///
/// Each structure of the chain is one of Vulkan's, which begin with `sType` and `pNext`.
pub(super) unsafe fn find_structure(chain: *const c_void, kind: StructureType) -> Option<*mut c_void> {
    let mut next = chain.cast_mut().cast::<BaseOutStructure<'_>>();
    while !next.is_null() {
        // SAFETY: `next` is a structure of the chain, and so begins with `sType` and `pNext`.
        let (found, after) = unsafe { ((*next).s_type, (*next).p_next) };
        if found == kind {
            return Some(next.cast());
        }
        next = after.cast();
    }
    None
}

/// Returns the elements of an array that the program passes with its length, or no elements for a null pointer.
///
/// # Safety
///
/// The array has `count` elements, or is null.
pub unsafe fn array_slice<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if count == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: the array is not null, and so has `count` elements.
    unsafe { slice::from_raw_parts(first, count as usize) }
}

#[test]
fn a_structure_is_found_in_a_chain_behind_others() {
    use ash::vk;

    // The test stores raw pointers: Miri reports a chain that outlives the references which `push_next` takes.
    let kind = vk::SemaphoreTypeCreateInfo::default().initial_value(7);
    let export = vk::ExportSemaphoreCreateInfo { p_next: (&raw const kind).cast(), ..Default::default() };
    let chain = (&raw const export).cast();
    // SAFETY: the pointers are those of the chain above.
    let found: Option<&vk::SemaphoreTypeCreateInfo<'_>> = unsafe { find_in_chain(chain) };
    assert_eq!(found.map(|kind| kind.initial_value), Some(7));
    // SAFETY: the pointers are those of the chain above.
    assert!(unsafe { find_in_chain::<vk::ExportFenceCreateInfo<'_>>(chain) }.is_none());
}
