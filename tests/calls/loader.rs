//! What `load` mode does where the driver is missing, broken, partial, a stub, or late.

use std::sync::Barrier;
use std::{fs, mem, thread};

use cuda_external_sys::*;
use libtest_mimic::Trial;
use tempfile::TempDir;
use test_support::{self as support, Need};

use crate::{case, every_function};

/// The library names in the order in which they are tried, as documented.
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

/// A driver of CUDA 13.0 with two functions. `calls` counts the calls of cuInit.
const DRIVER: &str = "static int count;
    int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
    int cuInit(unsigned f) { (void)f; __atomic_fetch_add(&count, 1, 5); return 0; }
    int calls(void) { return count; }";

/// Another one, of CUDA 12.0.
const OLDER_DRIVER: &str = "int cuDriverGetVersion(int *v) { *v = 12000; return 0; }";

pub fn trials(compiler: &Need) -> Vec<Trial> {
    // The fixed places come after LD_LIBRARY_PATH: a case that finds nothing there would find a real driver.
    let installed =
        load().map_or(Ok(()), |driver| Err(format!("{} is installed", driver.name().to_string_lossy())));
    let no_driver = Need::new("machine-without-driver", &installed);
    let cc = std::slice::from_ref(compiler);
    let both = [no_driver.clone(), compiler.clone()];
    vec![
        support::test("names_are_tried_in_this_order", std::slice::from_ref(&no_driver), names_in_order),
        support::test("a_driver_comes_before_the_unversioned_name", cc, versioned_first),
        support::test("the_unversioned_name_is_tried", &both, unversioned_last),
        support::test("without_a_library_every_function_returns_why", &[no_driver], no_library),
        support::test("another_library_is_not_a_driver", &both, not_a_driver),
        support::test("an_empty_file_is_passed_over", &both[..1], empty_file),
        support::test("another_architectures_library_is_passed_over", &both, other_architecture),
        support::test("a_stub_is_recognized", &both, stub),
        support::test("a_driver_that_fails_is_not_a_stub", cc, failing_driver),
        support::test("a_driver_that_comes_later_is_found", &both, late),
        support::test("a_missing_function_returns_so", cc, missing_symbol),
        support::test("sixteen_threads_load_at_once", cc, threads),
        support::test("loading_never_calls_cu_init", cc, no_init),
        support::test("load_from_opens_an_exact_library_once", cc, exact),
        support::test("load_from_does_not_open_what_it_refuses", cc, refused),
        support::test("load_from_of_a_wrong_path_loads_nothing", cc, wrong_path),
    ]
}

/// What the child does. It returns false where it is not one of these cases.
pub fn child(case: &str) -> bool {
    match case {
        "report" => {
            match load() {
                Ok(driver) => println!("loaded {} {}", driver.name().to_string_lossy(), driver.version()),
                Err(error) => println!("{error}\ncode {:?}", error.code()),
            }
            for (name, code) in every_function::results() {
                println!("{name} {code:?}");
            }
        }
        "names" => {
            let Err(LoadError::NoDriver(attempts)) = load() else { panic!("a driver was loaded") };
            attempts.iter().for_each(|attempt| println!("{}", attempt.name.to_string_lossy()));
        }
        "late" => {
            // SAFETY: the libraries' cuInit takes one number.
            println!("before {:?}", unsafe { cuInit(0) });
            let directory = case::directory();
            fs::rename(directory.join("later"), directory.join("libcuda.so.1")).expect("it is there");
            println!("after {:?}", unsafe { cuInit(0) });
        }
        "threads" => {
            let barrier = Barrier::new(16);
            thread::scope(|scope| {
                for _ in 0..16 {
                    scope.spawn(|| {
                        barrier.wait();
                        // SAFETY: as above.
                        assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
                    });
                }
            });
            println!("cuInit ran {} times", count_of_calls());
        }
        "no_init" => {
            load().expect("the directory has a driver");
            println!("cuInit ran {} times", count_of_calls());
        }
        "exact" => {
            let path = case::directory().join("unusual name.so");
            // SAFETY: the library is made for this test.
            let driver = unsafe { load_from(&path) }.expect("it is there");
            assert_eq!(driver.name(), path);
            assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
            println!("again: {}", unsafe { load_from(&path) }.expect_err("it is loaded"));
            println!("load: {}", load().expect("it is loaded").name().to_string_lossy());
        }
        "refused" => {
            load().expect("the directory has a driver");
            // SAFETY: the library is made for this test.
            let error = unsafe { load_from(case::directory().join("other.so")) }.expect_err("one is loaded");
            println!("{error}");
        }
        "wrong_path" => {
            // SAFETY: nothing is there.
            let error = unsafe { load_from("/nonexistent/libcuda.so.1") }.expect_err("nothing is there");
            println!("{error}\nthen {:?}", unsafe { cuInit(0) });
        }
        _ => return false,
    }
    true
}

fn count_of_calls() -> i32 {
    let symbol = load().expect("it is loaded").symbol(c"calls").expect("it counts");
    // SAFETY: DRIVER has it with this type.
    unsafe { mem::transmute::<*mut std::ffi::c_void, extern "C" fn() -> i32>(symbol.as_ptr())() }
}

/// A temporary directory with these libraries: each one's name and C source.
fn libraries(libraries: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    for (name, source) in libraries {
        support::shared_library(source, &directory.path().join(name));
    }
    directory
}

fn report(directory: &TempDir) -> String {
    case::run("report", directory.path())
}

/// Asserts that every function returns this code.
#[track_caller]
fn assert_all(report: &str, code: &str) {
    let functions: Vec<_> = report.lines().filter(|line| line.starts_with("cu")).collect();
    assert!(functions.len() > 50, "{report}");
    for line in functions {
        assert!(line.ends_with(&format!(" {code}")), "{line}: {report}");
    }
}

fn names_in_order() {
    let printed = case::run("names", libraries(&[]).path());
    assert_eq!(printed.lines().collect::<Vec<_>>(), NAMES);
}

fn no_library() {
    let report = report(&libraries(&[]));
    assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
    for name in NAMES {
        assert!(report.contains(&format!("\n  {name}: ")), "{name} is not in {report}");
    }
}

fn not_a_driver() {
    let report = report(&libraries(&[("libcuda.so.1", "int something_else(void) { return 0; }")]));
    let line = "libcuda.so.1: opened, but it has no cuDriverGetVersion: not a CUDA driver";
    assert!(report.contains(line), "{report}");
    assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
}

fn empty_file() {
    let directory = libraries(&[]);
    fs::write(directory.path().join("libcuda.so.1"), "").expect("the directory is the test's");
    let report = report(&directory);
    assert!(report.contains("file too short"), "{report}");
    assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
}

fn other_architecture() {
    let directory = libraries(&[("libcuda.so.1", DRIVER)]);
    let path = directory.path().join("libcuda.so.1");
    let mut bytes = fs::read(&path).expect("it was made just now");
    // The machine of the ELF header: an unused number.
    bytes[18..20].copy_from_slice(&[0xfe, 0x00]);
    fs::write(&path, bytes).expect("the directory is the test's");
    let report = report(&directory);
    assert!(report.contains("libcuda.so.1: cannot open shared object file"), "{report}");
    assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
}

fn stub() {
    let functions = every_function::names();
    let source: String = functions.map(|name| format!("int {name}(void) {{ return 34; }}\n")).collect();
    let report = report(&libraries(&[("libcuda.so.1", &source)]));
    assert!(report.contains("libcuda.so.1: a toolkit's stub library"), "{report}");
    assert_all(&report, "CUDA_ERROR_STUB_LIBRARY");
}

fn failing_driver() {
    let source =
        "int cuDriverGetVersion(int *v) { (void)v; return 999; } int cuInit(unsigned f) { return (int)f; }";
    let report = report(&libraries(&[("libcuda.so.1", source)]));
    assert!(report.starts_with("loaded libcuda.so.1 0\n"), "{report}");
    assert!(report.contains("\ncuDriverGetVersion CUDA_ERROR_UNKNOWN\n"), "{report}");
}

fn late() {
    let printed = case::run("late", libraries(&[("later", DRIVER)]).path());
    assert_eq!(printed, "before CUDA_ERROR_SHARED_OBJECT_INIT_FAILED\nafter CUDA_SUCCESS\n");
}

fn unversioned_last() {
    let report = report(&libraries(&[("libcuda.so", DRIVER)]));
    assert!(report.starts_with("loaded libcuda.so 13000\n"), "{report}");
}

fn versioned_first() {
    // Both are drivers: which one is taken shows the order.
    let report = report(&libraries(&[("libcuda.so", OLDER_DRIVER), ("libcuda.so.1", DRIVER)]));
    assert!(report.starts_with("loaded libcuda.so.1 13000\n"), "{report}");
}

fn missing_symbol() {
    let report = report(&libraries(&[("libcuda.so.1", OLDER_DRIVER)]));
    let lines: Vec<_> = report.lines().filter(|line| *line != "cuDriverGetVersion CUDA_SUCCESS").collect();
    assert_eq!(lines.len() + 1, report.lines().count(), "{report}");
    assert_eq!(lines[0], "loaded libcuda.so.1 12000");
    assert_all(&lines.join("\n"), "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND");
}

fn threads() {
    let directory = libraries(&[("libcuda.so.1", DRIVER)]);
    for _ in 0..20 {
        assert_eq!(case::run("threads", directory.path()), "cuInit ran 16 times\n");
    }
}

fn no_init() {
    let directory = libraries(&[("libcuda.so.1", DRIVER)]);
    assert_eq!(case::run("no_init", directory.path()), "cuInit ran 0 times\n");
}

fn exact() {
    // The second one would be found by its name.
    let directory = libraries(&[("unusual name.so", DRIVER), ("libcuda.so.1", OLDER_DRIVER)]);
    let path = directory.path().join("unusual name.so");
    let path = path.display();
    let expected = format!("again: a CUDA driver library is loaded already: {path}\nload: {path}\n");
    assert_eq!(case::run("exact", directory.path()), expected);
}

fn refused() {
    let initializer = "#include <stdio.h>
        __attribute__((constructor)) static void start(void) { puts(\"it was opened\"); fflush(stdout); }";
    let other = format!("{initializer}\n{DRIVER}");
    let directory = libraries(&[("libcuda.so.1", DRIVER), ("other.so", &other)]);
    let printed = case::run("refused", directory.path());
    assert_eq!(printed, "a CUDA driver library is loaded already: libcuda.so.1\n");
}

fn wrong_path() {
    let printed = case::run("wrong_path", libraries(&[("libcuda.so.1", DRIVER)]).path());
    assert!(printed.contains("\n  /nonexistent/libcuda.so.1: cannot open shared object file"), "{printed}");
    assert!(printed.ends_with("\nthen CUDA_SUCCESS\n"), "{printed}");
}
