//! CUDA's packages in pkg-config: `cuda` and `cudart`, and the versioned ones (`cuda-12.6`) that NVIDIA's packages and
//! nixpkgs install. The build script asks for a package by the crate pkg-config. That crate has no list of packages, so
//! the program is asked for it here, with the variables that the crate reads.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::environment::{Environment, Unanswered};
use super::numbers::{by_number, numbers};

/// A package, and its include directories.
pub type Package = (String, Vec<PathBuf>);

const PROGRAM: &str = "PKG_CONFIG";
const DEFAULT: &str = "pkg-config";
const ALLOW_CROSS: &str = "PKG_CONFIG_ALLOW_CROSS";
/// The variables that the program pkg-config itself reads.
const ITS_OWN: [&str; 3] = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"];

/// Every variable that is read here or by the crate, where it has several forms in all of them.
pub fn variables(environment: &Environment) -> Vec<String> {
    let names = [&[PROGRAM, ALLOW_CROSS], &ITS_OWN[..]].concat();
    let mut all = vec!["CUDA_NO_PKG_CONFIG".to_owned(), "CUDART_NO_PKG_CONFIG".to_owned()];
    all.extend(names.iter().flat_map(|name| forms(environment, name)));
    all
}

fn describe(unanswered: Unanswered, environment: &Environment) -> String {
    match unanswered {
        Unanswered::SwitchedOff(variable) => format!("not asked: {variable} is set"),
        Unanswered::OtherTarget => format!("not asked: it is not set up for this target ({ALLOW_CROSS})"),
        Unanswered::NotRun(error) => {
            let program = of_target(environment, PROGRAM).unwrap_or_else(|| DEFAULT.into());
            format!("{} cannot be run: {error}", Path::new(&program).display())
        }
        Unanswered::Other(why) => why,
    }
}

/// Each package with its include directories, or why there are none.
pub fn packages(environment: &Environment) -> Result<Vec<Package>, String> {
    let mut packages = known(environment, ["cuda", "cudart"].map(str::to_owned).to_vec())?;
    if packages.is_empty() {
        packages = known(environment, versioned(environment))?;
    }
    if packages.is_empty() { Err("it has no package cuda or cudart".to_owned()) } else { Ok(packages) }
}

/// Returns the packages among `names` that pkg-config knows.
fn known(environment: &Environment, names: Vec<String>) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    for name in names {
        match (environment.include_directories)(&name) {
            Ok(includes) => packages.extend(includes.map(|includes| (name, includes))),
            Err(why) if packages.is_empty() => return Err(describe(why, environment)),
            // This package alone is switched off.
            Err(_) => {}
        }
    }
    Ok(packages)
}

/// The names of the versioned packages, the newest first, `cuda-` before `cudart-`.
fn versioned(environment: &Environment) -> Vec<String> {
    let list = list_all(environment).map(|output| output.stdout).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let names = list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    by_number(names.collect(), &|name| match name.split_once('-')? {
        ("cuda" | "cudart", version) => numbers(version, '.'),
        _ => None,
    })
}

/// Runs the program that the crate runs: the one that is named, or else either of two.
fn list_all(environment: &Environment) -> io::Result<Output> {
    let run = |program: OsString| {
        let mut command = Command::new(program);
        command.arg("--list-all");
        for name in ITS_OWN {
            command.envs(of_target(environment, name).map(|value| (name, value)));
        }
        (environment.run)(command)
    };
    match of_target(environment, PROGRAM) {
        Some(program) => run(program),
        None => run(DEFAULT.into()).or_else(|_| run("pkgconf".into())),
    }
}

/// The forms of a variable, the more particular first: for the target, for the host or for targets, and plainly.
fn forms(environment: &Environment, name: &str) -> [String; 4] {
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
fn of_target(environment: &Environment, name: &str) -> Option<OsString> {
    forms(environment, name).iter().find_map(|name| (environment.var)(name))
}
