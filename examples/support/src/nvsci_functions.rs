//! The few NvSci calls that sharing with CUDA needs, looked up at run time: a program that is linked
//! to them would start on NVIDIA's embedded systems alone.
//!
//! Names, types and numbers are those of nvscibuf.h 2.11 and nvscisync.h 2.8, which come with one release. A program
//! of your own should take them from the headers of your system.

use std::ffi::{c_int, c_void};

use crate::Result;
use crate::dynamic_library::{function_address, functions, open_first_library};

/// The version of nvscibuf.h that these declarations are from. `NvSciBufCheckVersionCompatibility` compares it.
pub const BUF_VERSION: (u32, u32) = (2, 11);

/// The version of nvscisync.h in the same release, which counts on its own.
pub const SYNC_VERSION: (u32, u32) = (2, 8);

/// A pointer to an object of NvSci.
pub type NvSciObject = *mut c_void;

/// `NvSciBufAttrKeyValuePair`. What a value points to depends on the key, and is `length` bytes.
#[repr(C)]
pub struct NvSciAttribute {
    pub key: u32,
    pub value: *const c_void,
    pub length: usize,
}

/// Declares constants, each with its name in C.
macro_rules! constants {
    ($($name:ident = $value:literal, $c:ident;)*) => {$(
        #[doc = concat!("`", stringify!($c), "`.")]
        pub const $name: u32 = $value;
    )*};
}

constants! {
    TYPES = 1, NvSciBufGeneralAttrKey_Types;
    NEED_CPU_ACCESS = 2, NvSciBufGeneralAttrKey_NeedCpuAccess;
    REQUIRED_PERM = 3, NvSciBufGeneralAttrKey_RequiredPerm;
    GPU_ID = 5, NvSciBufGeneralAttrKey_GpuId;
    GPU_SW_NEED_CACHE_COHERENCY = 10, NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency;
    RAW_SIZE = 0x1_0000, NvSciBufRawBufferAttrKey_Size;
    RAW_ALIGN = 0x1_0001, NvSciBufRawBufferAttrKey_Align;
    IMAGE_LAYOUT = 0x2_0000, NvSciBufImageAttrKey_Layout;
    IMAGE_TOP_PADDING = 0x2_0001, NvSciBufImageAttrKey_TopPadding;
    IMAGE_BOTTOM_PADDING = 0x2_0002, NvSciBufImageAttrKey_BottomPadding;
    IMAGE_LEFT_PADDING = 0x2_0003, NvSciBufImageAttrKey_LeftPadding;
    IMAGE_RIGHT_PADDING = 0x2_0004, NvSciBufImageAttrKey_RightPadding;
    IMAGE_SIZE = 0x2_0006, NvSciBufImageAttrKey_Size;
    IMAGE_PLANE_COUNT = 0x2_0008, NvSciBufImageAttrKey_PlaneCount;
    IMAGE_COLOR_FORMAT = 0x2_0009, NvSciBufImageAttrKey_PlaneColorFormat;
    IMAGE_COLOR_STD = 0x2_000a, NvSciBufImageAttrKey_PlaneColorStd;
    IMAGE_WIDTH = 0x2_000c, NvSciBufImageAttrKey_PlaneWidth;
    IMAGE_HEIGHT = 0x2_000d, NvSciBufImageAttrKey_PlaneHeight;
    IMAGE_SCAN_TYPE = 0x2_000e, NvSciBufImageAttrKey_ScanType;
    IMAGE_OFFSET = 0x2_0010, NvSciBufImageAttrKey_PlaneOffset;
    TYPE_RAW_BUFFER = 1, NvSciBufType_RawBuffer;
    TYPE_IMAGE = 2, NvSciBufType_Image;
    READ_WRITE = 3, NvSciBufAccessPerm_ReadWrite;
    BLOCK_LINEAR = 0, NvSciBufImage_BlockLinearType;
    A8B8G8R8 = 106, NvSciColor_A8B8G8R8;
    SRGB = 0, NvSciColorStd_SRGB;
    PROGRESSIVE = 0, NvSciBufScan_ProgressiveType;
}

/// `NvSciBufAttrValGpuCache`: an answer for one GPU.
#[repr(C)]
pub struct GpuCacheAttribute {
    pub gpu: [u8; 16],
    /// Whether software must care for its caches.
    pub is_needed: bool,
}

/// `NvSciSyncFence`, for one signal. All zero to begin with; it then holds a reference to the
/// NvSciSyncObj until it is cleared. The program owns the memory.
#[repr(C)]
#[derive(Default)]
pub struct NvSciSyncFence {
    payload: [u64; 6],
}

functions! {
    pub struct NvSciBufFunctions {
        fn NvSciBufCheckVersionCompatibility(u32, u32, *mut bool) -> c_int;
        fn NvSciBufModuleOpen(*mut NvSciObject) -> c_int;
        fn NvSciBufModuleClose(NvSciObject);
        fn NvSciBufAttrListCreate(NvSciObject, *mut NvSciObject) -> c_int;
        fn NvSciBufAttrListSetAttrs(NvSciObject, *mut NvSciAttribute, usize) -> c_int;
        fn NvSciBufAttrListGetAttrs(NvSciObject, *mut NvSciAttribute, usize) -> c_int;
        fn NvSciBufAttrListReconcile(*const NvSciObject, usize, *mut NvSciObject, *mut NvSciObject) -> c_int;
        fn NvSciBufAttrListFree(NvSciObject);
        fn NvSciBufObjAlloc(NvSciObject, *mut NvSciObject) -> c_int;
        fn NvSciBufObjFree(NvSciObject);
    }
}

functions! {
    pub struct NvSciSyncFunctions {
        fn NvSciSyncCheckVersionCompatibility(u32, u32, *mut bool) -> c_int;
        fn NvSciSyncModuleOpen(*mut NvSciObject) -> c_int;
        fn NvSciSyncModuleClose(NvSciObject);
        fn NvSciSyncAttrListCreate(NvSciObject, *mut NvSciObject) -> c_int;
        fn NvSciSyncAttrListReconcile(*const NvSciObject, usize, *mut NvSciObject, *mut NvSciObject) -> c_int;
        fn NvSciSyncAttrListFree(NvSciObject);
        fn NvSciSyncObjAlloc(NvSciObject, *mut NvSciObject) -> c_int;
        fn NvSciSyncObjFree(NvSciObject);
        fn NvSciSyncFenceClear(*mut NvSciSyncFence);
    }
}

impl NvSciBufFunctions {
    pub fn open_library() -> Result<Self> {
        let library = open_first_library(&["libnvscibuf.so.1", "libnvscibuf.so"])?;
        // SAFETY: a library of this name is NVIDIA's, whose functions have these types.
        unsafe { Self::load_functions(|name| function_address(library, name)) }
    }
}

impl NvSciSyncFunctions {
    pub fn open_library() -> Result<Self> {
        let library = open_first_library(&["libnvscisync.so.1", "libnvscisync.so"])?;
        // SAFETY: a library of this name is NVIDIA's, whose functions have these types.
        unsafe { Self::load_functions(|name| function_address(library, name)) }
    }
}

/// Returns an attribute whose value is this variable.
pub fn nvsci_attribute<T>(key: u32, value: &T) -> NvSciAttribute {
    NvSciAttribute { key, value: (&raw const *value).cast(), length: size_of::<T>() }
}
