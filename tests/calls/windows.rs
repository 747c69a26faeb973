//! Which nvcuda.dll is taken on Windows: the system directory's, and no other.
//!
//! Each case is a copy of this program in a directory of its own, with files called nvcuda.dll around it. Where the test
//! only copies and starts programs it runs on any Windows. Where it needs a file in the system directory it runs in Wine
//! alone, whose system directory is the test's.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cuda_external_sys::*;
use libtest_mimic::Trial;
use tempfile::TempDir;
use test_support::{self as support, Need};

use crate::case;

const NAME: &str = "nvcuda.dll";

pub fn trials() -> Vec<Trial> {
    let driver = Need::new("mock-driver", &support::mock_driver());
    let installed = system_directory().join(NAME).exists();
    let no_driver = if installed { Err("this machine has a CUDA driver".to_owned()) } else { Ok(()) };
    let no_driver = Need::new("machine-without-driver", &no_driver);
    let wine = Need::new("wine", &wine());
    let anywhere = [driver.clone(), no_driver.clone()];
    let in_wine = [driver, no_driver, wine];
    vec![
        support::test("without_a_driver_the_error_is_windows_own", &anywhere[1..], without),
        support::test("a_driver_beside_the_program_is_not_taken", &anywhere, || not_taken(Place::Beside)),
        support::test("a_driver_in_the_current_directory_is_not_taken", &anywhere, || {
            not_taken(Place::Current)
        }),
        support::test("a_driver_on_path_is_not_taken", &anywhere, || not_taken(Place::Path)),
        support::test("the_plain_name_is_the_system_directorys", &anywhere, plain_name),
        support::test("load_from_opens_an_exact_file_once", &anywhere, exact),
        support::test("load_from_takes_a_relative_path", &anywhere, relative),
        support::test("another_library_is_not_a_driver", &[], not_a_driver),
        support::test("a_driver_in_the_system_directory_is_taken", &in_wine, from_the_system_directory),
        support::test("a_driver_that_comes_later_is_found", &in_wine, late),
    ]
}

fn driver() -> PathBuf {
    support::mock_driver().expect("the test needs it")
}

/// Wine's ntdll.dll has a function of its own.
fn wine() -> Result<(), String> {
    // SAFETY: every process has it loaded.
    let ntdll = unsafe { libloading::Library::new("ntdll.dll") }.expect("Windows has it");
    // SAFETY: it is only looked up.
    let symbol = unsafe { ntdll.get::<unsafe extern "C" fn()>(b"wine_get_version\0") };
    symbol
        .map(|_| ())
        .map_err(|_| "this is a real Windows, whose system directory is not a test's".to_owned())
}

fn system_directory() -> PathBuf {
    let root = env::var_os("SystemRoot").expect("Windows sets it");
    Path::new(&root).join("System32")
}

/// Where a file called nvcuda.dll lies, relative to the program that runs.
#[derive(Clone, Copy, Debug)]
enum Place {
    Nowhere,
    Beside,
    Current,
    Path,
}

/// Runs a copy of this program, with `library` as nvcuda.dll in one place.
fn run(case: &str, library: &Path, place: Place) -> String {
    let directory = TempDir::new().expect("a temporary directory");
    let [program, current, path] = ["program", "current", "path"].map(|name| {
        let directory = directory.path().join(name);
        fs::create_dir(&directory).expect("the directory is ours");
        directory
    });
    let copy = program.join("program.exe");
    fs::copy(env::current_exe().expect("this program has a path"), &copy).expect("it can be copied");
    let to = match place {
        Place::Nowhere => None,
        Place::Beside => Some(&program),
        Place::Current => Some(&current),
        Place::Path => Some(&path),
    };
    if let Some(to) = to {
        fs::copy(library, to.join(NAME)).expect("the library can be copied");
    }
    case::printed(Command::new(&copy).env("PATH", &path).current_dir(&current), case, &current)
}

/// What the child does. It returns false where it is not one of these cases.
pub fn child(case: &str) -> bool {
    let report = |result: Result<&'static Driver, LoadError>| match result {
        Ok(driver) => println!("loaded {} {}", driver.name().to_string_lossy(), driver.version()),
        Err(error) => println!("{error}\ncode {:?}", error.code()),
    };
    // SAFETY: what is loaded here is the test's, or nothing.
    unsafe {
        match case {
            "load" => {
                report(load());
                println!("cuInit {:?}", cuInit(0));
            }
            // A program that leaves the search to Windows.
            "windows_search" => println!("found {}", libloading::Library::new(NAME).is_ok()),
            "plain_name" => report(load_from(NAME)),
            "exact" => {
                let directory = TempDir::new().expect("a temporary directory");
                let path = directory.path().join("ein Treiber, übrigens.dll");
                fs::copy(driver(), &path).expect("the directory is ours");
                report(load_from(&path));
                println!("cuInit {:?}", cuInit(0));
                report(load_from(&path));
                report(load());
                // The file is in use until the process ends.
                std::mem::forget(directory);
            }
            "relative" => {
                fs::create_dir("below").expect("the directory is ours");
                fs::copy(driver(), "below/driver.dll").expect("so is this");
                report(load_from("below/driver.dll"));
            }
            "kernel32" => report(load_from(system_directory().join("kernel32.dll"))),
            "late" => {
                println!("before {:?}", cuInit(0));
                let to = system_directory().join(NAME);
                fs::copy(driver(), to).expect("Wine's can be written");
                println!("after {:?}", cuInit(0));
            }
            _ => return false,
        }
    }
    true
}

fn without() {
    let report = run("load", Path::new(""), Place::Nowhere);
    assert!(report.contains("tried\n  nvcuda.dll: LoadLibraryExW failed: "), "{report}");
    assert!(report.contains("(os error 126)"), "Windows's own words: {report}");
    assert_none(&report);
    assert!(report.contains("cuInit CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"), "{report}");
}

fn not_taken(place: Place) {
    let driver = driver();
    assert_eq!(run("windows_search", &driver, place).trim(), "found true", "it could be taken");
    assert_none(&run("load", &driver, place));
}

fn assert_none(report: &str) {
    assert!(report.contains("code CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"), "{report}");
    assert!(!report.lines().any(|line| line.starts_with("loaded")), "{report}");
}

fn plain_name() {
    assert_none(&run("plain_name", &driver(), Place::Beside));
}

fn exact() {
    let report = run("exact", Path::new(""), Place::Nowhere);
    let lines: Vec<&str> = report.lines().collect();
    let [first, init, again, code, load] = lines[..] else { panic!("{report}") };
    assert!(first.starts_with("loaded ") && first.contains("übrigens.dll"), "{report}");
    assert_eq!(init, "cuInit CUDA_SUCCESS");
    assert!(again.starts_with("a CUDA driver library is loaded already: "), "{report}");
    assert_eq!(code, "code CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
    assert_eq!(load, first, "the one that was named stays");
}

fn relative() {
    let report = run("relative", Path::new(""), Place::Nowhere);
    assert!(report.starts_with("loaded below/driver.dll "), "{report}");
}

fn not_a_driver() {
    let report = run("kernel32", Path::new(""), Place::Nowhere);
    assert!(report.contains("it has no cuDriverGetVersion: not a CUDA driver"), "{report}");
}

/// A file in the system directory, for as long as this lives.
struct Installed(PathBuf);

impl Drop for Installed {
    fn drop(&mut self) {
        fs::remove_file(&self.0).expect("no process uses it any more");
    }
}

fn from_the_system_directory() {
    let installed = Installed(system_directory().join(NAME));
    fs::copy(driver(), &installed.0).expect("Wine's can be written");
    // The one beside the program is not a driver.
    let decoy = system_directory().join("version.dll");
    for place in [Place::Beside, Place::Current, Place::Path] {
        let report = run("load", &decoy, place);
        assert!(report.starts_with("loaded nvcuda.dll "), "{place:?}: {report}");
        assert!(report.contains("cuInit CUDA_SUCCESS"), "{place:?}: {report}");
    }
}

fn late() {
    let _installed = Installed(system_directory().join(NAME));
    let report = run("late", Path::new(""), Place::Nowhere);
    assert_eq!(
        report.lines().collect::<Vec<_>>(),
        ["before CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "after CUDA_SUCCESS"]
    );
}
