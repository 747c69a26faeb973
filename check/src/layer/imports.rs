//! Importing and destroying memory and semaphores.

use std::fmt::{self, Display};

use cuda_external_sys::*;

use crate::about::{About, TypeName};
use crate::layer::call::{Place, Site, is_gone_after};
use crate::layer::fds::{self, Descriptor};
use crate::layer::handles::{self, check_in_use};
use crate::layer::objects::{How, Kind};
use crate::layer::report::Finding;
use crate::layer::state::{State, state};
use crate::layer::{driver, vulkan};
use crate::rules::Rule;

/// What both kinds of import have.
pub struct Import {
    kind: Kind,
    handle_type: u32,
    /// The first field of the union.
    number: i32,
    is_fd: bool,
    size: u64,
    flags: u32,
    known_flags: u32,
    reserved_is_zero: bool,
}

impl From<&CUDA_EXTERNAL_MEMORY_HANDLE_DESC> for Import {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> Self {
        Self {
            kind: Kind::Memory,
            handle_type: desc.type_.0,
            // SAFETY: any bytes are a number.
            number: unsafe { desc.handle.fd },
            is_fd: matches!(
                desc.type_,
                CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD | CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD
            ),
            size: desc.size,
            flags: desc.flags,
            known_flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
            reserved_is_zero: desc.reserved == [0; 16],
        }
    }
}

impl From<&CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC> for Import {
    fn from(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> Self {
        Self {
            kind: Kind::Semaphore,
            handle_type: desc.type_.0,
            // SAFETY: as above.
            number: unsafe { desc.handle.fd },
            is_fd: matches!(
                desc.type_,
                CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
                    | CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
            ),
            size: 0,
            flags: desc.flags,
            known_flags: 0,
            reserved_is_zero: desc.reserved == [0; 16],
        }
    }
}

impl Display for Import {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, handle_type, number, size, flags, .. } = self;
        match kind {
            Kind::Memory => {
                let kind = CUexternalMemoryHandleType(*handle_type);
                write!(to, "{{ type: {kind:?}, fd: {number}, size: {size}, flags: {flags:#x} }}")
            }
            _ => {
                let kind = CUexternalSemaphoreHandleType(*handle_type);
                write!(to, "{{ type: {kind:?}, fd: {number}, flags: {flags:#x} }}")
            }
        }
    }
}

/// cuImportExternalMemory and cuImportExternalSemaphore.
///
/// # Safety
///
/// The pointers are null, or valid as the driver needs them.
pub unsafe fn import<D, T>(
    call: &'static str,
    out: *mut *mut T,
    desc: *const D,
    real: impl FnOnce() -> CUresult,
) -> CUresult
where
    for<'a> Import: From<&'a D>,
{
    // SAFETY: the caller's promise.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return real() };
    // SAFETY: not null, and written by a successful call.
    Import::from(desc).run(call, real, || unsafe { *out }.addr() as u64)
}

impl Import {
    fn run(
        self,
        call: &'static str,
        real: impl FnOnce() -> CUresult,
        handle: impl FnOnce() -> u64,
    ) -> CUresult {
        fds::report_closes();
        let site = Site::here(call);
        let place = Place::of_thread();
        let uuid = if vulkan::has_exports() { driver::current_uuid() } else { None };
        let descriptor = self.is_fd.then(|| Descriptor::of(self.number, self.kind));
        let mut state = state();
        state.check_forked(call);
        state.check_context(call, None, &place);
        if let Some(code) = self.check(call, &mut state, descriptor.as_ref()) {
            return code;
        }
        let Self { kind, handle_type, number: fd, size, flags, known_flags, .. } = self;
        let is_dedicated = flags & known_flags != 0;
        let paired = descriptor.as_ref().and_then(|_| {
            state.pair(&vulkan::Import { call, kind, fd, handle_type, size, is_dedicated, uuid })
        });
        drop(state);
        let code = real();
        let mut state = self::state();
        let import = if code == CUDA_SUCCESS {
            let about = About::import(kind, handle_type, self.is_fd.then_some(fd), size, is_dedicated);
            let number = state.add(site.clone(), handle(), place.context(), about, 0);
            paired.into_iter().for_each(|of| state.vulkan.import(number, of));
            Some((number, about))
        } else {
            self.explain(call, &mut state, descriptor.as_ref(), code);
            None
        };
        drop(state);
        if let Some(descriptor) = descriptor {
            descriptor.watch(site, import);
        }
        code
    }

    fn type_name(&self) -> TypeName {
        TypeName(self.kind, self.handle_type)
    }

    /// Reports what is wrong whatever the driver says. Returns a code where it must not be called.
    fn check(
        &self,
        call: &'static str,
        state: &mut State,
        descriptor: Option<&Descriptor>,
    ) -> Option<CUresult> {
        let finding = |rule, text: &str| Finding::new(rule, call, text);
        state.check_reserved(call, "the description", self.reserved_is_zero);
        if self.kind == Kind::Memory && self.size == 0 {
            state.report(finding(Rule::ImportSizeZero, "The description's size is 0."));
        }
        let is_resource = matches!(
            CUexternalMemoryHandleType(self.handle_type),
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE
                | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE
                | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT
        );
        if self.kind == Kind::Memory && is_resource && self.flags & CUDA_EXTERNAL_MEMORY_DEDICATED == 0 {
            let text = format!("The type is {}.", self.type_name());
            state.report(finding(Rule::DedicatedMissing, &text));
        }
        let descriptor = descriptor?;
        let fd = descriptor.fd;
        if let Some((import, imported_by)) = &descriptor.imported_by {
            let answer = state.refusal(CUDA_ERROR_UNKNOWN);
            let text = format!("Descriptor {fd} was closed by the driver in {imported_by}.");
            state.report(finding(Rule::FdImportedBefore, &text).answered(answer).about(*import));
            return answer;
        }
        if !descriptor.is_open {
            state.report(finding(Rule::FdNotOpen, &format!("Descriptor {fd} is not open.")));
        } else if descriptor.is_large_cuda_memory {
            let answer = state.refusal(CUDA_ERROR_NOT_SUPPORTED);
            let text = format!("Descriptor {fd} was exported by cuMemExportToShareableHandle.");
            state.report(finding(Rule::CudaMemoryTooLarge, &text).answered(answer));
            return answer;
        }
        None
    }

    /// Reports why the driver refused it, where that is known.
    fn explain(
        &self,
        call: &'static str,
        state: &mut State,
        descriptor: Option<&Descriptor>,
        code: CUresult,
    ) {
        let mut report = |rule, text| {
            state.report(Finding::new(rule, call, format!("{text}; the call returned {code:?}.")));
        };
        if self.flags & !self.known_flags != 0 {
            report(Rule::UnknownFlags, format!("The flags are {:#x}", self.flags));
        }
        let is_refused = matches!(code, CUDA_ERROR_NOT_SUPPORTED | CUDA_ERROR_INVALID_VALUE);
        let is_of_linux = match self.kind {
            Kind::Memory => self.handle_type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0,
            _ => self.is_fd,
        };
        if is_refused && !is_of_linux {
            report(Rule::TypeNotSupported, format!("The type is {}", self.type_name()));
        }
        if let Some(descriptor) = descriptor.filter(|of| of.is_open && code == CUDA_ERROR_UNKNOWN) {
            if !descriptor.what.is_empty() {
                let text = format!("Descriptor {} is {}", descriptor.fd, descriptor.what);
                report(Rule::FdNotImportable, text);
            }
        }
    }
}

/// Destroys an external memory or semaphore.
pub fn destroy(call: &'static str, kind: Kind, handle: u64, real: impl FnOnce() -> CUresult) -> CUresult {
    fds::report_closes();
    let mut state = state();
    state.check_forked(call);
    let import = match state.import_of(call, handle, kind, true) {
        Ok(import) => import,
        Err(code) => return code,
    };
    drop(state);
    match import {
        Some(number) => end(call, number, real),
        None => handles::run(call, handle, None, real),
    }
}

/// Ends an object by the call of the program. The end is noted before the driver's call, since another thread may get the
/// handle again while that runs.
pub fn end(call: &'static str, number: u32, real: impl FnOnce() -> CUresult) -> CUresult {
    check_in_use(Rule::DestroyedInUse, call, number);
    let site = Site::here(call);
    let mut state = state();
    state.check_graphs(call, number);
    let mappings =
        state.objects.get(number).map(|object| (object.mappings.len(), object.mappings.iter().take(2)));
    if let Some((count @ 1.., first)) = mappings {
        let text = format!("It has {count} mapping{} alive.", if count == 1 { "" } else { "s" });
        let finding = Finding::new(Rule::ImportBeforeMapping, call, text).about(number);
        let finding = first.fold(finding, |finding, mapping| finding.about(*mapping));
        state.report(finding);
    }
    state.end(number, How::Freed, site);
    drop(state);
    let code = real();
    if !is_gone_after(code) {
        self::state().revive(number);
    }
    code
}
