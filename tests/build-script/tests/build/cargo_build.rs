//! A small crate on this one, built and run by cargo: what its user sees, and what is rebuilt.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support::layout::releases;
use test_support::{self as support, Need};

use crate::script::machine_without_toolkit;

pub fn all() -> Vec<Trial> {
    let bindgen = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let libclang = Need::new("libclang", &support::libclang());
    let headers = Need::new("headers", &support::headers("13.5"));
    let bare = Need::new("machine-without-toolkit", &machine_without_toolkit());
    support::tests! { [bindgen, libclang, headers, bare] => small_crate; }
}

/// A crate that prints what it was built with. It is built in the repository's target directory.
struct SmallCrate {
    directory: PathBuf,
    variables: BTreeMap<&'static str, OsString>,
}

/// With the profile of the repository's tests, and with the features that their packages have of what bindgen needs, so
/// that cargo finds bindgen compiled. The crate itself is compiled for the small one alone.
const MANIFEST: &str = concat!(
    "package = { name = 'small', edition = '2024' }
workspace = {}

[dependencies]
cuda-external-sys.path = '",
    env!("CARGO_MANIFEST_DIR"),
    "/../..'

[build-dependencies]
bitflags = { version = '2', features = ['std'] }
libc = '0.2'
quote = '1'

[profile.dev]
debug = 'line-tables-only'
build-override.debug = 'line-tables-only'

[profile.test.package]
bindgen.opt-level = 1
proc-macro2.opt-level = 1
regex-automata.opt-level = 1
cuda-external-sys.overflow-checks = false
"
);
const BUILD: &str = r#"fn main() {
    for name in ["BINDINGS", "VERSION", "INCLUDE", "ROOT"] {
        let value = std::env::var(format!("DEP_CUDA_EXTERNAL_{name}")).unwrap_or("none".into());
        println!("cargo::rustc-env=TOLD_{name}={value}");
    }
}
"#;
const MAIN: &str = r#"use cuda_external_sys::{BINDINGS, BINDINGS_SOURCE, CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD, CUDA_VERSION};
fn main() {
    assert_eq!(CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0, 9);
    println!("{BINDINGS:?} {CUDA_VERSION}: {BINDINGS_SOURCE}");
    println!("{} {} {} {}", env!("TOLD_BINDINGS"), env!("TOLD_VERSION"), env!("TOLD_INCLUDE"), env!("TOLD_ROOT"));
}
"#;

impl SmallCrate {
    fn new() -> Self {
        let directory = support::target().join("a small crate");
        fs::create_dir_all(directory.join("src")).expect("a directory");
        let lock = include_str!("../../../../Cargo.lock");
        for (name, text) in
            [("Cargo.toml", MANIFEST), ("Cargo.lock", lock), ("build.rs", BUILD), ("src/main.rs", MAIN)]
        {
            fs::write(directory.join(name), text).expect("a file");
        }
        Self { directory, variables: BTreeMap::new() }
    }

    fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.variables.insert(name, value.into());
    }

    fn run(&self) -> Build {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["run", "--profile=test", "--offline", "--verbose", "--color=never", "--target-dir"]);
        cargo.arg(support::target()).current_dir(&self.directory);
        // What a test of this crate has in its environment is not the small crate's.
        let kept = ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "LIBCLANG_PATH"];
        let is_kept = |name: &str| kept.contains(&name) || name.starts_with("CARGO_PROFILE_");
        let is_kept = |name: &OsString| name.to_str().is_some_and(is_kept) || name == "CARGO_INCREMENTAL";
        cargo.env_clear().envs(env::vars_os().filter(|(name, _)| is_kept(name)));
        let output = cargo.envs(&self.variables).output().expect("cargo starts");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Build { program: text(&output.stdout), cargo: text(&output.stderr) }
    }
}

/// How a build ended.
struct Build {
    /// The program's output; empty where the build failed.
    program: String,
    cargo: String,
}

impl Build {
    /// Checks what the program prints, and the warnings that cargo shows.
    #[track_caller]
    fn assert_prints(&self, source: &str, metadata: &str, warnings: &[String]) {
        assert_eq!(self.program, format!("{source}\n{metadata}\n"), "{}", self.cargo);
        let shown = self.cargo.lines().filter_map(|line| line.strip_prefix("warning: cuda-external-sys@"));
        let shown: Vec<&str> = shown.filter_map(|line| Some(line.split_once(": ")?.1)).collect();
        assert_eq!(shown, warnings);
    }

    /// Whether cargo ran the build script again.
    fn is_fresh(&self) -> bool {
        self.cargo.contains("Fresh cuda-external-sys ")
    }
}

/// The steps run one after the other, and each changes one thing, as a person works.
fn small_crate() {
    let mut small = SmallCrate::new();
    let number = releases::newest_number();
    let embedded = &format!("embedded {number} none none");

    // No CUDA, nothing set: nothing is said.
    small.run().assert_prints(&format!("Embedded {number}: embedded: no toolkit was found"), embedded, &[]);
    assert!(small.run().is_fresh());

    // The wheel of an old release in a virtual environment: the API is the same.
    let headers = |release| support::headers(release).expect("the test needs it");
    let prefix = TempDir::with_prefix("a venv").expect("a temporary directory");
    let root = prefix.path().join("lib/python3.12/site-packages/nvidia/cuda_runtime");
    fs::create_dir_all(&root).expect("a directory");
    symlink(headers("11.7"), root.join("include")).expect("a link");
    small.set("VIRTUAL_ENV", prefix.path());
    let source = "Generated 11070: generated from CUDA 11.7, found as a PyPI wheel in VIRTUAL_ENV";
    small.run().assert_prints(source, &format!("generated 11070 {0}/include {0}", root.display()), &[]);
    assert!(small.run().is_fresh());

    // An old toolkit that another program's variable names is passed over, and said so.
    let old = tempdir().expect("a temporary directory");
    let header = old.path().join("include/cuda.h");
    fs::create_dir(old.path().join("include")).expect("a directory");
    fs::write(&header, "#define CUDA_VERSION 11020\n").expect("a file");
    small.variables.remove("VIRTUAL_ENV");
    small.set("CUDA_HOME", old.path());
    let too_old = "CUDA 11.2 is older than CUDA 11.7, the oldest supported release";
    let reason = format!("passed over {}, found by CUDA_HOME: {too_old}", header.display());
    let warning = format!(
        "{reason}; using the embedded bindings of CUDA {} (CUDA_EXTERNAL_SYS_BINDINGS=embedded silences this \
         warning, generate fails with details)",
        releases::newest()
    );
    small.run().assert_prints(&format!("Embedded {number}: embedded: {reason}"), embedded, &[warning]);

    // Once it is upgraded in its place, it is used, without anything else being changed.
    fs::copy(headers("12.9").join("cuda.h"), &header).expect("a file");
    let metadata = format!("generated 12090 {0}/include {0}", old.path().display());
    small.run().assert_prints(
        "Generated 12090: generated from CUDA 12.9, found by CUDA_HOME",
        &metadata,
        &[],
    );

    // A pkg-config variable runs the search again, unless the embedded bindings are asked for.
    small.set("PKG_CONFIG_PATH", "/somewhere");
    assert!(!small.run().is_fresh());
    small.set("CUDA_EXTERNAL_SYS_BINDINGS", "embedded");
    assert!(!small.run().is_fresh());
    for name in ["PKG_CONFIG_PATH", "CUDA_HOME", "VIRTUAL_ENV", "CPATH", "DOCS_RS"] {
        small.set(name, "/elsewhere");
    }
    assert!(small.run().is_fresh());
    small.run().assert_prints(
        &format!("Embedded {number}: embedded: CUDA_EXTERNAL_SYS_BINDINGS=embedded"),
        embedded,
        &[],
    );
}
