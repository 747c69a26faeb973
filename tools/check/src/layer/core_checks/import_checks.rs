//! Checks calls that import memory or semaphores, and calls that destroy imports.

use cuda_external_sys::*;

use crate::layer::chassis::double_close::{self, FdImport};
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{WrappedCall, WrappedCallResult};
use crate::layer::error_messages::sticky_codes::is_object_gone_after;
use crate::layer::host_process::driver_functions;
use crate::layer::host_process::fd_info::{LARGE_CUDA_MEMORY_MARK, OpenFileId};
use crate::layer::object_tracker::handle_checks::{call_driver_with_handle, report_unfinished_uses};
use crate::layer::object_tracker::import_arguments::{ImportDescFields, ImportedFd};
use crate::layer::state_tracker::stream_identity::StreamAndContext;
use crate::layer::state_tracker::tracked_objects::{ObjectEnd, ObjectKind};
use crate::layer::vulkan::import_facts::SharedObjectFacts;
use crate::layer::vulkan::vulkan_state::has_exports;
use crate::object_description::{ObjectDescription, handle_type_name};
use crate::rules::{Rule, rules};

rules! {
    FD_NOT_IMPORTABLE 1 "fd-not-importable" FILE_DESCRIPTORS Manual "cuImportExternalMemory" ByDefault
        "An import gets a descriptor of something other than exported memory or an exported semaphore, such as a pipe \
         or a file. A memory import that fails for this reason closes the descriptor (measured)."
        "Pass the descriptor that vkGetMemoryFdKHR, vkGetSemaphoreFdKHR, cuMemExportToShareableHandle or another \
         exporter returned.";
    IMPORT_SIZE_ZERO 11 "import-size-zero" DESCRIPTIONS Manual "cuImportExternalMemory" ByDefault
        "Memory is imported with size 0."
        "Set size to the size of the whole allocation: for memory of Vulkan, VkMemoryAllocateInfo::allocationSize.";
    STRUCT_TOO_SHORT 12 "struct-too-short" DESCRIPTIONS Manual "cuImportExternalMemory" ByDefault
        "The program's declaration of CUDA_EXTERNAL_MEMORY_HANDLE_DESC is probably 8 bytes shorter than cuda.h's: the \
         driver then finds the program's values in the wrong fields."
        "Take the declaration from cuda.h or from cuda-external-sys. The union `handle` has 16 bytes, since its field \
         win32 has two pointers.";
    TYPE_NOT_SUPPORTED 15 "type-not-supported" DESCRIPTIONS Measured "H100, H200" ByDefault
        "An import has a handle type that the driver does not know or does not support."
        "On Linux use OPAQUE_FD for memory and binary semaphores, and TIMELINE_SEMAPHORE_FD for timelines.";
    CUDA_MEMORY_512_MIB 16 "cuda-memory-512-mib" DESCRIPTIONS Measured "two H200s" ByDefault
        "Memory of 512 MiB or more that CUDA itself exported is imported as external memory on a host with several \
         GPUs. The driver may crash."
        "Import the memory by cuMemImportFromShareableHandle, and map it by cuMemMap.";
    IMPORT_BEFORE_MAPPING 25 "import-before-mapping" LIFETIMES Note
        "only NVIDIA's documentation of NvSci demands that the mappings are freed first" OnEnable
        "An external memory is destroyed while mappings of it are alive."
        "Free the mappings by cuMemFree and cuMipmappedArrayDestroy, and then call cuDestroyExternalMemory.";
    DESTROYED_IN_USE 29 "destroyed-in-use" LIFETIMES Manual "cuDestroyExternalSemaphore" ByDefault
        "A semaphore is destroyed, or a mapping is freed, while queued work (a signal, a wait, a copy, a fill, a \
         graph) still uses the object. The manual forbids this for semaphores only."
        "Synchronize the stream of that work first.";
}

/// Checks and makes a call of cuImportExternalMemory or cuImportExternalSemaphore.
///
/// # Safety
///
/// The pointers are null, or valid as the driver needs them.
pub unsafe fn check_and_import<D, T>(
    call: &mut WrappedCall<'_>,
    out: *mut *mut T,
    desc: *const D,
) -> WrappedCallResult
where
    for<'a> ImportDescFields: From<&'a D>,
{
    // SAFETY: `desc` is null, or a description that the driver may read.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else {
        return Ok(call.call_driver());
    };
    // SAFETY: `out` is not null, and the successful call wrote to it.
    import_by_description(call, &ImportDescFields::from(desc), || unsafe { *out }.addr() as u64)
}

fn import_by_description(
    call: &mut WrappedCall<'_>,
    desc: &ImportDescFields,
    handle: impl FnOnce() -> u64,
) -> WrappedCallResult {
    let (site, at, mut about) = (call.call_site(), StreamAndContext::from_current_context(call), desc.about);
    let uuid = if has_exports() { driver_functions::current_device_uuid(call) } else { None };
    let descriptor = about.imported_fd().map(|fd| ImportedFd::inspect_import_fd(call, fd));
    let is_large =
        descriptor.as_ref().is_some_and(|of| is_crashing_cuda_memory(call, of.fd, about.object_kind()));
    let mut state = call.lock_state();
    state.check_has_context(call, &at);
    let exported = descriptor.as_ref().and_then(|of| state.vulkan.exported_size(of.fd));
    let meant = desc.size_before_short_union(exported);
    if let Some(size) = meant {
        about = about.with_described_size(size);
        let text = format!(
            "CUDA_EXTERNAL_MEMORY_HANDLE_DESC is probably declared 8 bytes too short: in cuda.h the field named size \
             is at offset 24 of 104 bytes. The program has {} there, and the exporter's size, {size}, at offset 16.",
            desc.about.described_size()
        );
        state.report_finding(call.new_finding(Rule::STRUCT_TOO_SHORT, text));
    }
    check_import_desc(call, &mut state, desc, &about, descriptor.as_ref())?;
    if let Some(descriptor) = descriptor.as_ref().filter(|_| is_large) {
        let text = format!("Descriptor {} was exported by cuMemExportToShareableHandle.", descriptor.fd);
        state.refuse_call(call.new_finding(Rule::CUDA_MEMORY_512_MIB, text), CUDA_ERROR_NOT_SUPPORTED)?;
    }
    let facts = SharedObjectFacts::facts_of_cuda_import(&about, uuid);
    let paired = descriptor.as_ref().and_then(|of| state.compare_with_export(call.name, of.fd, &facts));
    drop(state);
    let code = call.call_driver();
    let mut state = call.lock_state();
    let object = if code == CUDA_SUCCESS {
        let number = state.track_new_object(site.clone(), handle(), at.context(), about, 0);
        if let Some(of) = paired {
            state.vulkan.note_cuda_import(number, of);
        }
        Some(number)
    } else {
        report_import_failure(call, &mut state, desc, descriptor.as_ref(), code);
        None
    };
    drop(state);
    if let Some(descriptor) = descriptor.filter(|of| of.look.is_open) {
        let import = FdImport { object: object.unwrap_or(0), site, has_failed: object.is_none() };
        double_close::watch_imported_fd(call, descriptor.fd, import);
    }
    Ok(code)
}

/// Reports mistakes that do not depend on the driver's result. Returns an error if the layer must not call the driver.
fn check_import_desc(
    call: &WrappedCall<'_>,
    state: &mut ProcessState,
    desc: &ImportDescFields,
    about: &ObjectDescription,
    descriptor: Option<&ImportedFd>,
) -> Result<(), CUresult> {
    desc.check_reserved_zero(call, state);
    if about.object_kind() == ObjectKind::Memory && about.described_size() == 0 {
        state.report_finding(call.new_finding(Rule::IMPORT_SIZE_ZERO, "The description's size is 0."));
    }
    match descriptor.and_then(|of| of.find_fd_problem(call.name, state)) {
        Some(finding) if finding.rule == Rule::FD_IMPORTED_BEFORE => {
            state.refuse_call(finding, CUDA_ERROR_UNKNOWN)?
        }
        Some(finding) => state.report_finding(finding),
        None => {}
    }
    Ok(())
}

/// Returns whether NVIDIA's driver may crash: the descriptor is of large CUDA memory, and the host has several GPUs.
fn is_crashing_cuda_memory(call: &mut WrappedCall<'_>, fd: i32, kind: ObjectKind) -> bool {
    let is_large =
        || OpenFileId::read_open_file_id(fd).is_some_and(|file| file.mark == LARGE_CUDA_MEMORY_MARK);
    kind == ObjectKind::Memory && driver_functions::host_gpu_count(call) > 1 && is_large()
}

fn report_import_failure(
    call: &WrappedCall<'_>,
    state: &mut ProcessState,
    desc: &ImportDescFields,
    descriptor: Option<&ImportedFd>,
    code: CUresult,
) {
    desc.report_unknown_flags(call, state, code);
    let mut report = |rule, text: String| {
        state.report_finding(call.new_finding(rule, format!("{text}; the call returned {code:?}.")));
    };
    let (kind, handle_type) = (desc.about.object_kind(), desc.about.handle_type());
    let is_refused = matches!(code, CUDA_ERROR_NOT_SUPPORTED | CUDA_ERROR_INVALID_VALUE);
    let is_of_linux = match kind {
        ObjectKind::Memory => handle_type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0,
        _ => desc.about.imported_fd().is_some(),
    };
    if is_refused && !is_of_linux {
        report(Rule::TYPE_NOT_SUPPORTED, format!("The type is {}", handle_type_name(kind, handle_type)));
    }
    if let Some(ImportedFd { fd, look, .. }) = descriptor {
        if look.is_open && code == CUDA_ERROR_UNKNOWN && !look.what.is_empty() {
            report(Rule::FD_NOT_IMPORTABLE, format!("Descriptor {fd} is {}", look.what));
        }
    }
}

pub fn destroy_import(call: &mut WrappedCall<'_>, kind: ObjectKind, handle: u64) -> WrappedCallResult {
    let import = call.lock_state().checked_import(call, handle, kind, true)?;
    Ok(match import {
        Some(number) => end_object(call, number),
        None => call_driver_with_handle(call, handle, None),
    })
}

/// Ends an object. Records its end before the driver's call: another thread may get the same handle during the call.
pub fn end_object(call: &mut WrappedCall<'_>, number: u32) -> CUresult {
    report_unfinished_uses(call, Rule::DESTROYED_IN_USE, number);
    let site = call.call_site();
    let mut state = call.lock_state();
    let mappings = state.objects.get_object(number).map(|object| &object.mappings);
    if let Some(mappings) = mappings.filter(|mappings| !mappings.is_empty()) {
        let count = mappings.len();
        let text = format!("The memory has {count} live mapping{}.", if count == 1 { "" } else { "s" });
        let finding = call.new_finding(Rule::IMPORT_BEFORE_MAPPING, text).about_object(number);
        let finding =
            mappings.iter().take(2).fold(finding, |finding, mapping| finding.about_object(*mapping));
        state.report_finding(finding);
    }
    state.end_object(number, ObjectEnd::Freed, site);
    drop(state);
    let code = call.call_driver();
    if !is_object_gone_after(code) {
        call.lock_state().revive_object(number);
    }
    code
}
