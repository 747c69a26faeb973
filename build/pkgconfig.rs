//! Asks pkg-config for CUDA's packages: `cuda` and `cudart`, else the versioned ones (`cuda-12.6`) that NVIDIA's
//! packages and nixpkgs install. Reads the same variables as the crate pkg-config, which costs a second to compile.

use std::env;
use std::ffi::OsString;
use std::io::{Error, ErrorKind};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::toolkit::Target;
use super::toolkit::environment::Package;

/// Each package with its include directories, or why there are none.
pub fn packages(target: &Target) -> Result<Vec<Package>, String> {
    let pkg_config = PkgConfig { target };
    if !pkg_config.is_for_target() {
        return Err("not asked: it is not set up for this target (PKG_CONFIG_ALLOW_CROSS)".to_owned());
    }
    let includes = |name: String| Ok(pkg_config.includes(&name)?.map(|includes| (name, includes)));
    let plain = ["cuda", "cudart"].map(str::to_owned);
    let mut found: Vec<_> =
        plain.into_iter().filter_map(|name| includes(name).transpose()).collect::<Result<_, _>>()?;
    if found.is_empty() {
        let versioned = pkg_config.versioned()?.into_iter();
        found = versioned.filter_map(|name| includes(name).transpose()).collect::<Result<_, String>>()?;
    }
    if found.is_empty() { Err("it has no package cuda or cudart".to_owned()) } else { Ok(found) }
}

struct PkgConfig<'a> {
    target: &'a Target,
}

impl PkgConfig<'_> {
    /// Unless it is set up for cross-compiling, it answers for the host.
    fn is_for_target(&self) -> bool {
        let is_host = self.target.triple == self.target.host;
        is_host
            || match self.var("PKG_CONFIG_ALLOW_CROSS") {
                Some(value) => value != "0",
                None => self.var("PKG_CONFIG").or_else(|| self.var("PKG_CONFIG_SYSROOT_DIR")).is_some(),
            }
    }

    /// A package's include directories, where there is such a package.
    fn includes(&self, package: &str) -> Result<Option<Vec<PathBuf>>, String> {
        let output = self.run(&["--cflags-only-I", package])?;
        let flags = || words(&String::from_utf8_lossy(&output.stdout));
        let includes =
            || flags().iter().filter_map(|flag| flag.strip_prefix("-I")).map(PathBuf::from).collect();
        Ok(output.status.success().then(includes))
    }

    /// The names of the versioned packages, the newest first, `cuda-` before `cudart-`.
    fn versioned(&self) -> Result<Vec<String>, String> {
        let output = self.run(&["--list-all"])?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.lines().filter_map(|line| line.split_whitespace().next());
        let mut found: Vec<(Vec<u32>, bool, &str)> = names
            .filter_map(|name| {
                let (package, version) = name.split_once('-')?;
                let is_cuda = package == "cuda";
                let version: Option<Vec<u32>> = version.split('.').map(|part| part.parse().ok()).collect();
                (is_cuda || package == "cudart").then_some((version?, is_cuda, name))
            })
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        Ok(found.into_iter().map(|(_, _, name)| name.to_owned()).collect())
    }

    fn run(&self, arguments: &[&str]) -> Result<Output, String> {
        let named = self.var("PKG_CONFIG");
        let program = named.clone().unwrap_or_else(|| "pkg-config".into());
        let is_missing = |error: &Error| error.kind() == ErrorKind::NotFound && named.is_none();
        let output = match self.command(&program, arguments).output() {
            Err(error) if is_missing(&error) => self.command(&"pkgconf".into(), arguments).output(),
            output => output,
        };
        output.map_err(|error| format!("{} cannot be run: {error}", PathBuf::from(program).display()))
    }

    fn command(&self, program: &OsString, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        // It leaves out -I/usr/include otherwise.
        command.args(arguments).env("PKG_CONFIG_ALLOW_SYSTEM_CFLAGS", "1").stdin(Stdio::null());
        for name in ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
            command.envs(self.var(name).map(|value| (name, value)));
        }
        command
    }

    /// A variable: in the forms for the target, then plainly.
    fn var(&self, name: &str) -> Option<OsString> {
        let Target { triple, host, .. } = self.target;
        let kind = if triple == host { "HOST" } else { "TARGET" };
        let underscored = triple.replace('-', "_");
        let forms = [format!("{name}_{triple}"), format!("{name}_{underscored}"), format!("{kind}_{name}")];
        forms.into_iter().find_map(env::var_os).or_else(|| env::var_os(name))
    }
}

/// The words of a line as a shell reads it: pkg-config escapes spaces.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if quote != Some('\'') => word.extend(characters.next()),
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ if quote == Some(character) => quote = None,
            _ if quote.is_none() && character.is_whitespace() => words.push(std::mem::take(&mut word)),
            _ => word.push(character),
        }
    }
    words.push(word);
    words
}
