//! All functions by name, and the driver's own look-up of them.

use std::ptr::{NonNull, null_mut};

use cuda_external_in_process::newest_release::LATER_VERSIONS;

use crate::driver::base::functions_macro::TableEntry;
use crate::driver::base::prelude::*;
#[cfg(feature = "kernels")]
use crate::driver::modules;
use crate::driver::{contexts, external, graphs, images, memory, not_implemented, streams};

const TABLES: &[&[&[TableEntry]]] = &[
    contexts::context_calls::FUNCTIONS,
    contexts::context_settings::FUNCTIONS,
    contexts::device_calls::FUNCTIONS,
    external::external_memory::FUNCTIONS,
    external::external_memory_mappings::FUNCTIONS,
    external::external_semaphores::FUNCTIONS,
    external::ipc_memory::FUNCTIONS,
    graphs::executable_graphs::FUNCTIONS,
    graphs::node_calls::FUNCTIONS,
    images::arrays::FUNCTIONS,
    #[cfg(feature = "kernels")]
    images::textures_and_surfaces::FUNCTIONS,
    memory::allocations::FUNCTIONS,
    memory::memcpy::FUNCTIONS,
    memory::memory_pools::FUNCTIONS,
    memory::memset::FUNCTIONS,
    memory::pointer_attributes::FUNCTIONS,
    memory::virtual_memory::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::function_attributes::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::kernel_launch::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::libraries::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::linker::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::module_loading::FUNCTIONS,
    not_implemented::name_list::FUNCTIONS,
    not_implemented::refused_calls::FUNCTIONS,
    streams::capture_calls::FUNCTIONS,
    streams::events::FUNCTIONS,
    streams::stream_properties::FUNCTIONS,
    streams::stream_queue::FUNCTIONS,
    FUNCTIONS,
];

/// Returns the function with exactly this name in the library.
pub fn find_symbol(name: &str) -> Option<NonNull<c_void>> {
    let (_, function) =
        TABLES.iter().copied().flatten().copied().flatten().find(|(known, _)| *known == name)?;
    NonNull::new(function.cast_mut().cast())
}

/// Returns the name of each function.
pub fn symbol_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().copied().flatten().map(|(name, _)| *name)
}

/// Returns the newest version of a function that a program for this release of CUDA knows.
fn newest_for_release(name: &str, release: c_int) -> Option<NonNull<c_void>> {
    let known = |name: &str| !LATER_VERSIONS.iter().any(|(later, since)| *later == name && *since > release);
    let versions = ["_v4", "_v3", "_v2", ""].map(|version| format!("{name}{version}"));
    // The plain name means a later function than `_v2` here.
    let renamed = (name == "cuGraphInstantiate").then(|| "cuGraphInstantiateWithFlags".to_owned());
    let all = Vec::from_iter(renamed.into_iter().chain(versions).filter(|name| known(name)));
    // An older version that does what it should is better than a newer one's name alone.
    let (absent, here): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|name| not_implemented::is_not_implemented(name));
    here.iter().chain(&absent).find_map(|name| find_symbol(name))
}

unsafe fn write_proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    release: c_int,
) -> CudaResult {
    // SAFETY: the caller's text and pointer.
    unsafe {
        write_out(function, null_mut())?;
        let found = read_c_str(symbol)?.to_str().ok().and_then(|name| newest_for_release(name, release));
        write_out(function, found.ok_or(CUDA_ERROR_NOT_FOUND)?.as_ptr())
    }
}

functions! {
    Nothing fn cuGetProcAddress +_ptsz(symbol: *const c_char, function: *mut *mut c_void, release: c_int, _flags: cuuint64_t) {
        write_proc_address(symbol, function, release)
    }
    Nothing fn cuGetProcAddress_v2 +_ptsz(
        symbol: *const c_char, function: *mut *mut c_void, release: c_int, _flags: cuuint64_t, status: *mut c_int
    ) {
        let found = write_proc_address(symbol, function, release);
        write_if_wanted(status, found.is_err().into());
        found
    }
}

#[test]
fn an_implemented_function_has_its_per_thread_form() {
    for name in build_script::allowlist::OF_DRIVER.split_whitespace() {
        let plain = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds"));
        assert!(find_symbol(name).is_some(), "{name}");
        if plain.is_some_and(|plain| !not_implemented::is_not_implemented(plain)) {
            assert!(!not_implemented::is_not_implemented(name), "{name}");
        }
    }
}
