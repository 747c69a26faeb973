//! The directories of the repository, of cargo's results, and of the fetched headers and drivers.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn repository() -> &'static Path {
    let support = Path::new(env!("CARGO_MANIFEST_DIR"));
    support.ancestors().nth(2).expect("this crate is tests/support")
}

/// Returns the existing files of the repository that git does not ignore, by paths relative to the repository.
pub fn repository_files() -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(repository());
    let output = git.output().expect("git starts");
    let names = String::from_utf8_lossy(&output.stdout);
    names.lines().filter(|name| repository().join(name).exists()).map(str::to_owned).collect()
}

/// Returns the target directory that the scripts use.
pub fn target_directory() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
    repository().join(target.unwrap_or_else(|| "target".into()))
}

/// Returns the directory with one release's headers, or an error if dev/scripts/fetch-headers has not fetched them.
pub fn fetched_headers(release: &str) -> Result<PathBuf, String> {
    fetched_directory(&Path::new("headers").join(release), "cuda.h", "dev/scripts/fetch-headers")
}

/// Returns the drivers that tests/drivers.txt lists, oldest first.
pub fn listed_drivers() -> Vec<&'static str> {
    include_str!("../../drivers.txt").lines().filter_map(|line| line.split(' ').next()).collect()
}

/// Returns the path of one driver's libcuda.so.1, or an error if dev/scripts/fetch-drivers has not fetched the driver.
pub fn driver_library(driver: &str) -> Result<PathBuf, String> {
    let directory =
        fetched_directory(&Path::new("drivers").join(driver), "libcuda.so.1", "dev/scripts/fetch-drivers")?;
    Ok(directory.join("libcuda.so.1"))
}

/// Returns the directory below `target` that contains the file.
fn fetched_directory(directory: &Path, file: &str, command: &str) -> Result<PathBuf, String> {
    let mut directories =
        [target_directory(), repository().join("target")].map(|target| target.join(directory)).into_iter();
    let found = directories.find(|directory| directory.join(file).is_file());
    found.ok_or_else(|| format!("no target/{}/{file}: run {command}", directory.display()))
}

/// Returns the directory to which the test program `calls` writes the mock driver for this program's architecture.
pub fn mock_driver_output_directory() -> PathBuf {
    target_directory().join("mock-driver").join(env::consts::ARCH)
}

/// Returns the mock driver's path: CUDA_EXTERNAL_SYS_TEST_DRIVER, or the file that the test program `calls` wrote.
pub fn mock_driver_library() -> Result<PathBuf, String> {
    let named = env::var_os("CUDA_EXTERNAL_SYS_TEST_DRIVER").map(PathBuf::from);
    let path = named.unwrap_or_else(|| mock_driver_output_directory().join("libcuda.so.1"));
    let how = "cargo test --test calls makes one, or set CUDA_EXTERNAL_SYS_TEST_DRIVER";
    if path.is_file() { Ok(path) } else { Err(format!("{} is not there: {how}", path.display())) }
}
