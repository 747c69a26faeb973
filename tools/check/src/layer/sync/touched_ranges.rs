//! The memory and the arrays that a call touches.

use cuda_external_sys::*;

use crate::layer::state_tracker::tracked_objects::{AccessKind, Lookup, ObjectAccess, ObjectTable};

/// Memory that a call reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchedMemory {
    Nothing,
    /// A device address, and the number of bytes of a row there.
    Address(u64, u64),
    /// An array, or a level of a mipmapped one.
    Array(u64),
    Mipmapped(u64),
}

impl TouchedMemory {
    pub fn rows(address: CUdeviceptr, row: usize, rows: usize) -> Self {
        if row == 0 || rows == 0 { Self::Nothing } else { Self::Address(address, row as u64) }
    }

    fn of(kind: CUmemorytype, address: CUdeviceptr, array: CUarray, row: usize) -> Self {
        match kind {
            CU_MEMORYTYPE_ARRAY => Self::Array(array.addr() as u64),
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => Self::Address(address, row as u64),
            _ => Self::Nothing,
        }
    }

    /// The access to the mapping. `None` if the size is not that of a transfer.
    pub fn to_access(self, does: AccessKind) -> ObjectAccess {
        match self {
            Self::Address(address, size) => ObjectAccess { address: Some(address), size, does },
            _ => ObjectAccess { address: None, size: 1, does },
        }
    }

    /// The mapping that is touched, and the address of a buffer.
    pub fn find(self, objects: &ObjectTable) -> (Lookup, Option<u64>) {
        match self {
            Self::Nothing => (Lookup::Unknown, None),
            Self::Address(address, _) => (objects.by_address(address), Some(address)),
            Self::Array(array) => (objects.by_level(array), None),
            Self::Mipmapped(array) => (objects.by_handle(array), None),
        }
    }
}

/// What a copy touches, by its parameters: the structs for two and for three dimensions have the same fields.
macro_rules! of_copy {
    ($name:ident, $params:ty) => {
        pub fn $name(copy: *const $params) -> [TouchedMemory; 2] {
            // SAFETY: the program's pointer is valid or null, as the driver needs it.
            let Some(copy) = (unsafe { copy.as_ref() }) else { return [TouchedMemory::Nothing; 2] };
            [
                TouchedMemory::of(copy.dstMemoryType, copy.dstDevice, copy.dstArray, copy.WidthInBytes),
                TouchedMemory::of(copy.srcMemoryType, copy.srcDevice, copy.srcArray, copy.WidthInBytes),
            ]
        }
    };
}

of_copy!(of_copy_2d, CUDA_MEMCPY2D);
of_copy!(of_copy_3d, CUDA_MEMCPY3D);

pub fn of_resource(resource: *const CUDA_RESOURCE_DESC) -> TouchedMemory {
    // SAFETY: the program's pointer is valid or null, as the driver needs it; the kind says which field of the union is
    // set.
    unsafe {
        let Some(resource) = resource.as_ref() else { return TouchedMemory::Nothing };
        match resource.resType {
            CU_RESOURCE_TYPE_ARRAY => TouchedMemory::Array(resource.res.array.hArray.addr() as u64),
            CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                TouchedMemory::Mipmapped(resource.res.mipmap.hMipmappedArray.addr() as u64)
            }
            CU_RESOURCE_TYPE_LINEAR => TouchedMemory::Address(resource.res.linear.devPtr, 1),
            CU_RESOURCE_TYPE_PITCH2D => TouchedMemory::Address(resource.res.pitch2D.devPtr, 1),
            _ => TouchedMemory::Nothing,
        }
    }
}

/// Returns the memory that a memset node writes.
///
/// # Safety
///
/// The pointer is null or valid.
pub unsafe fn of_memset(params: *const CUDA_MEMSET_NODE_PARAMS) -> TouchedMemory {
    // SAFETY: the caller guarantees it.
    let params = unsafe { params.as_ref() };
    params
        .map_or(TouchedMemory::Nothing, |params| TouchedMemory::rows(params.dst, params.width, params.height))
}
