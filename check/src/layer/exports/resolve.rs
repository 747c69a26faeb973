//! cuGetProcAddress, by which the runtime API and others get every function: it hands out the layer's.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use cuda_external_sys::*;

use super::{wrap, wrapped};

/// The release up to which the names below are known. A later one may have a function of another type under the same name.
const KNOWN: c_int = 13050;

/// Names that mean another function than the one that is called so: from a release on, or in place of it.
const VERSIONS: &[(&str, c_int, &str)] = &[
    ("cuGraphAddNode", 12030, "cuGraphAddNode_v2"),
    ("cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"),
    ("cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"),
    ("cuGraphInstantiate", 11000, "cuGraphInstantiate_v2"),
    ("cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"),
    ("cuDevicePrimaryCtxReset", 11000, "cuDevicePrimaryCtxReset_v2"),
    ("cuGetProcAddress", 12000, "cuGetProcAddress_v2"),
];

/// Returns the layer's function in place of one of the driver's: by its address, or by the name that was asked for.
fn replaced(name: &str, version: c_int, flags: c_ulonglong, found: *mut c_void) -> Option<*mut c_void> {
    let layers = |wrapped: &super::Wrapped| wrapped.function.cast_mut();
    if let Some(same) = wrapped().find(|wrapped| wrapped.real.address() == found) {
        return Some(layers(same));
    }
    if !(4000..=KNOWN).contains(&version) {
        return None;
    }
    let versioned =
        VERSIONS.iter().find(|(of, from, _)| *of == name && version >= *from).map(|(.., exported)| *exported);
    let of_release = versioned.unwrap_or(name);
    const PER_THREAD: c_ulonglong = 2;
    // cuda.h has v2 of these names since CUDA 4.0.
    let forms = ["", "_v2"].map(|version| format!("{of_release}{version}"));
    let endings: &[&str] = if flags & PER_THREAD != 0 { &["_ptsz", "_ptds", ""] } else { &[""] };
    let names = endings.iter().flat_map(|ending| forms.iter().map(move |form| format!("{form}{ending}")));
    let mut exported =
        names.filter_map(|name| wrapped().find(|wrapped| wrapped.name.to_bytes() == name.as_bytes()));
    exported.next().map(layers)
}

/// Replaces what a successful call found.
///
/// # Safety
///
/// The pointers are as the driver needs them.
unsafe fn replace(
    symbol: *const c_char,
    out: *mut *mut c_void,
    version: c_int,
    flags: c_ulonglong,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    let code = real();
    // SAFETY: the call succeeded with these pointers, or they are not looked at.
    unsafe {
        if code == CUDA_SUCCESS && !symbol.is_null() && !out.is_null() && !(*out).is_null() {
            let name = CStr::from_ptr(symbol).to_str().unwrap_or_default();
            replaced(name, version, flags, *out).into_iter().for_each(|function| *out = function);
        }
    }
    code
}

// SAFETY, for each of them: the program's arguments are as the driver needs them.
wrap! {
    cuGetProcAddress_v2(
        symbol: *const c_char,
        out: *mut *mut c_void,
        version: c_int,
        flags: c_ulonglong,
        status: *mut c_uint,
    ) |_call, real| unsafe { replace(symbol, out, version, flags, real) };
    /// The first version, which has no status.
    cuGetProcAddress(
        symbol: *const c_char,
        out: *mut *mut c_void,
        version: c_int,
        flags: c_ulonglong,
    ) |_call, real| unsafe { replace(symbol, out, version, flags, real) };
}
