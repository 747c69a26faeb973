//! CUDA's packages in pkg-config: `cuda` and `cudart`, and the versioned ones (`cuda-12.6`) that NVIDIA's packages and
//! nixpkgs install. The build script queries a package through the crate pkg-config. That crate cannot list packages,
//! so this module runs the program pkg-config for the list, with the variables that the crate reads.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::environment::SearchEnvironment;
use super::version_number::{newest_version_first, parse_version_numbers};

pub type PkgConfigPackage = (String, Vec<PathBuf>);

const PROGRAM: &str = "PKG_CONFIG";
const DEFAULT_PROGRAM: &str = "pkg-config";
const ALLOW_CROSS: &str = "PKG_CONFIG_ALLOW_CROSS";
/// The variables that the program pkg-config itself reads.
const PROGRAM_VARIABLES: [&str; 3] = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"];

/// Returns every variable that this module or the crate reads, in all its forms.
pub fn variables_read(environment: &SearchEnvironment) -> Vec<String> {
    let names = [&[PROGRAM, ALLOW_CROSS], &PROGRAM_VARIABLES[..]].concat();
    let mut all = vec!["CUDA_NO_PKG_CONFIG".to_owned(), "CUDART_NO_PKG_CONFIG".to_owned()];
    all.extend(names.iter().flat_map(|name| variable_forms(environment, name)));
    all
}

pub fn find_cuda_packages(environment: &SearchEnvironment) -> Result<Vec<PkgConfigPackage>, String> {
    let mut packages = known_packages(environment, ["cuda", "cudart"].map(str::to_owned).to_vec())?;
    if packages.is_empty() {
        packages = known_packages(environment, versioned_package_names(environment))?;
    }
    if packages.is_empty() { Err("it has no package cuda or cudart".to_owned()) } else { Ok(packages) }
}

fn known_packages(
    environment: &SearchEnvironment,
    names: Vec<String>,
) -> Result<Vec<PkgConfigPackage>, String> {
    let mut packages = Vec::new();
    for name in names {
        match (environment.include_directories)(&name) {
            Ok(includes) => packages.extend(includes.map(|includes| (name, includes))),
            Err(why) if packages.is_empty() => return Err(why),
            // The variable switches only this package off.
            Err(_) => {}
        }
    }
    Ok(packages)
}

/// The names of the versioned packages, the newest first, `cuda-` before `cudart-`.
fn versioned_package_names(environment: &SearchEnvironment) -> Vec<String> {
    let list = pkg_config_list_all(environment).unwrap_or_default();
    let names = list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    newest_version_first(names.collect(), &|name| match name.split_once('-')? {
        ("cuda" | "cudart", version) => parse_version_numbers(version, '.'),
        _ => None,
    })
}

/// Runs the program that the crate would run: the one that PKG_CONFIG names, or otherwise pkg-config or pkgconf.
fn pkg_config_list_all(environment: &SearchEnvironment) -> Option<String> {
    let run = |program: OsString| {
        let mut command = Command::new(program);
        command.arg("--list-all");
        for name in PROGRAM_VARIABLES {
            command.envs(pkg_config_variable_value(environment, name).map(|value| (name, value)));
        }
        (environment.read_program_output)(command)
    };
    match pkg_config_variable_value(environment, PROGRAM) {
        Some(program) => run(program),
        None => run(DEFAULT_PROGRAM.into()).or_else(|| run("pkgconf".into())),
    }
}

/// Returns the forms of a variable, the most specific first: for this target, for the host or for targets, and plain.
fn variable_forms(environment: &SearchEnvironment, name: &str) -> [String; 4] {
    let target = &environment.target;
    let kind = if target.triple == target.host { "HOST" } else { "TARGET" };
    [
        format!("{name}_{}", target.triple),
        format!("{name}_{}", target.triple.replace('-', "_")),
        format!("{kind}_{name}"),
        name.to_owned(),
    ]
}

/// A variable's value, from the first of its forms that is set. A variable that is set to nothing counts as set, as it
/// does for the crate and the program: an empty PKG_CONFIG_LIBDIR means no directory.
fn pkg_config_variable_value(environment: &SearchEnvironment, name: &str) -> Option<OsString> {
    variable_forms(environment, name).iter().find_map(|name| (environment.var)(name))
}
