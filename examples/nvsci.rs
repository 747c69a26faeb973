//! NvSciBuf and NvSciSync, of NVIDIA's embedded systems, in CUDA: a buffer as a pointer, an image as
//! an array, and a fence that CUDA signals and waits for.
//!
//! Look at: the order, which is attributes, reconciliation, object, size, import; the GPU, named by
//! its UUID; the size, asked of NvSciBuf after the allocation; the single level that an image has;
//! the two attribute lists that CUDA fills in for NvSciSync, one as signaler and one as waiter; the
//! fence, which is the program's memory; the order of the teardown, CUDA's imports first. CUDA takes
//! no NvSci object over.
//!
//! Compiled, linted and started without NvSci. It has not met one yet: what it shows is what the
//! documentation of both asks for. CUDA's side of it is checked with a stand-in for the driver.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("nvsci.rs"), sharing::example)
}

#[cfg(not(unix))]
fn main() {
    println!("NvSci is on NVIDIA's embedded systems, with Linux or QNX.");
}

#[cfg(unix)]
mod sharing {
    use std::ptr;

    use cuda_external_sys::*;

    use interop::cuda::{self, Cuda};
    use interop::nvsci::*;
    use interop::{Error, Result};

    const SIZE: u64 = 1 << 20;
    const WIDTH: u32 = 640;
    const HEIGHT: u32 = 480;

    /// Calls a function of a library inside `unsafe`; a code that is not success becomes an error with
    /// the function's name and the code.
    macro_rules! sci {
        ($library:expr, $function:ident($($argument:expr),* $(,)?)) => {
            match ($library.$function)($($argument),*) {
                0 => Ok(()),
                code => Err(Error::Failed(format!("{} says {code:#x}", stringify!($function)))),
            }
        };
    }

    pub fn example() -> Result<()> {
        let buf = Buf::open()?;
        let sync = Sync::open()?;
        let (major, minor) = VERSION;
        let (mut buf_suits, mut sync_suits) = (false, false);
        // SAFETY: here and below: functions of these types, pointers to variables of the right ones.
        unsafe {
            sci!(buf, NvSciBufCheckVersionCompatibility(major, minor, &mut buf_suits))?;
            sci!(sync, NvSciSyncCheckVersionCompatibility(major, minor, &mut sync_suits))?;
        }
        if !(buf_suits && sync_suits) {
            return Err(Error::Missing(format!("NvSci here does not suit the headers of {major}.{minor}")));
        }
        let cuda = Cuda::open(0)?;
        let mut stream = ptr::null_mut();
        let mut module = ptr::null_mut();
        unsafe {
            // CU_STREAM_NON_BLOCKING
            cuStreamCreate(&mut stream, 1).result()?;
            sci!(buf, NvSciBufModuleOpen(&mut module))?;
        }
        let coherent = buffer_as_pointer(&buf, module, &cuda, stream)?;
        image_as_array(&buf, module, &cuda)?;
        fence(&sync, &cuda, stream, coherent)?;
        // SAFETY: nothing uses either any more.
        unsafe {
            (buf.NvSciBufModuleClose)(module);
            cuStreamDestroy_v2(stream).result()?;
        }
        Ok(())
    }

    /// Allocates what the attributes and all who share it agree on. Here CUDA is the only one; each
    /// other engine would add a list of its own to the reconciliation.
    fn allocate(buf: &Buf, module: Object, wanted: &mut [Attribute]) -> Result<(Object, Object)> {
        let (mut list, mut agreed, mut conflict, mut object) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        unsafe {
            sci!(buf, NvSciBufAttrListCreate(module, &mut list))?;
            sci!(buf, NvSciBufAttrListSetAttrs(list, wanted.as_mut_ptr(), wanted.len()))?;
            sci!(buf, NvSciBufAttrListReconcile(&list, 1, &mut agreed, &mut conflict))?;
            (buf.NvSciBufAttrListFree)(list);
            sci!(buf, NvSciBufObjAlloc(agreed, &mut object))?;
        }
        Ok((agreed, object))
    }

    /// The values that the reconciled list has for these keys. They are the list's.
    fn query<const N: usize>(buf: &Buf, list: Object, keys: [u32; N]) -> Result<[Attribute; N]> {
        let mut pairs = keys.map(|key| Attribute { key, value: ptr::null(), length: 0 });
        unsafe { sci!(buf, NvSciBufAttrListGetAttrs(list, pairs.as_mut_ptr(), N)) }?;
        match pairs.iter().find(|pair| pair.value.is_null()) {
            None => Ok(pairs),
            Some(pair) => Err(Error::Failed(format!("NvSciBuf has no value for {:#x}", pair.key))),
        }
    }

    /// Gives back whether this GPU's caches need no care when others share its buffers.
    fn buffer_as_pointer(buf: &Buf, module: Object, cuda: &Cuda, stream: CUstream) -> Result<bool> {
        let (kind, permission, align, cpu) = (TYPE_RAW_BUFFER, READ_WRITE, 0_u64, false);
        let mut wanted = [
            attribute(TYPES, &kind),
            attribute(REQUIRED_PERM, &permission),
            attribute(NEED_CPU_ACCESS, &cpu),
            attribute(GPU_ID, &cuda.uuid),
            attribute(RAW_SIZE, &SIZE),
            attribute(RAW_ALIGN, &align),
        ];
        let (list, object) = allocate(buf, module, &mut wanted)?;
        let [size, caches] = query(buf, list, [RAW_SIZE, GPU_SW_NEED_CACHE_COHERENCY])?;
        // SAFETY: NvSciBuf documents these values as a 64-bit size and an array with a GPU each.
        let (size, caches) = unsafe {
            let count = caches.length / size_of::<GpuCache>();
            (*size.value.cast::<u64>(), std::slice::from_raw_parts(caches.value.cast::<GpuCache>(), count))
        };
        let coherent = caches.iter().any(|cache| cache.gpu == cuda.uuid && !cache.is_needed);

        let desc = memory_desc(object, size);
        let mut memory = ptr::null_mut();
        unsafe { cuImportExternalMemory(&mut memory, &desc) }.result()?;
        let mapped = cuda::map_buffer(memory, 0, SIZE)?;
        unsafe {
            cuMemsetD32Async(mapped, 0x5a5a_5a5a, SIZE as usize / 4, stream).result()?;
            cuStreamSynchronize(stream).result()?;
        }
        let read = cuda::read(mapped, SIZE as usize)?;
        println!(
            "an NvSciBuf of {size} bytes as a pointer, written and read: {}",
            read == vec![0x5a; read.len()]
        );

        // SAFETY: the stream is idle. The mapping, the import, and only then the object.
        unsafe {
            cuMemFree_v2(mapped).result()?;
            cuDestroyExternalMemory(memory).result()?;
            (buf.NvSciBufObjFree)(object);
            (buf.NvSciBufAttrListFree)(list);
        }
        Ok(coherent)
    }

    fn image_as_array(buf: &Buf, module: Object, cuda: &Cuda) -> Result<()> {
        let (kind, permission, cpu, padding) = (TYPE_IMAGE, READ_WRITE, false, 0_u64);
        let (layout, planes, color, standard, scan) = (BLOCK_LINEAR, 1_u32, A8B8G8R8, SRGB, PROGRESSIVE);
        let mut wanted = [
            attribute(TYPES, &kind),
            attribute(REQUIRED_PERM, &permission),
            attribute(NEED_CPU_ACCESS, &cpu),
            attribute(GPU_ID, &cuda.uuid),
            attribute(IMAGE_LAYOUT, &layout),
            attribute(IMAGE_PLANE_COUNT, &planes),
            attribute(IMAGE_COLOR_FORMAT, &color),
            attribute(IMAGE_COLOR_STD, &standard),
            attribute(IMAGE_SCAN_TYPE, &scan),
            attribute(IMAGE_WIDTH, &WIDTH),
            attribute(IMAGE_HEIGHT, &HEIGHT),
            attribute(IMAGE_TOP_PADDING, &padding),
            attribute(IMAGE_BOTTOM_PADDING, &padding),
            attribute(IMAGE_LEFT_PADDING, &padding),
            attribute(IMAGE_RIGHT_PADDING, &padding),
        ];
        let (list, object) = allocate(buf, module, &mut wanted)?;
        let keys = [IMAGE_SIZE, IMAGE_OFFSET, IMAGE_WIDTH, IMAGE_HEIGHT];
        let [size, offset, width, height] = query(buf, list, keys)?;
        // SAFETY: documented as a 64-bit size, 64-bit offsets and 32-bit sides, one for each plane.
        let (size, offset, width, height) = unsafe {
            (
                *size.value.cast::<u64>(),
                *offset.value.cast::<u64>(),
                *width.value.cast::<u32>(),
                *height.value.cast::<u32>(),
            )
        };
        let desc = memory_desc(object, size);
        let mut memory = ptr::null_mut();
        unsafe { cuImportExternalMemory(&mut memory, &desc) }.result()?;
        let array = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
                Width: width as usize,
                Height: height as usize,
                Depth: 0,
                Format: CU_AD_FORMAT_UNSIGNED_INT8,
                NumChannels: 4,
                Flags: 0,
            },
            numLevels: 1, // NvSciBuf has no more
            ..Default::default()
        };
        let (mut mipmap, mut level) = (ptr::null_mut(), ptr::null_mut());
        unsafe {
            cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, memory, &array).result()?;
            cuMipmappedArrayGetLevel(&mut level, mipmap, 0).result()?;
        }
        println!("an NvSciBuf of {size} bytes as an array of {width} by {height} texels: {level:p}");

        // SAFETY: nothing was enqueued on it. The order is as above; the level goes with its array.
        unsafe {
            cuMipmappedArrayDestroy(mipmap).result()?;
            cuDestroyExternalMemory(memory).result()?;
            (buf.NvSciBufObjFree)(object);
            (buf.NvSciBufAttrListFree)(list);
        }
        Ok(())
    }

    /// CUDA signals, and CUDA waits. Each could be another device, or another engine with a list of
    /// its own.
    fn fence(sync: &Sync, cuda: &Cuda, stream: CUstream, coherent: bool) -> Result<()> {
        let (mut module, mut agreed, mut conflict, mut object) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let mut lists = [ptr::null_mut(); 2];
        let mut semaphore = ptr::null_mut();
        let mut fence = Fence::default();
        unsafe {
            sci!(sync, NvSciSyncModuleOpen(&mut module))?;
            for (list, part) in lists.iter_mut().zip([CUDA_NVSCISYNC_ATTR_SIGNAL, CUDA_NVSCISYNC_ATTR_WAIT]) {
                sci!(sync, NvSciSyncAttrListCreate(module, list))?;
                cuDeviceGetNvSciSyncAttributes(*list, cuda.device, part as i32).result()?;
            }
            sci!(sync, NvSciSyncAttrListReconcile(lists.as_ptr(), lists.len(), &mut agreed, &mut conflict))?;
            sci!(sync, NvSciSyncObjAlloc(agreed, &mut object))?;

            let desc = semaphore_desc(object);
            cuImportExternalSemaphore(&mut semaphore, &desc).result()?;
            let signal = signal_params(&mut fence, coherent);
            cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream).result()?;
            let wait = wait_params(&mut fence, coherent);
            cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream).result()?;
            cuStreamSynchronize(stream).result()?;
            println!(
                "an NvSciSync fence, signaled and waited for; memory synchronisation skipped: {coherent}"
            );

            // The fence refers to the object, and CUDA's import to it as well.
            (sync.NvSciSyncFenceClear)(&mut fence);
            cuDestroyExternalSemaphore(semaphore).result()?;
            (sync.NvSciSyncObjFree)(object);
            for list in lists.into_iter().chain([agreed]) {
                (sync.NvSciSyncAttrListFree)(list);
            }
            (sync.NvSciSyncModuleClose)(module);
        }
        Ok(())
    }
}
