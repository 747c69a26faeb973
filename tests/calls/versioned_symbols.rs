//! The meaning of a name in `Driver::symbol`: the function that C programs call by it.

use std::ffi::CString;
use std::path::Path;

use build_script::allowlist;
use cuda_external_sys::*;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::loader::{build_library, this_program_searching};
use crate::process_per_test;

pub fn trials(compiler: &Need) -> Vec<Trial> {
    let test = |name: &str, run| {
        process_per_test::process_trial(name, std::slice::from_ref(compiler), this_program_searching, run)
    };
    support::tests! {
        test => a_macros_name_is_the_versioned_function;
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
