//! CUDA imports Direct3D 12's heaps, committed resources and fences.
//!
//! What to look at:
//!
//! - the adapter, matched by LUID;
//! - the heap: CUDA maps the buffer at the buffer's offset in the heap;
//! - the committed texture, imported as DEDICATED and with the size from GetResourceAllocationInfo;
//! - the fence, imported by name;
//! - the handles, which CUDA does not own: the program closes each handle after the import;
//! - the teardown: CUDA's imports first, then the Direct3D objects.
//!
//! This example follows the documentation of CUDA and Direct3D. It has not been run on a GPU yet.

example_support::example_main!(windows, "d3d12.rs", direct3d12::example);

#[cfg(windows)]
mod direct3d12 {
    use std::mem::ManuallyDrop;
    use std::os::windows::io::OwnedHandle;
    use std::ptr;

    use cuda_external_sys::*;
    use windows::Win32::Foundation::{GENERIC_ALL, HANDLE};
    use windows::Win32::Graphics::Direct3D::D3D_FEATURE_LEVEL_11_0;
    use windows::Win32::Graphics::Direct3D12::*;
    use windows::Win32::Graphics::Dxgi::Common::*;
    use windows::core::{Interface, PCWSTR};

    use example_support::cuda::{self, Cuda, Stream};
    use example_support::direct3d_common::{self, SharedTexture, borrow_nt_handle, unique_name};
    use example_support::import_win32_handle::{self, Win32HandleOrName};
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::{Error, Result};

    const HEAP: u64 = 2 << 20;
    /// The buffer's offset in the heap: a multiple of 64 KiB, the alignment that Direct3D requires.
    const OFFSET: u64 = 1 << 20;
    const BUFFER: usize = 1 << 20;
    const WIDTH: u32 = 256;
    const HEIGHT: u32 = 128;

    /// Microsoft lists this format among the formats of shared textures.
    const FORMAT: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;
    const TEXTURE: SharedTexture = SharedTexture { width: WIDTH, height: HEIGHT };

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let d3d = Direct3DDevice::open_device(&cuda)?;
        println!("{} is CUDA's device and Direct3D 12's", cuda.name);
        let stream = Stream::new()?;

        // One fence orders both directions. CUDA imports the fence by its name, while a handle with this name is open.
        let name = unique_name("fence");
        // SAFETY: here and below, the interfaces are live, and each pointer is to a variable of the expected type.
        let fence: ID3D12Fence = unsafe { d3d.device.CreateFence(0, D3D12_FENCE_FLAG_SHARED) }?;
        let handle = create_shared_handle(&d3d, &fence, PCWSTR(name.as_ptr()))?;
        let semaphore = import_win32_handle::import_semaphore(
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE,
            Win32HandleOrName::Name(&name),
        )?;
        drop(handle);

        let heap = create_shared_heap(&d3d)?;
        let buffer = create_placed_buffer(&d3d, &heap)?;
        let handle = create_shared_handle(&d3d, &heap, PCWSTR::null())?;
        let heap_memory = import_win32_handle::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP,
            borrow_nt_handle(&handle),
            HEAP,
            false, // not dedicated: a heap can hold several resources
        )?;
        drop(handle);
        let mapped = heap_memory.map_buffer(OFFSET, BUFFER as u64)?;

        let (texture, desc) = create_shared_texture(&d3d)?;
        // SAFETY: the device lives, and reads the description during the call.
        let size = unsafe { d3d.device.GetResourceAllocationInfo(0, &[desc]) }.SizeInBytes;
        let handle = create_shared_handle(&d3d, &texture, PCWSTR::null())?;
        let texture_memory = import_win32_handle::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE,
            borrow_nt_handle(&handle),
            size,
            true,
        )?;
        drop(handle);
        // SAFETY: the memory is that of the texture, which was created with TEXTURE's extent, FORMAT and one level.
        let mipmap = unsafe { TEXTURE.map_as_array(&texture_memory) }?;

        // Direct3D writes the buffer and CUDA reads it. CUDA's wait is enqueued after Direct3D's signal.
        let written = test_pattern(1, BUFFER);
        let upload = d3d.create_host_buffer(D3D12_HEAP_TYPE_UPLOAD, BUFFER as u64)?;
        write_upload_buffer(&upload, &written)?;
        let _uploading = d3d.execute_commands(|list| {
            // SAFETY: both buffers have BUFFER bytes, and live until the copy is done or an error ends the example.
            unsafe { list.CopyBufferRegion(&buffer, 0, &upload, 0, BUFFER as u64) };
        })?;
        unsafe { d3d.queue.Signal(&fence, 1) }?;
        stream.wait(&[(&semaphore, 1)])?;
        stream.synchronize()?;
        let read = cuda::read(mapped, BUFFER)?;
        compare_bytes("Direct3D to CUDA, buffer", &read, &written)?;

        // CUDA writes the buffer and the texture, and Direct3D copies both. A copy promotes its source from COMMON to
        // COPY_SOURCE, and the source decays to COMMON when the command list is done.
        let (of_buffer, of_texture) =
            (test_pattern(2, BUFFER), test_pattern(3, TEXTURE.unpadded_size() as usize));
        cuda::write(mapped, &of_buffer)?;
        // SAFETY: `mipmap` lives until `texture_memory` is dropped.
        unsafe { cuda::write_level(mipmap, &TEXTURE.image_shape(), SharedTexture::TEXEL, 0, &of_texture) }?;
        stream.signal(&[(&semaphore, 2)])?;
        unsafe { d3d.queue.Wait(&fence, 2) }?;
        let (footprint, total) = d3d.copyable_footprint(&desc);
        let buffer_back = d3d.create_host_buffer(D3D12_HEAP_TYPE_READBACK, BUFFER as u64)?;
        let texture_back = d3d.create_host_buffer(D3D12_HEAP_TYPE_READBACK, total)?;
        let _reading = d3d.execute_commands(|list| {
            // SAFETY: `footprint` is the texture's. The resources live until the GPU is done or the example fails.
            unsafe {
                list.CopyBufferRegion(&buffer_back, 0, &buffer, 0, BUFFER as u64);
                record_texture_readback(list, &texture, &texture_back, footprint);
            }
        })?;
        unsafe {
            d3d.queue.Signal(&fence, 3)?;
            // Without an event, `SetEventOnCompletion` blocks until the fence has this value.
            fence.SetEventOnCompletion(3, HANDLE::default())?;
        }
        compare_bytes("CUDA to Direct3D, buffer", &read_readback_buffer(&buffer_back, BUFFER)?, &of_buffer)?;
        let rows = read_readback_buffer(&texture_back, total as usize)?;
        let pitch = footprint.Footprint.RowPitch as usize;
        let rows: Vec<u8> = rows.chunks(pitch).flat_map(|row| &row[..WIDTH as usize * 4]).copied().collect();
        compare_bytes("CUDA to Direct3D, texture", &rows, &of_texture)?;

        // The end of the scope destroys each import with its mappings before the Direct3D object that was imported.
        stream.synchronize()?;
        Ok(())
    }

    /// Creates an NT handle of an object. If `name` is null, the handle has no name.
    fn create_shared_handle(
        d3d: &Direct3DDevice,
        object: &impl Interface,
        name: PCWSTR,
    ) -> Result<OwnedHandle> {
        let child: ID3D12DeviceChild = object.cast()?;
        // SAFETY: the object was created to be shared, and `name` is null or ends with a zero. The handle is new.
        unsafe {
            let handle = d3d.device.CreateSharedHandle(&child, None, GENERIC_ALL.0, name)?;
            Ok(direct3d_common::own_nt_handle(handle))
        }
    }

    fn create_shared_heap(d3d: &Direct3DDevice) -> Result<ID3D12Heap> {
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: HEAP,
            Properties: heap_properties(D3D12_HEAP_TYPE_DEFAULT),
            Alignment: 0,
            Flags: D3D12_HEAP_FLAG_SHARED | D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS,
        };
        let mut heap = None;
        unsafe { d3d.device.CreateHeap(&desc, &mut heap) }?;
        Ok(heap.expect("it was created"))
    }

    fn create_placed_buffer(d3d: &Direct3DDevice, heap: &ID3D12Heap) -> Result<ID3D12Resource> {
        let desc = buffer_desc(BUFFER as u64);
        let (state, mut buffer) = (D3D12_RESOURCE_STATE_COMMON, None);
        unsafe { d3d.device.CreatePlacedResource(heap, OFFSET, &desc, state, None, &mut buffer) }?;
        Ok(buffer.expect("it was created"))
    }

    /// Creates a committed texture with ALLOW_RENDER_TARGET, for which `map_as_array` sets COLOR_ATTACHMENT.
    fn create_shared_texture(d3d: &Direct3DDevice) -> Result<(ID3D12Resource, D3D12_RESOURCE_DESC)> {
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION_TEXTURE2D,
            Width: u64::from(WIDTH),
            Height: HEIGHT,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: FORMAT,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Flags: D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET,
            ..Default::default()
        };
        let texture =
            d3d.create_committed_resource(D3D12_HEAP_TYPE_DEFAULT, D3D12_HEAP_FLAG_SHARED, &desc)?;
        Ok((texture, desc))
    }

    struct Direct3DDevice {
        device: ID3D12Device,
        queue: ID3D12CommandQueue,
    }

    impl Direct3DDevice {
        fn open_device(cuda: &Cuda) -> Result<Self> {
            let adapter = direct3d_common::adapter_of_cuda_device(cuda)?;
            let mut device: Option<ID3D12Device> = None;
            // SAFETY: `device` is a variable here.
            unsafe { D3D12CreateDevice(&adapter, D3D_FEATURE_LEVEL_11_0, &mut device) }
                .map_err(|error| Error::Missing(format!("{} has no Direct3D 12: {error}", cuda.name)))?;
            let device = device.expect("it was created");
            // SAFETY: here and below, each interface is live, and each pointer is to a variable of the expected type.
            let nodes = unsafe { device.GetNodeCount() };
            // CUDA's programming guide does not allow linked node adapters, which have more than one node.
            if nodes != 1 {
                return Err(Error::Missing(format!("{} is an adapter of {nodes} linked GPUs", cuda.name)));
            }
            let queue =
                D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE_DIRECT, ..Default::default() };
            let queue = unsafe { device.CreateCommandQueue(&queue) }?;
            Ok(Self { device, queue })
        }

        /// Creates a resource and a heap for this resource alone.
        fn create_committed_resource(
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
            let (heap, mut resource) = (heap_properties(kind), None);
            unsafe { self.device.CreateCommittedResource(&heap, flags, desc, state, None, &mut resource) }?;
            Ok(resource.expect("it was created"))
        }

        fn create_host_buffer(&self, kind: D3D12_HEAP_TYPE, size: u64) -> Result<ID3D12Resource> {
            self.create_committed_resource(kind, D3D12_HEAP_FLAG_NONE, &buffer_desc(size))
        }

        /// Returns a texture's layout in a buffer, and the buffer's size. The row pitch is a multiple of 256 bytes.
        fn copyable_footprint(
            &self,
            desc: &D3D12_RESOURCE_DESC,
        ) -> (D3D12_PLACED_SUBRESOURCE_FOOTPRINT, u64) {
            let (mut layout, mut total) = (D3D12_PLACED_SUBRESOURCE_FOOTPRINT::default(), 0);
            unsafe {
                let (layout, total) = (Some(&raw mut layout), Some(&raw mut total));
                self.device.GetCopyableFootprints(desc, 0, 1, 0, layout, None, None, total);
            }
            (layout, total)
        }

        /// Records and executes commands. The caller must keep both returned objects until the GPU is done.
        fn execute_commands(
            &self,
            record: impl FnOnce(&ID3D12GraphicsCommandList),
        ) -> Result<(ID3D12CommandAllocator, ID3D12GraphicsCommandList)> {
            let kind = D3D12_COMMAND_LIST_TYPE_DIRECT;
            unsafe {
                let allocator: ID3D12CommandAllocator = self.device.CreateCommandAllocator(kind)?;
                let list: ID3D12GraphicsCommandList =
                    self.device.CreateCommandList(0, kind, &allocator, None)?;
                record(&list);
                list.Close()?;
                self.queue.ExecuteCommandLists(&[Some(list.cast()?)]);
                Ok((allocator, list))
            }
        }
    }

    fn heap_properties(kind: D3D12_HEAP_TYPE) -> D3D12_HEAP_PROPERTIES {
        D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() }
    }

    fn buffer_desc(size: u64) -> D3D12_RESOURCE_DESC {
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
    /// `texture` and `buffer` must live until the GPU has executed `list`. `layout` must be the layout of `texture`,
    /// and must fit in `buffer`.
    unsafe fn record_texture_readback(
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
        // SAFETY: the caller guarantees that `texture` and `buffer` outlive the commands, and that `layout` is the
        // layout of `texture` and fits in `buffer`. Each clone is dropped once.
        unsafe {
            list.CopyTextureRegion(&to, 0, 0, 0, &from, None);
            ManuallyDrop::drop(&mut to.pResource);
            ManuallyDrop::drop(&mut from.pResource);
        }
    }

    fn write_upload_buffer(upload: &ID3D12Resource, bytes: &[u8]) -> Result<()> {
        let (nothing, mut address) = (D3D12_RANGE::default(), ptr::null_mut());
        // SAFETY: `upload` has at least as many bytes as `bytes`.
        unsafe {
            upload.Map(0, Some(&nothing), Some(&mut address))?;
            address.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            upload.Unmap(0, None);
        }
        Ok(())
    }

    fn read_readback_buffer(readback: &ID3D12Resource, length: usize) -> Result<Vec<u8>> {
        let (range, mut address) = (D3D12_RANGE { Begin: 0, End: length }, ptr::null_mut());
        // SAFETY: `readback` has at least `length` bytes, and the GPU is done with it.
        unsafe {
            readback.Map(0, Some(&range), Some(&mut address))?;
            let bytes = std::slice::from_raw_parts(address.cast::<u8>(), length).to_vec();
            readback.Unmap(0, Some(&D3D12_RANGE::default()));
            Ok(bytes)
        }
    }
}
