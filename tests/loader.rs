//! What `load` mode does where the driver is missing, broken, partial, a stub, or late.
//!
//! A process loads the driver once, so each case is a process of its own: this program again, with
//! a folder of made-up libraries as LD_LIBRARY_PATH.

#[cfg(not(all(feature = "load", not(feature = "link"), target_os = "linux")))]
fn main() -> std::process::ExitCode {
    let elsewhere = Err::<(), _>("these tests are of `load` mode on Linux".to_owned());
    let need = support::Need::new("load_mode", &elsewhere);
    support::run(vec![support::test("loader", &[need], || unreachable!("the need is not met"))], None)
}

#[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
#[path = "../build/allowlist.rs"]
#[allow(dead_code)]
mod allowlist;
#[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
#[path = "loader/calls.rs"]
mod calls;
use test_support as support;

#[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
mod linux {
    use std::path::Path;
    use std::process::ExitCode;
    use std::sync::Barrier;
    use std::{env, fs, thread};

    use cuda_external_sys::*;
    use tempfile::TempDir;

    use super::calls;
    use super::support::{self, Need};

    const CASE: &str = "CUDA_EXTERNAL_SYS_TEST_CASE";
    const FOLDER: &str = "CUDA_EXTERNAL_SYS_TEST_FOLDER";

    /// A driver as small as can be. `calls` counts the calls of cuInit.
    const DRIVER: &str = "static int count;
        int cuDriverGetVersion(int *v) { if (v) *v = 13000; return 0; }
        int cuInit(unsigned f) { __atomic_fetch_add(&count, 1, 5); return 0; }
        int calls(void) { return count; }";

    pub fn main() -> ExitCode {
        if let Ok(case) = env::var(CASE) {
            child(&case);
            return ExitCode::SUCCESS;
        }
        let compiler = support::compiler();
        let cc = Need::new("c-compiler", &compiler);
        // The fixed places come after LD_LIBRARY_PATH: what finds nothing there would find a real driver.
        let no_driver = Need::new(
            "machine-without-driver",
            &match load() {
                Err(_) => Ok(()),
                Ok(driver) => Err(format!("a driver is installed: {}", driver.name().to_string_lossy())),
            },
        );
        let both = [no_driver.clone(), cc.clone()];
        let trials = vec![
            support::test("no_library_every_function_says_so", &[no_driver], no_library),
            support::test("not_a_driver_is_recognised", &both, not_a_driver),
            support::test("an_empty_file_is_passed_over", &both[..1], empty_file),
            support::test("another_architectures_library_is_passed_over", &both, other_architecture),
            support::test("a_stub_is_recognised", &both, stub),
            support::test("a_driver_that_comes_later_is_found", &both, late),
            support::test("the_unversioned_name_comes_last", &both, unversioned_last),
            support::test("a_missing_symbol_is_an_answer", std::slice::from_ref(&cc), missing_symbol),
            support::test("the_versioned_name_comes_first", std::slice::from_ref(&cc), versioned_first),
            support::test("sixteen_threads_load_at_once", std::slice::from_ref(&cc), threads),
            support::test("loading_never_calls_cu_init", std::slice::from_ref(&cc), no_init),
            support::test("load_from_takes_an_exact_library_once", std::slice::from_ref(&cc), exact),
            support::test("load_from_a_wrong_path_loads_nothing", std::slice::from_ref(&cc), wrong_path),
            support::test("every_function_is_called_here", &[], complete),
        ];
        support::run(trials, None)
    }

    /// Runs a case in a process whose library folder is `folder`, and gives what it printed.
    fn run(case: &str, folder: &Path) -> String {
        let output = support::this_program()
            .env(CASE, case)
            .env(FOLDER, folder)
            .env("LD_LIBRARY_PATH", folder)
            .output()
            .expect("this program runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{}\n{text}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        text
    }

    fn child(case: &str) {
        match case {
            "report" => {
                match load() {
                    Ok(driver) => println!("loaded {} {}", driver.name().to_string_lossy(), driver.version()),
                    Err(error) => println!("{error}\ncode {:?}", error.code()),
                }
                for (name, code) in calls::all() {
                    println!("{name} {code:?}");
                }
            }
            "late" => {
                // SAFETY: these libraries' cuInit takes one number.
                println!("before {:?}", unsafe { cuInit(0) });
                let folder = env::var(FOLDER).expect("the parent sets it");
                fs::rename(format!("{folder}/later"), format!("{folder}/libcuda.so.1")).expect("it is there");
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
                load().expect("the folder has a driver");
                println!("cuInit ran {} times", count_of_calls());
            }
            "exact" => {
                let path = format!("{}/unusual name.so", env::var(FOLDER).expect("the parent sets it"));
                // SAFETY: the library is made for this test.
                let driver = unsafe { load_from(&path) }.expect("it is there");
                assert_eq!(driver.name().to_string_lossy(), path);
                assert_eq!(unsafe { cuInit(0) }, CUDA_SUCCESS);
                println!("again: {}", unsafe { load_from(&path) }.expect_err("it is loaded"));
                println!("load: {}", load().expect("it is loaded").name().to_string_lossy());
            }
            "wrong_path" => {
                // SAFETY: nothing is there.
                let error = unsafe { load_from("/nonexistent/libcuda.so.1") }.expect_err("nothing is there");
                println!("{error}\nthen {:?}", unsafe { cuInit(0) });
            }
            _ => panic!("no case {case}"),
        }
    }

    fn count_of_calls() -> i32 {
        let symbol = load().expect("it is loaded").symbol(c"calls").expect("it counts");
        // SAFETY: DRIVER has it with this type.
        unsafe { std::mem::transmute::<*mut std::ffi::c_void, extern "C" fn() -> i32>(symbol.as_ptr())() }
    }

    fn library(folder: &Path, name: &str, source: &str) {
        support::shared_library(source, &folder.join(name));
    }

    fn folder() -> TempDir {
        TempDir::new().expect("a temporary folder")
    }

    /// Every function answers with `code`, and none is left out.
    #[track_caller]
    fn assert_all(report: &str, code: &str) {
        for name in surface() {
            assert!(report.lines().any(|line| line == format!("{name} {code}")), "{name}: {report}");
        }
    }

    fn surface() -> impl Iterator<Item = &'static str> {
        super::allowlist::FUNCTIONS.iter().map(|(symbol, _)| *symbol)
    }

    fn no_library() {
        let report = run("report", folder().path());
        assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
        for tried in
            ["libcuda.so.1: ", "/usr/lib/wsl/lib/libcuda.so.1: ", "/run/opengl-driver/lib/", "  libcuda.so: "]
        {
            assert!(report.contains(tried), "{tried} is not in {report}");
        }
    }

    fn not_a_driver() {
        let folder = folder();
        library(folder.path(), "libcuda.so.1", "int something_else(void) { return 0; }");
        let report = run("report", folder.path());
        assert!(
            report.contains("libcuda.so.1: opened, but it has no cuDriverGetVersion: not a CUDA driver"),
            "{report}"
        );
        assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
    }

    fn empty_file() {
        let folder = folder();
        fs::write(folder.path().join("libcuda.so.1"), "").expect("the folder is ours");
        let report = run("report", folder.path());
        assert!(report.contains("file too short"), "{report}");
        assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
    }

    fn other_architecture() {
        let folder = folder();
        library(folder.path(), "libcuda.so.1", DRIVER);
        let path = folder.path().join("libcuda.so.1");
        let mut bytes = fs::read(&path).expect("it was made just now");
        // The machine of the ELF header: one that nobody has.
        bytes[18..20].copy_from_slice(&[0xfe, 0x00]);
        fs::write(&path, bytes).expect("the folder is ours");
        let report = run("report", folder.path());
        assert!(report.contains("libcuda.so.1: cannot open shared object file"), "{report}");
        assert_all(&report, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
    }

    fn stub() {
        let folder = folder();
        let source: String = surface().map(|name| format!("int {name}(void) {{ return 34; }}\n")).collect();
        library(folder.path(), "libcuda.so.1", &source);
        let report = run("report", folder.path());
        assert!(report.contains("libcuda.so.1: a toolkit's stub library"), "{report}");
        assert_all(&report, "CUDA_ERROR_STUB_LIBRARY");
    }

    fn late() {
        let folder = folder();
        library(folder.path(), "later", DRIVER);
        let report = run("late", folder.path());
        assert_eq!(report, "before CUDA_ERROR_SHARED_OBJECT_INIT_FAILED\nafter CUDA_SUCCESS\n");
    }

    fn unversioned_last() {
        let folder = folder();
        library(folder.path(), "libcuda.so", DRIVER);
        let report = run("report", folder.path());
        assert!(report.starts_with("loaded libcuda.so 13000\n"), "{report}");
    }

    fn versioned_first() {
        let folder = folder();
        library(folder.path(), "libcuda.so", "int cuDriverGetVersion(int *v) { return 34; }");
        library(folder.path(), "libcuda.so.1", DRIVER);
        let report = run("report", folder.path());
        assert!(report.starts_with("loaded libcuda.so.1 13000\n"), "{report}");
    }

    fn missing_symbol() {
        let folder = folder();
        library(
            folder.path(),
            "libcuda.so.1",
            "int cuDriverGetVersion(int *v) { if (v) *v = 11040; return 0; }",
        );
        let report = run("report", folder.path());
        assert!(report.starts_with("loaded libcuda.so.1 11040\n"), "{report}");
        for name in surface() {
            let code = if name == "cuDriverGetVersion" {
                "CUDA_SUCCESS"
            } else {
                "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"
            };
            assert!(report.contains(&format!("\n{name} {code}\n")), "{name}: {report}");
        }
    }

    fn threads() {
        let folder = folder();
        library(folder.path(), "libcuda.so.1", DRIVER);
        for _ in 0..20 {
            assert_eq!(run("threads", folder.path()), "cuInit ran 16 times\n");
        }
    }

    fn no_init() {
        let folder = folder();
        library(folder.path(), "libcuda.so.1", DRIVER);
        assert_eq!(run("no_init", folder.path()), "cuInit ran 0 times\n");
    }

    fn exact() {
        let folder = folder();
        library(folder.path(), "unusual name.so", DRIVER);
        // Would be found by name: it must not be.
        library(folder.path(), "libcuda.so.1", "int cuDriverGetVersion(int *v) { return 0; }");
        let path = folder.path().join("unusual name.so");
        let path = path.display();
        let expected = format!("again: a CUDA driver library is loaded already: {path}\nload: {path}\n");
        assert_eq!(run("exact", folder.path()), expected);
    }

    fn wrong_path() {
        let folder = folder();
        library(folder.path(), "libcuda.so.1", DRIVER);
        let report = run("wrong_path", folder.path());
        assert!(report.contains("\n  /nonexistent/libcuda.so.1: cannot open shared object file"), "{report}");
        assert!(report.ends_with("\nthen CUDA_SUCCESS\n"), "{report}");
    }

    fn complete() {
        let source = include_str!("loader/calls.rs");
        let missing: Vec<_> =
            surface().filter(|name| !source.contains(&format!("        {name}("))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
