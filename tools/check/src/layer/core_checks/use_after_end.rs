//! Checks whether copies, fills, surfaces and textures use mappings that still exist.

use std::ffi::c_void;

use cuda_external_sys::*;

use crate::layer::chassis::process_state::{ProcessState, had_mappings};
use crate::layer::chassis::wrapped_call::{WrappedCall, WrappedCallResult};
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::tracked_objects::{AccessKind, ObjectAccess, ObjectLookup, ObjectUse};
use crate::layer::sync::call_accesses::{MemoryAccess, TouchedMemory};
use crate::layer::sync::enqueue::{enqueue_with_uses, enqueue_without_uses};
use crate::layer::sync::stream_order::{note_host_wait_for_stream, run_in_default_stream};
use crate::layer::vulkan::vulkan_state::has_exports;
use crate::rules::{Rule, rules};

rules! {
    USE_AFTER_END 26 "use-after-end" LIFETIMES Manual "cuDestroyExternalMemory" ByDefault
        "A mapping is used after it was freed or after its import was destroyed, or a launched graph uses an object \
         that was freed or destroyed."
        "Free or destroy an object only after its last use, and imported memory only after its mappings' last use.";
}

#[derive(Clone, Copy, Debug)]
pub enum CopyCompletion {
    InStream(CUstream),
    /// The copy is in a stream, to this host address. If the memory is pageable, the call returns after the copy.
    InStreamToHost(CUstream, *const c_void),
    HostWaits,
    /// The copy is in the default stream, and the host does not wait.
    HostGoesOn,
}

pub fn run_checked_copy(
    call: &mut WrappedCall<'_>,
    completion: CopyCompletion,
    accesses: &[MemoryAccess],
) -> WrappedCallResult {
    if !had_mappings() {
        return Ok(call.call_driver());
    }
    let uses = check_accessed_mappings(call, accesses)?;
    let on = match completion {
        CopyCompletion::InStream(on) | CopyCompletion::InStreamToHost(on, _) => on,
        CopyCompletion::HostWaits => return Ok(run_in_default_stream(call, &uses, true)),
        CopyCompletion::HostGoesOn => return Ok(run_in_default_stream(call, &uses, false)),
    };
    let stream = call.stream_key(on);
    if uses.is_empty() {
        return Ok(enqueue_without_uses(call, stream));
    }
    let code = enqueue_with_uses(call, stream, |_, _, _| Ok(uses))?;
    if let (CopyCompletion::InStreamToHost(_, host), true) = (completion, has_exports()) {
        if !driver_functions::is_allocated_address(call, host.addr() as u64) {
            note_host_wait_for_stream(call, stream);
        }
    }
    Ok(code)
}

/// Creates a surface or texture object, and records the mapped array, if any, that kernels access through the object.
///
/// # Safety
///
/// The pointer is null, or a successful call writes to it.
pub unsafe fn create_view(
    call: &mut WrappedCall<'_>,
    out: *const u64,
    resource: TouchedMemory,
    kind: AccessKind,
) -> WrappedCallResult {
    let uses = check_accessed_mappings(call, &[MemoryAccess { memory: resource, kind: None }])?;
    let code = call.call_driver();
    // SAFETY: `out` is null or points to the program's handle, which this code reads only after a successful call.
    if let (CUDA_SUCCESS, Some(handle)) = (code, unsafe { out.as_ref() }) {
        call.lock_state().objects.set_viewed_array(*handle, uses.first().map(|used| (used.object, kind)));
    }
    Ok(code)
}

/// Reports mappings that are used after they or their imports have ended. Returns the uses of live mappings.
pub fn check_accessed_mappings(
    call: &mut WrappedCall<'_>,
    accesses: &[MemoryAccess],
) -> Result<Vec<ObjectUse>, CUresult> {
    let mut uses = Vec::new();
    for MemoryAccess { memory, kind } in accesses.iter().filter(|_| had_mappings()) {
        let mut state = call.lock_state();
        let (found, address) = memory.find_touched_mapping(&state.objects);
        match found {
            ObjectLookup::Alive(number) => {
                state.check_import_is_alive(call, number);
                uses.extend(state.uses_by_access(number, *memory, *kind));
            }
            ObjectLookup::Ended(number, _) => {
                drop(state);
                report_ended_mapping(call, number, address)?;
            }
            ObjectLookup::Unknown => {}
        }
    }
    Ok(uses)
}

/// Reports a mapping that is used after its end, unless `address` (`None` for an array) is in a new allocation.
fn report_ended_mapping(
    call: &mut WrappedCall<'_>,
    number: u32,
    address: Option<u64>,
) -> Result<(), CUresult> {
    let Some(address) = address else {
        let finding = call.new_finding(Rule::USE_AFTER_END, "The array was destroyed.");
        return call.lock_state().refuse_call(finding.about_object(number), CUDA_ERROR_INVALID_HANDLE);
    };
    if driver_functions::is_allocated_address(call, address) {
        call.lock_state().objects.forget_addresses(address, 1);
    } else {
        let text = format!("Address {address:#x} belongs to a mapping that was freed.");
        let finding = call.new_finding(Rule::USE_AFTER_END, text);
        call.lock_state().report_finding(finding.about_object(number));
    }
    Ok(())
}

impl ProcessState {
    /// Returns an access's uses of a mapping: one for each range of a buffer, or a single use of an array.
    fn uses_by_access(&self, number: u32, memory: TouchedMemory, kind: Option<AccessKind>) -> Vec<ObjectUse> {
        let whole = |does| ObjectAccess { address: None, size: 1, does };
        let TouchedMemory::Rows(rows) = memory else {
            return vec![ObjectUse::memory_use(number, kind.map(whole))];
        };
        let Some(kind) = kind else { return vec![ObjectUse::memory_use(number, None)] };
        let is_inside =
            |address: u64| self.objects.find_buffer_by_address(address) == ObjectLookup::Alive(number);
        let ranges = rows.certainly_touched_ranges().into_iter().filter(|(address, _)| is_inside(*address));
        let access = |(address, size)| ObjectAccess { address: Some(address), size, does: kind };
        ranges.map(|range| ObjectUse::memory_use(number, Some(access(range)))).collect()
    }

    fn check_import_is_alive(&mut self, call: &WrappedCall<'_>, number: u32) {
        let import = self.objects.get_object(number).map_or(0, |mapping| mapping.import);
        if self.objects.get_object(import).is_some_and(|import| import.ended.is_some()) {
            let text = "The mapping's import was destroyed before.";
            let finding = call.new_finding(Rule::USE_AFTER_END, text).about_object(number);
            self.report_once_per_object(number, finding.about_object(import));
        }
    }
}
