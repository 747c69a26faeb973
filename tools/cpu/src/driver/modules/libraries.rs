//! Libraries: modules that belong to no context. A library's handle is a module's here, and a kernel's is a function's.

use super::module_loading::{
    KERNELS, MODULES, find_function, find_variable, load_module_with_log, read_image_file, unload_module,
};
use crate::driver::base::prelude::*;

functions! {
    Init fn cuLibraryLoadData(
        library: *mut CUmodule, image: *const c_void, keys: *mut c_int, values: *mut *mut c_void, count: c_uint,
        _library_keys: *const c_int, _library_values: *const *mut c_void, _library_count: c_uint
    ) {
        load_module_with_log(library, image, (read_array(keys, count as usize)?, values), None)
    }
    Init fn cuLibraryLoadFromFile(
        library: *mut CUmodule, path: *const c_char, keys: *mut c_int, values: *mut *mut c_void, count: c_uint,
        _library_keys: *const c_int, _library_values: *const *mut c_void, _library_count: c_uint
    ) {
        let (image, keys) = (read_image_file(path)?, read_array(keys, count as usize)?);
        load_module_with_log(library, image.as_ptr().cast(), (keys, values), None)
    }
    Init fn cuLibraryUnload(library: CUmodule) { unload_module(library) }
    Init fn cuLibraryGetModule(module: *mut CUmodule, library: CUmodule) {
        MODULES.find_object(library)?;
        write_out(module, library)
    }
    Init fn cuLibraryGetKernel(kernel: *mut CUfunction, library: CUmodule, name: *const c_char) {
        find_function(kernel, library, name)
    }
    Init fn cuLibraryGetKernelCount(count: *mut c_uint, library: CUmodule) {
        write_out(count, MODULES.find_object(library)?.ptx.kernels().count() as c_uint)
    }
    Init fn cuLibraryGetGlobal(
        address: *mut CUdeviceptr, size: *mut usize, library: CUmodule, name: *const c_char
    ) {
        find_variable(address, size, library, name)
    }
    Init fn cuKernelGetFunction(function: *mut CUfunction, kernel: CUfunction) {
        KERNELS.find_object(kernel)?;
        write_out(function, kernel)
    }
}
