//! Asks pkg-config for CUDA's packages: `cuda` and `cudart`, and the versioned ones (`cuda-12.6`) that NVIDIA's
//! packages and nixpkgs install. Its variables are those of the crate pkg-config.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::environment::Environment;
use super::numbers::{by_number, numbers};

/// A package, and its include directories.
pub type Package = (String, Vec<PathBuf>);

/// Switches it off.
pub const NO_PKG_CONFIG: &str = "CUDA_NO_PKG_CONFIG";

const PROGRAM: &str = "PKG_CONFIG";
const SYSTEM_ROOT: &str = "PKG_CONFIG_SYSROOT_DIR";
const ALLOW_CROSS: &str = "PKG_CONFIG_ALLOW_CROSS";
/// What the program itself reads.
const ITS_OWN: [&str; 3] = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", SYSTEM_ROOT];

/// Every variable that is read here, each in all its forms.
pub fn variables(environment: &Environment) -> Vec<String> {
    let names = [&[PROGRAM, ALLOW_CROSS], &ITS_OWN[..]].concat();
    let mut all = vec![NO_PKG_CONFIG.to_owned()];
    all.extend(names.iter().flat_map(|name| forms(environment, name)));
    all
}

/// Each package with its include directories, or why there are none.
pub fn packages(environment: &Environment) -> Result<Vec<Package>, String> {
    if environment.value(NO_PKG_CONFIG).is_some() {
        return Err(format!("not asked: {NO_PKG_CONFIG} is set"));
    }
    if !serves_target(environment) {
        return Err(format!("not asked: it is not set up for this target ({ALLOW_CROSS})"));
    }
    let mut packages = Vec::new();
    for name in ["cuda", "cudart"] {
        packages.extend(package(environment, name)?);
    }
    if packages.is_empty() {
        for name in versioned(&ask(environment, "--list-all")?.unwrap_or_default()) {
            packages.extend(package(environment, &name)?);
        }
    }
    if packages.is_empty() { Err("it has no package cuda or cudart".to_owned()) } else { Ok(packages) }
}

/// Its packages are the host's, unless it is set up for the target.
fn serves_target(environment: &Environment) -> bool {
    let value = |name| of_target(environment, name);
    match value(ALLOW_CROSS) {
        _ if environment.target.triple == environment.target.host => true,
        Some(allowed) => allowed != "0",
        None => value(PROGRAM).is_some() || value(SYSTEM_ROOT).is_some(),
    }
}

fn package(environment: &Environment, name: &str) -> Result<Option<Package>, String> {
    let flags = match ask(environment, &format!("--cflags-only-I {name}"))? {
        None => return Ok(None),
        Some(flags) => words(&flags),
    };
    let includes = flags.iter().filter_map(|flag| flag.strip_prefix("-I")).map(PathBuf::from);
    Ok(Some((name.to_owned(), includes.collect())))
}

/// The names of the versioned packages in a list, the newest first, `cuda-` before `cudart-`.
fn versioned(list: &str) -> Vec<String> {
    let names = list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    by_number(names.collect(), &|name| match name.split_once('-')? {
        ("cuda" | "cudart", version) => numbers(version, '.'),
        _ => None,
    })
}

/// What it answers; nothing where it fails, as it does for an unknown package. The error is that it cannot be run.
fn ask(environment: &Environment, arguments: &str) -> Result<Option<String>, String> {
    let run = |program: &Path| {
        let mut command = Command::new(program);
        // Else it leaves /usr/include out.
        command.args(arguments.split(' ')).env("PKG_CONFIG_ALLOW_SYSTEM_CFLAGS", "1");
        for name in ITS_OWN {
            command.envs(of_target(environment, name).map(|value| (name, value)));
        }
        (environment.run)(command).map_err(|error| format!("{} cannot be run: {error}", program.display()))
    };
    let answer = match of_target(environment, PROGRAM) {
        Some(program) => run(Path::new(&program)),
        None => run(Path::new("pkg-config")).or_else(|why| run(Path::new("pkgconf")).map_err(|_| why)),
    };
    let output = answer?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
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

/// A variable's value in the first form that is set.
fn of_target(environment: &Environment, name: &str) -> Option<OsString> {
    forms(environment, name).iter().find_map(|name| environment.value(name))
}

/// The words of a command line, in which a backslash takes the meaning from what is behind it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = words.last_mut().expect("there is one at least");
        match character {
            '\\' => last.extend(characters.next()),
            _ if character.is_whitespace() => words.push(String::new()),
            _ => last.push(character),
        }
    }
    words
}
