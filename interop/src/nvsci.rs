//! The few NvSci calls that sharing with CUDA needs, looked up at run time: a program that is linked
//! to them would start on NVIDIA's embedded systems alone. And CUDA's side of the objects.
//!
//! Names, types and numbers are those of nvscibuf.h 2.11 and nvscisync.h 2.8, which come with one release. A program
//! of your own should take them from the headers of your system.

use std::ffi::{c_int, c_void};

use crate::Result;
use crate::c_library::{address, functions, open};
use cuda_external_sys::*;

/// The version of nvscibuf.h that these declarations are of. The library tells whether it is compatible.
pub const BUF_VERSION: (u32, u32) = (2, 11);

/// The version of nvscisync.h in the same release, which counts on its own.
pub const SYNC_VERSION: (u32, u32) = (2, 8);

/// A pointer to an object of NvSci.
pub type Object = *mut c_void;

/// `NvSciBufAttrKeyValuePair`. What a value points to depends on the key, and is `length` bytes.
#[repr(C)]
pub struct Attribute {
    /// Which attribute.
    pub key: u32,
    /// Its value, or null.
    pub value: *const c_void,
    /// The bytes of the value.
    pub length: usize,
}

/// A key: the types of the buffer: `NvSciBufGeneralAttrKey_Types`.
pub const TYPES: u32 = 1;
/// A key: whether the CPU accesses it: `NvSciBufGeneralAttrKey_NeedCpuAccess`.
pub const NEED_CPU_ACCESS: u32 = 2;
/// A key: the access that is needed: `NvSciBufGeneralAttrKey_RequiredPerm`.
pub const REQUIRED_PERM: u32 = 3;
/// A key: the UUIDs of the GPUs: `NvSciBufGeneralAttrKey_GpuId`.
pub const GPU_ID: u32 = 5;
/// A key: whether software must care for a GPU's caches, after reconciliation: `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency`.
pub const GPU_SW_NEED_CACHE_COHERENCY: u32 = 10;
/// A key: the size of a raw buffer: `NvSciBufRawBufferAttrKey_Size`.
pub const RAW_SIZE: u32 = 0x1_0000;
/// A key: the alignment of a raw buffer: `NvSciBufRawBufferAttrKey_Align`.
pub const RAW_ALIGN: u32 = 0x1_0001;
/// A key: `NvSciBufImageAttrKey_Layout`.
pub const IMAGE_LAYOUT: u32 = 0x2_0000;
/// A key: `NvSciBufImageAttrKey_TopPadding`.
pub const IMAGE_TOP_PADDING: u32 = 0x2_0001;
/// A key: `NvSciBufImageAttrKey_BottomPadding`.
pub const IMAGE_BOTTOM_PADDING: u32 = 0x2_0002;
/// A key: `NvSciBufImageAttrKey_LeftPadding`.
pub const IMAGE_LEFT_PADDING: u32 = 0x2_0003;
/// A key: `NvSciBufImageAttrKey_RightPadding`.
pub const IMAGE_RIGHT_PADDING: u32 = 0x2_0004;
/// A key: the size of the allocation, after reconciliation: `NvSciBufImageAttrKey_Size`.
pub const IMAGE_SIZE: u32 = 0x2_0006;
/// A key: `NvSciBufImageAttrKey_PlaneCount`.
pub const IMAGE_PLANE_COUNT: u32 = 0x2_0008;
/// A key: `NvSciBufImageAttrKey_PlaneColorFormat`.
pub const IMAGE_COLOR_FORMAT: u32 = 0x2_0009;
/// A key: `NvSciBufImageAttrKey_PlaneColorStd`.
pub const IMAGE_COLOR_STD: u32 = 0x2_000a;
/// A key: `NvSciBufImageAttrKey_PlaneWidth`.
pub const IMAGE_WIDTH: u32 = 0x2_000c;
/// A key: `NvSciBufImageAttrKey_PlaneHeight`.
pub const IMAGE_HEIGHT: u32 = 0x2_000d;
/// A key: `NvSciBufImageAttrKey_ScanType`.
pub const IMAGE_SCAN_TYPE: u32 = 0x2_000e;
/// A key: the offset of each plane, after reconciliation: `NvSciBufImageAttrKey_PlaneOffset`.
pub const IMAGE_OFFSET: u32 = 0x2_0010;

/// A type: `NvSciBufType_RawBuffer`.
pub const TYPE_RAW_BUFFER: u32 = 1;
/// A type: `NvSciBufType_Image`.
pub const TYPE_IMAGE: u32 = 2;
/// An access: `NvSciBufAccessPerm_ReadWrite`.
pub const READ_WRITE: u32 = 3;
/// A layout: `NvSciBufImage_BlockLinearType`.
pub const BLOCK_LINEAR: u32 = 0;
/// A color format: `NvSciColor_A8B8G8R8`.
pub const A8B8G8R8: u32 = 106;
/// A color standard: `NvSciColorStd_SRGB`.
pub const SRGB: u32 = 0;
/// A scan type: `NvSciBufScan_ProgressiveType`.
pub const PROGRESSIVE: u32 = 0;

/// `NvSciBufAttrValGpuCache`: an answer for one GPU.
#[repr(C)]
pub struct GpuCache {
    /// The GPU's UUID.
    pub gpu: [u8; 16],
    /// Whether software must care for its caches.
    pub is_needed: bool,
}

/// `NvSciSyncFence`, for one signal. All zero to begin with; it then holds a reference to the
/// NvSciSyncObj until it is cleared. The memory is the program's.
#[repr(C)]
#[derive(Default)]
pub struct Fence {
    payload: [u64; 6],
}

functions! {
    /// The functions of libnvscibuf.so.
    pub struct Buf {
        fn NvSciBufCheckVersionCompatibility(u32, u32, *mut bool) -> c_int;
        fn NvSciBufModuleOpen(*mut Object) -> c_int;
        fn NvSciBufModuleClose(Object);
        fn NvSciBufAttrListCreate(Object, *mut Object) -> c_int;
        fn NvSciBufAttrListSetAttrs(Object, *mut Attribute, usize) -> c_int;
        fn NvSciBufAttrListGetAttrs(Object, *mut Attribute, usize) -> c_int;
        fn NvSciBufAttrListReconcile(*const Object, usize, *mut Object, *mut Object) -> c_int;
        fn NvSciBufAttrListFree(Object);
        fn NvSciBufObjAlloc(Object, *mut Object) -> c_int;
        fn NvSciBufObjFree(Object);
    }
}

functions! {
    /// The functions of libnvscisync.so.
    pub struct Sync {
        fn NvSciSyncCheckVersionCompatibility(u32, u32, *mut bool) -> c_int;
        fn NvSciSyncModuleOpen(*mut Object) -> c_int;
        fn NvSciSyncModuleClose(Object);
        fn NvSciSyncAttrListCreate(Object, *mut Object) -> c_int;
        fn NvSciSyncAttrListReconcile(*const Object, usize, *mut Object, *mut Object) -> c_int;
        fn NvSciSyncAttrListFree(Object);
        fn NvSciSyncObjAlloc(Object, *mut Object) -> c_int;
        fn NvSciSyncObjFree(Object);
        fn NvSciSyncFenceClear(*mut Fence);
    }
}

impl Buf {
    /// Opens libnvscibuf.so.
    pub fn open() -> Result<Self> {
        let library = open(&["libnvscibuf.so.1", "libnvscibuf.so"])?;
        // SAFETY: a library of this name is NVIDIA's, whose functions have these types.
        unsafe { Self::load(|name| address(library, name)) }
    }
}

impl Sync {
    /// Opens libnvscisync.so.
    pub fn open() -> Result<Self> {
        let library = open(&["libnvscisync.so.1", "libnvscisync.so"])?;
        // SAFETY: a library of this name is NVIDIA's, whose functions have these types.
        unsafe { Self::load(|name| address(library, name)) }
    }
}

/// Returns an attribute whose value is this variable.
pub fn attribute<T>(key: u32, value: &T) -> Attribute {
    Attribute { key, value: (&raw const *value).cast(), length: size_of::<T>() }
}

/// Returns the descriptor of CUDA's import of an NvSciBufObj. `size` is what NvSciBuf says of the allocated object. CUDA does
/// not take the object over: it stays the program's, and must outlive the import.
pub fn memory_desc(object: Object, size: u64) -> CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    let type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, ..Default::default() };
    desc.handle.nvSciBufObject = object;
    desc
}

/// Returns the descriptor of CUDA's import of an NvSciSyncObj, which stays the program's and must outlive the import.
pub fn semaphore_desc(object: Object) -> CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.nvSciSyncObj = object;
    desc
}

/// Returns the parameters of a signal that writes the fence for its waiters. By default it also makes CUDA's writes to every
/// imported NvSciBufObj visible to the others; `coherent` leaves that out, and is for GPUs of which
/// GPU_SW_NEED_CACHE_COHERENCY is false.
pub fn signal_params(fence: &mut Fence, coherent: bool) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.nvSciSync.fence = (&raw mut *fence).cast();
    params.flags = if coherent { CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC } else { 0 };
    params
}

/// Returns the parameters of a wait for what the fence's signaler wrote to it; `coherent` as for a signal.
pub fn wait_params(fence: &mut Fence, coherent: bool) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.nvSciSync.fence = (&raw mut *fence).cast();
    params.flags = if coherent { CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC } else { 0 };
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: Object = 0x1122_3344_5566_7788_u64 as Object;

    #[test]
    fn objects_are_named_by_their_pointer() {
        let memory = memory_desc(OBJECT, 1 << 33);
        // SAFETY: this is the field that is written, here and below.
        assert_eq!(unsafe { memory.handle.nvSciBufObject }, OBJECT);
        assert_eq!((memory.type_.0, memory.size, memory.flags), (8, 1 << 33, 0));
        let semaphore = semaphore_desc(OBJECT);
        // SAFETY: as above.
        assert_eq!(unsafe { semaphore.handle.nvSciSyncObj }, OBJECT);
        assert_eq!((semaphore.type_.0, semaphore.flags), (6, 0));
    }

    #[test]
    fn a_fence_is_passed_by_address() {
        let mut fence = Fence::default();
        let address: *mut c_void = (&raw mut fence).cast();
        for (coherent, signal_flags, wait_flags) in [(false, 0, 0), (true, 1, 2)] {
            let (signal, wait) = (signal_params(&mut fence, coherent), wait_params(&mut fence, coherent));
            // SAFETY: this is the field that is written.
            let fences = unsafe { [signal.params.nvSciSync.fence, wait.params.nvSciSync.fence] };
            assert_eq!(fences, [address; 2]);
            assert_eq!((signal.flags, wait.flags), (signal_flags, wait_flags));
        }
        assert_eq!(size_of::<Fence>(), 48);
    }
}
