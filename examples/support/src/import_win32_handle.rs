//! Imports memory and semaphores into CUDA by a Windows handle or by a name.
//!
//! Nothing here needs Windows itself, so this file is compiled for every system.

use std::ffi::c_void;
use std::ptr;

use cuda_external_sys::*;

use crate::Result;
use crate::cuda::{ImportedMemory, ImportedSemaphore};

/// The handle or the name of an object that Direct3D or Vulkan shares.
#[derive(Clone, Copy, Debug)]
pub enum Win32HandleOrName<'a> {
    /// An NT handle, which CUDA does not take over: close the handle after the import, successful or not.
    Nt(*mut c_void),
    /// The name of an object, as NUL-terminated UTF-16. An NT handle of the object must be open during the import.
    Name(&'a [u16]),
    /// A global D3DKMT handle: never close it. The handle holds no reference to its object: keep the object until
    /// CUDA's import is destroyed.
    Kmt(*mut c_void),
}

impl Win32HandleOrName<'_> {
    /// Returns `win32.handle` and `win32.name`, of which exactly one is not null.
    fn handle_and_name(self) -> (*mut c_void, *const c_void) {
        match self {
            Self::Nt(handle) | Self::Kmt(handle) => (handle, ptr::null()),
            Self::Name(name) => {
                assert_eq!(name.last(), Some(&0), "a name ends with zero");
                (ptr::null_mut(), name.as_ptr().cast())
            }
        }
    }
}

/// Imports an allocation of `size` bytes. `dedicated` must be true for a Direct3D resource and for a dedicated
/// allocation of Vulkan, and false for a Direct3D 12 heap and for any other allocation of Vulkan.
pub fn import_memory(
    type_: CUexternalMemoryHandleType,
    shared: Win32HandleOrName,
    size: u64,
    dedicated: bool,
) -> Result<ImportedMemory> {
    let (handle, name) = shared.handle_and_name();
    let flags = if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 };
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, flags, ..Default::default() };
    desc.handle.win32 = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 { handle, name };
    let mut memory = ptr::null_mut();
    // SAFETY: both pointers are to variables here, and `shared` borrows a name until this function returns.
    unsafe { cuImportExternalMemory(&mut memory, &desc) }.result()?;
    // SAFETY: nothing else has the handle.
    Ok(unsafe { ImportedMemory::from_raw(memory) })
}

/// Imports a semaphore, a fence or a keyed mutex.
pub fn import_semaphore(
    type_: CUexternalSemaphoreHandleType,
    shared: Win32HandleOrName,
) -> Result<ImportedSemaphore> {
    let (handle, name) = shared.handle_and_name();
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.win32 = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 { handle, name };
    let mut semaphore = ptr::null_mut();
    // SAFETY: both pointers are to variables here, and `shared` borrows a name until this function returns.
    unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) }.result()?;
    // SAFETY: nothing else has the handle.
    Ok(unsafe { ImportedSemaphore::from_raw(semaphore) })
}
