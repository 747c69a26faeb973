//! Copies, fills, surface and texture objects: what they touch of a mapping.

use cuda_external_sys::*;

use crate::layer::call::{Answer, Call};
use crate::layer::driver;
use crate::layer::objects::{Found, Objects, Use};
use crate::layer::semaphores;
use crate::layer::state::{State, has_mappings, state};
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

    /// The mapping that is touched, and the address of a buffer.
    pub fn find(self, objects: &Objects) -> (Found, Option<u64>) {
        match self {
            Self::Nothing => (Found::Unknown, None),
            Self::Address(address) => (objects.by_address(address), Some(address)),
            Self::Array(array) => (objects.by_level(array), None),
            Self::Mipmapped(array) => (objects.by_handle(array), None),
        }
    }
}

/// What a copy touches, by its parameters: the structs for two and for three dimensions have the same fields.
macro_rules! of_copy {
    ($name:ident, $params:ty) => {
        pub fn $name(copy: *const $params) -> [Touched; 2] {
            // SAFETY: the program's pointer is valid or null, as the driver needs it.
            let Some(copy) = (unsafe { copy.as_ref() }) else { return [Touched::Nothing; 2] };
            [
                Touched::of(copy.dstMemoryType, copy.dstDevice, copy.dstArray),
                Touched::of(copy.srcMemoryType, copy.srcDevice, copy.srcArray),
            ]
        }
    };
}

of_copy!(of_copy_2d, CUDA_MEMCPY2D);
of_copy!(of_copy_3d, CUDA_MEMCPY3D);

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
pub fn run(call: &Call<'_>, stream: Option<usize>, touched: &[Touched]) -> Answer {
    if !has_mappings() {
        return Ok(call.driver());
    }
    let uses = check(call, touched)?;
    vulkan::used_by_cuda(call, touched, stream.is_none());
    match stream {
        None => Ok(call.driver()),
        Some(stream) if uses.is_empty() => Ok(semaphores::enqueued(call, stream)),
        Some(stream) => semaphores::queued(call, stream, |_, _| Ok(uses)),
    }
}

/// Reports what is touched after its end. Returns the mappings that are touched.
pub fn check(call: &Call<'_>, touched: &[Touched]) -> Result<Vec<Use>, CUresult> {
    let mut uses = Vec::new();
    for touched in touched.iter().filter(|_| has_mappings()) {
        let mut state = state();
        let (found, address) = touched.find(&state.objects);
        match found {
            Found::Alive(number) => {
                state.check_import(call, number);
                uses.push(Use::of_memory(number));
            }
            Found::Ended(number) => {
                drop(state);
                check_ended(call, number, address)?;
            }
            Found::Unknown => {}
        }
    }
    Ok(uses)
}

/// Reports a mapping that is used after it was freed. Its addresses may be another allocation's by now, which the driver
/// knows. An array has no such question: the driver may crash on it.
fn check_ended(call: &Call<'_>, number: u32, address: Option<u64>) -> Result<(), CUresult> {
    let finding = |text| call.finding(Rule::UseAfterEnd, text).about(number);
    let Some(address) = address else {
        return state().refuse(finding("The array was destroyed.".to_owned()), CUDA_ERROR_INVALID_HANDLE);
    };
    if driver::is_allocated(address) {
        state().objects.forget_addresses(address, 1);
    } else {
        state().report(finding(format!("Address {address:#x} is of a mapping that was freed.")));
    }
    Ok(())
}

impl State {
    /// Reports a mapping that is used after its import was destroyed.
    fn check_import(&mut self, call: &Call<'_>, number: u32) {
        let import = self.objects.get(number).map_or(0, |mapping| mapping.import);
        if self.objects.get(import).is_some_and(|import| import.ended.is_some()) {
            let text = "Its import was destroyed before.";
            self.report_once(number, call.finding(Rule::UseAfterEnd, text).about(number).about(import));
        }
    }
}
