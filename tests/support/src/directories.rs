//! Where cargo builds, and where the headers of the releases lie.

use std::env;
use std::path::{Path, PathBuf};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The target directory that this program was built in: the one that cargo marked.
pub fn target() -> PathBuf {
    let program = env::current_exe().expect("a running program has a path");
    let marked = program.ancestors().find(|directory| directory.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| Path::new(REPOSITORY).join("target"), Path::to_path_buf)
}

/// The directory with the headers of one release. ci/fetch-headers leaves them in the target directory.
pub fn headers(release: &str) -> Result<PathBuf, String> {
    let targets = [target(), Path::new(REPOSITORY).join("target")];
    let mut directories = targets.iter().map(|target| target.join("headers").join(release));
    let found = directories.find(|directory| directory.join("cuda.h").is_file());
    found.ok_or_else(|| format!("no target/headers/{release}/cuda.h: run ci/fetch-headers"))
}

/// Where the test program `calls` leaves the mock driver for the target that this program was built for.
pub fn mock_driver_directory() -> PathBuf {
    let program = env::current_exe().expect("a running program has a path");
    // target/PROFILE/deps/PROGRAM, or target/TRIPLE/PROFILE/deps/PROGRAM.
    program.ancestors().nth(3).expect("cargo's layout").join("mock-driver")
}

/// The mock driver: the one that CUDA_EXTERNAL_SYS_TEST_DRIVER names, or the one that the test program `calls` left.
pub fn mock_driver() -> Result<PathBuf, String> {
    let named = env::var_os("CUDA_EXTERNAL_SYS_TEST_DRIVER").map(PathBuf::from);
    let path = named.unwrap_or_else(|| mock_driver_directory().join("libcuda.so.1"));
    let how = "cargo test --test calls makes one, or set CUDA_EXTERNAL_SYS_TEST_DRIVER";
    if path.is_file() { Ok(path) } else { Err(format!("{} is not there: {how}", path.display())) }
}
