//! Direct3D 12 around the shared objects: the device and its queue, command lists, and buffers that
//! the CPU sees.

use std::mem::ManuallyDrop;
use std::ptr;

use windows::Win32::Graphics::Direct3D::D3D_FEATURE_LEVEL_11_0;
use windows::Win32::Graphics::Direct3D12::*;
use windows::Win32::Graphics::Dxgi::Common::DXGI_SAMPLE_DESC;
use windows::core::Interface;

use crate::cuda::Cuda;
use crate::{Error, Result, direct3d};

pub struct Direct3D {
    pub device: ID3D12Device,
    /// A queue that draws, computes and copies.
    pub queue: ID3D12CommandQueue,
}

impl Direct3D {
    /// Opens the device that is CUDA's.
    pub fn open(cuda: &Cuda) -> Result<Self> {
        let adapter = direct3d::adapter(cuda)?;
        let mut device: Option<ID3D12Device> = None;
        // SAFETY: `device` is a variable here.
        unsafe { D3D12CreateDevice(&adapter, D3D_FEATURE_LEVEL_11_0, &mut device) }
            .map_err(|error| Error::Missing(format!("{} has no Direct3D 12: {error}", cuda.name)))?;
        let device = device.expect("it was created");
        // CUDA imports from adapters with one node only.
        // SAFETY: here and below: a live interface, and pointers to variables of the right types.
        let nodes = unsafe { device.GetNodeCount() };
        if nodes != 1 {
            return Err(Error::Missing(format!("{} is an adapter of {nodes} linked GPUs", cuda.name)));
        }
        let queue = D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE_DIRECT, ..Default::default() };
        let queue = unsafe { device.CreateCommandQueue(&queue) }?;
        Ok(Self { device, queue })
    }

    /// Creates a resource with a heap of its own.
    pub fn commit(
        &self,
        kind: D3D12_HEAP_TYPE,
        flags: D3D12_HEAP_FLAGS,
        desc: &D3D12_RESOURCE_DESC,
    ) -> Result<ID3D12Resource> {
        let state = match kind {
            D3D12_HEAP_TYPE_UPLOAD => D3D12_RESOURCE_STATE_GENERIC_READ,
            D3D12_HEAP_TYPE_READBACK => D3D12_RESOURCE_STATE_COPY_DEST,
            _ => D3D12_RESOURCE_STATE_COMMON,
        };
        let (heap, mut resource) = (properties(kind), None);
        unsafe { self.device.CreateCommittedResource(&heap, flags, desc, state, None, &mut resource) }?;
        Ok(resource.expect("it was created"))
    }

    /// Creates a buffer that the CPU sees.
    pub fn host_buffer(&self, kind: D3D12_HEAP_TYPE, size: u64) -> Result<ID3D12Resource> {
        self.commit(kind, D3D12_HEAP_FLAG_NONE, &buffer_desc(size))
    }

    /// Returns how the texture lies in a buffer, where rows are padded to 256 bytes, and the size of that.
    pub fn footprint(&self, desc: &D3D12_RESOURCE_DESC) -> (D3D12_PLACED_SUBRESOURCE_FOOTPRINT, u64) {
        let (mut layout, mut total) = (D3D12_PLACED_SUBRESOURCE_FOOTPRINT::default(), 0);
        unsafe {
            let (layout, total) = (Some(&raw mut layout), Some(&raw mut total));
            self.device.GetCopyableFootprints(desc, 0, 1, 0, layout, None, None, total);
        }
        (layout, total)
    }

    /// Records and executes commands. The result must live until the GPU is done.
    pub fn run(
        &self,
        record: impl FnOnce(&ID3D12GraphicsCommandList),
    ) -> Result<(ID3D12CommandAllocator, ID3D12GraphicsCommandList)> {
        let kind = D3D12_COMMAND_LIST_TYPE_DIRECT;
        unsafe {
            let allocator: ID3D12CommandAllocator = self.device.CreateCommandAllocator(kind)?;
            let list: ID3D12GraphicsCommandList = self.device.CreateCommandList(0, kind, &allocator, None)?;
            record(&list);
            list.Close()?;
            self.queue.ExecuteCommandLists(&[Some(list.cast()?)]);
            Ok((allocator, list))
        }
    }
}

pub fn properties(kind: D3D12_HEAP_TYPE) -> D3D12_HEAP_PROPERTIES {
    D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() }
}

pub fn buffer_desc(size: u64) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION_BUFFER,
        Width: size,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT_ROW_MAJOR,
        ..Default::default()
    }
}

/// Records a copy of the texture to a buffer.
///
/// # Safety
///
/// Both live until the commands are done, and the layout is the texture's.
pub unsafe fn copy_texture(
    list: &ID3D12GraphicsCommandList,
    texture: &ID3D12Resource,
    buffer: &ID3D12Resource,
    layout: D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
) {
    let mut to = D3D12_TEXTURE_COPY_LOCATION {
        pResource: ManuallyDrop::new(Some(buffer.clone())),
        Type: D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_0 { PlacedFootprint: layout },
    };
    let mut from = D3D12_TEXTURE_COPY_LOCATION {
        pResource: ManuallyDrop::new(Some(texture.clone())),
        Type: D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_0 { SubresourceIndex: 0 },
    };
    // SAFETY: as the caller guarantees. Each clone is dropped once.
    unsafe {
        list.CopyTextureRegion(&to, 0, 0, 0, &from, None);
        ManuallyDrop::drop(&mut to.pResource);
        ManuallyDrop::drop(&mut from.pResource);
    }
}

/// Writes the first bytes of an upload buffer.
pub fn fill(upload: &ID3D12Resource, bytes: &[u8]) -> Result<()> {
    let (nothing, mut address) = (D3D12_RANGE::default(), ptr::null_mut());
    // SAFETY: the buffer was created for at least this many bytes.
    unsafe {
        upload.Map(0, Some(&nothing), Some(&mut address))?;
        address.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        upload.Unmap(0, None);
    }
    Ok(())
}

/// Returns the first bytes of a readback buffer.
pub fn contents(readback: &ID3D12Resource, length: usize) -> Result<Vec<u8>> {
    let (range, mut address) = (D3D12_RANGE { Begin: 0, End: length }, ptr::null_mut());
    // SAFETY: the buffer has this many bytes, and the GPU is done with it.
    unsafe {
        readback.Map(0, Some(&range), Some(&mut address))?;
        let bytes = std::slice::from_raw_parts(address.cast::<u8>(), length).to_vec();
        readback.Unmap(0, Some(&D3D12_RANGE::default()));
        Ok(bytes)
    }
}
