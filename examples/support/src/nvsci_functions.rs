//! The functions of NvSci for the example nvsci, looked up at run time, so that the example starts without NvSci.
//!
//! Source: nvscibuf.h 2.11 and nvscisync.h 2.8. A program should take its declarations from the headers of its system.

#![allow(non_upper_case_globals)] // the names are those of C

use std::ffi::{c_int, c_void};

use crate::Result;
use crate::dynamic_library::{function_address, functions, open_first_library};

/// The version of nvscibuf.h, which `NvSciBufCheckVersionCompatibility` compares with the library's version.
pub const BUF_VERSION: (u32, u32) = (2, 11);

/// The version of the nvscisync.h that is released with nvscibuf.h 2.11. The two headers have separate version numbers.
pub const SYNC_VERSION: (u32, u32) = (2, 8);

/// Replaces every type of NvSci that is a pointer to an opaque struct.
pub type NvSciObject = *mut c_void;

/// A key, and a pointer to a value of `length` bytes. The key decides the value's type.
#[repr(C)]
pub struct NvSciBufAttrKeyValuePair {
    pub key: u32,
    pub value: *const c_void,
    pub length: usize,
}

// The keys of attributes and some of their values.
pub const NvSciBufGeneralAttrKey_Types: u32 = 1;
pub const NvSciBufGeneralAttrKey_NeedCpuAccess: u32 = 2;
pub const NvSciBufGeneralAttrKey_RequiredPerm: u32 = 3;
pub const NvSciBufGeneralAttrKey_GpuId: u32 = 5;
pub const NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency: u32 = 10;
pub const NvSciBufRawBufferAttrKey_Size: u32 = 0x1_0000;
pub const NvSciBufRawBufferAttrKey_Align: u32 = 0x1_0001;
pub const NvSciBufType_RawBuffer: u32 = 1;
pub const NvSciBufAccessPerm_ReadWrite: u32 = 3;

/// The value of `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` for one GPU.
#[repr(C)]
pub struct NvSciBufAttrValGpuCache {
    pub gpu: [u8; 16],
    /// Whether software must keep the GPU's caches coherent.
    pub is_needed: bool,
}

/// A fence, which `cuSignalExternalSemaphoresAsync` fills in. All its bytes must be zero before the first signal.
///
/// After a signal, the fence holds a reference to the NvSciSyncObj until `NvSciSyncFenceClear`.
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
        fn NvSciBufAttrListSetAttrs(NvSciObject, *mut NvSciBufAttrKeyValuePair, usize) -> c_int;
        fn NvSciBufAttrListGetAttrs(NvSciObject, *mut NvSciBufAttrKeyValuePair, usize) -> c_int;
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

/// Returns an attribute that points to `value`, which must outlive the attribute.
pub fn nvsci_attribute<T>(key: u32, value: &T) -> NvSciBufAttrKeyValuePair {
    NvSciBufAttrKeyValuePair { key, value: (&raw const *value).cast(), length: size_of::<T>() }
}
