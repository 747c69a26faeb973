//! Copies, fills, surface and texture objects: whether the parts of a mapping that they touch still exist.

use cuda_external_sys::*;

use crate::layer::chassis::process_state::{ProcessState, has_mappings};
use crate::layer::chassis::wrapped_call::{CallResult, WrappedCall};
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::tracked_objects::{AccessKind, Lookup, ObjectUse};
use crate::layer::sync::enqueue::{enqueue_untracked, enqueue_with_uses};
use crate::layer::sync::stream_order::run_synchronous_copy;
use crate::layer::sync::touched_ranges::TouchedMemory;
use crate::rules::Rule;

/// Runs a call that copies or fills. The range that it writes comes first. `stream` is `None` for a call that is done
/// when it returns.
pub fn run_copy(call: &mut WrappedCall<'_>, stream: Option<usize>, touched: &[TouchedMemory]) -> CallResult {
    if !has_mappings() {
        return Ok(call.driver());
    }
    let uses = check_touched(call, touched)?;
    match stream {
        None => Ok(run_synchronous_copy(call, &uses)),
        Some(stream) if uses.is_empty() => Ok(enqueue_untracked(call, stream)),
        Some(stream) => enqueue_with_uses(call, stream, |_, _, _| Ok(uses)),
    }
}

/// A surface or a texture object is made, by which kernels use the array.
///
/// # Safety
///
/// The pointer is null, or a successful call writes to it.
pub unsafe fn create_view(
    call: &mut WrappedCall<'_>,
    out: *const u64,
    touched: &[TouchedMemory],
    does: AccessKind,
) -> CallResult {
    if !has_mappings() {
        return Ok(call.driver());
    }
    let uses = check_touched(call, touched)?;
    let code = call.driver();
    // SAFETY: the caller guarantees it.
    if let (CUDA_SUCCESS, Some(handle)) = (code, unsafe { out.as_ref() }) {
        call.state().objects.set_view(*handle, uses.first().map(|used| (used.object, does)));
    }
    Ok(code)
}

/// Reports what is touched after its end. Returns the mappings that are touched.
pub fn check_touched(
    call: &mut WrappedCall<'_>,
    touched: &[TouchedMemory],
) -> Result<Vec<ObjectUse>, CUresult> {
    let mut uses = Vec::new();
    // Creating a surface or texture object reads and writes nothing yet, and a copy to the host writes nothing here.
    let is_transfer = call.name.starts_with("cuMem") || call.name.starts_with("cuGraph");
    let writes_first = !call.name.contains("toH");
    for (at, touched) in touched.iter().enumerate().filter(|_| has_mappings()) {
        let mut state = call.state();
        let (found, address) = touched.find(&state.objects);
        match found {
            Lookup::Alive(number) => {
                state.check_import(call, number);
                let does = if at == 0 && writes_first { AccessKind::Write } else { AccessKind::Read };
                uses.push(ObjectUse::of_memory(number, is_transfer.then(|| touched.to_access(does))));
            }
            Lookup::Ended(number) => {
                drop(state);
                check_ended(call, number, address)?;
            }
            Lookup::Unknown => {}
        }
    }
    Ok(uses)
}

/// Reports a mapping that is used after it was freed. Its addresses may belong to another allocation by now, which
/// only the driver knows. The driver is not called with an array, on which it may crash.
fn check_ended(call: &mut WrappedCall<'_>, number: u32, address: Option<u64>) -> Result<(), CUresult> {
    let finding = |call: &WrappedCall<'_>, text| call.finding(Rule::UseAfterEnd, text).about_object(number);
    let Some(address) = address else {
        return call
            .state()
            .refuse(finding(call, "The array was destroyed.".to_owned()), CUDA_ERROR_INVALID_HANDLE);
    };
    if driver_functions::is_allocated(call, address) {
        call.state().objects.forget_addresses(address, 1);
    } else {
        call.state().report(finding(call, format!("Address {address:#x} is of a mapping that was freed.")));
    }
    Ok(())
}

impl ProcessState {
    /// Reports a mapping that is used after its import was destroyed.
    fn check_import(&mut self, call: &WrappedCall<'_>, number: u32) {
        let import = self.objects.get(number).map_or(0, |mapping| mapping.import);
        if self.objects.get(import).is_some_and(|import| import.ended.is_some()) {
            let text = "Its import was destroyed before.";
            self.report_once(
                number,
                call.finding(Rule::UseAfterEnd, text).about_object(number).about_object(import),
            );
        }
    }
}
