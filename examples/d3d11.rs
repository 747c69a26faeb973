//! CUDA imports Direct3D 11's buffers, textures and keyed mutexes. A fence is shared as in the example d3d12.
//!
//! What to look at:
//!
//! - the buffer, shared by a D3DKMT handle: such a handle holds no reference and is not closed;
//! - the texture, shared by an NT handle: the program closes this handle after the imports;
//! - the keyed mutex of each resource, imported from the same handle as the resource, and the mutex's two keys;
//! - the time limit of an acquire, in both APIs;
//! - the DEDICATED flag, which the import of every Direct3D 11 resource needs;
//! - the teardown at the end of each scope: CUDA's imports first, then the Direct3D objects that were imported.
//!
//! This example follows the documentation of CUDA and Direct3D. It has not been run on a GPU yet.

example_support::example_main!(windows, "d3d11.rs", direct3d11::example);

#[cfg(windows)]
mod direct3d11 {
    use cuda_external_sys::*;
    use windows::Win32::Foundation::{HMODULE, WAIT_ABANDONED, WAIT_TIMEOUT};
    use windows::Win32::Graphics::Direct3D::D3D_DRIVER_TYPE_UNKNOWN;
    use windows::Win32::Graphics::Direct3D11::*;
    use windows::Win32::Graphics::Dxgi::Common::*;
    use windows::Win32::Graphics::Dxgi::{
        DXGI_SHARED_RESOURCE_READ, DXGI_SHARED_RESOURCE_WRITE, IDXGIKeyedMutex, IDXGIResource, IDXGIResource1,
    };
    use windows::Win32::System::Threading::INFINITE;
    use windows::core::{Interface, PCWSTR};

    use example_support::cuda::{self, Cuda, ImportedSemaphore, Stream};
    use example_support::direct3d_common::{self, SharedTexture, borrow_nt_handle};
    use example_support::import_win32_handle::{self, Win32HandleOrName};
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::{Error, Result};

    const BUFFER: u32 = 1 << 20;
    const WIDTH: u32 = 256;
    const HEIGHT: u32 = 128;

    /// Microsoft lists this format among the formats of shared textures.
    const FORMAT: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;
    const TEXTURE: SharedTexture = SharedTexture { width: WIDTH, height: HEIGHT };

    /// The key with which Direct3D acquires each keyed mutex: 0, which a mutex's first acquire needs. A release names
    /// the key of the API that may acquire the mutex next.
    const DIRECT3D: u64 = 0;
    /// The key with which CUDA acquires each keyed mutex.
    const CUDA: u64 = 1;
    /// The time limit, in milliseconds, with which Direct3D acquires a mutex after CUDA's work. If CUDA's work fails,
    /// the stream never releases the mutex, and an acquire with INFINITE would wait forever.
    const AFTER_CUDA: u32 = 10_000;

    /// A resource's usage, bind flags, CPU access flags and miscellaneous flags.
    type ResourceUsage = (D3D11_USAGE, i32, i32, i32);
    const STAGING: ResourceUsage = (D3D11_USAGE_STAGING, 0, D3D11_CPU_ACCESS_READ.0, 0);

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let d3d = Direct3DDevice::open_device(&cuda)?;
        println!("{} is CUDA's device and Direct3D 11's", cuda.name);
        let stream = Stream::new()?;
        buffer_by_kmt_handle(&d3d, stream.raw())?;
        texture_by_nt_handle(&d3d, stream.raw())
    }

    fn buffer_by_kmt_handle(d3d: &Direct3DDevice, stream: CUstream) -> Result<()> {
        let size = BUFFER as usize;
        let keyed_mutex = D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX.0;
        let buffer = d3d.create_buffer((D3D11_USAGE_DEFAULT, D3D11_BIND_VERTEX_BUFFER.0, 0, keyed_mutex))?;
        let mutex: IDXGIKeyedMutex = buffer.cast()?;
        // SAFETY: here and below, the interfaces are live, and each pointer is to data of the expected type and size.
        let handle = unsafe { buffer.cast::<IDXGIResource>()?.GetSharedHandle() }?;
        let shared = Win32HandleOrName::Kmt(handle.0);
        let kind = CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT;
        let memory = import_win32_handle::import_memory(kind, shared, u64::from(BUFFER), true)?;
        let semaphore = import_win32_handle::import_semaphore(
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT,
            shared,
        )?;
        let mapped = memory.map_buffer(0, u64::from(BUFFER))?;

        let (forth, back) = (test_pattern(1, size), test_pattern(2, size));
        acquire_mutex_in_direct3d(&mutex, DIRECT3D, INFINITE)?;
        unsafe { d3d.context.UpdateSubresource(&buffer, 0, None, forth.as_ptr().cast(), 0, 0) };
        unsafe { mutex.ReleaseSync(CUDA) }?;

        acquire_mutex_in_cuda(&semaphore, CUDA, stream)?;
        // The copies below do not run in the stream, so the CPU waits until the stream has acquired the mutex.
        unsafe { cuStreamSynchronize(stream) }.result()?;
        let read = cuda::read(mapped, size)?;
        cuda::write(mapped, &back)?;
        release_mutex_in_cuda(&semaphore, DIRECT3D, stream)?;

        acquire_mutex_in_direct3d(&mutex, DIRECT3D, AFTER_CUDA)?;
        let staging = d3d.create_buffer(STAGING)?;
        unsafe { d3d.context.CopyResource(&staging, &buffer) };
        unsafe { mutex.ReleaseSync(DIRECT3D) }?;
        unsafe { cuStreamSynchronize(stream) }.result()?;
        compare_bytes("Direct3D to CUDA, buffer", &read, &forth)?;
        compare_bytes("CUDA to Direct3D, buffer", &d3d.read_staging_rows(&staging.cast()?, 1, size)?, &back)?;

        // The end of the scope destroys the imports before the buffer, to which the D3DKMT handle holds no reference.
        Ok(())
    }

    fn texture_by_nt_handle(d3d: &Direct3DDevice, stream: CUstream) -> Result<()> {
        // Direct3D accepts SHARED_NTHANDLE only together with SHARED or SHARED_KEYEDMUTEX. SHARED_KEYEDMUTEX gives the
        // texture a keyed mutex.
        let misc = D3D11_RESOURCE_MISC_SHARED_NTHANDLE.0 | D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX.0;
        let bind = D3D11_BIND_RENDER_TARGET.0 | D3D11_BIND_SHADER_RESOURCE.0;
        let texture = d3d.create_texture((D3D11_USAGE_DEFAULT, bind, 0, misc))?;
        let mutex: IDXGIKeyedMutex = texture.cast()?;
        let access = DXGI_SHARED_RESOURCE_READ.0 | DXGI_SHARED_RESOURCE_WRITE.0;
        let resource: IDXGIResource1 = texture.cast()?;
        // SAFETY: the handle is new.
        let handle = unsafe {
            direct3d_common::own_nt_handle(resource.CreateSharedHandle(None, access, PCWSTR::null())?)
        };
        let memory = import_win32_handle::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE,
            borrow_nt_handle(&handle),
            // Direct3D 11 does not report the allocation's size, so this is the size of all texels.
            TEXTURE.unpadded_size(),
            true,
        )?;
        let semaphore = import_win32_handle::import_semaphore(
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX,
            borrow_nt_handle(&handle),
        )?;
        drop(handle);
        // SAFETY: the memory is that of the texture, which was created with TEXTURE's extent, FORMAT and one level.
        let mipmap = unsafe { TEXTURE.map_as_array(&memory) }?;

        let pitch = WIDTH * 4;
        let [forth, back] = [3, 4].map(|seed| test_pattern(seed, (pitch * HEIGHT) as usize));
        acquire_mutex_in_direct3d(&mutex, DIRECT3D, INFINITE)?;
        unsafe { d3d.context.UpdateSubresource(&texture, 0, None, forth.as_ptr().cast(), pitch, 0) };
        unsafe { mutex.ReleaseSync(CUDA) }?;

        acquire_mutex_in_cuda(&semaphore, CUDA, stream)?;
        // The copies below do not run in the stream, so the CPU waits until the stream has acquired the mutex.
        unsafe { cuStreamSynchronize(stream) }.result()?;
        // SAFETY: `mipmap` lives until `memory` is dropped.
        let read = unsafe { cuda::read_level(mipmap, &TEXTURE.image_shape(), SharedTexture::TEXEL, 0) }?;
        // SAFETY: `mipmap` lives until `memory` is dropped.
        unsafe { cuda::write_level(mipmap, &TEXTURE.image_shape(), SharedTexture::TEXEL, 0, &back) }?;
        release_mutex_in_cuda(&semaphore, DIRECT3D, stream)?;

        acquire_mutex_in_direct3d(&mutex, DIRECT3D, AFTER_CUDA)?;
        let staging = d3d.create_texture(STAGING)?;
        unsafe { d3d.context.CopyResource(&staging, &texture) };
        unsafe { mutex.ReleaseSync(DIRECT3D) }?;
        unsafe { cuStreamSynchronize(stream) }.result()?;
        compare_bytes("Direct3D to CUDA, texture", &read, &forth)?;
        let rows = d3d.read_staging_rows(&staging.cast()?, HEIGHT as usize, pitch as usize)?;
        compare_bytes("CUDA to Direct3D, texture", &rows, &back)?;
        Ok(())
    }

    /// Makes the stream acquire the mutex with `key`. Call this after Direct3D's ReleaseSync with the same key.
    fn acquire_mutex_in_cuda(mutex: &ImportedSemaphore, key: u64, stream: CUstream) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.keyedMutex =
            CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex { key, timeoutMs: INFINITE };
        // SAFETY: the driver reads one semaphore and one struct during the call. The stream lives.
        Ok(unsafe { cuWaitExternalSemaphoresAsync(&mutex.raw(), &params, 1, stream) }.result()?)
    }

    /// Makes the stream release the mutex. Direct3D can then acquire the mutex with `key`.
    fn release_mutex_in_cuda(mutex: &ImportedSemaphore, key: u64, stream: CUstream) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.keyedMutex.key = key;
        // SAFETY: the driver reads one semaphore and one struct during the call. The stream lives.
        Ok(unsafe { cuSignalExternalSemaphoresAsync(&mutex.raw(), &params, 1, stream) }.result()?)
    }

    /// Also fails on WAIT_TIMEOUT and WAIT_ABANDONED, for which the `windows` crate's `AcquireSync` returns `Ok`.
    fn acquire_mutex_in_direct3d(mutex: &IDXGIKeyedMutex, key: u64, milliseconds: u32) -> Result<()> {
        // SAFETY: the function comes from the vtable of the object that is passed to it.
        let code = unsafe { (mutex.vtable().AcquireSync)(mutex.as_raw(), key, milliseconds) };
        let failed = |what| Err(Error::Failed(format!("a keyed mutex and its key {key}: {what}")));
        match code.0 as u32 {
            code if code == WAIT_TIMEOUT.0 => failed("the time ran out"),
            code if code == WAIT_ABANDONED.0 => failed("its owner has gone"),
            _ => Ok(code.ok()?),
        }
    }

    struct Direct3DDevice {
        device: ID3D11Device,
        context: ID3D11DeviceContext,
    }

    impl Direct3DDevice {
        fn open_device(cuda: &Cuda) -> Result<Self> {
            let adapter = direct3d_common::adapter_of_cuda_device(cuda)?;
            let (mut device, mut context) = (None, None);
            let (to_device, to_context) = (Some(&raw mut device), Some(&raw mut context));
            // If an adapter is passed, the driver type must be UNKNOWN.
            let (unknown, none, sdk) = (D3D_DRIVER_TYPE_UNKNOWN, HMODULE::default(), D3D11_SDK_VERSION);
            let flags = D3D11_CREATE_DEVICE_FLAG(0);
            // SAFETY: `device` and `context` are variables here.
            unsafe {
                D3D11CreateDevice(&adapter, unknown, none, flags, None, sdk, to_device, None, to_context)
            }
            .map_err(|error| Error::Missing(format!("{} has no Direct3D 11: {error}", cuda.name)))?;
            Ok(Self { device: device.expect("it was created"), context: context.expect("it was created") })
        }

        fn create_buffer(&self, (usage, bind, cpu, misc): ResourceUsage) -> Result<ID3D11Buffer> {
            let desc = D3D11_BUFFER_DESC {
                ByteWidth: BUFFER,
                Usage: usage,
                BindFlags: bind as u32,
                CPUAccessFlags: cpu as u32,
                MiscFlags: misc as u32,
                ..Default::default()
            };
            let mut buffer = None;
            unsafe { self.device.CreateBuffer(&desc, None, Some(&mut buffer)) }?;
            Ok(buffer.expect("it was created"))
        }

        fn create_texture(&self, (usage, bind, cpu, misc): ResourceUsage) -> Result<ID3D11Texture2D> {
            let desc = D3D11_TEXTURE2D_DESC {
                Width: WIDTH,
                Height: HEIGHT,
                MipLevels: 1,
                ArraySize: 1,
                Format: FORMAT,
                SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
                Usage: usage,
                BindFlags: bind as u32,
                CPUAccessFlags: cpu as u32,
                MiscFlags: misc as u32,
            };
            let mut texture = None;
            unsafe { self.device.CreateTexture2D(&desc, None, Some(&mut texture)) }?;
            Ok(texture.expect("it was created"))
        }

        /// Waits for the GPU, and returns the rows of a staging resource without their padding.
        fn read_staging_rows(&self, staging: &ID3D11Resource, rows: usize, row: usize) -> Result<Vec<u8>> {
            let mut mapped = D3D11_MAPPED_SUBRESOURCE::default();
            let mut bytes = Vec::with_capacity(rows * row);
            // SAFETY: `staging` has `rows` rows of at least `row` bytes. Their starts are `RowPitch` bytes apart.
            unsafe {
                self.context.Map(staging, 0, D3D11_MAP_READ, 0, Some(&mut mapped))?;
                for at in 0..rows {
                    let start = mapped.pData.cast::<u8>().add(at * mapped.RowPitch as usize);
                    bytes.extend_from_slice(std::slice::from_raw_parts(start, row));
                }
                self.context.Unmap(staging, 0);
            }
            Ok(bytes)
        }
    }
}
