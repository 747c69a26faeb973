//! Mapping an import, and freeing what was mapped.

use std::sync::atomic::Ordering;

use cuda_external_sys::*;

use crate::about::About;
use crate::layer::call::{Place, Site};
use crate::layer::objects::{Found, How, Kind};
use crate::layer::report::Finding;
use crate::layer::state::{HAS_MAPPINGS, State, state};
use crate::layer::{driver, fds, handles, images, imports};
use crate::rules::Rule;

/// A mapping of an import, as the program describes it.
struct Mapping {
    call: &'static str,
    memory: u64,
    about: About,
    flags: u32,
    known_flags: u32,
    reserved_is_zero: bool,
}

impl Mapping {
    /// Checks the description, calls the driver and takes the mapping in. `check` gets the import where it is known.
    fn run(
        self,
        check: impl FnOnce(&mut State, Option<(u32, About)>) -> Result<(), CUresult>,
        real: impl FnOnce() -> CUresult,
        handle: impl FnOnce() -> u64,
    ) -> CUresult {
        fds::report_closes();
        let (call, place, site) = (self.call, Place::of_thread(), Site::here(self.call));
        let mut state = state();
        state.check_forked(call);
        let import = match state.import_of(call, self.memory, Kind::Memory, false) {
            Ok(import) => import,
            Err(code) => return code,
        };
        state.check_context(call, import, &place);
        state.check_reserved(call, "the description of the mapping", self.reserved_is_zero);
        let of_import = import.and_then(|import| state.objects.get(import));
        let (about, context) = of_import.map(|import| (import.about, import.context)).unzip();
        let import = import.zip(about);
        if let Some((number, _)) = import.filter(|(_, of)| of.is_dedicated() && self.about.offset() != 0) {
            let text = format!("The offset is {}.", self.about.offset());
            state.report(Finding::new(Rule::MappingDedicatedOffset, call, text).about(number));
        }
        if let Err(code) = check(&mut state, import) {
            return code;
        }
        drop(state);
        let number = import.map(|(number, _)| number);
        let code = handles::run(call, self.memory, number, real);
        let mut state = self::state();
        if code == CUDA_SUCCESS {
            let context = context.unwrap_or(place.context());
            state.add(site, handle(), context, self.about, number.unwrap_or(0));
            HAS_MAPPINGS.store(true, Ordering::Release);
        } else if self.flags & !self.known_flags != 0 {
            let text = format!("The flags are {:#x}; the call returned {code:?}.", self.flags);
            state.report(Finding::new(Rule::UnknownFlags, call, text));
        }
        code
    }
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
    let about = About::buffer(desc);
    let mapping = Mapping {
        call,
        memory: memory.addr() as u64,
        about,
        flags: desc.flags,
        known_flags: 0,
        reserved_is_zero: desc.reserved == [0; 16],
    };
    let check = |state: &mut State, import: Option<(u32, About)>| {
        import.into_iter().for_each(|import| check_buffer(state, call, import, about));
        Ok(())
    };
    // SAFETY: not null, and written by a successful call.
    mapping.run(check, real, || unsafe { *out })
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
    let mapping = Mapping {
        call,
        memory: memory.addr() as u64,
        about: About::array(desc),
        flags: desc.arrayDesc.Flags,
        known_flags: images::KNOWN_FLAGS,
        reserved_is_zero: desc.reserved == [0; 16],
    };
    let check = |state: &mut State, import: Option<(u32, About)>| {
        for (rule, text) in images::problems(&desc.arrayDesc, desc.numLevels) {
            state.report(Finding::new(rule, call, text));
        }
        import.into_iter().for_each(|import| check_array(state, call, import, desc));
        if desc.numLevels > 0 {
            return Ok(());
        }
        let answer = state.refusal(CUDA_ERROR_INVALID_VALUE);
        state.report(Finding::new(Rule::ArrayNoLevels, call, "numLevels is 0.").answered(answer));
        answer.map_or(Ok(()), Err)
    };
    // SAFETY: as above.
    mapping.run(check, real, || unsafe { *out }.addr() as u64)
}

fn check_array(
    state: &mut State,
    call: &'static str,
    (number, import): (u32, About),
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) {
    let (size, least) = (import.size(), images::least_bytes(&desc.arrayDesc, desc.numLevels));
    if u128::from(desc.offset) + least > u128::from(size) {
        let text =
            format!("It needs {least} bytes at least, from {} on; the import has {size}.", desc.offset);
        state.report(Finding::new(Rule::ArrayTooLarge, call, text).about(number));
    }
    state.compare_image(call, number, desc);
}

fn check_buffer(state: &mut State, call: &'static str, (number, import): (u32, About), buffer: About) {
    let (offset, size, of_import) = (buffer.offset(), buffer.size(), import.size());
    if size == 0 || offset.checked_add(size).is_none_or(|end| end > of_import) {
        let text = format!("{size} bytes from {offset} are not within the import's {of_import}.");
        state.report(Finding::new(Rule::MappingBeyondImport, call, text).about(number));
    }
    if !state.reports(Rule::MappingOverlap) {
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
        state.report(Finding::new(Rule::MappingOverlap, call, text).about(number).about(other));
    }
}

/// cuMemFree and cuMemFreeAsync, of whatever the program frees.
pub fn free(call: &'static str, address: CUdeviceptr, real: impl FnOnce() -> CUresult) -> CUresult {
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return real();
    }
    fds::report_closes();
    let found = state().objects.by_start(address);
    match found {
        Found::Alive(number) => imports::end(call, number, real),
        Found::Ended(number) => {
            let code = real();
            let mut state = state();
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
        Found::Unknown => real(),
    }
}

/// The array of a handle: None where it is of no import, or the code where it has ended.
fn array_of(call: &'static str, array: CUmipmappedArray, ends: bool) -> handles::Checked {
    let (handle, mut state) = (array.addr() as u64, state());
    match state.objects.by_handle(handle) {
        Found::Unknown => Ok(None),
        _ => state.import_of(call, handle, Kind::Array, ends),
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
    fds::report_closes();
    match array_of(call, array, true) {
        Ok(Some(number)) => imports::end(call, number, real),
        Ok(None) if state().objects.by_handle(array.addr() as u64) == Found::Unknown => real(),
        // The crash that the program is to have.
        Ok(None) => driver::suspected(call, 0, real),
        Err(code) => code,
    }
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
    let number = match array_of(call, array, false) {
        Ok(number) => number,
        Err(code) => return code,
    };
    let code = real();
    if code == CUDA_SUCCESS && !out.is_null() {
        // SAFETY: not null, and written by a successful call.
        let level = unsafe { *out }.addr() as u64;
        let mut state = state();
        state.objects.forget_level(level);
        number.into_iter().for_each(|number| state.objects.add_level(level, number));
    }
    code
}
