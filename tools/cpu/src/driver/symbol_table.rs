//! All functions by name, and the driver's functions that look them up.

use std::ptr::{NonNull, null_mut};

use cuda_external_in_process::newest_release_constants::VERSION;

use crate::driver::absent_calls;
use crate::driver::base::driver_call::{NULL_IS_PER_THREAD, NamedFunction};
use crate::driver::base::function_versions::FUNCTION_VERSIONS;
use crate::driver::base::prelude::*;

macro_rules! tables {
    ($($(#[$condition:meta])? $directory:ident { $($file:ident)* })*) => {
        &[$($(#[$condition])? &[$(crate::driver::$directory::$file::FUNCTIONS,)*]),*]
    };
}

const TABLES: &[&[&[&[NamedFunction]]]] = tables! {
    contexts { context_calls device_calls }
    external { external_memory external_semaphores ipc_memory }
    graphs { executable_graphs node_calls }
    images { cuda_arrays textures_and_surfaces }
    memory { allocations memcpy memory_pools memset pointer_attributes stream_memory_ops virtual_memory }
    #[cfg(feature = "kernels")]
    modules { function_attributes kernel_launch module_loading ptx_linker }
    streams { capture_calls events stream_queue }
};

pub fn find_symbol(name: &str) -> Option<NonNull<c_void>> {
    let tables = TABLES.iter().copied().flatten().copied();
    let mut all = tables.chain([FUNCTIONS, absent_calls::FUNCTIONS]).flatten().copied().flatten();
    let (_, function) = all.find(|(known, _)| *known == name)?;
    NonNull::new(function.cast_mut().cast())
}

/// Why a look-up finds no function: cuda.h's CUdriverProcAddressQueryResult.
const SYMBOL_NOT_FOUND: c_int = 1;
const VERSION_NOT_SUFFICIENT: c_int = 2;

/// Returns the symbol of a function's newest version in a CUDA release (-1: in any release), or why there is none.
fn name_in_release(name: &str, release: c_int, is_per_thread: bool) -> Result<&'static str, c_int> {
    let found = FUNCTION_VERSIONS.binary_search_by_key(&name, |(name, ..)| name);
    let (_, plain, forms) = FUNCTION_VERSIONS[found.map_err(|_| SYMBOL_NOT_FOUND)?];
    let versions = if is_per_thread && !forms.is_empty() { forms } else { plain };
    let newest = versions.iter().rev().find(|(since, _)| release == -1 || *since <= release);
    newest.map(|(_, symbol)| *symbol).ok_or(VERSION_NOT_SUFFICIENT)
}

/// Writes a function's address and returns 0. If this driver has no such function in `release`, returns the reason's
/// number, and writes null if `is_null_written`. For invalid arguments, writes nothing and returns an error.
unsafe fn write_proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    release: c_int,
    flags: cuuint64_t,
    is_null_written: bool,
) -> CudaResult<c_int> {
    const PER_THREAD: cuuint64_t = 2;
    ensure_valid(flags <= 3 && (-1..=VERSION).contains(&release) && !function.is_null())?;
    let is_per_thread = flags & PER_THREAD != 0 || flags == 0 && NULL_IS_PER_THREAD.get();
    // SAFETY: `symbol` is null or a C string. `function` is not null, and so valid for a write.
    unsafe {
        let name = read_c_str(symbol)?.to_str().map_err(|_| SYMBOL_NOT_FOUND);
        let name = name.and_then(|name| name_in_release(name, release, is_per_thread));
        let found = name.and_then(|name| find_symbol(name).ok_or(SYMBOL_NOT_FOUND));
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
        write_out_if_wanted(status, write_proc_address(symbol, function, release, flags, true)?)
    }
}
