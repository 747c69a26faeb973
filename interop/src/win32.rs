//! CUDA's side of what Windows shares: memory and semaphores by handle or name, and which adapter a
//! CUDA device is.
//!
//! Nothing in here needs Windows itself, so that every descriptor can be checked on any machine.

use std::ffi::{c_char, c_void};
use std::ptr;

use cuda_external_sys::*;

use crate::cuda::call;
use crate::{Error, Result};

/// What names an object that Direct3D or Vulkan shared.
#[derive(Clone, Copy, Debug)]
pub enum Shared<'a> {
    /// An NT handle (`CreateSharedHandle`, `vkGetMemoryWin32HandleKHR` with `OPAQUE_WIN32`). It holds
    /// a reference to the object and stays the program's: close it after the import, successful or
    /// not, or the object is never freed.
    Handle(*mut c_void),
    /// The name that an NT handle was created with: UTF-16, with a zero at its end. Some handle of
    /// that name must be open during the import.
    Name(&'a [u16]),
    /// A global D3DKMT handle (`IDXGIResource::GetSharedHandle`, `OPAQUE_WIN32_KMT`). It is a number
    /// that holds no reference: keep the object until the import is destroyed, and never close it.
    Kmt(*mut c_void),
}

impl Shared<'_> {
    /// `win32.handle` and `win32.name`, of which exactly one is not null.
    fn parts(self) -> (*mut c_void, *const c_void) {
        match self {
            Self::Handle(handle) | Self::Kmt(handle) => (handle, ptr::null()),
            Self::Name(name) => {
                assert_eq!(name.last(), Some(&0), "the driver looks for the zero");
                (ptr::null_mut(), name.as_ptr().cast())
            }
        }
    }
}

/// `size` is the whole allocation's. `dedicated` is required for every Direct3D resource (a heap is
/// none), and for Vulkan memory exactly where `VkMemoryDedicatedAllocateInfo` was used.
pub fn memory_desc(
    type_: CUexternalMemoryHandleType,
    shared: Shared,
    size: u64,
    dedicated: bool,
) -> CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    let (handle, name) = shared.parts();
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, ..Default::default() };
    desc.handle.win32 = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 { handle, name };
    desc.flags = if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 };
    desc
}

pub fn import_memory(
    type_: CUexternalMemoryHandleType,
    shared: Shared,
    size: u64,
    dedicated: bool,
) -> Result<CUexternalMemory> {
    let desc = memory_desc(type_, shared, size, dedicated);
    let mut memory = ptr::null_mut();
    // SAFETY: both pointers are to variables here, and a name's borrow lasts until the return.
    unsafe { call!(cuImportExternalMemory(&mut memory, &desc)) }?;
    Ok(memory)
}

pub fn semaphore_desc(
    type_: CUexternalSemaphoreHandleType,
    shared: Shared,
) -> CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    let (handle, name) = shared.parts();
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.win32 = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 { handle, name };
    desc
}

pub fn import_semaphore(type_: CUexternalSemaphoreHandleType, shared: Shared) -> Result<CUexternalSemaphore> {
    let desc = semaphore_desc(type_, shared);
    let mut semaphore = ptr::null_mut();
    // SAFETY: as in `import_memory`.
    unsafe { call!(cuImportExternalSemaphore(&mut semaphore, &desc)) }?;
    Ok(semaphore)
}

/// For a binary Vulkan semaphore, which takes no parameters, or after `params` was filled in.
pub fn signal(
    semaphore: CUexternalSemaphore,
    params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    stream: CUstream,
) -> Result<()> {
    // SAFETY: one semaphore and its parameters, which the driver reads before it returns.
    unsafe { call!(cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream)) }
}

/// The other API must have enqueued the signal before.
pub fn wait(
    semaphore: CUexternalSemaphore,
    params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    stream: CUstream,
) -> Result<()> {
    // SAFETY: as in `signal`.
    unsafe { call!(cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream)) }
}

/// Sets a fence (D3D12, D3D11) or a timeline semaphore to a value, which must be above the last.
pub fn to_value(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = value;
    params
}

/// Waits until a fence or a timeline semaphore has at least this value.
pub fn for_value(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    params
}

/// Releases a keyed mutex, for whoever asks with this key next.
pub fn release(key: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.keyedMutex.key = key;
    params
}

/// Acquires a keyed mutex, once it has been released with this key. `milliseconds` may be
/// [`INFINITE`]; zero gives up at once.
pub fn acquire(key: u64, milliseconds: u32) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.keyedMutex =
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex { key, timeoutMs: milliseconds };
    params
}

/// Windows's macro of this name.
pub const INFINITE: u32 = u32::MAX;

/// A stream that the default stream does not wait for.
pub fn stream() -> Result<CUstream> {
    let mut stream = ptr::null_mut();
    #[allow(clippy::unnecessary_cast)] // C's enums are signed with MSVC, and unsigned elsewhere
    let flags = CU_STREAM_NON_BLOCKING.0 as u32;
    // SAFETY: a context is current; `stream` is a variable here.
    unsafe { call!(cuStreamCreate(&mut stream, flags)) }?;
    Ok(stream)
}

/// The LUID of the adapter that a CUDA device is, as Direct3D and DXGI have it: low and high part.
/// A device whose driver runs in compute mode (TCC) is no adapter.
pub fn luid(device: CUdevice) -> Result<(u32, i32)> {
    let mut bytes: [c_char; 8] = [0; 8];
    let mut node_mask = 0;
    // SAFETY: a LUID is eight bytes, and the mask is a variable here.
    match unsafe { cuDeviceGetLuid(bytes.as_mut_ptr(), &mut node_mask, device) } {
        CUDA_SUCCESS if node_mask != 0 => Ok(luid_parts(bytes.map(|byte| byte.to_ne_bytes()[0]))),
        code => Err(Error::Missing(format!(
            "CUDA's device {device} is no display adapter: cuDeviceGetLuid says {code:?}, node mask {node_mask:#x}"
        ))),
    }
}

/// The low part comes first.
pub fn luid_parts(bytes: [u8; 8]) -> (u32, i32) {
    let [a, b, c, d, e, f, g, h] = bytes;
    (u32::from_le_bytes([a, b, c, d]), i32::from_le_bytes([e, f, g, h]))
}
