//! Mapping an import, and freeing what was mapped.

use cuda_external_sys::*;

use crate::layer::chassis::double_close;
use crate::layer::chassis::process_state::{State, has_mappings, note_mappings};
use crate::layer::chassis::wrapped_call::{Call, CallResult};
use crate::layer::core_checks::import_checks;
use crate::layer::host_process::call_site::Site;
use crate::layer::host_process::current_process::reports;
use crate::layer::object_tracker::array_shapes;
use crate::layer::object_tracker::desc_fields::Description;
use crate::layer::object_tracker::handle_checks::{Checked, call_with, suspected};
use crate::layer::state_tracker::stream_identity::Where;
use crate::layer::state_tracker::tracked_objects::{Found, How, Kind, Object};
use crate::object_description::About;
use crate::rules::Rule;

/// Checks a description, calls the driver and records the mapping. `check` gets the import if it is known.
fn map(
    call: &mut Call<'_>,
    memory: CUexternalMemory,
    desc: &Description,
    check: impl FnOnce(&Call<'_>, &mut State, Option<(u32, About)>) -> Result<(), CUresult>,
    handle: impl FnOnce() -> u64,
) -> CallResult {
    double_close::report(call);
    let (at, site, memory) = (Where::of_thread(call), call.site(), memory.addr() as u64);
    let mut state = call.state();
    state.check_forked(call);
    let import = state.import_of(call, memory, Kind::Memory, false)?;
    state.check_context(call, import, &at);
    desc.check_reserved(call, &mut state);
    let of_import = import.and_then(|import| state.objects.get(import));
    let (about, context) = of_import.map(|import| (import.about, import.context)).unzip();
    let described = import.zip(about);
    let offset = desc.about.offset();
    if let Some((number, _)) = described.filter(|(_, of)| of.is_dedicated() && offset != 0) {
        let text = format!("The offset is {offset}.");
        state.report(call.finding(Rule::MappingDedicatedOffset, text).about(number));
    }
    check(call, &mut state, described)?;
    drop(state);
    let code = call_with(call, memory, import);
    let mut state = call.state();
    if code == CUDA_SUCCESS {
        state.add(site, handle(), context.unwrap_or(at.context()), desc.about, import.unwrap_or(0));
        note_mappings();
    } else {
        desc.explain_flags(call, &mut state, code);
    }
    Ok(code)
}

pub unsafe fn map_buffer(
    call: &mut Call<'_>,
    out: *mut CUdeviceptr,
    memory: CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
) -> CallResult {
    // SAFETY: the program's pointers are valid or null, as the driver needs them.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return Ok(call.driver()) };
    let check = |call: &Call<'_>, state: &mut State, import| {
        if let Some(import) = import {
            check_buffer(call, state, import, About::buffer(desc));
        }
        Ok(())
    };
    // SAFETY: not null, and written by a successful call.
    map(call, memory, &desc.into(), check, || unsafe { *out })
}

pub unsafe fn map_array(
    call: &mut Call<'_>,
    out: *mut CUmipmappedArray,
    memory: CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) -> CallResult {
    // SAFETY: the program's pointers are valid or null, as the driver needs them.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return Ok(call.driver()) };
    let check = |call: &Call<'_>, state: &mut State, import| {
        for (rule, text) in array_shapes::problems(&desc.arrayDesc, desc.numLevels) {
            state.report(call.finding(rule, text));
        }
        if let Some(import) = import {
            check_array(call, state, import, desc);
        }
        if desc.numLevels > 0 {
            return Ok(());
        }
        state.refuse(call.finding(Rule::ArrayNoLevels, "numLevels is 0."), CUDA_ERROR_INVALID_VALUE)
    };
    // SAFETY: not null, and written by a successful call.
    map(call, memory, &desc.into(), check, || unsafe { *out }.addr() as u64)
}

fn check_array(
    call: &Call<'_>,
    state: &mut State,
    (number, import): (u32, About),
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) {
    let (size, least) = (import.size(), array_shapes::least_bytes(&desc.arrayDesc, desc.numLevels));
    if u128::from(desc.offset) + least > u128::from(size) {
        let text =
            format!("It needs {least} bytes at least, from {} on; the import has {size}.", desc.offset);
        state.report(call.finding(Rule::ArrayTooLarge, text).about(number));
    }
    state.compare_array_with_image(call, number, desc);
}

fn check_buffer(call: &Call<'_>, state: &mut State, (number, import): (u32, About), buffer: About) {
    let (offset, size, of_import) = (buffer.offset(), buffer.size(), import.size());
    if size == 0 || offset.checked_add(size).is_none_or(|end| end > of_import) {
        let text = format!("{size} bytes from {offset} are not within the import's {of_import}.");
        state.report(call.finding(Rule::MappingBeyondImport, text).about(number));
    }
    if !reports(Rule::MappingOverlap) {
        return;
    }
    let mappings = state.objects.get(number).into_iter().flat_map(|import| &import.mappings);
    let overlaps = |mapping: &u32| {
        let other = state.objects.get(*mapping).map(|mapping| mapping.about).unwrap_or_default();
        other.kind() == Kind::Buffer
            && offset < other.offset().saturating_add(other.size())
            && other.offset() < offset.saturating_add(size)
    };
    if let Some(other) = mappings.copied().find(overlaps) {
        let text = format!("{size} bytes from {offset} overlap another mapping.");
        state.report(call.finding(Rule::MappingOverlap, text).about(number).about(other));
    }
}

impl State {
    /// Records a mapping of memory that CUDA allocated, which Vulkan may import. It is not freed as others are.
    pub fn map_own(&mut self, address: u64, [size, offset]: [u64; 2], allocation: u64, made: Site) {
        let Some(memory) = self.allocations.get(&allocation) else { return };
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let (about, context) = (About::buffer(&desc), usize::MAX); // it is of no context
        let new = Object { handle: address, about, made, context, ..Object::default() };
        let number = self.objects.add(new);
        self.vulkan.note_cuda_import(number, *memory);
    }
}

/// cuMemFree and cuMemFreeAsync, of whatever the program frees.
pub fn free(call: &mut Call<'_>, address: CUdeviceptr) -> CUresult {
    if !has_mappings() {
        return call.driver();
    }
    double_close::report(call);
    let found = call.state().objects.by_start(address);
    let number = match found {
        Found::Alive(number) => return import_checks::end(call, number),
        Found::Unknown => return call.driver(),
        Found::Ended(number) => number,
    };
    let code = call.driver();
    let mut state = call.state();
    if code == CUDA_SUCCESS {
        // By now the address belonged to another allocation.
        state.objects.forget_addresses(address, 1);
    } else if matches!(code, CUDA_ERROR_INVALID_VALUE | CUDA_ERROR_CONTEXT_IS_DESTROYED) {
        let ended = state.objects.get(number).and_then(|object| object.ended.as_ref());
        let is_with_context = matches!(ended, Some((How::WithContext, _)));
        let rule = if is_with_context { Rule::HandleContextGone } else { Rule::FreedTwice };
        let text =
            format!("{address:#x} is the address of a mapping that has ended; the call returned {code:?}.");
        state.report(call.finding(rule, text).about(number));
    }
    code
}

/// The array of a handle: `None` if it belongs to no import, or the code if the array has ended.
fn array_of(call: &Call<'_>, array: CUmipmappedArray, ends: bool) -> Checked {
    let (handle, mut state) = (array.addr() as u64, call.state());
    match state.objects.by_handle(handle) {
        Found::Unknown => Ok(None),
        _ => state.import_of(call, handle, Kind::Array, ends),
    }
}

/// cuMipmappedArrayDestroy, of whatever array.
pub fn destroy_array(call: &mut Call<'_>, array: CUmipmappedArray) -> CallResult {
    if !has_mappings() {
        return Ok(call.driver());
    }
    double_close::report(call);
    Ok(match array_of(call, array, true)? {
        Some(number) => import_checks::end(call, number),
        None if call.state().objects.by_handle(array.addr() as u64) == Found::Unknown => call.driver(),
        // With --let-crash the program is to crash.
        None => suspected(call, 0),
    })
}

/// cuMipmappedArrayGetLevel: a level is used as its array is.
pub unsafe fn get_level(call: &mut Call<'_>, out: *mut CUarray, array: CUmipmappedArray) -> CallResult {
    if !has_mappings() {
        return Ok(call.driver());
    }
    let number = array_of(call, array, false)?;
    let code = call.driver();
    if code == CUDA_SUCCESS && !out.is_null() {
        // SAFETY: not null, and written by a successful call.
        let level = unsafe { *out }.addr() as u64;
        call.state().objects.set_level(level, number);
    }
    Ok(code)
}
