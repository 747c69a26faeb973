//! Tests `load`, `load_from`, `load_with`, the errors of these functions, and the look-up of symbols.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr, OsString, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::NonNull;
use std::sync::Barrier;
use std::{env, fs, thread};

use build_script::surface::merge_header::read_embedded_surface;
use cuda_external_sys::*;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::every_function::{ALL, CallArguments, NamedCall};
use crate::process_per_test::{self, assert_opened_once, call_cu_init};

/// The library names in the order in which `load` tries them, as its documentation says.
const NAMES: &[&str] = &[
    "libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1",
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1",
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    #[cfg(target_arch = "x86_64")]
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/libcuda.so.1",
    "libcuda.so",
];

/// A driver of CUDA 13.0, with two functions. cuInit returns how often it was called before.
const DRIVER: &str = "static _Atomic int calls;
    int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
    int cuInit(unsigned f) { (void)f; return calls++; }";

/// A driver of CUDA 12.0, which sets the environment variable OPENED when it is opened.
const OLDER_DRIVER: &str = "#include <stdlib.h>
    __attribute__((constructor)) static void start(void) { setenv(\"OPENED\", \"\", 1); }
    int cuDriverGetVersion(int *v) { *v = 12000; return 0; }";

/// Returns the need for a machine without a driver: LD_LIBRARY_PATH cannot hide drivers in `load`'s fixed directories.
pub fn no_driver_need() -> Need {
    // SAFETY: the initializers of NVIDIA's library may run in any process.
    let installed = NAMES.iter().find(|name| unsafe { libloading::Library::new(name) }.is_ok());
    Need::new("machine-without-driver", &installed.map_or(Ok(()), |name| Err(format!("{name} is installed"))))
}

pub fn trials(compiler: &Need, no_driver: &Need) -> Vec<Trial> {
    let needs = [compiler.clone(), no_driver.clone()];
    let anywhere =
        |name: &str, run| process_per_test::process_trial(name, &needs[..1], this_program_searching, run);
    let without_driver =
        |name: &str, run| process_per_test::process_trial(name, &needs, this_program_searching, run);
    support::tests! {
        anywhere => a_driver_comes_before_the_unversioned_name, a_driver_may_fail_and_lack_functions,
            sixteen_threads_load_at_once, load_from_opens_an_exact_library_once,
            load_from_that_fails_is_no_failure_of_a_call, one_of_two_threads_loads_its_library,
            load_with_uses_functions_of_this_process, load_with_keeps_a_driver_that_is_loaded,
            a_macros_name_is_the_versioned_function;
        without_driver => what_is_not_a_driver_is_an_answer_until_one_comes,
            calls_keep_a_failure_and_load_tries_again, load_from_ends_a_failure;
    }
}

/// Returns a command that starts this program. The dynamic loader then searches `directory` first.
pub fn this_program_searching(directory: &Path) -> (Command, ()) {
    let inherited = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut program = support::this_program();
    program.env("LD_LIBRARY_PATH", [directory.as_os_str(), &inherited].join(OsStr::new(":")));
    (program, ())
}

pub fn build_library(directory: &Path, name: &str, source: &str) -> PathBuf {
    let path = directory.join(name);
    support::compile_shared_library(source, &path, &[]);
    path
}

#[track_caller]
fn assert_loaded(name: &str, version: i32) {
    let driver = load().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((driver.name(), driver.version()), (OsStr::new(name), version));
}

/// Asserts that `load` tries the names in `NAMES` in order, and fails with `code`. The error's line for the first name
/// must contain `first`. All functions must return `code`.
#[track_caller]
fn assert_no_driver(first: &str, code: CUresult) {
    let error = load().expect_err("no library here is a driver");
    assert_eq!(error.code(), code);
    let one_line = error.to_string();
    assert!(one_line.starts_with("no CUDA driver library could be loaded: "), "{one_line}");
    assert_eq!(one_line.lines().count(), 1, "{one_line}");
    assert_eq!(CUresult::from(error.clone()), code);
    let text = format!("{error:#}");
    let (title, attempts) = text.split_once('\n').expect(&text);
    assert_eq!(title, "no CUDA driver library could be loaded; tried");
    let names: Vec<_> =
        attempts.lines().filter_map(|line| line.strip_prefix("  ")?.split(": ").next()).collect();
    assert_eq!(names, NAMES);
    assert!(attempts.lines().next().is_some_and(|line| line.contains(first)), "{text}");
    assert_results(code, &[]);
}

/// Asserts that every function but these returns this code.
#[track_caller]
fn assert_results(code: CUresult, but: &[&str]) {
    assert!(ALL.len() > 50);
    for (name, call) in ALL.iter().filter(|(name, _)| !but.contains(name)) {
        assert_eq!(call(&mut CallArguments::new(0, None)), code, "{name}");
    }
}

/// Each `load` tries all names again. At the end, the test installs a driver under the name that `load` tries last.
fn what_is_not_a_driver_is_an_answer_until_one_comes(directory: &Path) {
    const FAILED: CUresult = CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    assert_no_driver("cannot open shared object file: No such file or directory", FAILED);
    build_library(directory, "libcuda.so.1", "int something_else(void) { return 0; }");
    assert_no_driver("opened, but it has no cuDriverGetVersion: not a CUDA driver", FAILED);
    let define = |(symbol, _): &NamedCall| format!("int {symbol}(void) {{ return 34; }}\n");
    let stub: String = ALL.iter().map(define).collect();
    let path = build_library(directory, "libcuda.so.1", &stub);
    assert_no_driver("a toolkit's stub library, which is for linking only", CUDA_ERROR_STUB_LIBRARY);
    let mut bytes = fs::read(&path).expect("it was made just now");
    // The machine in the ELF header becomes an unused number.
    bytes[18..20].copy_from_slice(&[0xfe, 0x00]);
    fs::write(&path, bytes).expect("the directory is the test's");
    assert_no_driver("cannot open shared object file: No such file or directory", FAILED);
    fs::write(&path, "").expect("the directory is the test's");
    assert_no_driver("file too short", FAILED);
    fs::remove_file(&path).expect("the directory is the test's");
    build_library(directory, "libcuda.so", &stub);
    assert_no_driver("cannot open shared object file: No such file or directory", CUDA_ERROR_STUB_LIBRARY);
    build_library(directory, "libcuda.so", DRIVER);
    assert_loaded("libcuda.so", 13000);
    assert_eq!(call_cu_init(), CUDA_SUCCESS);
}

/// The first call of a CUDA function tries to load a driver. Later calls return the same error until `load` succeeds.
fn calls_keep_a_failure_and_load_tries_again(directory: &Path) {
    assert_eq!(call_cu_init(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    build_library(directory, "libcuda.so.1", OLDER_DRIVER);
    assert_results(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, &[]);
    assert_eq!(Driver::resolve(c"cuInit"), Err(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED));
    assert_eq!(env::var_os("OPENED"), None, "a call opened it");
    assert_loaded("libcuda.so.1", 12000);
    // SAFETY: the pointer is to a variable, into which the driver writes a number.
    assert_eq!(unsafe { cuDriverGetVersion(&mut 0) }, CUDA_SUCCESS);
    assert_eq!(call_cu_init(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
}

fn load_from_ends_a_failure(directory: &Path) {
    assert_eq!(call_cu_init(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    // SAFETY: no file has this path, so no library's code runs.
    unsafe { load_from("/nonexistent/libcuda.so.1") }.expect_err("nothing is there");
    assert_opened_once(&build_library(directory, "a driver.so", DRIVER));
}

fn load_from_that_fails_is_no_failure_of_a_call(directory: &Path) {
    build_library(directory, "libcuda.so.1", DRIVER);
    // SAFETY: no file has this path, so no library's code runs.
    unsafe { load_from("/nonexistent/libcuda.so.1") }.expect_err("nothing is there");
    assert_eq!(call_cu_init(), CUDA_SUCCESS);
}

/// A library whose cuDriverGetVersion fails is a driver, unless the code is CUDA_ERROR_STUB_LIBRARY.
fn a_driver_may_fail_and_lack_functions(directory: &Path) {
    build_library(directory, "libcuda.so.1", "int cuDriverGetVersion(int *v) { *v = 9999; return 999; }");
    assert_loaded("libcuda.so.1", 0);
    // SAFETY: the pointer is to a variable, into which the driver writes a number.
    assert_eq!(unsafe { cuDriverGetVersion(&mut 0) }, CUDA_ERROR_UNKNOWN);
    assert_results(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, &["cuDriverGetVersion"]);
}

/// Both libraries are drivers, so the loaded library shows the order of the names. Loading does not call cuInit.
fn a_driver_comes_before_the_unversioned_name(directory: &Path) {
    build_library(directory, "libcuda.so", OLDER_DRIVER);
    build_library(directory, "libcuda.so.1", DRIVER);
    assert_loaded("libcuda.so.1", 13000);
    assert_eq!(call_cu_init(), CUresult(0), "the calls before this one");
}

fn sixteen_threads_load_at_once(directory: &Path) {
    // cuDriverGetVersion is slow, so that all threads open the library before one of them is done.
    let slow = DRIVER.replace("*v = 13000", "usleep(100000); *v = 13000");
    build_library(directory, "libcuda.so.1", &format!("#include <unistd.h>\n{slow}"));
    let barrier = Barrier::new(16);
    let call = || {
        barrier.wait();
        u32::from(call_cu_init())
    };
    let codes: BTreeSet<u32> = thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(call)).collect();
        threads.into_iter().map(|thread| thread.join().expect("its call returns")).collect()
    });
    assert_eq!(codes, (0..16).collect());
}

/// `load` would open `OLDER_DRIVER`, which must stay closed. The path of the first `load_from` does not exist.
fn load_from_opens_an_exact_library_once(directory: &Path) {
    build_library(directory, "libcuda.so.1", OLDER_DRIVER);
    let path = build_library(directory, "unusual name.so", DRIVER);
    // SAFETY: no file has this path, so no library's code runs.
    let error = unsafe { load_from("/nonexistent/libcuda.so.1") }.expect_err("nothing is there").to_string();
    assert!(error.contains("loaded: /nonexistent/libcuda.so.1: cannot open shared object file"), "{error}");
    assert_opened_once(&path);
    assert_eq!(env::var_os("OPENED"), None, "the older driver was opened");
}

/// Both threads open a library before either is loaded. The later thread gets an error with the loaded library's name.
fn one_of_two_threads_loads_its_library(directory: &Path) {
    let slow = format!("#include <unistd.h>\n{}", DRIVER.replace("*v = 13000", "usleep(200000); *v = 13000"));
    let paths = ["one.so", "other.so"].map(|name| build_library(directory, name, &slow));
    let barrier = Barrier::new(2);
    let load_it = |path: &PathBuf| {
        barrier.wait();
        // SAFETY: the library was compiled for this test, and its functions have the driver's types.
        unsafe { load_from(path) }.map(|driver| driver.name().to_owned())
    };
    let results = thread::scope(|scope| {
        let threads = paths.each_ref().map(|path| scope.spawn(|| load_it(path)));
        threads.map(|thread| thread.join().expect("its call returns"))
    });
    let loaded = load().expect("one thread loaded it").name().to_owned();
    let [first, second] = &results;
    let expected = [Ok(loaded.clone()), Err(LoadError::AlreadyLoaded(loaded))];
    assert!([first, second] == expected.each_ref() || [second, first] == expected.each_ref(), "{results:?}");
    assert_eq!(call_cu_init(), CUDA_SUCCESS);
}

unsafe extern "C" fn in_process_driver_get_version(version: *mut c_int) -> CUresult {
    // SAFETY: the loader passes the address of a `c_int`, as for the driver's function.
    unsafe { version.write(12080) };
    CUDA_SUCCESS
}

unsafe extern "C" fn in_process_mem_free(_: CUdeviceptr) -> CUresult {
    CUDA_ERROR_NOT_MAPPED
}

/// Returns the function with this symbol, and `None` for `cuMemFree`, which the crate must look up as `cuMemFree_v2`.
fn in_process_symbol(name: &CStr) -> Option<NonNull<c_void>> {
    match name.to_bytes() {
        b"cuDriverGetVersion" => {
            NonNull::new(in_process_driver_get_version as PFN_cuDriverGetVersion as *mut c_void)
        }
        b"cuMemFree_v2" => NonNull::new(in_process_mem_free as PFN_cuMemFree as *mut c_void),
        _ => None,
    }
}

/// `load_with` must not open the library that `load` would find.
fn load_with_uses_functions_of_this_process(directory: &Path) {
    build_library(directory, "libcuda.so.1", OLDER_DRIVER);
    // SAFETY: no function is found, so none is called.
    let error = unsafe { load_with("nothing", |_| None) }.expect_err("no function is there");
    assert_eq!(error.code(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert!(error.to_string().contains("nothing: opened, but it has no cuDriverGetVersion"), "{error}");
    // SAFETY: `in_process_symbol` returns functions of the types that cuda.h declares.
    let driver = unsafe { load_with("functions of the test", in_process_symbol) }.expect("nothing is loaded");
    assert_loaded("functions of the test", 12080);
    // SAFETY: the function does not use the address.
    assert_eq!(unsafe { cuMemFree(0) }, CUDA_ERROR_NOT_MAPPED);
    assert_eq!(driver.symbol(c"cuMemFree"), driver.exact_symbol(c"cuMemFree_v2"));
    assert_eq!(driver.exact_symbol(c"cuMemFree"), None);
    let there = ["cuDriverGetVersion", "cuMemFree", "cuMemFree_v2"];
    assert_results(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, &there);
    // SAFETY: `in_process_symbol` returns functions of the types that cuda.h declares.
    let again = unsafe { load_with("another name", in_process_symbol) };
    assert_eq!(again.unwrap_err(), LoadError::AlreadyLoaded(OsString::from("functions of the test")));
    assert_eq!(env::var_os("OPENED"), None, "the library was opened");
}

/// A driver is loaded already, so `load_with` and `load_from` fail, and `load_from` does not open the library.
fn load_with_keeps_a_driver_that_is_loaded(directory: &Path) {
    build_library(directory, "libcuda.so.1", DRIVER);
    let other = build_library(directory, "other.so", OLDER_DRIVER);
    assert_eq!(call_cu_init(), CUDA_SUCCESS);
    // SAFETY: neither closure nor library is used, since a driver is loaded.
    let results = unsafe { [load_with("late", |_| unreachable!()), load_from(other)] };
    let loaded = LoadError::AlreadyLoaded(OsString::from("libcuda.so.1"));
    assert_eq!(results.map(|result| result.expect_err("one is loaded")), [loaded.clone(), loaded]);
    assert_eq!(env::var_os("OPENED"), None, "it was opened");
    assert_loaded("libcuda.so.1", 13000);
}

/// cuda.h makes cuMemAlloc a macro for cuMemAlloc_v2. For either name, `symbol` must return cuMemAlloc_v2's address.
fn a_macros_name_is_the_versioned_function(directory: &Path) {
    let surface = read_embedded_surface().expect("the embedded bindings can be read");
    let bound = surface.functions.iter().filter_map(|one| Some((one.macro_name.as_deref()?, &*one.name)));
    let renamed: Vec<_> = bound.chain([("cuMemAdvise", "cuMemAdvise_v2")]).collect();
    assert!(renamed.len() > 20);
    let functions = renamed.iter().flat_map(|(plain, symbol)| [plain, symbol]);
    let functions = functions.map(|name| format!("int {name}(void) {{ return 0; }}\n"));
    let source: String =
        functions.chain(["int cuDriverGetVersion(int *v) { return *v = 0; }".to_owned()]).collect();
    let path = build_library(directory, "driver.so", &source);
    // SAFETY: the library was compiled for this test, which calls only its cuDriverGetVersion.
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
