//! Device memory of CUDA's virtual memory management, for sharing with other APIs and processes.

use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use cuda_external_sys::*;

use super::primary_context::{Cuda, assert_teardown_succeeded};
use crate::Result;

/// An allocation of `cuMemCreate` or `cuMemImportFromShareableHandle`. `map_allocation` maps it to an address.
pub struct CuMemAllocation {
    handle: CUmemGenericAllocationHandle,
    device: CUdevice,
    /// The allocation's size in bytes. `cuMemCreate` requires a multiple of the device's granularity.
    pub size: u64,
}

impl CuMemAllocation {
    /// Allocates at least `bytes` bytes on the device of `cuda`, for an export as a file descriptor.
    pub fn new(cuda: &Cuda, bytes: usize) -> std::result::Result<Self, CUresult> {
        let properties = CUmemAllocationProp {
            type_: CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda.device },
            ..Default::default()
        };
        let (mut granularity, mut handle) = (0, 0);
        let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        // SAFETY: the functions read `properties`, and write `granularity` and `handle`, all of them variables here.
        unsafe {
            cuMemGetAllocationGranularity(&mut granularity, &properties, minimum).result()?;
            let size = bytes.next_multiple_of(granularity);
            cuMemCreate(&mut handle, size, &properties, 0).result()?;
            Ok(Self { handle, device: cuda.device, size: size as u64 })
        }
    }

    /// Imports an allocation of `size` bytes. The caller keeps `fd`, and may close it after the call.
    pub fn import_fd(cuda: &Cuda, fd: &OwnedFd, size: u64) -> std::result::Result<Self, CUresult> {
        let mut handle = 0;
        let number = fd.as_raw_fd() as usize as *mut c_void;
        // SAFETY: for POSIX_FILE_DESCRIPTOR, CUDA reads `number` as a descriptor, not a pointer. CUDA writes `handle`.
        unsafe {
            cuMemImportFromShareableHandle(&mut handle, number, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
                .result()?;
        }
        Ok(Self { handle, device: cuda.device, size })
    }

    pub fn raw(&self) -> CUmemGenericAllocationHandle {
        self.handle
    }

    pub fn export_allocation_fd(&self) -> Result<OwnedFd> {
        let mut fd: c_int = -1;
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        // SAFETY: for POSIX_FILE_DESCRIPTOR, CUDA writes a C int: a new descriptor, which nothing else owns.
        unsafe {
            cuMemExportToShareableHandle((&raw mut fd).cast(), self.handle, kind, 0).result()?;
            Ok(OwnedFd::from_raw_fd(fd))
        }
    }

    /// Reserves addresses and maps the allocation there, readable and writable on its device.
    pub fn map_allocation(&self) -> Result<AllocationMapping<'_>> {
        let location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: self.device };
        let access = CUmemAccessDesc { location, flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
        let (mut address, size) = (0, self.size as usize);
        // SAFETY: `self` keeps the allocation alive, and `cuMemMap` maps the range that `cuMemAddressReserve` reserved.
        unsafe {
            cuMemAddressReserve(&mut address, size, 0, 0, 0).result()?;
            let mapped = cuMemMap(address, size, 0, self.handle, 0).result().and_then(|()| {
                let accessed = cuMemSetAccess(address, size, &access, 1).result();
                accessed.inspect_err(|_| _ = cuMemUnmap(address, size))
            });
            mapped.inspect_err(|_| _ = cuMemAddressFree(address, size))?;
        }
        Ok(AllocationMapping { allocation: self, address })
    }
}

impl Drop for CuMemAllocation {
    fn drop(&mut self) {
        // SAFETY: the handle is released once, and the mappings, which borrow `self`, are gone.
        assert_teardown_succeeded(&[unsafe { cuMemRelease(self.handle) }]);
    }
}

pub struct AllocationMapping<'a> {
    allocation: &'a CuMemAllocation,
    pub address: CUdeviceptr,
}

impl Drop for AllocationMapping<'_> {
    fn drop(&mut self) {
        let size = self.allocation.size as usize;
        // SAFETY: nothing uses the mapping after its scope.
        assert_teardown_succeeded(&unsafe {
            [cuCtxSynchronize(), cuMemUnmap(self.address, size), cuMemAddressFree(self.address, size)]
        });
    }
}
