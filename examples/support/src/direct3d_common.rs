//! What the Direct3D examples use: the adapter of CUDA's device, NT handles, names, and a texture.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use ash::vk;
use cuda_external_sys::*;
use windows::Win32::Foundation::{HANDLE, LUID};
use windows::Win32::Graphics::Dxgi::{CreateDXGIFactory1, IDXGIAdapter1, IDXGIFactory4};

use crate::cuda::{Cuda, ImportedMemory};
use crate::import_win32_handle::Win32HandleOrName;
use crate::vulkan::ImageShape;
use crate::{Error, Result};

/// Returns the adapter with the LUID of CUDA's device. Direct3D objects for CUDA must be created on this adapter.
pub fn adapter_of_cuda_device(cuda: &Cuda) -> Result<IDXGIAdapter1> {
    let missing = |why: String| Error::Missing(format!("{} is not such an adapter: {why}", cuda.name));
    let (mut luid, mut node_mask) = ([0; 8], 0);
    // SAFETY: `luid` has the eight bytes of a LUID, and `node_mask` is a variable here.
    let code = unsafe { cuDeviceGetLuid(luid.as_mut_ptr(), &mut node_mask, cuda.device) };
    code.result().map_err(|code| missing(code.to_string()))?;
    // Another mask means a linked node adapter.
    if node_mask != 1 {
        return Err(missing(format!("its node mask is {node_mask:#x}")));
    }
    let [a, b, c, d, e, f, g, h] = luid.map(|byte| byte.to_ne_bytes()[0]);
    let luid = LUID { LowPart: u32::from_le_bytes([a, b, c, d]), HighPart: i32::from_le_bytes([e, f, g, h]) };
    // SAFETY: the functions take no pointer from this program.
    let adapter: windows::core::Result<IDXGIAdapter1> =
        unsafe { CreateDXGIFactory1::<IDXGIFactory4>().and_then(|factory| factory.EnumAdapterByLuid(luid)) };
    adapter.map_err(|error| missing(error.to_string()))
}

/// Takes ownership of a new NT handle. Dropping the result closes the handle.
///
/// # Safety
///
/// The handle must be open, and nothing else may own it.
pub unsafe fn own_nt_handle(handle: HANDLE) -> OwnedHandle {
    // SAFETY: the caller guarantees that the handle is open and has no other owner.
    unsafe { OwnedHandle::from_raw_handle(handle.0) }
}

/// Wraps the handle for [`crate::import_win32_handle`]. The caller keeps the handle, and closes it after the import.
pub fn borrow_nt_handle(handle: &OwnedHandle) -> Win32HandleOrName<'static> {
    Win32HandleOrName::Nt(handle.as_raw_handle())
}

/// Returns a NUL-terminated name in the session's namespace, `Local`: the namespace `Global` may require a privilege.
pub fn unique_name(of: &str) -> Vec<u16> {
    let name = format!("Local\\cuda-external-sys-{}-{of}\0", std::process::id());
    name.encode_utf16().collect()
}

/// The extent of a 2D texture of `DXGI_FORMAT_R8G8B8A8_UNORM` with one level. Direct3D may draw to the texture.
pub struct SharedTexture {
    pub width: u32,
    pub height: u32,
}

impl SharedTexture {
    /// The bytes of a texel.
    pub const TEXEL: usize = 4;

    /// Maps the imported memory of the texture.
    ///
    /// # Safety
    ///
    /// `memory` must be of a texture with this extent, R8G8B8A8_UNORM and one level: the driver may miss an error.
    pub unsafe fn map_as_array(&self, memory: &ImportedMemory) -> Result<CUmipmappedArray> {
        let desc = CUDA_ARRAY3D_DESCRIPTOR {
            Width: self.width as usize,
            Height: self.height as usize,
            Format: CU_AD_FORMAT_UNORM_INT8X4,
            NumChannels: 4,
            // CUDA requires this flag if the texture can be a render target, even if Direct3D never draws to it.
            Flags: CUDA_ARRAY3D_COLOR_ATTACHMENT,
            ..Default::default()
        };
        // SAFETY: the caller guarantees that `memory` is of a texture that `desc` describes.
        unsafe { memory.map_mipmapped_array(0, desc, 1) }
    }

    /// Returns the size of all texels in bytes. The example d3d11 imports with this size: Direct3D 11 does not report
    /// the allocation's size. It is *not verified* that CUDA accepts this size.
    pub fn unpadded_size(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height) * Self::TEXEL as u64
    }

    /// Returns the texture's shape for `read_level` and `write_level`.
    pub fn image_shape(&self) -> ImageShape {
        let extent = vk::Extent3D { width: self.width, height: self.height, depth: 1 };
        ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 }
    }
}
