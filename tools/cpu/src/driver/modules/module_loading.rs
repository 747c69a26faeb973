//! Modules: PTX that is loaded, its variables, and its kernels by their names.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::ptr::copy_nonoverlapping;
use std::sync::atomic::AtomicUsize;

use cuda_external_in_process::newest_release::VERSION;
use cuda_external_ptx as ptx;
use ptx::LoadErrorKind;

use super::fat_binaries;
use crate::driver::addresses::address_ranges::{self, AddressRange, KeptBy, RangeKind};
use crate::driver::base::current_context::{self, ContextId};
use crate::driver::base::prelude::*;
use crate::driver::base::unsupported_notices::print_if_wanted;
use crate::driver::streams::stream_queue;

/// A loaded text, whose variables are memory of the device.
pub struct LoadedModule {
    pub ptx: Arc<ptx::Module>,
    context: Option<ContextId>,
}

pub struct KernelFunction {
    module: Arc<LoadedModule>,
    name: String,
    pub most_shared: AtomicUsize,
}

pub static MODULES: HandleRegistry<LoadedModule> = HandleRegistry::new(11, CUDA_ERROR_INVALID_HANDLE);
pub static KERNELS: HandleRegistry<KernelFunction> = HandleRegistry::new(12, CUDA_ERROR_INVALID_HANDLE);

/// The shared memory of a block without the function's attribute. Variables alone may have more (measured).
const DEFAULT_SHARED: usize = 48 << 10;

impl KernelFunction {
    pub fn ptx_kernel(&self) -> CudaResult<&ptx::Kernel> {
        self.module.ptx.kernel(&self.name).and_then(Result::ok).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
}

/// The version of PTX that came with the release that the driver is of: 9.5 with CUDA 13.5.
const NEWEST_PTX: f64 = (VERSION / 1000 - 4) as f64 + (VERSION % 1000 / 10) as f64 / 10.0;

/// The code with which NVIDIA's driver refuses such a text. An instruction that a GPU would run is NOT_SUPPORTED.
fn code_for_ptx_error(error: &ptx::LoadError) -> CUresult {
    match error.kind {
        LoadErrorKind::NotPtx => CUDA_ERROR_INVALID_IMAGE,
        LoadErrorKind::Unsupported => CUDA_ERROR_NOT_SUPPORTED,
        _ => CUDA_ERROR_INVALID_PTX,
    }
}

/// Returns the text of an image.
/// The image is one of cuda.h's: NUL-terminated PTX, a cubin or a fat binary.
unsafe fn ptx_of_image<'a>(image: *const c_void) -> Result<Cow<'a, [u8]>, (CUresult, String)> {
    let no_binary = |what: &str| Err((CUDA_ERROR_NO_BINARY_FOR_GPU, format!("{what}: not supported")));
    // SAFETY: the image is NUL-terminated PTX, a cubin or a fat binary, each with at least four bytes.
    unsafe {
        if image.cast::<[u8; 4]>().read() == *b"\x7fELF" {
            return no_binary(
                "a cubin, which is code for GPUs alone (NVRTC: ask for compute_90 in place of sm_90)",
            );
        }
        match fat_binaries::bytes_of(image.cast()) {
            None => Ok(Cow::Borrowed(CStr::from_ptr(image.cast()).to_bytes())),
            Some(bytes) => match fat_binaries::find_ptx(bytes) {
                Some(text) => Ok(Cow::Owned(text)),
                None => no_binary("a fat binary without PTX for compute capability 9.0"),
            },
        }
    }
}

/// Loads an image. The second part of an error is for the log.
/// The image is as `ptx_of_image` requires, or null.
unsafe fn load_image(
    image: *const c_void,
    context: Option<ContextId>,
) -> Result<LoadedModule, (CUresult, String)> {
    let plain = |code: CUresult| (code, String::new());
    ensure_valid(!image.is_null()).map_err(plain)?;
    // SAFETY: the image is not null, and one of cuda.h's.
    let bytes = unsafe { ptx_of_image(image) }?;
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(|_| plain(CUDA_ERROR_INVALID_PTX))?;
    if ptx::ptx_version_of(text).is_some_and(|version| version > NEWEST_PTX) {
        return Err((CUDA_ERROR_UNSUPPORTED_PTX_VERSION, format!("a version after PTX {NEWEST_PTX:.1}")));
    }
    let ptx = ptx::Module::load_ptx(text);
    let ptx = Arc::new(ptx.map_err(|error| (code_for_ptx_error(&error), format!("PTX, {error}")))?);
    if let Some(memory) = ptx.memory() {
        let (start, size) = (memory.start, memory.end - memory.start);
        let (kind, backing) = (RangeKind::Module, KeptBy::Kept(ptx.clone()));
        address_ranges::add_range(AddressRange { start, size, kind, context, backing, _charge: None });
    }
    Ok(LoadedModule { ptx, context })
}

/// Loads an image for a context or for all, with the log in the text or in what the program's options say.
/// The pointers are as cuda.h requires.
pub unsafe fn load_module_with_log(
    module: *mut CUmodule,
    image: *const c_void,
    (keys, values): (&[c_int], *mut *mut c_void),
    context: Option<ContextId>,
) -> CudaResult {
    ensure_valid(!module.is_null())?;
    // SAFETY: the caller passes a valid image.
    let (log, result) = match unsafe { load_image(image, context) } {
        Ok(loaded) => (String::new(), Ok(loaded)),
        Err((code, log)) => (log, Err(code)),
    };
    if !log.is_empty() {
        print_if_wanted(&log);
    }
    // The buffers of the log and of the errors, each with its size: CU_JIT_INFO_LOG_BUFFER and three more.
    for (buffer, size, text) in [(3, 4, ""), (5, 6, log.as_str())] {
        let at = |key: c_int| keys.iter().position(|known| *known == key);
        let (Some(buffer), Some(size)) = (at(buffer), at(size)) else { continue };
        // SAFETY: in the caller's list a size is a value and not a pointer, and the buffer has this size.
        unsafe {
            let (buffer, room) =
                ((*values.add(buffer)).cast::<u8>(), (*values.add(size)).addr() as u32 as usize);
            let length = text.len().min(room.saturating_sub(1));
            if !buffer.is_null() && room > 0 {
                copy_nonoverlapping(text.as_ptr(), buffer, length);
                *buffer.add(length) = 0;
            }
            *values.add(size) = std::ptr::without_provenance_mut(length);
        }
    }
    // SAFETY: the caller passes a valid pointer.
    unsafe { MODULES.create_owned(module, context, || result) }
}

/// Returns the bytes of a file, with zeros behind them: an image has at least four bytes, and a text ends with a zero.
/// The path is a text that a zero ends, or null.
pub unsafe fn read_image_file(path: *const c_char) -> CudaResult<Vec<u8>> {
    // SAFETY: `path` is null, or a text that a zero ends.
    let path = OsStr::from_bytes(unsafe { read_c_str(path) }?.to_bytes());
    let mut bytes = std::fs::read(path).map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)?;
    bytes.extend([0; 4]);
    Ok(bytes)
}

pub fn unload_module(module: CUmodule) -> CudaResult {
    let found = MODULES.find_object(module)?;
    stream_queue::wait_in_current_before_free()?;
    if let Some(memory) = found.ptx.memory() {
        address_ranges::remove_range_at(memory.start, |kind| kind == RangeKind::Module);
    }
    KERNELS.remove_if(|function| Arc::ptr_eq(&function.module, &found));
    MODULES.destroy_object(module)
}

/// Writes the address and the size of a variable.
/// The pointers are as cuda.h requires.
pub unsafe fn find_variable(
    address: *mut CUdeviceptr,
    size: *mut usize,
    module: CUmodule,
    name: *const c_char,
) -> CudaResult {
    // SAFETY: the pointers are null, or as cuda.h requires.
    unsafe {
        let module = MODULES.find_object(module)?;
        let found = read_c_str(name)?.to_str().ok().and_then(|name| module.ptx.variable(name));
        let (start, length) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        write_if_wanted(address, start);
        write_if_wanted(size, length);
        Ok(())
    }
}

/// Writes the handle of a kernel.
/// The pointers are as cuda.h requires.
pub unsafe fn find_function(kernel: *mut CUfunction, module: CUmodule, name: *const c_char) -> CudaResult {
    // SAFETY: the pointers are null, or as cuda.h requires.
    unsafe {
        ensure_valid(!kernel.is_null())?;
        let module = MODULES.find_object(module)?;
        KERNELS.create_owned(kernel, module.context, || {
            let name = read_c_str(name)?.to_str().map_err(|_| CUDA_ERROR_NOT_FOUND)?;
            match module.ptx.kernel(name) {
                None => return Err(CUDA_ERROR_NOT_FOUND),
                Some(Err(error)) => {
                    print_if_wanted(&format!("the kernel {name}, {error}"));
                    return Err(code_for_ptx_error(error));
                }
                Some(Ok(_)) => {}
            }
            Ok(KernelFunction {
                module,
                name: name.to_owned(),
                most_shared: AtomicUsize::new(DEFAULT_SHARED),
            })
        })
    }
}

functions! {
    Init fn cuModuleLoad(module: *mut CUmodule, path: *const c_char) {
        let context = Some(current_context::current_context()?.id);
        load_module_with_log(module, read_image_file(path)?.as_ptr().cast(), (&[], std::ptr::null_mut()), context)
    }
    Init fn cuModuleLoadFatBinary(module: *mut CUmodule, image: *const c_void) {
        let context = Some(current_context::current_context()?.id);
        load_module_with_log(module, image, (&[], std::ptr::null_mut()), context)
    }
    Init fn cuModuleLoadData: PFN_cuModuleLoadData, (module, image) {
        let context = Some(current_context::current_context()?.id);
        load_module_with_log(module, image, (&[], std::ptr::null_mut()), context)
    }
    Init fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, count: c_uint, keys: *mut c_int, values: *mut *mut c_void
    ) {
        let keys = read_array(keys, count as usize)?;
        load_module_with_log(module, image, (keys, values), Some(current_context::current_context()?.id))
    }
    Init fn cuModuleUnload: PFN_cuModuleUnload, (module) { unload_module(module) }
    Init fn cuModuleGetGlobal | cuModuleGetGlobal_v2(
        address: *mut CUdeviceptr, size: *mut usize, module: CUmodule, name: *const c_char
    ) {
        find_variable(address, size, module, name)
    }
    Init fn cuModuleGetFunction: PFN_cuModuleGetFunction, (kernel, module, name) { find_function(kernel, module, name) }
}
