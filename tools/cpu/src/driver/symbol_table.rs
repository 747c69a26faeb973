//! All functions by name, and the driver's own look-up of them.

use std::ptr::{NonNull, null_mut};

use cuda_external_in_process::newest_release::VERSION;

use crate::driver::base::functions_macro::TableEntry;
use crate::driver::base::prelude::*;
use crate::driver::base::results::null_is_per_thread;
use crate::driver::function_releases::FUNCTION_RELEASES;
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
    memory::stream_memory_ops::FUNCTIONS,
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
    not_implemented::FUNCTIONS,
    not_implemented::refused_calls::FUNCTIONS,
    streams::capture_calls::FUNCTIONS,
    streams::events::FUNCTIONS,
    streams::stream_properties::FUNCTIONS,
    streams::stream_queue::FUNCTIONS,
    FUNCTIONS,
];

pub fn find_symbol(name: &str) -> Option<NonNull<c_void>> {
    let (_, function) =
        TABLES.iter().copied().flatten().copied().flatten().find(|(known, _)| *known == name)?;
    NonNull::new(function.cast_mut().cast())
}

pub fn symbol_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().copied().flatten().map(|(name, _)| *name)
}

/// Why there is no function of a name: cuda.h's CUdriverProcAddressQueryResult.
const SYMBOL_NOT_FOUND: c_int = 1;
const VERSION_NOT_SUFFICIENT: c_int = 2;

/// Returns the name in the library of a function's newest version in a release. A function that has forms for the
/// thread's default stream has them since releases of their own.
fn name_in_release(name: &str, release: c_int, is_per_thread: bool) -> Result<String, c_int> {
    let found =
        FUNCTION_RELEASES.get(name).filter(|found| !found.plain.is_empty()).ok_or(SYMBOL_NOT_FOUND)?;
    let has_form = is_per_thread && !found.form.is_empty();
    let (form, since) = if has_form { (found.form, &found.per_thread) } else { ("", &found.plain) };
    let newest = since.iter().rev().find(|since| release == -1 || **since <= release);
    Ok(found.name_of_version(name, *newest.ok_or(VERSION_NOT_SUFFICIENT)?, form))
}

/// Writes a function's address or null, and returns the status. Wrong arguments change nothing.
unsafe fn write_proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    release: c_int,
    flags: cuuint64_t,
    is_null_written: bool,
) -> CudaResult<c_int> {
    const PER_THREAD: cuuint64_t = 2;
    ensure_valid(flags <= 3 && (-1..=VERSION).contains(&release) && !function.is_null())?;
    let is_per_thread = flags & PER_THREAD != 0 || flags == 0 && null_is_per_thread();
    // SAFETY: the caller's text and pointer.
    unsafe {
        let name = read_c_str(symbol)?.to_str().map_err(|_| SYMBOL_NOT_FOUND);
        let name = name.and_then(|name| name_in_release(name, release, is_per_thread));
        let found = name.and_then(|name| find_symbol(&name).ok_or(SYMBOL_NOT_FOUND));
        if found.is_ok() || is_null_written {
            write_out(function, found.map_or(null_mut(), |found| found.as_ptr()))?;
        }
        Ok(found.err().unwrap_or(0))
    }
}

functions! {
    Nothing fn cuGetProcAddress +_ptsz(
        symbol: *const c_char, function: *mut *mut c_void, release: c_int, flags: cuuint64_t
    ) {
        let status = write_proc_address(symbol, function, release, flags, false)?;
        ensure(status == 0, CUDA_ERROR_NOT_FOUND)
    }
    Nothing fn cuGetProcAddress_v2 +_ptsz(
        symbol: *const c_char, function: *mut *mut c_void, release: c_int, flags: cuuint64_t, status: *mut c_int
    ) {
        write_if_wanted(status, write_proc_address(symbol, function, release, flags, true)?);
        Ok(())
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
