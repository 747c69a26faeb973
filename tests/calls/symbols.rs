//! The meaning of names: in `Driver::symbol` the function that C programs call by it, in `extern_driver!` a symbol.

use std::ffi::{CString, c_uint, c_void};
use std::path::Path;

use build_script::allowlist;
use cuda_external_sys::*;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::loader::{build_library, program_beside};
use crate::own_process;

pub fn trials(compiler: &Need) -> Vec<Trial> {
    let test = |name: &str, run| {
        own_process::process_trial(name, std::slice::from_ref(compiler), program_beside, run)
    };
    support::tests! {
        test => a_macros_name_is_the_versioned_function, a_declared_function_is_called_as_the_crates_own;
    }
}

/// The library exports both, as NVIDIA's does.
fn a_macros_name_is_the_versioned_function(directory: &Path) {
    let bound = allowlist::FUNCTIONS.iter().filter_map(|(symbol, plain)| Some(((*plain)?, *symbol)));
    let renamed: Vec<_> = bound.chain([("cuMemAdvise", "cuMemAdvise_v2")]).collect();
    assert!(renamed.len() > 20);
    let functions = renamed.iter().flat_map(|(plain, symbol)| [plain, symbol]);
    let functions = functions.map(|name| format!("int {name}(void) {{ return 0; }}\n"));
    let source: String =
        functions.chain(["int cuDriverGetVersion(int *v) { return *v = 0; }".to_owned()]).collect();
    let path = build_library(directory, "driver.so", &source);
    // SAFETY: the library was compiled for this test, and none of its functions is called but cuDriverGetVersion.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    for (plain, symbol) in renamed {
        let [plain, symbol] = [plain, symbol].map(|name| CString::new(name).expect("a name"));
        let versioned = driver.exact_symbol(&symbol).expect("the library has it");
        assert_eq!(driver.symbol(&plain), Some(versioned), "{plain:?}");
        assert_eq!(driver.symbol(&symbol), Some(versioned), "{symbol:?}");
        assert_eq!(Driver::resolve(&plain), Ok(versioned), "{plain:?}");
        assert!(driver.exact_symbol(&plain).is_some_and(|exact| exact != versioned), "{plain:?}");
    }
    assert_eq!((driver.symbol(c"cuMemAlloc_v9"), driver.exact_symbol(c"")), (None, None));
    assert_eq!(Driver::resolve(c"cuMemAlloc_v9"), Err(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND));
}

extern_driver! {
    /// A macro's name.
    #[link_name = "cuMemHostGetDevicePointer_v2"]
    fn cuMemHostGetDevicePointer(pdptr: *mut CUdeviceptr, p: *mut c_void, Flags: c_uint) -> CUresult;
    fn cuProfilerStart() -> CUresult;
    fn cuProfilerStop() -> i32;
}

fn a_declared_function_is_called_as_the_crates_own(directory: &Path) {
    build_library(
        directory,
        "libcuda.so.1",
        "int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
        int cuMemHostGetDevicePointer(unsigned *d, void *p, unsigned flags) { (void)d, (void)p, (void)flags; return 1; }
        int cuMemHostGetDevicePointer_v2(unsigned long long *d, void *p, unsigned flags) {
            *d = (unsigned long long)p;
            return flags;
        }
        int cuProfilerStart(void) { static int calls; return calls++; }",
    );
    let (mut address, mut byte) = (0, 0_u8);
    let host = (&raw mut byte).cast();
    for code in [CUDA_SUCCESS, CUDA_ERROR_UNKNOWN] {
        // SAFETY: the pointer is to a variable, into which the library writes an address.
        assert_eq!(unsafe { cuMemHostGetDevicePointer(&mut address, host, code.into()) }, code);
        assert_eq!(std::mem::replace(&mut address, 0), host.addr() as CUdeviceptr);
    }
    // SAFETY: the functions take no argument.
    let codes =
        unsafe { [cuProfilerStart().into(), cuProfilerStart().into(), cuProfilerStop(), cuProfilerStop()] };
    let missing = CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND.into();
    assert_eq!(codes, [0, 1, missing, missing]);
}
