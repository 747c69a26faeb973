//! Copies, fills, surface and texture objects: what they touch of a mapping.

use std::sync::atomic::Ordering;

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::objects::{Found, Use};
use crate::layer::report::Finding;
use crate::layer::semaphores;
use crate::layer::state::{HAS_MAPPINGS, State, state};
use crate::layer::vulkan;
use crate::rules::Rule;

/// Memory that a call reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    Nothing,
    Address(u64),
    /// An array, or a level of a mipmapped one.
    Array(u64),
    Mipmapped(u64),
}

impl Touched {
    pub fn rows(address: CUdeviceptr, row: usize, rows: usize) -> Self {
        if row == 0 || rows == 0 { Self::Nothing } else { Self::Address(address) }
    }

    fn of(kind: CUmemorytype, address: CUdeviceptr, array: CUarray) -> Self {
        match kind {
            CU_MEMORYTYPE_ARRAY => Self::Array(array.addr() as u64),
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => Self::Address(address),
            _ => Self::Nothing,
        }
    }
}

pub fn of_copy_2d(copy: *const CUDA_MEMCPY2D) -> [Touched; 2] {
    // SAFETY: the program's pointer is valid or null, as the driver needs it.
    let Some(copy) = (unsafe { copy.as_ref() }) else { return [Touched::Nothing; 2] };
    [
        Touched::of(copy.dstMemoryType, copy.dstDevice, copy.dstArray),
        Touched::of(copy.srcMemoryType, copy.srcDevice, copy.srcArray),
    ]
}

pub fn of_copy_3d(copy: *const CUDA_MEMCPY3D) -> [Touched; 2] {
    // SAFETY: as above.
    let Some(copy) = (unsafe { copy.as_ref() }) else { return [Touched::Nothing; 2] };
    [
        Touched::of(copy.dstMemoryType, copy.dstDevice, copy.dstArray),
        Touched::of(copy.srcMemoryType, copy.srcDevice, copy.srcArray),
    ]
}

pub fn of_resource(resource: *const CUDA_RESOURCE_DESC) -> Touched {
    // SAFETY: as above; the kind says which field of the union is set.
    unsafe {
        let Some(resource) = resource.as_ref() else { return Touched::Nothing };
        match resource.resType {
            CU_RESOURCE_TYPE_ARRAY => Touched::Array(resource.res.array.hArray.addr() as u64),
            CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                Touched::Mipmapped(resource.res.mipmap.hMipmappedArray.addr() as u64)
            }
            CU_RESOURCE_TYPE_LINEAR => Touched::Address(resource.res.linear.devPtr),
            CU_RESOURCE_TYPE_PITCH2D => Touched::Address(resource.res.pitch2D.devPtr),
            _ => Touched::Nothing,
        }
    }
}

/// A call that copies or fills. What it writes stands first. It is in a stream, or in none where it is done when it returns.
pub fn run(
    call: &'static str,
    stream: Option<usize>,
    touched: &[Touched],
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return real();
    }
    let objects = match check(call, touched) {
        Ok(objects) => objects,
        Err(code) => return code,
    };
    vulkan::used_by_cuda(call, touched, stream.is_none());
    let uses: Vec<Use> = objects.into_iter().map(Use::of_memory).collect();
    match stream {
        None => real(),
        Some(stream) if uses.is_empty() => semaphores::enqueued(stream, real),
        Some(stream) => semaphores::queued(call, stream, |_, _| Ok(uses), real),
    }
}

/// Reports what is touched after its end. Returns the mappings that are touched.
pub fn check(call: &'static str, touched: &[Touched]) -> Result<Vec<u32>, CUresult> {
    let mut objects = Vec::new();
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return Ok(objects);
    }
    for touched in touched {
        let mut state = state();
        let (found, address) = match *touched {
            Touched::Nothing => continue,
            Touched::Address(address) => (state.objects.by_address(address), Some(address)),
            Touched::Array(array) => (state.objects.by_level(array), None),
            Touched::Mipmapped(array) => (state.objects.by_handle(array), None),
        };
        match found {
            Found::Alive(number) => {
                state.check_import(call, number);
                objects.push(number);
            }
            Found::Ended(number) => {
                drop(state);
                check_ended(call, number, address).map_or(Ok(()), Err)?;
            }
            Found::Unknown => {}
        }
    }
    Ok(objects)
}

/// Reports a mapping that is used after it was freed. Its addresses may be another allocation's by now, which the driver
/// knows. An array has no such question: the driver may crash on it.
fn check_ended(call: &'static str, number: u32, address: Option<u64>) -> Option<CUresult> {
    let is_another = address.is_some_and(driver::is_allocated);
    let mut state = state();
    if let Some(address) = address.filter(|_| is_another) {
        state.objects.forget_addresses(address, 1);
        return None;
    }
    let answer = if address.is_none() { state.refusal(CUDA_ERROR_INVALID_HANDLE) } else { None };
    let text = match address {
        Some(address) => format!("Address {address:#x} is of a mapping that was freed."),
        None => "The array was destroyed.".to_owned(),
    };
    state.report(Finding::new(Rule::UseAfterEnd, call, text).about(number).answered(answer));
    answer
}

impl State {
    /// Reports a mapping that is used after its import was destroyed.
    fn check_import(&mut self, call: &'static str, number: u32) {
        let import = self.objects.get(number).map_or(0, |mapping| mapping.import);
        if self.objects.get(import).is_some_and(|import| import.ended.is_some()) {
            let text = "Its import was destroyed before.";
            self.report_once(number, Finding::new(Rule::UseAfterEnd, call, text).about(number).about(import));
        }
    }
}
