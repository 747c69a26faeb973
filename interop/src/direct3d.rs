//! What Direct3D 11 and 12 share: CUDA's adapter, handles that close themselves, names, and copies of a level.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use cuda_external_sys::*;
use windows::Win32::Foundation::{HANDLE, LUID};
use windows::Win32::Graphics::Dxgi::{CreateDXGIFactory1, IDXGIAdapter1, IDXGIFactory4};
use windows::core::PCWSTR;

use crate::cuda::{Cuda, level_array};
use crate::win32::{self, Win32Handle};
use crate::{Error, Result};

/// Returns the adapter that CUDA's device is. What is created on another one cannot be imported.
pub fn adapter(cuda: &Cuda) -> Result<IDXGIAdapter1> {
    let (low, high) = win32::luid(cuda.device)?;
    let luid = LUID { LowPart: low, HighPart: high };
    // SAFETY: takes no pointer of ours.
    let adapter: windows::core::Result<IDXGIAdapter1> =
        unsafe { CreateDXGIFactory1::<IDXGIFactory4>().and_then(|factory| factory.EnumAdapterByLuid(luid)) };
    adapter.map_err(|error| {
        Error::Missing(format!("{} is adapter {high:08x}:{low:08x}, which DXGI lacks: {error}", cuda.name))
    })
}

/// Takes over an NT handle that `CreateSharedHandle` has just made: it is closed at the end of its scope.
pub fn owned(handle: HANDLE) -> OwnedHandle {
    // SAFETY: the handle was created for this program, which owns it.
    unsafe { OwnedHandle::from_raw_handle(handle.0) }
}

/// Returns the handle as an import takes it. The caller keeps it.
pub fn by_handle(handle: &OwnedHandle) -> Win32Handle<'static> {
    Win32Handle::Nt(handle.as_raw_handle())
}

/// Returns a name that no other process has, in the session's namespace: UTF-16 with a zero at its end.
pub fn unique_name(of: &str) -> Vec<u16> {
    let name = format!("Local\\cuda-external-sys-{}-{of}\0", std::process::id());
    name.encode_utf16().collect()
}

/// Returns a name as Direct3D takes it.
pub fn pcwstr(name: &[u16]) -> PCWSTR {
    PCWSTR(name.as_ptr())
}

/// Texels of a 2D level, rows without gaps, as CUDA's copy describes them.
pub struct Texels {
    /// Texels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes of one texel.
    pub size: usize,
}

impl Texels {
    /// Enqueues a copy to the level.
    ///
    /// # Safety
    ///
    /// The array and the stream live, and `bytes` stays until the stream is synchronized.
    pub unsafe fn write(
        &self,
        mipmap: CUmipmappedArray,
        level: u32,
        bytes: &[u8],
        stream: CUstream,
    ) -> Result<()> {
        assert_eq!(bytes.len(), self.width * self.height * self.size);
        let copy = CUDA_MEMCPY3D {
            srcMemoryType: CU_MEMORYTYPE_HOST,
            srcHost: bytes.as_ptr().cast(),
            srcPitch: self.width * self.size,
            srcHeight: self.height,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            // SAFETY: as the caller guarantees.
            dstArray: unsafe { level_array(mipmap, level) }?,
            ..self.extent()
        };
        // SAFETY: `bytes` has every row, as asserted.
        Ok(unsafe { cuMemcpy3DAsync(&copy, stream) }.result()?)
    }

    /// Copies the level to the host, after what was enqueued before.
    ///
    /// # Safety
    ///
    /// The array and the stream live.
    pub unsafe fn read(&self, mipmap: CUmipmappedArray, level: u32, stream: CUstream) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.width * self.height * self.size];
        let copy = CUDA_MEMCPY3D {
            srcMemoryType: CU_MEMORYTYPE_ARRAY,
            // SAFETY: as the caller guarantees.
            srcArray: unsafe { level_array(mipmap, level) }?,
            dstMemoryType: CU_MEMORYTYPE_HOST,
            dstHost: bytes.as_mut_ptr().cast(),
            dstPitch: self.width * self.size,
            dstHeight: self.height,
            ..self.extent()
        };
        // SAFETY: `bytes` has room for every row, and stays until the copy is done.
        unsafe {
            cuMemcpy3DAsync(&copy, stream).result()?;
            cuStreamSynchronize(stream).result()?;
        }
        Ok(bytes)
    }

    fn extent(&self) -> CUDA_MEMCPY3D {
        let width = self.width * self.size;
        CUDA_MEMCPY3D { WidthInBytes: width, Height: self.height, Depth: 1, ..Default::default() }
    }
}

/// Windows has a namespace for each session, and one for all, in which a user may create nothing.
#[test]
fn a_name_is_of_the_session_and_ends() {
    let [name, other] = ["memory", "fence"].map(unique_name);
    assert_ne!(name, other);
    let name = String::from_utf16(&name).expect("UTF-16");
    assert!(name.starts_with("Local\\") && name.ends_with('\0'), "{name:?}");
}
