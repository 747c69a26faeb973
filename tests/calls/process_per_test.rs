//! Runs each test in another process of this program, since a process loads the driver only once.

use std::env;
use std::path::Path;
use std::process::{Command, exit};
use std::time::Duration;

use cuda_external_sys::*;
use libtest_mimic::Trial;
use tempfile::TempDir;
use test_support::{self as support, Need};

/// The environment variable with the name of the test that the process runs.
pub const TEST_NAME: &str = "CUDA_EXTERNAL_SYS_TEST_NAME";
const DIRECTORY: &str = "CUDA_EXTERNAL_SYS_TEST_DIRECTORY";

/// Returns a test that starts another process. In the other process, this function runs the test and exits.
pub fn process_trial<T: 'static>(
    name: &str,
    needs: &[Need],
    program: fn(&Path) -> (Command, T),
    run: fn(&Path),
) -> Trial {
    if env::var(TEST_NAME).is_ok_and(|child| child == name) {
        support::abort_after(Duration::from_secs(300));
        run(Path::new(&env::var_os(DIRECTORY).expect("the parent sets it")));
        exit(0);
    }
    let child = name.to_owned();
    support::trial_if(name, needs, move || {
        let directory = TempDir::new().expect("a temporary directory");
        let (mut command, _dropped_last) = program(directory.path());
        command.env(TEST_NAME, child).env(DIRECTORY, directory.path());
        let output = command.output().expect("this program runs again");
        assert!(output.status.success(), "{}", support::describe_exit(&output));
    })
}

pub fn call_cu_init() -> CUresult {
    // SAFETY: the function takes a number.
    unsafe { cuInit(0) }
}

/// Asserts that the first `load_from` opens the driver at the path, and that a second one returns an error.
pub fn assert_opened_once(path: &Path) {
    // SAFETY: the library was compiled for these tests, and its functions have the driver's types.
    let [first, second] = [(); 2].map(|()| unsafe { load_from(path) });
    assert_eq!(first.expect("it is there").name(), path);
    assert_eq!(call_cu_init(), CUDA_SUCCESS);
    let error = second.expect_err("it is loaded");
    assert_eq!(error.to_string(), format!("a CUDA driver library is loaded already: {}", path.display()));
    assert_eq!(error.code(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_eq!(load().expect("it is loaded").name(), path);
}
