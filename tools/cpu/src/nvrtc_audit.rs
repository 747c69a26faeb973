//! Under LD_AUDIT (rtld-audit(7)), binds nvrtcGetCUBIN to nvrtcGetPTX, so that NVRTC returns PTX instead of a cubin.

use std::ffi::{CStr, c_char, c_long, c_uint, c_void};

/// The start of `struct link_map`, whose address `dlsym` takes as a library's handle.
#[repr(C)]
struct LinkMapStart {
    address: usize,
    path: *const c_char,
}

/// The loader calls `la_symbind64` for bindings from a library with BINDINGS_FROM to a library with BINDINGS_TO.
const BINDINGS_TO: c_uint = 1;
const BINDINGS_FROM: c_uint = 2;

#[unsafe(no_mangle)]
extern "C" fn la_version(version: c_uint) -> c_uint {
    version
}

#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(library: *const LinkMapStart, _: c_long, _: *mut c_void) -> c_uint {
    // SAFETY: the loader passes its `link_map` of the library, whose path is a C string.
    let path = unsafe { CStr::from_ptr((*library).path) }.to_bytes();
    let is_nvrtc = path.windows(11).any(|part| part == b"libnvrtc.so");
    if is_nvrtc { BINDINGS_TO | BINDINGS_FROM } else { BINDINGS_FROM }
}

/// Returns the address to which the loader, or `dlsym`, binds a name.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_symbind64(
    symbol: *const libc::Elf64_Sym,
    _: c_uint,
    _: *const usize,
    definer: *const *mut c_void,
    _: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the loader passes the symbol, with its absolute address, and the name as a C string.
    let (found, name) = unsafe { ((*symbol).st_value as usize, CStr::from_ptr(name)) };
    let of_ptx = match name.to_bytes() {
        b"nvrtcGetCUBIN" => c"nvrtcGetPTX",
        b"nvrtcGetCUBINSize" => c"nvrtcGetPTXSize",
        _ => return found,
    };
    // SAFETY: glibc's cookie of the defining library is its `link_map`, since `la_objopen` does not replace it.
    let of_ptx = unsafe { libc::dlsym(*definer, of_ptx.as_ptr()) };
    if of_ptx.is_null() { found } else { of_ptx.expose_provenance() }
}
