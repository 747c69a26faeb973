//! CUDA's side of what Windows shares: memory and semaphores by handle or name, and the adapter that a CUDA device is.
//!
//! Nothing here needs Windows itself, so it is compiled on any machine.

use std::ffi::{c_char, c_void};
use std::ptr;

use cuda_external_sys::*;

use crate::{Error, Result};

/// How an object that Direct3D or Vulkan shared is named.
#[derive(Clone, Copy, Debug)]
pub enum Win32Handle<'a> {
    /// An NT handle (`CreateSharedHandle`, `vkGetMemoryWin32HandleKHR` with `OPAQUE_WIN32`). It holds
    /// a reference to the object and stays the program's: close it after the import, successful or
    /// not, or the object is never freed.
    Nt(*mut c_void),
    /// The name that an NT handle was created with: UTF-16, with a zero at its end. Some handle of
    /// that name must be open during the import.
    Name(&'a [u16]),
    /// A global D3DKMT handle (`IDXGIResource::GetSharedHandle`, `OPAQUE_WIN32_KMT`). It is a number
    /// that holds no reference: keep the object until the import is destroyed, and never close it.
    Kmt(*mut c_void),
}

impl Win32Handle<'_> {
    /// `win32.handle` and `win32.name`, of which exactly one is not null.
    fn parts(self) -> (*mut c_void, *const c_void) {
        match self {
            Self::Nt(handle) | Self::Kmt(handle) => (handle, ptr::null()),
            Self::Name(name) => {
                assert_eq!(name.last(), Some(&0), "a name ends with zero");
                (ptr::null_mut(), name.as_ptr().cast())
            }
        }
    }
}

/// Imports memory. `size` is the whole allocation's. `dedicated` is required for every Direct3D resource, though not for a
/// heap, and for Vulkan memory exactly where `VkMemoryDedicatedAllocateInfo` was used.
pub fn import_memory(
    type_: CUexternalMemoryHandleType,
    shared: Win32Handle,
    size: u64,
    dedicated: bool,
) -> Result<CUexternalMemory> {
    let (handle, name) = shared.parts();
    let flags = if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 };
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, flags, ..Default::default() };
    desc.handle.win32 = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 { handle, name };
    let mut memory = ptr::null_mut();
    // SAFETY: both pointers are to variables here, and a name's borrow lasts until the return.
    unsafe { cuImportExternalMemory(&mut memory, &desc) }.result()?;
    Ok(memory)
}

/// Imports a semaphore, a fence or a keyed mutex.
pub fn import_semaphore(
    type_: CUexternalSemaphoreHandleType,
    shared: Win32Handle,
) -> Result<CUexternalSemaphore> {
    let (handle, name) = shared.parts();
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.win32 = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 { handle, name };
    let mut semaphore = ptr::null_mut();
    // SAFETY: both pointers are to variables here, and a name's borrow lasts until the return.
    unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) }.result()?;
    Ok(semaphore)
}

/// Enqueues a signal. A binary Vulkan semaphore takes no parameters.
///
/// # Safety
///
/// The semaphore and the stream live, and the parameters are for the semaphore's type.
pub unsafe fn signal(
    semaphore: CUexternalSemaphore,
    params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    stream: CUstream,
) -> Result<()> {
    // SAFETY: one semaphore and its parameters, which the driver reads before it returns.
    Ok(unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) }.result()?)
}

/// Enqueues a wait. The other API must have enqueued the signal before.
///
/// # Safety
///
/// The semaphore and the stream live, and the parameters are for the semaphore's type.
pub unsafe fn wait(
    semaphore: CUexternalSemaphore,
    params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    stream: CUstream,
) -> Result<()> {
    // SAFETY: one semaphore and its parameters, which the driver reads before it returns.
    Ok(unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream) }.result()?)
}

/// Returns the parameters of a signal that sets a fence (Direct3D 12 and 11) or a timeline semaphore to a value, which must
/// be above the last one.
pub fn to_value(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = value;
    params
}

/// Returns the parameters of a wait until a fence or a timeline semaphore has at least this value.
pub fn for_value(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    params
}

/// Returns the parameters of a signal that releases a keyed mutex, to be acquired with this key.
pub fn release(key: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.keyedMutex.key = key;
    params
}

/// Returns the parameters of a wait that acquires a keyed mutex once it has been released with this key. `milliseconds`
/// may be [`INFINITE`].
pub fn acquire(key: u64, milliseconds: u32) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.keyedMutex =
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex { key, timeoutMs: milliseconds };
    params
}

/// No time limit for a keyed mutex: Windows's macro of this name.
pub const INFINITE: u32 = u32::MAX;

/// Returns the LUID of the adapter that a CUDA device is, as Direct3D and DXGI have it: low and high part.
pub fn luid(device: CUdevice) -> Result<(u32, i32)> {
    let mut bytes: [c_char; 8] = [0; 8];
    let mut node_mask = 0;
    // SAFETY: a LUID is eight bytes, and the mask is a variable here.
    unsafe { cuDeviceGetLuid(bytes.as_mut_ptr(), &mut node_mask, device) }
        .result()
        .map_err(Error::from)
        .and_then(|()| adapter(bytes.map(|byte| byte.to_ne_bytes()[0]), node_mask))
        .map_err(|error| Error::Missing(format!("CUDA's device {device} is not a display adapter: {error}")))
}

/// Returns both parts of a LUID. A device whose driver runs in compute mode (TCC) has no node in any adapter. The
/// imports here are of adapters with one node, whose mask is 1.
pub fn adapter(luid: [u8; 8], node_mask: u32) -> Result<(u32, i32)> {
    let [a, b, c, d, e, f, g, h] = luid;
    match node_mask {
        0 => Err(Error::Missing("no node of an adapter".to_owned())),
        1 => Ok((u32::from_le_bytes([a, b, c, d]), i32::from_le_bytes([e, f, g, h]))),
        _ => Err(Error::Missing(format!("an adapter of linked GPUs, node mask {node_mask:#x}"))),
    }
}

#[test]
fn an_adapter_has_a_luid_and_one_node() {
    let luid = [1, 2, 3, 4, 5, 6, 7, 0x88];
    assert_eq!(adapter(luid, 1).unwrap(), (0x0403_0201, 0x8807_0605_u32 as i32));
    for (node_mask, reason) in [(0, "no node"), (2, "node mask 0x2"), (3, "node mask 0x3")] {
        let error = adapter(luid, node_mask).unwrap_err();
        assert!(matches!(&error, Error::Missing(text) if text.contains(reason)), "{error}");
    }
}
