//! CUDA maps a buffer of NvSciBuf, signals a fence of NvSciSync, and waits for the fence. NvSci is NVIDIA's interface
//! for sharing memory and fences between the engines (GPU, CPU, video, …) of its embedded systems. docs/nvsci.md also
//! explains images.
//!
//! What to look at:
//!
//! - the buffer's steps: attributes, reconciliation, allocation, query of the reconciled list, import, mapping;
//! - the GPU, identified by its UUID;
//! - the two attribute lists that CUDA fills in for NvSciSync, one as signaler and one as waiter;
//! - the fence, which is in the program's memory;
//! - the teardown: each import is destroyed before its NvSci object, which the program still owns after the import.
//!
//! This example follows the documentation of CUDA and NvSci. It has not been run with NvSci yet.

example_support::example_main!(unix, "nvsci.rs", sharing::example);

#[cfg(unix)]
mod sharing {
    use std::ptr;

    use cuda_external_sys::*;

    use example_support::cuda::{Cuda, ImportedMemory, Stream};
    use example_support::nvsci_functions::*;
    use example_support::test_bytes::compare_bytes;
    use example_support::{Error, Result};

    const SIZE: u64 = 1 << 20;
    /// The byte that CUDA fills the buffer with.
    const WRITTEN: u8 = 0x5a;

    /// Calls a function of NvSci. Use this macro in an `unsafe` block. If the function returns 0, the result is
    /// `Ok(())`. Otherwise the result is an error with the function's name and the returned code.
    macro_rules! sci {
        ($library:expr, $function:ident($($argument:expr),* $(,)?)) => {
            match ($library.$function)($($argument),*) {
                0 => Ok(()),
                code => Err(Error::Failed(format!("{} returned {code:#x}", stringify!($function)))),
            }
        };
    }

    pub fn example() -> Result<()> {
        let buf = NvSciBufFunctions::open_library()?;
        let sync = NvSciSyncFunctions::open_library()?;
        // The two libraries have separate versions.
        let (mut buf_suits, mut sync_suits) = (false, false);
        // SAFETY: here and below, NvSci's functions have the declared types, and the handles are live. Each pointer is
        // to a variable or an array of the type that the function expects.
        unsafe {
            sci!(buf, NvSciBufCheckVersionCompatibility(BUF_VERSION.0, BUF_VERSION.1, &mut buf_suits))?;
            sci!(sync, NvSciSyncCheckVersionCompatibility(SYNC_VERSION.0, SYNC_VERSION.1, &mut sync_suits))?;
        }
        if !buf_suits || !sync_suits {
            let (buf, sync) = (BUF_VERSION, SYNC_VERSION);
            return Err(Error::Missing(format!(
                "this NvSci is not compatible with NvSciBuf {buf:?} and NvSciSync {sync:?}"
            )));
        }
        let cuda = Cuda::retain_primary(0)?;
        let mut module = ptr::null_mut();
        unsafe { sci!(buf, NvSciBufModuleOpen(&mut module)) }?;
        share_nvscibuf_buffer(&buf, module, &sync, &cuda)?;
        // SAFETY: nothing uses the module any more.
        unsafe { (buf.NvSciBufModuleClose)(module) };
        Ok(())
    }

    /// Allocates an NvSciBufObj. Returns the reconciled attribute list and the object, both of which the caller frees.
    fn allocate_nvscibuf_object(
        buf: &NvSciBufFunctions,
        module: NvSciObject,
        wanted: &mut [NvSciBufAttrKeyValuePair],
    ) -> Result<(NvSciObject, NvSciObject)> {
        let (mut list, mut agreed, mut conflict, mut object) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        unsafe {
            sci!(buf, NvSciBufAttrListCreate(module, &mut list))?;
            let set = sci!(buf, NvSciBufAttrListSetAttrs(list, wanted.as_mut_ptr(), wanted.len()));
            let reconciled =
                set.and_then(|()| sci!(buf, NvSciBufAttrListReconcile(&list, 1, &mut agreed, &mut conflict)));
            // Frees the unreconciled list, and the list of conflicts that a failed reconciliation returns.
            (buf.NvSciBufAttrListFree)(list);
            if !conflict.is_null() {
                (buf.NvSciBufAttrListFree)(conflict);
            }
            reconciled?;
            sci!(buf, NvSciBufObjAlloc(agreed, &mut object))
                .inspect_err(|_| (buf.NvSciBufAttrListFree)(agreed))?;
        }
        Ok((agreed, object))
    }

    /// Returns the reconciled list's values for these keys. The list owns the values.
    fn query_nvscibuf_attributes<const N: usize>(
        buf: &NvSciBufFunctions,
        list: NvSciObject,
        keys: [u32; N],
    ) -> Result<[NvSciBufAttrKeyValuePair; N]> {
        let mut pairs = keys.map(|key| NvSciBufAttrKeyValuePair { key, value: ptr::null(), length: 0 });
        unsafe { sci!(buf, NvSciBufAttrListGetAttrs(list, pairs.as_mut_ptr(), N)) }?;
        match pairs.iter().find(|pair| pair.value.is_null()) {
            None => Ok(pairs),
            Some(pair) => Err(Error::Failed(format!("NvSciBuf has no value for {:#x}", pair.key))),
        }
    }

    /// CUDA writes a buffer and signals a fence. The reader of the buffer, here CUDA too, waits for the fence.
    fn share_nvscibuf_buffer(
        buf: &NvSciBufFunctions,
        module: NvSciObject,
        sync: &NvSciSyncFunctions,
        cuda: &Cuda,
    ) -> Result<()> {
        let mut wanted = [
            nvsci_attribute(NvSciBufGeneralAttrKey_Types, &NvSciBufType_RawBuffer),
            nvsci_attribute(NvSciBufGeneralAttrKey_RequiredPerm, &NvSciBufAccessPerm_ReadWrite),
            nvsci_attribute(NvSciBufGeneralAttrKey_NeedCpuAccess, &false),
            nvsci_attribute(NvSciBufGeneralAttrKey_GpuId, &cuda.uuid),
            nvsci_attribute(NvSciBufRawBufferAttrKey_Size, &SIZE),
            nvsci_attribute(NvSciBufRawBufferAttrKey_Align, &0_u64),
        ];
        let (list, object) = allocate_nvscibuf_object(buf, module, &mut wanted)?;
        let keys = [NvSciBufRawBufferAttrKey_Size, NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency];
        let [size, caches] = query_nvscibuf_attributes(buf, list, keys)?;
        // SAFETY: NvSciBuf documents these values as a 64-bit size and an array with one element for each GPU.
        let (size, caches) = unsafe {
            let count = caches.length / size_of::<NvSciBufAttrValGpuCache>();
            (
                *size.value.cast::<u64>(),
                std::slice::from_raw_parts(caches.value.cast::<NvSciBufAttrValGpuCache>(), count),
            )
        };
        // True if software need not keep this GPU's caches coherent with other engines.
        let coherent = caches.iter().any(|cache| cache.gpu == cuda.uuid && !cache.is_needed);

        let memory = import_nvsci_object(object, size)?;
        let mapped = memory.map_buffer(0, SIZE)?;
        let fence = SharedNvSciSync::new(sync, cuda)?;
        let mut read = vec![0_u8; SIZE as usize];
        fence.write_signal_wait_and_read(mapped, &mut read, coherent)?;
        fence.destroy_nvsci_sync()?;
        compare_bytes("the NvSciBuf, after the fence", &read, &vec![WRITTEN; SIZE as usize])?;
        println!("an NvSciBuf of {size} bytes as a pointer, written before a fence and read after it");

        // The mapping and the import are destroyed before the object.
        drop(memory);
        // SAFETY: nothing uses the object and its list any more.
        unsafe {
            (buf.NvSciBufObjFree)(object);
            (buf.NvSciBufAttrListFree)(list);
        }
        Ok(())
    }

    /// `size` is the size that NvSciBuf reports. The caller keeps `object`, and frees it after the result is dropped.
    fn import_nvsci_object(object: NvSciObject, size: u64) -> Result<ImportedMemory> {
        let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, ..Default::default() };
        desc.handle.nvSciBufObject = object;
        let mut memory = ptr::null_mut();
        // SAFETY: both pointers are to variables here, and nothing else owns `memory`.
        unsafe {
            cuImportExternalMemory(&mut memory, &desc).result()?;
            Ok(ImportedMemory::from_raw(memory))
        }
    }

    /// An NvSciSyncObj that CUDA both signals and waits for, and CUDA's import of this object.
    ///
    /// In a program where another engine signals, that engine's attribute list replaces CUDA's list for the signaler.
    /// In a program where another engine waits, that engine's attribute list replaces CUDA's list for the waiter.
    struct SharedNvSciSync<'s> {
        sync: &'s NvSciSyncFunctions,
        module: NvSciObject,
        agreed: NvSciObject,
        object: NvSciObject,
        semaphore: CUexternalSemaphore,
    }

    impl<'s> SharedNvSciSync<'s> {
        fn new(sync: &'s NvSciSyncFunctions, cuda: &Cuda) -> Result<Self> {
            let null = ptr::null_mut();
            let semaphore = ptr::null_mut();
            let mut new = Self { sync, module: null, agreed: null, object: null, semaphore };
            let mut lists = [null; 2];
            let mut conflict = null;
            unsafe {
                sci!(sync, NvSciSyncModuleOpen(&mut new.module))?;
                let reconciled =
                    fill_sync_attributes(sync, new.module, cuda.device, &mut lists).and_then(|()| {
                        let (lists, count) = (lists.as_ptr(), lists.len());
                        sci!(sync, NvSciSyncAttrListReconcile(lists, count, &mut new.agreed, &mut conflict))
                    });
                // Frees the unreconciled lists, and the list of conflicts that a failed reconciliation returns.
                for list in lists.into_iter().chain([conflict]).filter(|list| !list.is_null()) {
                    (sync.NvSciSyncAttrListFree)(list);
                }
                reconciled?;
                sci!(sync, NvSciSyncObjAlloc(new.agreed, &mut new.object))?;
                let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
                let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
                desc.handle.nvSciSyncObj = new.object;
                cuImportExternalSemaphore(&mut new.semaphore, &desc).result()?;
            }
            Ok(new)
        }

        /// CUDA writes the buffer in one stream and reads it in another: only the fence orders the two streams.
        fn write_signal_wait_and_read(
            &self,
            mapped: CUdeviceptr,
            read: &mut [u8],
            coherent: bool,
        ) -> Result<()> {
            let (writer, reader) = (Stream::new()?, Stream::new()?);
            let mut fence = NvSciSyncFence::default();
            unsafe {
                cuMemsetD8Async(mapped, WRITTEN, read.len(), writer.raw()).result()?;
                let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
                signal.params.nvSciSync.fence = (&raw mut fence).cast();
                // Without the SKIP flags, each signal and each wait makes all imported NvSciBuf memory coherent.
                if coherent {
                    signal.flags = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
                }
                cuSignalExternalSemaphoresAsync(&self.semaphore, &signal, 1, writer.raw()).result()?;
                // CUDA has written `fence`. A real program would now send the fence to another engine or process.
                let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
                wait.params.nvSciSync.fence = (&raw mut fence).cast();
                if coherent {
                    wait.flags = CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
                }
                cuWaitExternalSemaphoresAsync(&self.semaphore, &wait, 1, reader.raw()).result()?;
                cuMemcpyDtoHAsync(read.as_mut_ptr().cast(), mapped, read.len(), reader.raw()).result()?;
                reader.finish()?;
                writer.finish()?;
                (self.sync.NvSciSyncFenceClear)(&mut fence);
            }
            Ok(())
        }

        /// Destroys CUDA's import first, then the object, its list and the module.
        fn destroy_nvsci_sync(self) -> Result<()> {
            unsafe {
                cuDestroyExternalSemaphore(self.semaphore).result()?;
                (self.sync.NvSciSyncObjFree)(self.object);
                (self.sync.NvSciSyncAttrListFree)(self.agreed);
                (self.sync.NvSciSyncModuleClose)(self.module);
            }
            Ok(())
        }
    }

    /// Creates two attribute lists: one with what CUDA needs as the signaler, and one with what it needs as the waiter.
    fn fill_sync_attributes(
        sync: &NvSciSyncFunctions,
        module: NvSciObject,
        device: CUdevice,
        lists: &mut [NvSciObject; 2],
    ) -> Result<()> {
        for (list, part) in lists.iter_mut().zip([CUDA_NVSCISYNC_ATTR_SIGNAL, CUDA_NVSCISYNC_ATTR_WAIT]) {
            unsafe {
                sci!(sync, NvSciSyncAttrListCreate(module, list))?;
                cuDeviceGetNvSciSyncAttributes(*list, device, part as i32).result()?;
            }
        }
        Ok(())
    }
}
