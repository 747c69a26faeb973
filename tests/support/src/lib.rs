//! Code that test programs share. This package does not use cuda-external-sys: the code under test must not decide
//! which tests can run.

mod c_compiler;
mod directories;
mod needs;
mod this_process;

pub mod build_script;
pub mod cargo;
pub mod layout;
pub mod rustdoc_output;

pub use libtest_mimic::Trial;

pub use c_compiler::{compile_shared_library, compiler_command, find_compiler, find_libclang};
pub use directories::{
    driver_library, fetched_headers, listed_drivers, mock_driver_library, mock_driver_output_directory,
    repository, repository_files,
};
pub use needs::{NEEDS, Need, REQUIRE, is_required, path_in_test_program, run_trials, trial_if};
pub use this_process::{abort_after, command_by_runner, describe_exit, this_program};
#[cfg(target_os = "linux")]
pub use this_process::{count_open_descriptors, resident_bytes};
