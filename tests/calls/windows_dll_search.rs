//! On Windows, `load` must take the nvcuda.dll in the system directory, and no other.
//!
//! A test that puts an nvcuda.dll into the system directory runs only in Wine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cuda_external_sys::*;
use libloading::Library;
use libtest_mimic::Trial;
use test_support::{self as support, Need};

use crate::process_per_test::{self, assert_opened_once, call_cu_init};

const NAME: &str = "nvcuda.dll";

/// The names of a test's directories: the program's directory, the current directory, and the directory on PATH.
const PLACES: [&str; 3] = ["program", "current", "path"];

pub fn trials(mock_driver: &Need) -> Vec<Trial> {
    let installed = system_directory().join(NAME).exists();
    let no_driver = if installed { Err("this machine has a CUDA driver".to_owned()) } else { Ok(()) };
    let no_driver = Need::new("machine-without-driver", &no_driver);
    let needs = [mock_driver.clone(), no_driver, Need::new("wine", &require_wine())];
    let anywhere =
        |name: &str, run| process_per_test::process_trial(name, &needs[..2], this_program_searching, run);
    let in_wine = |name: &str, run| {
        let program = |directory: &Path| {
            (this_program_searching(directory).0, SystemDirectoryMockDriver(system_directory().join(NAME)))
        };
        process_per_test::process_trial(name, &needs, program, run)
    };
    support::tests! {
        anywhere => without_a_driver_the_error_is_windows_own, a_driver_around_the_program_is_not_taken,
            load_from_opens_an_exact_file_once;
        in_wine => a_driver_that_comes_to_the_system_directory_is_found;
    }
}

/// Returns an error on a real Windows. Only Wine's ntdll.dll has `wine_get_version`.
fn require_wine() -> Result<(), String> {
    // SAFETY: every process has loaded ntdll.dll, so no initializer runs.
    let ntdll = unsafe { Library::new("ntdll.dll") }.expect("Windows has it");
    // SAFETY: the function is looked up and not called.
    let symbol = unsafe { ntdll.get::<unsafe extern "C" fn()>(b"wine_get_version\0") };
    let error = "this is a real Windows, whose system directory is not a test's";
    symbol.map(|_| ()).map_err(|_| error.to_owned())
}

fn system_directory() -> PathBuf {
    Path::new(&env::var_os("SystemRoot").expect("Windows sets it")).join("System32")
}

pub fn this_program_searching(directory: &Path) -> (Command, ()) {
    let [program, current, path] = PLACES.map(|place| {
        let place = directory.join(place);
        fs::create_dir(&place).expect("the directory is the test's");
        place
    });
    let copy = program.join("program.exe");
    fs::copy(env::current_exe().expect("this program has a path"), &copy).expect("it can be copied");
    let mut command = Command::new(copy);
    command.env("PATH", path).current_dir(current);
    (command, ())
}

/// The path to which the test's process copies the mock driver. Dropping this value, in the parent, removes the file.
struct SystemDirectoryMockDriver(PathBuf);

impl Drop for SystemDirectoryMockDriver {
    fn drop(&mut self) {
        fs::remove_file(&self.0).expect("the process installed it and does not use it any more");
    }
}

fn copy_mock_driver(to: impl AsRef<Path>) {
    fs::copy(support::mock_driver_library().expect("the test needs it"), to)
        .expect("the directory is the test's");
}

fn copy_decoy(to: impl AsRef<Path>) {
    fs::copy(system_directory().join("version.dll"), to).expect("the directory is the test's");
}

/// Asserts that Windows found no library: its error is ERROR_MOD_NOT_FOUND (126).
#[track_caller]
fn assert_not_found(result: Result<&'static Driver, LoadError>) {
    let error = result.expect_err("there is no driver");
    let text = format!("{error:#}");
    assert!(text.contains("tried\n  nvcuda.dll: LoadLibraryExW failed: "), "{text}");
    assert!(text.ends_with("(os error 126)"), "{text}");
    assert_eq!(error.code(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

fn without_a_driver_the_error_is_windows_own(_: &Path) {
    assert_not_found(load());
    assert_eq!(call_cu_init(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

/// Windows' own search finds a driver in each of `PLACES`. Neither `load` nor `load_from` may take this driver.
fn a_driver_around_the_program_is_not_taken(directory: &Path) {
    for place in PLACES {
        let path = directory.join(place).join(NAME);
        copy_mock_driver(&path);
        assert_not_found(load());
        // SAFETY: the library is the mock driver, whose functions have the types in cuda.h.
        let (named, found) = unsafe { (load_from(NAME), Library::new(NAME)) };
        assert_not_found(named);
        drop(found.expect(place));
        fs::remove_file(path).expect("no process uses it");
    }
}

/// `load_from` refuses a file that is not a driver, and looks for a relative path in the current directory only.
fn load_from_opens_an_exact_file_once(directory: &Path) {
    // SAFETY: every process has loaded kernel32.dll, so no initializer runs.
    let error = unsafe { load_from(system_directory().join("kernel32.dll")) }.expect_err("not a driver");
    assert!(error.to_string().ends_with("it has no cuDriverGetVersion: not a CUDA driver"), "{error}");
    let name = "./ein Treiber, übrigens.dll";
    copy_decoy(directory.join("program").join(name));
    copy_mock_driver(directory.join("current").join(name));
    assert_opened_once(Path::new(name));
}

/// After cuInit has failed, `load` finds a new driver in the system directory. The files in `PLACES` are decoys.
fn a_driver_that_comes_to_the_system_directory_is_found(directory: &Path) {
    for place in PLACES {
        copy_decoy(directory.join(place).join(NAME));
    }
    assert_eq!(call_cu_init(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    copy_mock_driver(system_directory().join(NAME));
    assert_eq!(call_cu_init(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "a call does not try again");
    assert_eq!(load().expect("it is loaded").name(), NAME);
    assert_eq!(call_cu_init(), CUDA_SUCCESS);
}
