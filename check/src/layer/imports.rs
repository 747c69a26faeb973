//! Importing and destroying memory and semaphores.

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
struct Import {
    call: &'static str,
    kind: Kind,
    handle_type: u32,
    fd: Option<i32>,
    size: u64,
    flags: u32,
    known_flags: u32,
    reserved_is_zero: bool,
}

pub unsafe fn import_memory(
    call: &'static str,
    out: *mut CUexternalMemory,
    desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    // SAFETY: the program's pointers are valid or null, as the driver needs them.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return real() };
    let is_fd = matches!(
        desc.type_,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD | CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD
    );
    let import = Import {
        call,
        kind: Kind::Memory,
        handle_type: desc.type_.0,
        // SAFETY: the field of these types, which any bytes are valid for.
        fd: is_fd.then_some(unsafe { desc.handle.fd }),
        size: desc.size,
        flags: desc.flags,
        known_flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
        reserved_is_zero: desc.reserved == [0; 16],
    };
    // SAFETY: not null, and written by a successful call.
    import.run(real, || unsafe { *out }.addr() as u64)
}

pub unsafe fn import_semaphore(
    call: &'static str,
    out: *mut CUexternalSemaphore,
    desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    // SAFETY: as above.
    let (Some(desc), false) = (unsafe { desc.as_ref() }, out.is_null()) else { return real() };
    let is_fd = matches!(
        desc.type_,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD | CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
    );
    let import = Import {
        call,
        kind: Kind::Semaphore,
        handle_type: desc.type_.0,
        // SAFETY: as above.
        fd: is_fd.then_some(unsafe { desc.handle.fd }),
        size: 0,
        flags: desc.flags,
        known_flags: 0,
        reserved_is_zero: desc.reserved == [0; 16],
    };
    // SAFETY: as above.
    import.run(real, || unsafe { *out }.addr() as u64)
}

impl Import {
    fn run(self, real: impl FnOnce() -> CUresult, handle: impl FnOnce() -> u64) -> CUresult {
        fds::report_closes();
        let site = Site::here(self.call);
        let place = Place::of_thread();
        let uuid = if vulkan::has_exports() { driver::current_uuid() } else { None };
        let descriptor = self.fd.map(|fd| Descriptor::of(fd, self.kind));
        let mut state = state();
        state.check_forked(self.call);
        state.check_context(self.call, None, &place);
        if let Some(code) = self.check(&mut state, descriptor.as_ref()) {
            return code;
        }
        let paired = self.fd.and_then(|fd| {
            let Self { call, kind, handle_type, size, flags, known_flags, .. } = self;
            let is_dedicated = flags & known_flags != 0;
            state.pair(&vulkan::Import { call, kind, fd, handle_type, size, is_dedicated, uuid })
        });
        drop(state);
        let code = real();
        let mut state = self::state();
        let import = if code == CUDA_SUCCESS {
            let number =
                state.add(site.clone(), (self.kind, handle()), place.context(), self.about(), |object| {
                    (object.size, object.flags, object.handle_type) =
                        (self.size, self.flags, self.handle_type);
                });
            paired.into_iter().for_each(|paired| state.paired(number, paired));
            state.objects.get(number).map(|object| (object.number, object.about))
        } else {
            self.explain(&mut state, descriptor.as_ref(), code);
            None
        };
        drop(state);
        descriptor.into_iter().for_each(|descriptor| descriptor.watch(site.clone(), import));
        code
    }

    fn about(&self) -> About {
        let is_dedicated = self.flags & self.known_flags != 0;
        About::import(self.kind, self.handle_type, self.fd, self.size, is_dedicated)
    }

    fn type_name(&self) -> TypeName {
        TypeName(self.kind, self.handle_type)
    }

    fn finding(&self, rule: Rule, text: impl Into<String>) -> Finding {
        Finding::new(rule, self.call, text.into())
    }

    /// Reports what is wrong whatever the driver says. Returns a code where it must not be called.
    fn check(&self, state: &mut State, descriptor: Option<&Descriptor>) -> Option<CUresult> {
        state.check_reserved(self.call, "the description", self.reserved_is_zero);
        if self.kind == Kind::Memory && self.size == 0 {
            state.report(self.finding(Rule::ImportSizeZero, "The description's size is 0."));
        }
        let is_resource = matches!(
            CUexternalMemoryHandleType(self.handle_type),
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE
                | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE
                | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT
        );
        if self.kind == Kind::Memory && is_resource && self.flags & CUDA_EXTERNAL_MEMORY_DEDICATED == 0 {
            state.report(self.finding(Rule::DedicatedMissing, format!("The type is {}.", self.type_name())));
        }
        let descriptor = descriptor?;
        if let Some((import, call)) = &descriptor.imported_by {
            let answer = state.refusal(CUDA_ERROR_UNKNOWN);
            let text = format!("Descriptor {} was closed by the driver in {}.", descriptor.fd, call);
            state.report(self.finding(Rule::FdImportedBefore, text).answered(answer).about(*import));
            return answer;
        }
        if !descriptor.is_open {
            state.report(self.finding(Rule::FdNotOpen, format!("Descriptor {} is not open.", descriptor.fd)));
        } else if descriptor.is_large_cuda_memory {
            let answer = state.refusal(CUDA_ERROR_NOT_SUPPORTED);
            let text = format!("Descriptor {} was exported by cuMemExportToShareableHandle.", descriptor.fd);
            state.report(self.finding(Rule::CudaMemoryTooLarge, text).answered(answer));
            return answer;
        }
        None
    }

    /// Reports why the driver refused it, where that is known.
    fn explain(&self, state: &mut State, descriptor: Option<&Descriptor>, code: CUresult) {
        if self.flags & !self.known_flags != 0 {
            let text = format!("The flags are {:#x}; the call returned {code:?}.", self.flags);
            state.report(self.finding(Rule::UnknownFlags, text));
        }
        let is_refused = matches!(code, CUDA_ERROR_NOT_SUPPORTED | CUDA_ERROR_INVALID_VALUE);
        let is_of_linux = match self.kind {
            Kind::Memory => self.handle_type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0,
            _ => self.fd.is_some(),
        };
        if is_refused && !is_of_linux {
            let text = format!("The type is {}; the call returned {code:?}.", self.type_name());
            state.report(self.finding(Rule::TypeNotSupported, text));
        }
        if let Some(descriptor) = descriptor.filter(|of| of.is_open && code == CUDA_ERROR_UNKNOWN) {
            if !descriptor.what.is_empty() {
                let text = format!(
                    "Descriptor {} is {}; the call returned {code:?}.",
                    descriptor.fd, descriptor.what
                );
                state.report(self.finding(Rule::FdNotImportable, text));
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
    check_in_use(call, number);
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
