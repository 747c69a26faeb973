//! Puts patterns into arguments, field by field, and reads back what a call gave out.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::MaybeUninit;

use cuda_external_sys::*;

/// Writes the patterns of one call, and remembers them by the names that C has for them.
pub struct Pen {
    round: usize,
    next: u64,
    /// What C must see: `memHandleDesc[0].type`, and its bytes as hexadecimal digits.
    pub expected: BTreeMap<String, String>,
    /// What the call left in what its mutable pointers point to.
    pub received: BTreeMap<String, String>,
}

impl Pen {
    pub fn new(round: usize) -> Self {
        Self { round, next: round as u64 + 1, expected: BTreeMap::new(), received: BTreeMap::new() }
    }

    fn write(&mut self, name: &str, bytes: &mut [u8]) {
        for eight in bytes.chunks_mut(8) {
            // SplitMix64: no two are the same.
            self.next = self.next.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.next;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            eight.copy_from_slice(&(word ^ (word >> 31)).to_le_bytes()[..eight.len()]);
        }
        self.expected.insert(name.to_owned(), hexadecimal(bytes));
    }

    fn keep(&mut self, name: &str, bytes: &[u8]) {
        self.expected.insert(name.to_owned(), hexadecimal(bytes));
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Something of C's, down to its plain fields.
pub trait Leaves: Sized {
    /// C must not look at what a pointer to it points to.
    const IS_OPAQUE: bool = false;

    /// Shows each plain field with its path; of a union the arm whose turn it is in this round.
    fn leaves(&mut self, path: &str, round: usize, show: &mut dyn FnMut(&str, &mut [u8]));
}

/// An argument of a call.
pub trait Argument: Sized {
    /// What the call's pointer points to.
    type Target;

    fn make(pen: &mut Pen, name: &str) -> (Self, Self::Target);

    /// Reads what the call gave out.
    fn given(_target: &mut Self::Target, _pen: &mut Pen, _name: &str) {}
}

/// A value without fields, of whatever bits.
macro_rules! plain {
    ($($name:ty),* $(,)?) => {$(
        impl Leaves for $name {
            fn leaves(&mut self, path: &str, _: usize, show: &mut dyn FnMut(&str, &mut [u8])) {
                // SAFETY: it has no padding, and any bytes are a value of it.
                show(path, unsafe { bytes(self) });
            }
        }

        impl Argument for $name {
            type Target = ();

            fn make(pen: &mut Pen, name: &str) -> (Self, ()) {
                let mut value = zeroed::<Self>();
                // SAFETY: as above.
                pen.write(name, unsafe { bytes(&mut value) });
                (value, ())
            }
        }
    )*};
}

plain! {
    // c_char is the first or the second of these.
    i8, u8, u16, i32, u32, u64, usize,
    CUresult, CUdevice_attribute, CUarray_format, CUmemorytype, CUexternalMemoryHandleType,
    CUexternalSemaphoreHandleType, CUmemAllocationType, CUmemAllocationHandleType, CUmemLocationType,
    CUmemAllocationGranularity_flags, CUmemRangeHandleType, CUmemAccess_flags,
}

macro_rules! opaque {
    ($($name:ty),* $(,)?) => {$(
        impl Leaves for $name {
            const IS_OPAQUE: bool = true;

            fn leaves(&mut self, _: &str, _: usize, _: &mut dyn FnMut(&str, &mut [u8])) {
                unreachable!("nobody looks at it");
            }
        }
    )*};
}

opaque! {
    c_void, CUctx_st, CUarray_st, CUmipmappedArray_st, CUstream_st, CUextMemory_st, CUextSemaphore_st,
    CUgraph_st, CUgraphNode_st, CUgraphExec_st,
    // Passed by address only; their fields have no patterns yet.
    CUDA_MEMCPY2D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUctxCreateParams,
    CUgraphEdgeData, CUgraphNodeParams, CUstreamCigCaptureParams,
}

impl<T: Leaves> Leaves for *mut T {
    fn leaves(&mut self, path: &str, _: usize, show: &mut dyn FnMut(&str, &mut [u8])) {
        // SAFETY: any bits are a pointer that nobody follows.
        show(path, unsafe { bytes(self) });
    }
}

impl<T: Leaves> Leaves for *const T {
    fn leaves(&mut self, path: &str, _: usize, show: &mut dyn FnMut(&str, &mut [u8])) {
        // SAFETY: as above.
        show(path, unsafe { bytes(self) });
    }
}

/// An array of plain values is one field.
impl<T: Leaves, const N: usize> Leaves for [T; N] {
    fn leaves(&mut self, path: &str, _: usize, show: &mut dyn FnMut(&str, &mut [u8])) {
        // SAFETY: those of the bindings are of integers.
        show(path, unsafe { bytes(self) });
    }
}

impl<T: Leaves> Argument for *mut T {
    type Target = Vec<T>;

    fn make(pen: &mut Pen, name: &str) -> (Self, Vec<T>) {
        let mut pointer = std::ptr::null_mut();
        if T::IS_OPAQUE {
            // SAFETY: any bits are a pointer that nobody follows.
            pen.write(name, unsafe { bytes(&mut pointer) });
            return (pointer, Vec::new());
        }
        let mut target = vec![zeroed::<T>()];
        pointer = target.as_mut_ptr();
        pen.keep(name, &(pointer as usize).to_ne_bytes());
        (pointer, target)
    }

    fn given(target: &mut Vec<T>, pen: &mut Pen, name: &str) {
        for value in target {
            value.leaves(name, pen.round, &mut |path, bytes| {
                pen.received.insert(path.to_owned(), hexadecimal(bytes));
            });
        }
    }
}

/// The stand-in looks at two elements.
impl<T: Leaves> Argument for *const T {
    type Target = Vec<T>;

    fn make(pen: &mut Pen, name: &str) -> (Self, Vec<T>) {
        if T::IS_OPAQUE {
            let (pointer, target) = <*mut T>::make(pen, name);
            return (pointer, target);
        }
        let mut target = vec![zeroed::<T>(), zeroed::<T>()];
        for (at, value) in target.iter_mut().enumerate() {
            value.leaves(&format!("{name}[{at}]"), pen.round, &mut |path, bytes| pen.write(path, bytes));
        }
        let pointer = target.as_ptr();
        pen.keep(name, &(pointer as usize).to_ne_bytes());
        (pointer, target)
    }
}

/// Takes a struct apart: one that has a field which is not named here does not compile.
macro_rules! structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Leaves for $name {
            fn leaves(&mut self, path: &str, round: usize, show: &mut dyn FnMut(&str, &mut [u8])) {
                let Self { $($field),* } = self;
                $($field.leaves(&in_c(path, stringify!($field)), round, show);)*
            }
        }
    )*};
}

/// The arms take turns. One that is not named here is missed in the record.
macro_rules! unions {
    ($($name:ident { $($arm:ident),* $(,)? })*) => {$(
        impl Leaves for $name {
            fn leaves(&mut self, path: &str, round: usize, show: &mut dyn FnMut(&str, &mut [u8])) {
                let arms = [$(stringify!($arm)),*];
                let turn = arms[round % arms.len()];
                $(if turn == stringify!($arm) {
                    // SAFETY: zeroes and any bytes are a value of every arm.
                    unsafe { self.$arm.leaves(&in_c(path, turn), round / arms.len(), show) };
                })*
            }
        }
    )*};
}

fn in_c(path: &str, field: &str) -> String {
    format!("{path}.{}", field.strip_suffix('_').unwrap_or(field))
}

structs! {
    CUuuid { bytes }
    CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height }
    CUDA_MEMCPY3D {
        srcXInBytes, srcY, srcZ, srcLOD, srcMemoryType, srcHost, srcDevice, srcArray, reserved0, srcPitch,
        srcHeight, dstXInBytes, dstY, dstZ, dstLOD, dstMemoryType, dstHost, dstDevice, dstArray, reserved1,
        dstPitch, dstHeight, WidthInBytes, Height, Depth,
    }
    CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Format, NumChannels, Flags }
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, handle, size, flags, reserved }
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 { handle, name }
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, flags, reserved }
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { offset, arrayDesc, numLevels, reserved }
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, handle, flags, reserved }
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 { handle, name }
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS { params, flags, reserved }
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params { fence, nvSciSync, keyedMutex, reserved }
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence { value }
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex { key }
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS { params, flags, reserved }
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params { fence, nvSciSync, keyedMutex, reserved }
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence { value }
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex { key, timeoutMs }
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems }
    CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems }
    CUmemLocation { type_, id }
    CUmemAllocationProp { type_, requestedHandleTypes, location, win32HandleMetaData, allocFlags }
    CUmemAllocationProp_allocFlags { compressionType, gpuDirectRDMACapable, usage, reserved }
    CUmemAccessDesc { location, flags }
}

unions! {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd, win32, nvSciBufObject }
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle { fd, win32, nvSciSyncObj }
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync { fence, reserved }
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync { fence, reserved }
}

/// As C's memset 0 makes it.
fn zeroed<T>() -> T {
    // SAFETY: the types here are integers, pointers, and structs and unions of these.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// # Safety
///
/// `T` has no padding, and any bytes are a value of it.
unsafe fn bytes<T>(value: &mut T) -> &mut [u8] {
    // SAFETY: by this function's condition.
    unsafe { std::slice::from_raw_parts_mut((&raw mut *value).cast(), size_of::<T>()) }
}
