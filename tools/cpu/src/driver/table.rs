//! All functions by name, and the driver's own look-up of them.

use std::ptr::{NonNull, null_mut};

use cuda_external_in_process::newest::LATER_VERSIONS;

use super::call::Function;
use super::every_name;
use super::prelude::*;

macro_rules! tables {
    ($($topic:ident)*) => {
        &[
            FUNCTIONS,
            #[cfg(feature = "kernels")]
            super::images::FUNCTIONS,
            #[cfg(feature = "kernels")]
            super::kernel::FUNCTIONS,
            #[cfg(feature = "kernels")]
            super::link::FUNCTIONS,
            $(super::$topic::FUNCTIONS),*
        ]
    };
}
const TABLES: &[&[Function]] = tables! {
    array captures contexts copy devices event external_memory external_semaphore fill graph graph_nodes ipc mapped memory
    pointers pools settings stream stream_info unsupported virtual_memory every_name
};

/// Returns the function with exactly this name in the library.
pub fn find(name: &str) -> Option<NonNull<c_void>> {
    let (_, function) = TABLES.iter().copied().flatten().find(|(known, _)| *known == name)?;
    NonNull::new(function.cast_mut().cast())
}

/// Returns the name of each function.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().map(|(name, _)| *name)
}

/// Returns the newest version of a function that a program for this release of CUDA knows.
fn for_release(name: &str, release: c_int) -> Option<NonNull<c_void>> {
    let known = |name: &str| !LATER_VERSIONS.iter().any(|(later, since)| *later == name && *since > release);
    let versions = ["_v4", "_v3", "_v2", ""].map(|version| format!("{name}{version}"));
    // The plain name means a later function than `_v2` here.
    let renamed = (name == "cuGraphInstantiate").then(|| "cuGraphInstantiateWithFlags".to_owned());
    let all = Vec::from_iter(renamed.into_iter().chain(versions).filter(|name| known(name)));
    // An older version that does what it should is better than a newer one's name alone.
    let (absent, here): (Vec<_>, Vec<_>) = all.into_iter().partition(|name| every_name::has(name));
    here.iter().chain(&absent).find_map(|name| find(name))
}

unsafe fn get(symbol: *const c_char, function: *mut *mut c_void, release: c_int) -> CudaResult {
    // SAFETY: the caller's text and pointer.
    unsafe {
        write_out(function, null_mut())?;
        let found = text(symbol)?.to_str().ok().and_then(|name| for_release(name, release));
        write_out(function, found.ok_or(CUDA_ERROR_NOT_FOUND)?.as_ptr())
    }
}

functions! {
    Nothing fn cuGetProcAddress(symbol: *const c_char, function: *mut *mut c_void, release: c_int, _flags: cuuint64_t) {
        get(symbol, function, release)
    }
    Nothing fn cuGetProcAddress_v2(
        symbol: *const c_char, function: *mut *mut c_void, release: c_int, _flags: cuuint64_t, status: *mut c_int
    ) {
        let found = get(symbol, function, release);
        write_if_wanted(status, found.is_err().into());
        found
    }
}
