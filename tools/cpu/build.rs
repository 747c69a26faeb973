//! Writes the driver's function tables, and builds the library that the program `cuda-external-cpu` embeds.
//!
//! Cargo has no stable way to embed a library in a program: this script runs `cargo rustc` for the library.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=src/driver");
    if cargo_variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    write_function_tables();
    if cfg!(feature = "library") {
        // `nodelete`: threads run library code after dlclose. `Bsymbolic`: the library calls its own `cu…` functions.
        for argument in ["-soname,libcuda.so.1", "-z,nodelete", "-Bsymbolic"] {
            println!("cargo::rustc-cdylib-link-arg=-Wl,{argument}");
        }
    }
    // The library is built without the feature `command`, so that its own build script does not call cargo.
    #[cfg(feature = "command")]
    build_embedded_library();
}

fn cargo_variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cargo must run build.rs"))
}

/// Writes two files: each function's versions, and a call of `functions!` that declares the unimplemented functions.
fn write_function_tables() {
    // The path of cuda-external-sys' build/driver_exports.txt, whose format build/driver_exports.rs describes.
    let list = cargo_variable("DEP_CUDA_EXTERNAL_FUNCTIONS");
    println!("cargo::rerun-if-changed={list}");
    let text = fs::read_to_string(list).expect("cuda-external-sys has the list");
    let (mut rows, mut names) = (BTreeMap::new(), BTreeSet::new());
    let groups = text.lines().filter_map(|line| line.split_once(' '));
    let functions = groups.flat_map(|(versions, of)| of.split(' ').map(move |word| (versions, word)));
    for (versions, word) in functions {
        let [mut plain, mut per_thread] = [Vec::<(u32, String)>::new(), Vec::new()];
        for (suffix, release) in versions.split(',').filter_map(|version| version.split_once('=')) {
            let symbol = format!("cu{word}{suffix}");
            names.insert(symbol.clone());
            if let Ok(release) = release.parse() {
                let list = if suffix.contains("_pt") { &mut per_thread } else { &mut plain };
                list.push((release, symbol));
            }
        }
        if !plain.is_empty() {
            rows.insert(format!("cu{word}"), format!("(\"cu{word}\", &{plain:?}, &{per_thread:?})"));
        }
    }
    let mut absent = names.clone();
    remove_implemented_functions(Path::new("src/driver"), &mut absent);
    for name in &names {
        let plain = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds"));
        let is_like_plain = plain.is_none_or(|plain| absent.contains(plain) == absent.contains(name));
        assert!(is_like_plain, "{name}: it or its form without the suffix is not implemented");
    }
    let out = |name: &str, text: String| {
        fs::write(Path::new(&cargo_variable("OUT_DIR")).join(name), text).expect("OUT_DIR can be written");
    };
    let absent = Vec::from_iter(absent).join(" | ");
    let body = "Err(cuda_external_sys::CUDA_ERROR_NOT_SUPPORTED)";
    out("absent_functions.rs", format!("functions! {{ NotImplemented fn {absent}() {{ {body} }} }}"));
    out("function_versions.rs", format!("&[{}]", Vec::from_iter(rows.into_values()).join(",\n")));
}

/// Removes from `names` the functions that the sources declare, as in `Init fn cuCtxDestroy | cuCtxDestroy_v2: …`.
fn remove_implemented_functions(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("the sources are here") {
        let path = entry.expect("the sources are here").path();
        if path.is_dir() {
            remove_implemented_functions(&path, names);
            continue;
        }
        let text = fs::read_to_string(&path).expect("the sources are text");
        for (before, row) in text.lines().filter_map(|line| line.trim_start().split_once(" fn ")) {
            if !matches!(before, "Init" | "InitInCallback" | "Nothing") {
                continue;
            }
            let row = row.split([':', '(']).next().unwrap_or_default();
            // `fn x +_ptsz` also declares `x_ptsz`, for which a null stream is the thread's default stream.
            let (row, form) = row.split_once('+').unwrap_or((row, ""));
            for name in row.split('|').map(str::trim) {
                names.remove(name);
                names.remove(&format!("{name}{}", form.trim()));
            }
        }
    }
}

#[cfg(feature = "command")]
fn build_embedded_library() {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use cuda_external_in_process::nested_cargo::{build_package_library, rerun_if_sources_changed};

    rerun_if_sources_changed();
    // With panic='abort', a panic in a kernel would end the program. With 'unwind', only the launch fails.
    let unwind = "--config=profile.release.panic='unwind'";
    let built = build_package_library("libcuda.so.1", |cargo| cargo.args([unwind, "--features", "library"]));
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_LIBRARY={}", built.display());
    let bytes = fs::read(&built).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    println!("cargo::rustc-env=CUDA_EXTERNAL_CPU_CONTENT={:016x}", hasher.finish());
}
