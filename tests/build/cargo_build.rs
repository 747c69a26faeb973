//! A small crate on this one, built and run by cargo: what its user sees, and what is rebuilt.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::{TempDir, tempdir};
use test_support as support;
use test_support::Need;

use crate::script::machine_without_toolkit;

pub fn all() -> Vec<Trial> {
    let needs = [
        Need::feature("bindgen", cfg!(feature = "bindgen")),
        Need::new("libclang", &support::libclang()),
        Need::new("headers", &support::headers("13.5")),
        Need::new("machine-without-toolkit", &machine_without_toolkit()),
    ];
    vec![
        support::test("cargo_build::default_features", &[], default_features),
        support::test("cargo_build::small_crate", &needs, small_crate),
    ]
}

/// Most people have these; without `bindgen` most tests would be ignored.
fn default_features() {
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.contains("\ndefault = [\"load\", \"bindgen\"]\n"));
}

/// A crate that prints what it was built with. It stays in the target directory, so that bindgen is compiled once.
struct SmallCrate {
    directory: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

/// How a build ended.
struct Build {
    /// The program's output; none where the build failed.
    program: Option<String>,
    cargo: String,
}

impl SmallCrate {
    fn new() -> Self {
        let directory = support::target().join("a small crate");
        let manifest = format!(
            "[package]\nname = \"small\"\nedition = \"2024\"\n\n[dependencies]\ncuda-external-sys = {{ path = {:?} }}\n\n\
             [workspace]\n",
            env!("CARGO_MANIFEST_DIR")
        );
        let build = r#"fn main() {
    for name in ["VERSION", "BINDINGS", "INCLUDE", "ROOT"] {
        let value = std::env::var(format!("DEP_CUDA_EXTERNAL_{name}")).unwrap_or("none".into());
        println!("cargo::rustc-env=TOLD_{name}={value}");
    }
}
"#;
        let main = r#"use cuda_external_sys::{BINDINGS, BINDINGS_SOURCE, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CUDA_VERSION};
fn main() {
    assert_eq!(CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0, 1);
    println!("{BINDINGS:?} {CUDA_VERSION}: {BINDINGS_SOURCE}");
    println!("{} {} {} {}", env!("TOLD_BINDINGS"), env!("TOLD_VERSION"), env!("TOLD_INCLUDE"), env!("TOLD_ROOT"));
}
"#;
        // Cargo changes Cargo.lock, so what it was made from lies beside it.
        let lock = include_str!("../../Cargo.lock");
        let files = [
            ("Cargo.toml", manifest.as_str()),
            ("build.rs", build),
            ("src/main.rs", main),
            ("given.lock", lock),
        ];
        for (name, text) in files {
            let path = directory.join(name);
            if fs::read_to_string(&path).ok().as_deref() != Some(text) {
                fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
                fs::write(path, text).expect("a file");
                if name == "given.lock" {
                    fs::write(directory.join("Cargo.lock"), text).expect("a file");
                }
            }
        }
        Self { directory, variables: Vec::new() }
    }

    fn set(&mut self, name: &'static str, value: impl AsRef<Path>) {
        self.unset(name);
        self.variables.push((name, value.as_ref().to_path_buf()));
    }

    fn unset(&mut self, name: &str) {
        self.variables.retain(|(set, _)| *set != name);
    }

    fn run(&self) -> Build {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["run", "--offline", "--verbose", "--color=never"]).current_dir(&self.directory);
        // What a test of this crate has in its environment is not the small crate's.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            let is_search = ["CUDA", "CONDA_PREFIX", "VIRTUAL_ENV", "DOCS_RS", "PKG_CONFIG"];
            let is_tests =
                ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "OUT_DIR"];
            if is_search.iter().chain(&is_tests).any(|prefix| text.starts_with(prefix)) {
                cargo.env_remove(&name);
            }
        }
        let output = cargo.envs(self.variables.iter().cloned()).output().expect("cargo starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Build { program: output.status.success().then(|| text(&output.stdout)), cargo: text(&output.stderr) }
    }
}

impl Build {
    #[track_caller]
    fn prints(&self, lines: [&str; 2]) {
        let Some(program) = &self.program else { panic!("{}", self.cargo) };
        assert_eq!(program.lines().collect::<Vec<_>>(), lines, "{}", self.cargo);
    }

    fn warnings(&self) -> Vec<&str> {
        let warning = |line| str::strip_prefix(line, "warning: cuda-external-sys@");
        self.cargo
            .lines()
            .filter_map(warning)
            .map(|line| line.split_once(": ").map_or(line, |(_, text)| text))
            .collect()
    }

    /// Whether cargo ran the build script again.
    fn is_fresh(&self) -> bool {
        self.cargo.contains("Fresh cuda-external-sys ")
    }
}

/// A directory as a virtual environment with the wheel of a release has it.
fn virtual_environment(release: &str) -> TempDir {
    let prefix = TempDir::with_prefix("a venv").expect("a temporary directory");
    let nvidia = prefix.path().join("lib/python3.12/site-packages/nvidia");
    let package = nvidia.join(if release.starts_with("13.") { "cu13" } else { "cuda_runtime" });
    fs::create_dir_all(&package).expect("a directory");
    let headers = support::headers(release).expect("the test needs it");
    std::os::unix::fs::symlink(headers, package.join("include")).expect("a link");
    prefix
}

/// One after the other, as somebody works: each step changes one thing.
fn small_crate() {
    let mut small = SmallCrate::new();
    let none = ["Embedded 13050: embedded: no toolkit was found", "embedded 13050 none none"];

    // No CUDA, nothing set: nothing is said.
    let build = small.run();
    build.prints(none);
    assert_eq!(build.warnings(), [""; 0]);
    assert!(small.run().is_fresh());

    // The wheels of three releases; the API is the same.
    for (release, version) in [("11.7", 11070), ("13.5", 13050), ("12.9", 12090)] {
        let prefix = virtual_environment(release);
        small.set("VIRTUAL_ENV", prefix.path());
        let build = small.run();
        let package = prefix.path().join("lib/python3.12/site-packages/nvidia");
        let root = package.join(if release == "13.5" { "cu13" } else { "cuda_runtime" });
        build.prints([
            &format!(
                "Generated {version}: generated from CUDA {release}, found as a PyPI wheel in VIRTUAL_ENV"
            ),
            &format!("generated {version} {}/include {}", root.display(), root.display()),
        ]);
        assert_eq!(build.warnings(), [""; 0]);
        assert!(small.run().is_fresh());
    }

    // An old toolkit that another program's variable names is passed over, and said so.
    let old = tempdir().expect("a temporary directory");
    let header = old.path().join("include/cuda.h");
    let text = fs::read_to_string(support::headers("11.7").expect("the test needs it").join("cuda.h"));
    let text =
        text.expect("it was found").replace("#define CUDA_VERSION 11070", "#define CUDA_VERSION 11020");
    fs::create_dir(old.path().join("include")).expect("a directory");
    fs::write(&header, text).expect("a file");
    small.unset("VIRTUAL_ENV");
    small.set("CUDA_HOME", old.path());
    let build = small.run();
    let reason = format!(
        "passed over {}, found by CUDA_HOME: CUDA 11.2 is older than CUDA 11.7, the oldest supported release",
        header.display()
    );
    build.prints([&format!("Embedded 13050: embedded: {reason}"), none[1]]);
    assert!(
        build.warnings()[0].starts_with(&format!("{reason}; using the embedded bindings of CUDA 13.5 ("))
    );
    assert_eq!(build.warnings().len(), 1);

    // With `generate` it is an error that says all.
    small.set("CUDA_EXTERNAL_SYS_BINDINGS", "generate");
    let build = small.run();
    assert_eq!(build.program, None);
    assert!(
        build.cargo.contains("CUDA 11.2 is older than CUDA 11.7") && build.cargo.contains("looked at:"),
        "{}",
        build.cargo
    );

    // Once it is upgraded in its place, it is used, without anything else being changed.
    small.unset("CUDA_EXTERNAL_SYS_BINDINGS");
    assert!(small.run().program.is_some());
    fs::copy(support::headers("12.9").expect("the test needs it").join("cuda.h"), &header).expect("a file");
    let build = small.run();
    build.prints([
        "Generated 12090: generated from CUDA 12.9, found by CUDA_HOME",
        &format!("generated 12090 {0}/include {0}", old.path().display()),
    ]);

    // A variable of pkg-config's runs the search again, unless the embedded bindings are asked for.
    let again = |small: &mut SmallCrate, name, value: &str| {
        small.set(name, value);
        !small.run().is_fresh()
    };
    assert!(again(&mut small, "PKG_CONFIG_PATH", "/somewhere"));
    assert!(again(&mut small, "CUDA_EXTERNAL_SYS_BINDINGS", "embedded"));
    for name in ["PKG_CONFIG_PATH", "CUDA_HOME", "VIRTUAL_ENV", "CPATH", "DOCS_RS"] {
        assert!(!again(&mut small, name, "/elsewhere"), "{name} does not matter");
    }
    small.run().prints(["Embedded 13050: embedded: CUDA_EXTERNAL_SYS_BINDINGS=embedded", none[1]]);
}
