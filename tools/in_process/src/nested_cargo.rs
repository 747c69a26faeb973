//! Builds the library that a package's program embeds: `cargo install` installs only programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn cargo_variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}

/// Makes cargo run the build script again when one of these changes: the package's build.rs, Cargo.toml or `src`, or
/// the `src` of `in_process`, `ptx` or cuda-external-sys. Paths that do not exist are left out.
pub fn rerun_if_sources_changed() {
    for path in ["build.rs", "src", "Cargo.toml", "../in_process/src", "../ptx/src", "../../src"] {
        if Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// Returns the target directory for `library`, which all profiles and features share. If the package is outside this
/// repository, or if the shared directory cannot be created, returns a directory in OUT_DIR instead.
fn library_target_directory(library: &str) -> PathBuf {
    println!("cargo::rerun-if-env-changed=CARGO_TARGET_DIR");
    let workspace = Path::new(&cargo_variable("CARGO_MANIFEST_DIR")).join("../..");
    let outer = env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    let name = cargo_variable("CARGO_PKG_NAME");
    let shared = outer.join("carried").join(name).join(library);
    let is_usable =
        workspace.join("tools/in_process/Cargo.toml").exists() && fs::create_dir_all(&shared).is_ok();
    if is_usable { shared } else { Path::new(&cargo_variable("OUT_DIR")).join("carried").join(library) }
}

/// Builds the package's shared library, copies it to OUT_DIR with the name `library`, and returns the copy's path.
/// `choose` adds arguments and environment variables to cargo's command. Cargo names all shared libraries of a package
/// alike, so each `library` has a separate target directory.
pub fn build_package_library(library: &str, choose: impl FnOnce(&mut Command) -> &mut Command) -> PathBuf {
    let (target, library_target_directory) = (cargo_variable("TARGET"), library_target_directory(library));
    let mut cargo = Command::new(cargo_variable("CARGO"));
    cargo.args(["rustc", "--quiet", "--lib", "--crate-type=cdylib", "--release", "--no-default-features"]);
    cargo.args(["--target", &target, "--target-dir"]).arg(&library_target_directory);
    cargo.arg("--manifest-path").arg(Path::new(&cargo_variable("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    cargo.args(["--config=profile.release.panic='abort'", "--config=profile.release.strip='debuginfo'"]);
    choose(&mut cargo);
    cargo.env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded");
    cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", cargo_variable("OPT_LEVEL"));
    // CARGO_BUILD_BUILD_DIR would move the outputs. A wrapper of rustc may be clippy's driver, which writes no library.
    for name in
        ["CARGO_BUILD_BUILD_DIR", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    // The build scripts that `cargo` runs must not see the features of the build script that calls this function.
    for (name, _) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"CARGO_FEATURE_") {
            cargo.env_remove(name);
        }
    }
    let status = cargo.status().unwrap_or_else(|error| panic!("{cargo:?}: {error}"));
    assert!(status.success(), "{cargo:?}: {status}");
    let name = cargo_variable("CARGO_PKG_NAME").replace('-', "_");
    let built = library_target_directory.join(target).join("release").join(format!("lib{name}.so"));
    let copy = Path::new(&cargo_variable("OUT_DIR")).join(library);
    fs::copy(&built, &copy).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    copy
}
