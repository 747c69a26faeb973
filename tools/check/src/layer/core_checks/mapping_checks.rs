//! Checks calls that map an import or free a mapping.

use cuda_external_sys::*;

use crate::layer::chassis::double_close;
use crate::layer::chassis::process_state::{ProcessState, had_mappings, set_had_mappings};
use crate::layer::chassis::wrapped_call::{WrappedCall, WrappedCallResult};
use crate::layer::core_checks::import_checks;
use crate::layer::host_process::current_process::{CallSite, is_rule_reported};
use crate::layer::object_tracker::array_desc_problems;
use crate::layer::object_tracker::handle_checks::{
    CheckedHandle, call_driver_with_handle, call_with_crash_suspect,
};
use crate::layer::object_tracker::import_arguments::ImportDescFields;
use crate::layer::state_tracker::stream_identity::StreamAndContext;
use crate::layer::state_tracker::tracked_objects::{ObjectEnd, ObjectKind, ObjectLookup, TrackedObject};
use crate::object_description::ObjectDescription;
use crate::rules::{Rule, rules};

rules! {
    MAPPING_BEYOND_IMPORT 17 "mapping-beyond-import" DESCRIPTIONS Measured "H100, H200" ByDefault
        "A buffer is mapped with size 0, or reaches beyond the size with which its memory was imported."
        "Import the whole allocation. Keep a buffer's offset + size within the import, and the buffer's size above 0.";
    MAPPING_OVERLAP 18 "mapping-overlap" DESCRIPTIONS Manual "cuExternalMemoryGetMappedBuffer" OnEnable
        "Two mapped buffers of one import overlap. Writes through one address need not be visible through the other."
        "Map the whole range once, and add offsets to the address of that mapping.";
    MAPPING_DEDICATED_OFFSET 19 "mapping-dedicated-offset" DESCRIPTIONS Measured "H100, H200" ByDefault
        "Memory that was imported with CUDA_EXTERNAL_MEMORY_DEDICATED is mapped at an offset other than 0."
        "Use offset 0: a dedicated allocation holds one resource, at its beginning.";
    ARRAY_TOO_LARGE 20 "array-too-large" DESCRIPTIONS Guide
        "Vulkan, Mapping Mipmapped Arrays onto Imported Memory Objects" ByDefault
        "A mipmapped array needs more bytes, even without padding, than the import has after the array's offset."
        "Give the array the Vulkan image's extent, layers, levels and format, and import the whole allocation.";
    ARRAY_NO_LEVELS 22 "array-no-levels" DESCRIPTIONS Measured "H100, H200" ByDefault
        "A mipmapped array has numLevels 0. The driver aborts the process."
        "Set numLevels to mipLevels of the Vulkan image: 1 for an image without mipmaps.";
    FREED_TWICE 27 "freed-twice" LIFETIMES Measured "H100, H200" ByDefault
        "A mapped buffer is freed for the second time."
        "Free each mapping once.";
}

/// Checks a mapping's description. If no check refuses the call, calls the driver. On success, records the mapping with
/// the handle that `handle` then returns. `array` is the description of a mipmapped array, or `None` for a buffer.
fn check_and_map(
    call: &mut WrappedCall<'_>,
    memory: CUexternalMemory,
    desc: &ImportDescFields,
    array: Option<&CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>,
    handle: impl FnOnce() -> u64,
) -> WrappedCallResult {
    let (at, site, memory) =
        (StreamAndContext::from_current_context(call), call.call_site(), memory.addr() as u64);
    let mut state = call.lock_state();
    let import = state.checked_import(call, memory, ObjectKind::Memory, false)?;
    state.check_context_matches_import(call, import, &at);
    desc.check_reserved_zero(call, &mut state);
    let of_import = import.and_then(|import| state.objects.get_object(import));
    let (about, context) = of_import.map(|import| (import.about, import.context)).unzip();
    let described = import.zip(about);
    let offset = desc.about.described_offset();
    if let Some((number, _)) = described.filter(|(_, of)| of.is_dedicated() && offset != 0) {
        let text = format!("The offset is {offset}.");
        state.report_finding(call.new_finding(Rule::MAPPING_DEDICATED_OFFSET, text).about_object(number));
    }
    match (array, described) {
        (Some(array), import) => check_array_mapping(call, &mut state, import, array)?,
        (None, Some(import)) => check_buffer_mapping(call, &mut state, import, desc.about),
        (None, None) => {}
    }
    drop(state);
    let code = call_driver_with_handle(call, memory, import);
    let mut state = call.lock_state();
    if code == CUDA_SUCCESS {
        let context = context.unwrap_or(at.context());
        state.track_new_object(site, handle(), context, desc.about, import.unwrap_or(0));
        set_had_mappings();
    } else {
        desc.report_unknown_flags(call, &mut state, code);
    }
    Ok(code)
}

pub unsafe fn map_buffer(
    call: &mut WrappedCall<'_>,
    out: *mut CUdeviceptr,
    memory: CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
) -> WrappedCallResult {
    // SAFETY: the program's pointers are valid or null, as the driver needs them.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else {
        return Ok(call.call_driver());
    };
    // SAFETY: `out` is not null, and the successful call wrote to it.
    check_and_map(call, memory, &desc.into(), None, || unsafe { *out })
}

pub unsafe fn map_array(
    call: &mut WrappedCall<'_>,
    out: *mut CUmipmappedArray,
    memory: CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) -> WrappedCallResult {
    // SAFETY: the program's pointers are valid or null, as the driver needs them.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else {
        return Ok(call.call_driver());
    };
    // SAFETY: `out` is not null, and the successful call wrote to it.
    check_and_map(call, memory, &desc.into(), Some(desc), || unsafe { *out }.addr() as u64)
}

fn check_array_mapping(
    call: &WrappedCall<'_>,
    state: &mut ProcessState,
    import: Option<(u32, ObjectDescription)>,
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) -> Result<(), CUresult> {
    for (rule, text) in array_desc_problems::find_desc_problems(&desc.arrayDesc, desc.numLevels) {
        state.report_finding(call.new_finding(rule, text));
    }
    if let Some((number, import)) = import {
        let least = array_desc_problems::min_image_bytes(&desc.arrayDesc, desc.numLevels);
        let (size, offset) = (import.described_size(), desc.offset);
        if u128::from(offset) + least > u128::from(size) {
            let text = format!(
                "The array needs at least {least} bytes from offset {offset}; the import has {size}."
            );
            state.report_finding(call.new_finding(Rule::ARRAY_TOO_LARGE, text).about_object(number));
        }
        state.compare_array_with_image(call, number, desc);
    }
    if desc.numLevels > 0 {
        return Ok(());
    }
    let finding = call.new_finding(Rule::ARRAY_NO_LEVELS, "numLevels is 0.");
    state.refuse_call(finding, CUDA_ERROR_INVALID_VALUE)
}

fn check_buffer_mapping(
    call: &WrappedCall<'_>,
    state: &mut ProcessState,
    (number, import): (u32, ObjectDescription),
    buffer: ObjectDescription,
) {
    let (offset, size, of_import) =
        (buffer.described_offset(), buffer.described_size(), import.described_size());
    if size == 0 || offset.checked_add(size).is_none_or(|end| end > of_import) {
        let text =
            format!("{size} bytes from offset {offset} are not within the import's {of_import} bytes.");
        state.report_finding(call.new_finding(Rule::MAPPING_BEYOND_IMPORT, text).about_object(number));
    }
    if !is_rule_reported(Rule::MAPPING_OVERLAP) {
        return;
    }
    let mappings = state.objects.get_object(number).into_iter().flat_map(|import| &import.mappings);
    let overlaps = |mapping: &u32| {
        let other = state.objects.get_object(*mapping).map(|mapping| mapping.about).unwrap_or_default();
        other.object_kind() == ObjectKind::Buffer
            && offset < other.described_offset().saturating_add(other.described_size())
            && other.described_offset() < offset.saturating_add(size)
    };
    if let Some(other) = mappings.copied().find(overlaps) {
        let text =
            format!("The buffer of {size} bytes from offset {offset} overlaps the mapped buffer #{other}.");
        let finding = call.new_finding(Rule::MAPPING_OVERLAP, text).about_object(number);
        state.report_finding(finding.about_object(other));
    }
}

impl ProcessState {
    /// Records a mapping by cuMemMap, if Vulkan may import the mapped allocation. cuMemUnmap ends the mapping.
    pub fn add_mapping_of_cuda_memory(
        &mut self,
        address: u64,
        [size, offset]: [u64; 2],
        allocation: u64,
        made: CallSite,
    ) {
        let Some(memory) = self.allocations.get(&allocation) else { return };
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let (about, context) = (ObjectDescription::from_buffer_desc(&desc), usize::MAX); // in no context
        let new = TrackedObject { handle: address, about, made, context, ..TrackedObject::default() };
        let number = self.objects.track_object(new);
        self.vulkan.note_cuda_import(number, *memory);
    }
}

pub fn free_address(call: &mut WrappedCall<'_>, address: CUdeviceptr) -> CUresult {
    if !had_mappings() {
        return call.call_driver();
    }
    double_close::report_second_closes(call);
    let found = call.lock_state().objects.find_buffer_by_start(address);
    let (number, how) = match found {
        ObjectLookup::Alive(number) => return import_checks::end_object(call, number),
        ObjectLookup::Unknown => return call.call_driver(),
        ObjectLookup::Ended(number, how) => (number, how),
    };
    let code = call.call_driver();
    let mut state = call.lock_state();
    if code == CUDA_SUCCESS {
        // The call succeeded, so the driver had given the address to another allocation.
        state.objects.forget_addresses(address, 1);
    } else if matches!(code, CUDA_ERROR_INVALID_VALUE | CUDA_ERROR_CONTEXT_IS_DESTROYED) {
        let is_with_context = how == ObjectEnd::WithContext;
        let rule = if is_with_context { Rule::HANDLE_CONTEXT_GONE } else { Rule::FREED_TWICE };
        let text =
            format!("{address:#x} is the address of a mapping that has ended; the call returned {code:?}.");
        state.report_finding(call.new_finding(rule, text).about_object(number));
    }
    code
}

/// Returns a handle's array, `None` if no import made the array, or an error if the layer must not call the driver.
fn checked_array(call: &WrappedCall<'_>, array: CUmipmappedArray, ends: bool) -> CheckedHandle {
    let (handle, mut state) = (array.addr() as u64, call.lock_state());
    match state.objects.find_object_by_handle(handle) {
        ObjectLookup::Unknown => Ok(None),
        _ => state.checked_import(call, handle, ObjectKind::Array, ends),
    }
}

pub fn destroy_array(call: &mut WrappedCall<'_>, array: CUmipmappedArray) -> WrappedCallResult {
    double_close::report_second_closes(call);
    Ok(match checked_array(call, array, true)? {
        Some(number) => import_checks::end_object(call, number),
        None if call.lock_state().is_unknown_handle(array.addr() as u64) => call.call_driver(),
        // Reached only with --let-crash: the driver may crash on the destroyed array.
        None => call_with_crash_suspect(call, 0),
    })
}

/// Checks and makes a call of cuMipmappedArrayGetLevel, and records to which mipmapped array the level belongs.
pub unsafe fn get_array_level(
    call: &mut WrappedCall<'_>,
    out: *mut CUarray,
    array: CUmipmappedArray,
) -> WrappedCallResult {
    let number = checked_array(call, array, false)?;
    let code = call.call_driver();
    if code == CUDA_SUCCESS && !out.is_null() {
        // SAFETY: `out` is not null, and the successful call wrote to it.
        let level = unsafe { *out }.addr() as u64;
        call.lock_state().objects.set_level_array(level, number);
    }
    Ok(code)
}
