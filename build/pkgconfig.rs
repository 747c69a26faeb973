//! Asks pkg-config for CUDA's packages: `cuda` and `cudart`, and the versioned ones (`cuda-12.6`) that NVIDIA's
//! packages and nixpkgs install.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cuda_external_sys_build::toolkit::environment::Package;
use cuda_external_sys_build::toolkit::numbers::{by_number, numbers};
use pkg_config::{Config, Error};

/// Each package with its include directories. The crate pkg-config refuses to answer for another target than the host
/// unless it is set up for that.
pub fn packages() -> Result<Vec<Package>, String> {
    let mut found = Vec::new();
    for name in ["cuda", "cudart"] {
        match includes(name) {
            Ok(includes) => found.push((name.to_owned(), includes)),
            Err(Error::ProbeFailure { .. } | Error::Failure { .. }) => {}
            Err(Error::CrossCompilation) => {
                return Err("not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)".to_owned());
            }
            Err(Error::EnvNoPkgConfig(name)) => return Err(format!("not asked: {name} is set")),
            Err(Error::Command { cause, .. }) => {
                return Err(format!("{} cannot be run: {cause}", program().display()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    if found.is_empty() {
        for name in versioned() {
            found.extend(includes(&name).map(|includes| (name, includes)));
        }
    }
    if found.is_empty() { Err("it has no package cuda or cudart".to_owned()) } else { Ok(found) }
}

fn includes(package: &str) -> Result<Vec<PathBuf>, Error> {
    let library = Config::new().cargo_metadata(false).env_metadata(false).probe(package)?;
    Ok(library.include_paths)
}

/// The names of the versioned packages, the newest first, `cuda-` before `cudart-`.
fn versioned() -> Vec<String> {
    let mut list = Command::new(program());
    for name in ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
        if let Some(value) = of_target(name) {
            list.env(name, value);
        }
    }
    let output = list.arg("--list-all").stdin(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    by_number(names.collect(), &|name| match name.split_once('-')? {
        ("cuda" | "cudart", version) => numbers(version, '.'),
        _ => None,
    })
}

fn program() -> PathBuf {
    of_target("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into()).into()
}

/// A variable as the crate pkg-config reads it: in the forms for the target, then plainly.
fn of_target(name: &str) -> Option<OsString> {
    let (target, host) = (env::var("TARGET").ok()?, env::var("HOST").ok()?);
    let kind = if target == host { "HOST" } else { "TARGET" };
    let forms = [
        format!("{name}_{target}"),
        format!("{name}_{}", target.replace('-', "_")),
        format!("{kind}_{name}"),
    ];
    forms.into_iter().find_map(env::var_os).or_else(|| env::var_os(name))
}
