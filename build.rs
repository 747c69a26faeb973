//! Locates cuda.h, makes the bindings, links where asked to, and tells dependents.
//!
//! Dependents' build scripts may read, by `links = "cuda-external"`:
//! - `DEP_CUDA_EXTERNAL_VERSION`: the `CUDA_VERSION` of the bindings (13050 is 13.5);
//! - `DEP_CUDA_EXTERNAL_BINDINGS`: `generated` or `embedded`;
//! - `DEP_CUDA_EXTERNAL_INCLUDE`, `DEP_CUDA_EXTERNAL_ROOT`: where cuda.h is, where generated.

#[cfg(any(feature = "bindgen", feature = "link"))]
#[path = "build/allowlist.rs"]
mod allowlist;
#[path = "build/embedded.rs"]
mod embedded;
#[cfg(feature = "bindgen")]
#[path = "build/field_docs.rs"]
mod field_docs;
#[cfg(feature = "bindgen")]
#[path = "build/generate/mod.rs"]
mod generate;
#[cfg(feature = "link")]
#[path = "build/link.rs"]
mod link;
#[cfg(feature = "bindgen")]
#[path = "build/toolkit.rs"]
mod toolkit;

use std::env;
use std::fs;
#[cfg(feature = "bindgen")]
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

/// Says where the bindings come from: `auto` (the default), `generate` or `embedded`.
const BINDINGS: &str = "CUDA_EXTERNAL_SYS_BINDINGS";

/// The releases that added an item which src/ documents by name; `cfg(cuda_since = "13.0")`.
const THRESHOLDS: &[(u32, u32)] = &[(12, 2), (13, 0), (13, 4)];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\n{message}\n");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let bindings = choose()?;
    let out = PathBuf::from(cargo("OUT_DIR")?).join("bindings.rs");
    fs::write(&out, &bindings.text).map_err(|error| format!("cannot write {}: {error}", out.display()))?;
    #[cfg(feature = "link")]
    let link_lines = link::lines(bindings.root.as_deref())?;
    #[cfg(not(feature = "link"))]
    let link_lines: Vec<String> = Vec::new();
    for line in bindings.lines().into_iter().chain(link_lines) {
        println!("cargo::{line}");
    }
    Ok(())
}

/// The bindings, and what the rest of the build is told of them.
struct Bindings {
    text: String,
    version: (u32, u32),
    include: Option<PathBuf>,
    root: Option<PathBuf>,
    warnings: Vec<String>,
}

impl Bindings {
    fn lines(&self) -> Vec<String> {
        let (major, minor) = self.version;
        let source = if self.include.is_some() { "generated" } else { "embedded" };
        let mut lines = vec![
            "rerun-if-changed=build.rs".to_owned(),
            "rerun-if-changed=build".to_owned(),
            "rerun-if-changed=wrapper.h".to_owned(),
            format!("rerun-if-env-changed={BINDINGS}"),
            "rerun-if-env-changed=DOCS_RS".to_owned(),
            "rustc-check-cfg=cfg(cuda_bindings, values(\"generated\", \"embedded\"))".to_owned(),
            format!("rustc-cfg=cuda_bindings=\"{source}\""),
            format!("metadata=VERSION={}", major * 1000 + minor * 10),
            format!("metadata=BINDINGS={source}"),
        ];
        for (major, minor) in THRESHOLDS {
            lines.push(format!("rustc-check-cfg=cfg(cuda_since, values(\"{major}.{minor}\"))"));
            if self.version >= (*major, *minor) {
                lines.push(format!("rustc-cfg=cuda_since=\"{major}.{minor}\""));
            }
        }
        if let Some(include) = &self.include {
            lines.push(format!("rerun-if-changed={}", include.join("cuda.h").display()));
            lines.push(format!("metadata=INCLUDE={}", include.display()));
        }
        if let Some(root) = &self.root {
            lines.push(format!("metadata=ROOT={}", root.display()));
        }
        #[cfg(feature = "bindgen")]
        lines.extend(watched().iter().map(|name| format!("rerun-if-env-changed={name}")));
        lines.extend(self.warnings.iter().map(|warning| format!("warning={warning}")));
        lines
    }

    fn embedded(warning: Option<String>) -> Result<Self, String> {
        Ok(Self {
            text: embedded::text().to_owned(),
            version: embedded::VERSION,
            include: None,
            root: None,
            warnings: warning.into_iter().collect(),
        })
    }
}

#[cfg(not(feature = "bindgen"))]
fn choose() -> Result<Bindings, String> {
    match policy()?.as_str() {
        "generate" => Err(format!(
            "{BINDINGS}=generate, but the cargo feature `bindgen` of cuda-external-sys is off.\n\
             Switch the feature on, or set {BINDINGS}=embedded."
        )),
        _ => Bindings::embedded(None),
    }
}

#[cfg(feature = "bindgen")]
fn choose() -> Result<Bindings, String> {
    let (major, minor) = embedded::VERSION;
    let policy = policy()?;
    let must_generate = policy == "generate";
    let fall_back = |why: &str| {
        Bindings::embedded(Some(format!("using the embedded bindings of CUDA {major}.{minor}: {why}")))
    };
    let wishes = format!("({BINDINGS}=embedded: this is meant; {BINDINGS}=generate: stop and say more)");
    if policy == "embedded" {
        return Bindings::embedded(None);
    }
    if env::var_os("DOCS_RS").is_some() && !must_generate {
        return fall_back("DOCS_RS is set");
    }
    let toolkit = match find_toolkit()? {
        Ok(toolkit) => toolkit,
        Err(toolkit::Failure::NotFound(_)) if !must_generate => {
            return fall_back(&format!("no CUDA toolkit was found {wishes}"));
        }
        Err(failure) => return Err(failure.to_string()),
    };
    let crate_root = PathBuf::from(cargo("CARGO_MANIFEST_DIR")?);
    let version = (toolkit.version.major, toolkit.version.minor);
    match generate::bindings(&crate_root, &toolkit.include, version, &cargo("TARGET")?) {
        Ok(text) => Ok(Bindings {
            text,
            version,
            include: Some(toolkit.include),
            root: toolkit.root,
            warnings: toolkit.warnings,
        }),
        Err(generate::Error::NoLibclang(_)) if !must_generate => fall_back(&format!(
            "CUDA {} is here (found by {}), but libclang, which bindgen needs to read it, is not {wishes}",
            toolkit.version, toolkit.found_by
        )),
        Err(generate::Error::NoLibclang(words)) => Err(format!(
            "{BINDINGS}=generate, and bindgen cannot find libclang, which it needs to read cuda.h.\n\n  \
             LIBCLANG_PATH  {}\n\n{}\n\n\
             Install it (Debian, Ubuntu: libclang-dev; Fedora: clang-devel; Arch: clang; pip: libclang),\n\
             or set LIBCLANG_PATH to the folder that holds libclang.so (libclang.dll),\n\
             or set {BINDINGS}=embedded to use the bindings of CUDA {major}.{minor} that come with the crate.",
            env::var("LIBCLANG_PATH").unwrap_or_else(|_| "unset".to_owned()),
            quoted(words.lines())
        )),
        Err(generate::Error::Incomplete(reason)) => Err(format!(
            "The bindings cannot be generated from {} (CUDA {}, found by {}).\n\n{}\n\n\
             Name another toolkit by CUDA_HOME,\n\
             or set {BINDINGS}=embedded to use the bindings of CUDA {major}.{minor} that come with the crate.",
            toolkit.include.join("cuda.h").display(),
            toolkit.version,
            toolkit.found_by,
            quoted(reason.lines())
        )),
        Err(generate::Error::Unreadable(words)) => {
            let words = words.trim_start_matches("clang diagnosed error: ").lines();
            // Errors in wrapper.h follow from those in cuda.h, and the first few say it all.
            let words = words.filter(|line| !line.contains("wrapper.h")).take(5);
            Err(format!(
                "bindgen cannot read this cuda.h (CUDA {}, found by {}).\n\n  {}\n\n{}\n\n\
                 Reinstall that toolkit, name another one by CUDA_HOME,\n\
                 or set {BINDINGS}=embedded to use the bindings of CUDA {major}.{minor} that come with the crate.",
                toolkit.version,
                toolkit.found_by,
                toolkit.include.join("cuda.h").display(),
                quoted(words)
            ))
        }
    }
}

/// Somebody else's words, set in.
#[cfg(feature = "bindgen")]
fn quoted<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Runs the search on this machine. The outer error is cargo's, the inner one the search's answer.
#[cfg(feature = "bindgen")]
fn find_toolkit() -> Result<Result<toolkit::Toolkit, toolkit::Failure>, String> {
    let target = target()?;
    Ok(toolkit::find(&machine(target)))
}

/// Every variable that the search and bindgen read.
#[cfg(feature = "bindgen")]
fn watched() -> Vec<String> {
    let mut names = vec!["LIBCLANG_PATH".to_owned(), "BINDGEN_EXTRA_CLANG_ARGS".to_owned()];
    names.extend(target().map(|target| toolkit::watched(&machine(target))).unwrap_or_default());
    names
}

#[cfg(feature = "bindgen")]
fn machine(target: toolkit::Target) -> toolkit::Machine<'static> {
    toolkit::Machine {
        var: &|name| env::var_os(name),
        names: &|| env::vars_os().map(|(name, _)| name).collect(),
        root: Path::new(if cfg!(windows) { "C:\\" } else { "/" }),
        target,
        pkg_config: &|| {
            let probe =
                |package| pkg_config::Config::new().cargo_metadata(false).env_metadata(false).probe(package);
            // It refuses by itself to answer for another target than the host.
            match probe("cuda").or_else(|_| probe("cudart")) {
                Ok(library) => Ok(library.include_paths),
                Err(_) => Err("it knows neither cuda nor cudart for this target".to_owned()),
            }
        },
    }
}

#[cfg(feature = "bindgen")]
fn target() -> Result<toolkit::Target, String> {
    Ok(toolkit::Target {
        triple: cargo("TARGET")?,
        host: cargo("HOST")?,
        arch: cargo("CARGO_CFG_TARGET_ARCH")?,
        os: cargo("CARGO_CFG_TARGET_OS")?,
    })
}

fn policy() -> Result<String, String> {
    let value = env::var_os(BINDINGS).unwrap_or_default();
    match value.to_str() {
        Some("") => Ok("auto".to_owned()),
        Some(known @ ("auto" | "generate" | "embedded")) => Ok(known.to_owned()),
        _ => Err(format!(
            "{BINDINGS} is {value:?}, which is none of:\n\
             \n  auto      generate where a toolkit and libclang are found, else embedded (the default)\
             \n  generate  generate, or fail\
             \n  embedded  search nothing, run nothing"
        )),
    }
}

/// A variable that cargo sets for every build script.
fn cargo(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: build.rs is to be run by cargo"))
}
