//! Loaded PTX. In this driver, a `CUlibrary` is a `CUmodule` without a context, and a `CUkernel` is a `CUfunction`.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::atomic::AtomicUsize;

use cuda_external_in_process::newest_release_constants::VERSION;
use cuda_external_ptx as ptx;
use ptx::LoadErrorKind;

use super::fat_binaries::{self, MAGIC, WRAPPER_MAGIC};
use super::kernel_launch::{DEFAULT_SHARED, KERNELS, KernelFunction};
use crate::driver::base::notices::print_refusal;
use crate::driver::driver_prelude::*;

/// Loaded PTX, whose variables are memory of the device.
pub struct LoadedModule {
    pub ptx: Arc<ptx::Module>,
    context: Option<ContextId>,
}

pub static MODULES: HandleRegistry<LoadedModule> = HandleRegistry::new(11, CUDA_ERROR_INVALID_HANDLE);

/// The newest version of PTX in the driver's CUDA release: 9.5 in CUDA 13.5.
const NEWEST_PTX: f64 = (VERSION / 1000 - 4) as f64 + (VERSION % 1000 / 10) as f64 / 10.0;

fn code_for_ptx_error(error: &ptx::LoadError) -> CUresult {
    match error.kind {
        LoadErrorKind::NotPtx => CUDA_ERROR_INVALID_IMAGE,
        LoadErrorKind::Unsupported => CUDA_ERROR_NOT_SUPPORTED,
        _ => CUDA_ERROR_INVALID_PTX,
    }
}

/// Returns the PTX of an image. For a cubin, or a fat binary without PTX for this driver's devices, returns
/// NO_BINARY_FOR_GPU. For a wrapper, which cuLibraryLoadData alone follows, returns INVALID_IMAGE (measured, H100).
fn ptx_of_image(bytes: &[u8]) -> Result<Cow<'_, [u8]>, (CUresult, String)> {
    let no_binary = |what: &str| Err((CUDA_ERROR_NO_BINARY_FOR_GPU, format!("{what}: not supported")));
    match bytes {
        [0x7f, b'E', b'L', b'F', ..] => {
            no_binary("a cubin, which is code for GPUs (NVRTC: ask for compute_90 in place of sm_90)")
        }
        _ if bytes.starts_with(&WRAPPER_MAGIC) => Err((CUDA_ERROR_INVALID_IMAGE, String::new())),
        _ if bytes.starts_with(&MAGIC) => match fat_binaries::find_newest_ptx(bytes) {
            Some(text) => Ok(Cow::Owned(text)),
            None => no_binary("a fat binary without PTX for compute capability 9.0"),
        },
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// Loads an image, or returns INVALID_VALUE for `None`. The text in an error is for the log.
fn load_image(image: Option<&[u8]>, context: Option<ContextId>) -> Result<LoadedModule, (CUresult, String)> {
    let plain = |code: CUresult| (code, String::new());
    let bytes = ptx_of_image(image.ok_or(plain(CUDA_ERROR_INVALID_VALUE))?)?;
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(|_| plain(CUDA_ERROR_INVALID_PTX))?;
    if ptx::ptx_version_of(text).is_some_and(|version| version > NEWEST_PTX) {
        return Err((CUDA_ERROR_UNSUPPORTED_PTX_VERSION, format!("a version after PTX {NEWEST_PTX:.1}")));
    }
    let ptx = ptx::Module::load_ptx(text);
    let ptx = Arc::new(ptx.map_err(|error| (code_for_ptx_error(&error), format!("PTX, {error}")))?);
    if let Some(memory) = ptx.memory() {
        let (start, size) = (memory.start, memory.end - memory.start);
        address_ranges::add_range((start, size), RangeKind::Module, context, ptx.clone(), None);
    }
    Ok(LoadedModule { ptx, context })
}

/// The keys of JIT options, and the array of their values.
type JitOptions<'a> = (&'a [c_int], *mut *mut c_void);

const NO_OPTIONS: JitOptions = (&[], null_mut());

/// Loads an image for a context or, if `context` is `None`, as a library. Writes the log to the buffers of the options.
unsafe fn load_module(
    module: *mut CUmodule,
    image: Option<&[u8]>,
    (keys, values): JitOptions,
    context: Option<ContextId>,
) -> CudaResult {
    ensure_valid(!module.is_null())?;
    let (log, result) = match load_image(image, context) {
        Ok(loaded) => (String::new(), Ok(loaded)),
        Err((code, log)) => (log, Err(code)),
    };
    if !log.is_empty() {
        print_refusal(&log);
    }
    // The options 3 to 6: CU_JIT_INFO_LOG_BUFFER and its size, then CU_JIT_ERROR_LOG_BUFFER and its size.
    for (buffer, size, text) in [(3, 4, ""), (5, 6, log.as_str())] {
        let at = |key: c_int| keys.iter().position(|known| *known == key);
        let (Some(buffer), Some(size)) = (at(buffer), at(size)) else { continue };
        // SAFETY: `values` has a value for each key, and the value of a size key is the size of the buffer.
        unsafe {
            let buffer = (*values.add(buffer)).cast::<u8>();
            let room = (*values.add(size)).addr() as u32 as usize;
            let length = text.len().min(room.saturating_sub(1));
            if !buffer.is_null() && room > 0 {
                copy_nonoverlapping(text.as_ptr(), buffer, length);
                *buffer.add(length) = 0;
            }
            *values.add(size) = std::ptr::without_provenance_mut(length);
        }
    }
    // SAFETY: `module` is not null, and so valid for a write.
    unsafe { MODULES.create_object(module, context, || result) }
}

/// Returns the bytes of an image that the program passes as a pointer, or `None` for null.
unsafe fn image_in_memory<'a>(image: *const c_void, follows_wrapper: bool) -> Option<&'a [u8]> {
    // SAFETY: the image is null, NUL-terminated PTX, a cubin, a fat binary or a wrapper.
    (!image.is_null()).then(|| unsafe { fat_binaries::image_bytes(image.cast(), follows_wrapper) })
}

pub fn read_image_file(path: &CStr) -> CudaResult<Vec<u8>> {
    std::fs::read(OsStr::from_bytes(path.to_bytes())).map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)
}

fn unload_module(module: CUmodule) -> CudaResult {
    let found = MODULES.find_object(module)?;
    stream_queue::wait_in_current_before_free()?;
    if let Some(memory) = found.ptx.memory() {
        address_ranges::remove_range_at(memory.start, |kind| kind == RangeKind::Module);
    }
    while let Some((kernel, _)) = KERNELS.find_object_where(|kernel| kernel.module == module.handle_number())
    {
        KERNELS.remove_object(kernel);
    }
    MODULES.destroy_object(module)
}

fn find_kernel(module: &LoadedModule, name: &CStr) -> CudaResult<ptx::Kernel> {
    let name = name.to_str().map_err(|_| CUDA_ERROR_NOT_FOUND)?;
    module.ptx.kernel(name).ok_or(CUDA_ERROR_NOT_FOUND)?.cloned().map_err(|error| {
        print_refusal(&format!("the kernel {name}, {error}"));
        code_for_ptx_error(error)
    })
}

functions! {
    Init fn cuModuleLoad(module: *mut CUmodule, path: *const c_char) {
        let context = Some(current_context()?.id);
        load_module(module, Some(&read_image_file(read_c_str(path)?)?), NO_OPTIONS, context)
    }
    Init fn cuModuleLoadData | cuModuleLoadFatBinary: PFN_cuModuleLoadData, (module, image) {
        load_module(module, image_in_memory(image, false), NO_OPTIONS, Some(current_context()?.id))
    }
    Init fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, count: c_uint, keys: *mut c_int, values: *mut *mut c_void
    ) {
        let keys = read_array(keys, count as usize)?;
        load_module(module, image_in_memory(image, false), (keys, values), Some(current_context()?.id))
    }
    Init fn cuLibraryLoadData(
        library: *mut CUmodule, image: *const c_void, keys: *mut c_int, values: *mut *mut c_void, count: c_uint,
        _library_keys: *const c_int, _library_values: *const *mut c_void, _library_count: c_uint
    ) { load_module(library, image_in_memory(image, true), (read_array(keys, count as usize)?, values), None) }
    Init fn cuLibraryLoadFromFile(
        library: *mut CUmodule, path: *const c_char, keys: *mut c_int, values: *mut *mut c_void, count: c_uint,
        _library_keys: *const c_int, _library_values: *const *mut c_void, _library_count: c_uint
    ) {
        let (image, keys) = (read_image_file(read_c_str(path)?)?, read_array(keys, count as usize)?);
        load_module(library, Some(&image), (keys, values), None)
    }
    Init fn cuModuleUnload | cuLibraryUnload: PFN_cuModuleUnload, (module) { unload_module(module) }
    Init fn cuModuleGetGlobal | cuModuleGetGlobal_v2 | cuLibraryGetGlobal(
        address: *mut CUdeviceptr, size: *mut usize, module: CUmodule, name: *const c_char
    ) {
        let module = MODULES.find_object(module)?;
        let found = read_c_str(name)?.to_str().ok().and_then(|name| module.ptx.variable(name));
        let (start, length) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        write_out_if_wanted(address, start)?;
        write_out_if_wanted(size, length)
    }
    Init fn cuModuleGetFunction | cuLibraryGetKernel: PFN_cuModuleGetFunction, (kernel, module, name) {
        ensure_valid(!kernel.is_null())?;
        let found = MODULES.find_object(module)?;
        KERNELS.create_object(kernel, found.context, || {
            let most_shared = AtomicUsize::new(DEFAULT_SHARED);
            let kernel = find_kernel(&found, read_c_str(name)?)?;
            Ok(KernelFunction { module: module.handle_number(), kernel, most_shared })
        })
    }
    Init fn cuLibraryGetModule(module: *mut CUmodule, library: CUmodule) {
        MODULES.find_object(library)?;
        write_out(module, library)
    }
    Init fn cuLibraryGetKernelCount(count: *mut c_uint, library: CUmodule) {
        write_out(count, MODULES.find_object(library)?.ptx.kernels().count() as c_uint)
    }
    Init fn cuKernelGetFunction(function: *mut CUfunction, kernel: CUfunction) {
        KERNELS.find_object(kernel)?;
        write_out(function, kernel)
    }
}
