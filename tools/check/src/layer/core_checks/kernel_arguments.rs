//! Finds the mappings that kernels get as arguments: by an address, or by the handle of a surface or a texture.
//!
//! This code does not find an address that a kernel reads from memory, such as from a list of buffers.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use cuda_external_sys::*;

use crate::layer::chassis::wrapped_call::WrappedCall;
use crate::layer::error_messages::finding::send_notice;
use crate::layer::host_process::current_process::active_check;
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::tracked_objects::{
    AccessKind, ObjectAccess, ObjectLookup, ObjectTable, ObjectUse,
};
use crate::layer::sync::enqueue::{enqueue_with_uses, enqueue_without_uses};
use crate::layer::vulkan::vulkan_state::{has_exports, reports_possible_hazards};

pub struct KernelArguments {
    pub function: CUfunction,
    /// A pointer to each argument, or null.
    pub params: *mut *mut c_void,
    /// A list of names and values that ends in a null pointer, or null.
    pub extra: *mut *mut c_void,
}

/// Launches a kernel, and records the mappings that it may use.
///
/// # Safety
///
/// The pointers are null, or valid as the driver needs them.
pub unsafe fn launch_kernel(
    call: &mut WrappedCall<'_>,
    stream: usize,
    arguments: &KernelArguments,
) -> CUresult {
    // SAFETY: the pointers of `arguments` are null, or valid as the driver needs them.
    let uses = unsafe { uses_of_arguments(call, arguments) };
    if uses.is_empty() {
        return enqueue_without_uses(call, stream);
    }
    enqueue_with_uses(call, stream, |_, _, _| Ok(uses)).unwrap_or_else(|code| code)
}

/// Returns the mappings that a kernel with these arguments may use. Returns an empty list if the layer does not report
/// merely possible accesses, or before Vulkan has exported or imported an object.
///
/// # Safety
///
/// The pointers are null, or valid as the driver needs them.
pub unsafe fn uses_of_arguments(call: &mut WrappedCall<'_>, arguments: &KernelArguments) -> Vec<ObjectUse> {
    if !reports_possible_hazards() || !has_exports() {
        return Vec::new();
    }
    // SAFETY: the pointers of `arguments` are null, or valid as the driver needs them.
    let words = unsafe { argument_words(call, arguments) };
    let (state, kernel) = (call.lock_state(), arguments.function.addr() as u64);
    let mut uses: Vec<ObjectUse> = Vec::new();
    for (word, is_alone) in words {
        let Some(used) = mapping_use_of_word(&state.objects, kernel, word, is_alone) else { continue };
        if !uses.contains(&used) {
            uses.push(used);
        }
    }
    uses
}

fn mapping_use_of_word(objects: &ObjectTable, kernel: u64, word: u64, is_alone: bool) -> Option<ObjectUse> {
    if let ObjectLookup::Alive(mapping) = objects.find_buffer_by_address(word) {
        let touch = ObjectAccess { address: Some(word), size: u64::MAX, does: AccessKind::MayWrite(kernel) };
        return Some(ObjectUse::memory_use(mapping, Some(touch)));
    }
    // The handle of a surface or a texture may be a small number. A small number within a struct is often something
    // else, so only a whole argument counts as such a handle.
    let (array, does) = objects.viewed_array(word).filter(|_| is_alone)?;
    let does = if does == AccessKind::Read { does } else { AccessKind::MayWrite(kernel) };
    Some(ObjectUse::memory_use(array, Some(ObjectAccess { address: None, size: 1, does })))
}

/// Sends a notice if the driver does not report the arguments of kernels. A process sends the notice only once.
fn warn_arguments_unknown(call: &mut WrappedCall<'_>) {
    static IS_ASKED: AtomicBool = AtomicBool::new(false);
    if IS_ASKED.load(Relaxed) || IS_ASKED.swap(true, Relaxed) {
        return;
    }
    if let (Some(check), false) = (active_check(), driver_functions::reports_kernel_arguments(call)) {
        let text = "The driver is older than CUDA 12.4 and does not report what kernels get: their reads and writes \
                    are not seen.";
        send_notice(check.shared, text);
    }
}

/// Returns the 8-byte words of the arguments, and whether each word is a whole argument.
unsafe fn argument_words(call: &mut WrappedCall<'_>, arguments: &KernelArguments) -> Vec<(u64, bool)> {
    const BUFFER: usize = 1;
    const SIZE: usize = 2;
    let read = |start: *const c_void, size: usize| {
        let is_alone = size == 8;
        // SAFETY: `start` points to `size` bytes, and the read needs no alignment.
        let word = move |at: usize| unsafe { start.cast::<u64>().add(at).read_unaligned() };
        (0..size / 8).map(move |at| (word(at), is_alone))
    };
    let mut all = Vec::new();
    // SAFETY: `params` has a pointer for each argument; `extra` has pairs of pointers with a null pointer after them.
    unsafe {
        if !arguments.params.is_null() {
            let mut at = 0;
            warn_arguments_unknown(call);
            while let Some(size) = driver_functions::argument_size(call, arguments.function, at) {
                let argument = *arguments.params.add(at);
                if !argument.is_null() {
                    all.extend(read(argument, size));
                }
                at += 1;
            }
        } else if !arguments.extra.is_null() {
            let (mut buffer, mut size, mut at) = (std::ptr::null_mut(), 0, arguments.extra);
            while !(*at).is_null() {
                match (*at).addr() {
                    BUFFER => buffer = *at.add(1),
                    SIZE => size = *(*at.add(1)).cast::<usize>(),
                    _ => break,
                }
                at = at.add(2);
            }
            if !buffer.is_null() {
                all.extend(read(buffer, size).map(|(word, _)| (word, false)));
            }
        }
    }
    all
}
