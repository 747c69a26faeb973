//! Mapping an import, and freeing what was mapped.

use std::sync::atomic::Ordering;

use cuda_external_sys::*;

use crate::about::About;
use crate::layer::images;
use crate::layer::objects::{Found, How, Kind};
use crate::layer::report::Finding;
use crate::layer::site::{is_gone_after, origin};
use crate::layer::state::{HAS_MAPPINGS, State, state};
use crate::rules::Rule;

/// Takes a mapping in: it begins at this offset of its import. Without one it is of the current context.
fn add(
    (call, current): (&'static str, usize),
    (kind, handle): (Kind, u64),
    import: Option<u32>,
    range: (u64, u64),
    about: About,
) {
    let mut state = state();
    let context =
        import.and_then(|import| state.objects.get(import)).map_or(current, |import| import.context);
    state.add(call, (kind, handle), context, about, |object| {
        (object.offset, object.size) = range;
        object.import = import.unwrap_or(0);
    });
    HAS_MAPPINGS.store(true, Ordering::Release);
}

pub unsafe fn map_buffer(
    call: &'static str,
    out: *mut CUdeviceptr,
    memory: CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    // SAFETY: the program's pointers are valid or null, as the driver needs them.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return real() };
    let mut state = state();
    state.look_at_descriptors();
    let import = match state.import_of(call, memory.addr() as u64, Kind::Memory, false) {
        Ok(import) => import,
        Err(code) => return code,
    };
    let current = state.check_context(call, import, None);
    state.check_reserved(call, "the buffer's description", desc.reserved == [0; 16]);
    if let Some(import) = import {
        check_range(&mut state, call, import, desc.offset, desc.size);
        check_overlap(&mut state, call, import, desc.offset, desc.size);
    }
    drop(state);
    let code = real();
    if code == CUDA_SUCCESS {
        // SAFETY: not null, and written by a successful call.
        add(
            (call, current),
            (Kind::Buffer, unsafe { *out }),
            import,
            (desc.offset, desc.size),
            About::buffer(desc),
        );
    } else if desc.flags != 0 {
        unknown_flags(call, desc.flags, code);
    }
    code
}

fn check_range(state: &mut State, call: &'static str, number: u32, offset: u64, size: u64) {
    let Some(import) = state.objects.get(number) else { return };
    let (of_import, flags) = (import.size, import.flags);
    if size == 0 || offset.checked_add(size).is_none_or(|end| end > of_import) {
        let text = format!("{size} bytes from {offset} are not within the import's {of_import}.");
        state.report(Finding::new(Rule::MappingBeyondImport, call, text).about(number));
    }
    check_dedicated(state, call, number, offset, flags);
}

fn check_dedicated(state: &mut State, call: &'static str, number: u32, offset: u64, flags: u32) {
    if flags & CUDA_EXTERNAL_MEMORY_DEDICATED != 0 && offset != 0 {
        let text = format!("The offset is {offset}.");
        state.report(Finding::new(Rule::MappingDedicatedOffset, call, text).about(number));
    }
}

fn check_overlap(state: &mut State, call: &'static str, number: u32, offset: u64, size: u64) {
    if !state.output.options.reports(Rule::MappingOverlap) {
        return;
    }
    let mappings = state.objects.get(number).map(|import| import.mappings.clone()).unwrap_or_default();
    let objects = &state.objects;
    let overlaps = |mapping: &&u32| {
        objects.get(**mapping).is_some_and(|mapping| {
            mapping.kind == Kind::Buffer
                && offset < mapping.offset.saturating_add(mapping.size)
                && mapping.offset < offset.saturating_add(size)
        })
    };
    if let Some(other) = mappings.iter().find(overlaps).copied() {
        let text = format!("{size} bytes from {offset} overlap another mapping.");
        state.report(Finding::new(Rule::MappingOverlap, call, text).about(number).about(other));
    }
}

fn unknown_flags(call: &'static str, flags: u32, code: CUresult) {
    let text = format!("The flags are {flags:#x}; the call returned {code:?}.");
    state().report(Finding::new(Rule::UnknownFlags, call, text));
}

pub unsafe fn map_array(
    call: &'static str,
    out: *mut CUmipmappedArray,
    memory: CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    // SAFETY: as above.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return real() };
    let mut state = state();
    state.look_at_descriptors();
    let import = match state.import_of(call, memory.addr() as u64, Kind::Memory, false) {
        Ok(import) => import,
        Err(code) => return code,
    };
    let current = state.check_context(call, import, None);
    state.check_reserved(call, "the array's description", desc.reserved == [0; 16]);
    for (rule, text) in images::problems(&desc.arrayDesc, desc.numLevels) {
        state.report(Finding::new(rule, call, text));
    }
    if let Some((number, size, flags)) = import
        .and_then(|import| state.objects.get(import))
        .map(|import| (import.number, import.size, import.flags))
    {
        let least = images::least_bytes(&desc.arrayDesc, desc.numLevels);
        if u128::from(desc.offset) + least > u128::from(size) {
            let text =
                format!("It needs {least} bytes at least, from {} on; the import has {size}.", desc.offset);
            state.report(Finding::new(Rule::ArrayTooLarge, call, text).about(number));
        }
        check_dedicated(&mut state, call, number, desc.offset, flags);
    }
    if desc.numLevels == 0 {
        let answer = state.instead(CUDA_ERROR_INVALID_VALUE);
        state.report(Finding::new(Rule::ArrayNoLevels, call, "numLevels is 0.".to_owned()).answered(answer));
        if let Some(code) = answer {
            return code;
        }
    }
    drop(state);
    let code = real();
    let flags = desc.arrayDesc.Flags;
    if code == CUDA_SUCCESS {
        // SAFETY: as above.
        add(
            (call, current),
            (Kind::Array, unsafe { *out }.addr() as u64),
            import,
            (desc.offset, 0),
            About::array(desc),
        );
    } else if flags & !KNOWN_FLAGS != 0 {
        unknown_flags(call, flags, code);
    }
    code
}

/// Those of CUDA 13.5, the ones that these bindings lack included: sparse, deferred mapping, video.
const KNOWN_FLAGS: u32 = 0x1ff;

/// cuMemFree and cuMemFreeAsync, of whatever the program frees.
pub fn free(call: &'static str, address: CUdeviceptr, real: impl FnOnce() -> CUresult) -> CUresult {
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return real();
    }
    let mut state = state();
    state.look_at_descriptors();
    match state.objects.by_start(address) {
        Found::Alive(number) => {
            state.check_in_use(call, number);
            state.check_graphs(call, number);
            state.end(number, How::Freed, origin(call));
            drop(state);
            let code = real();
            if !is_gone_after(code) {
                self::state().revive(number);
            }
            code
        }
        Found::Ended(number) => {
            drop(state);
            let code = real();
            let mut state = self::state();
            if code == CUDA_SUCCESS {
                // It was another allocation's address by now.
                state.objects.forget_addresses(address, 1);
            } else if matches!(code, CUDA_ERROR_INVALID_VALUE | CUDA_ERROR_CONTEXT_IS_DESTROYED) {
                let ended = state.objects.get(number).and_then(|object| object.ended.as_ref());
                let is_with_context = matches!(ended, Some((How::WithContext, _)));
                let rule = if is_with_context { Rule::HandleContextGone } else { Rule::FreedTwice };
                let text = format!(
                    "{address:#x} is the address of a mapping that has ended; the call returned {code:?}."
                );
                state.report(Finding::new(rule, call, text).about(number));
            }
            code
        }
        Found::Unknown => {
            drop(state);
            real()
        }
    }
}

/// cuMipmappedArrayDestroy, of whatever array.
pub fn destroy_array(
    call: &'static str,
    array: CUmipmappedArray,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return real();
    }
    let mut state = state();
    state.look_at_descriptors();
    let handle = array.addr() as u64;
    let number = match state.objects.by_handle(handle) {
        Found::Unknown => None,
        _ => match state.import_of(call, handle, Kind::Array, true) {
            Ok(number) => number,
            Err(code) => return code,
        },
    };
    let Some(number) = number else {
        drop(state);
        return real();
    };
    state.check_in_use(call, number);
    state.check_graphs(call, number);
    state.end(number, How::Freed, origin(call));
    drop(state);
    let code = real();
    if !is_gone_after(code) {
        self::state().revive(number);
    }
    code
}

/// cuMipmappedArrayGetLevel: a level is used as its array is.
pub unsafe fn get_level(
    call: &'static str,
    out: *mut CUarray,
    array: CUmipmappedArray,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return real();
    }
    let handle = array.addr() as u64;
    let mut state = state();
    if let Found::Ended(_) = state.objects.by_handle(handle) {
        if let Err(code) = state.import_of(call, handle, Kind::Array, false) {
            return code;
        }
    }
    let found = state.objects.by_handle(handle);
    drop(state);
    let code = real();
    if code == CUDA_SUCCESS && !out.is_null() {
        // SAFETY: not null, and written by a successful call.
        let level = unsafe { *out }.addr() as u64;
        let mut state = self::state();
        state.objects.forget_level(level);
        if let Found::Alive(number) = found {
            state.objects.add_level(level, number);
        }
    }
    code
}

/// A new array of another function: the driver may give it the handle of one that has ended.
pub fn new_array(handle: u64) {
    if HAS_MAPPINGS.load(Ordering::Acquire) {
        state().objects.forget_array(handle);
    }
}
