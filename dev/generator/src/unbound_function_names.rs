//! Generates src/bindings/unbound_versions.rs and build/driver_exports.txt from NVIDIA's headers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use build_script::driver_exports;
use build_script::surface::merge_header::read_embedded_surface;
use build_script::surface::model::CFunction;
use test_support::fetched_headers;
use test_support::layout::releases;

fn read_header(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns each macro that renames a function, with the function's symbol: `cuMemAlloc` with `cuMemAlloc_v2`.
fn versioned_macros(header: &str) -> BTreeMap<&str, &str> {
    let mut renamed = BTreeMap::new();
    for line in header.lines() {
        let mut words = line.trim().strip_prefix('#').unwrap_or_default().split_whitespace();
        let (Some("define"), Some(plain), Some(symbol), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let suffixed = ["__CUDA_API_PTDS(", "__CUDA_API_PTSZ("];
        let symbol =
            suffixed.iter().find_map(|name| symbol.strip_prefix(name)?.strip_suffix(')')).unwrap_or(symbol);
        let are_functions = [plain, symbol].iter().all(|name| name.starts_with("cu"));
        if are_functions && plain != symbol && !symbol.ends_with("_ptsz") {
            let other = renamed.insert(plain, symbol);
            assert!(other.is_none(), "{plain} is {symbol} and {other:?}");
        }
    }
    renamed
}

/// Returns unbound_versions.rs: the macros for functions that this crate does not bind. The macros for bound functions
/// are in `bindings::VERSIONED_SYMBOLS`.
pub fn unbound_versions(_: &str) -> String {
    let include = fetched_headers(releases::newest_release()).unwrap_or_else(|error| panic!("{error}"));
    let header = read_header(&include.join("cuda.h"));
    let mut others = versioned_macros(&header);
    let surface = read_embedded_surface().unwrap_or_else(|error| panic!("{error}"));
    for CFunction { name, macro_name, .. } in &surface.functions {
        // A name that this crate binds as a symbol means that symbol, even if a macro of cuda.h renames it.
        others.remove(&**name);
        if let Some(plain) = macro_name {
            assert_eq!(others.remove(&**plain), Some(&**name), "{plain}");
        }
    }
    let mut text = format!(
        "//! The macros of CUDA {}'s cuda.h for functions that this crate does not bind: each function's name without a\n\
         //! version, and the symbol that this name means. Generated: cargo run -p generator\n\n\
         pub const VERSIONED_SYMBOLS: &[(&str, &str)] = &[\n",
        releases::newest_release()
    );
    for (plain, symbol) in others {
        let _ = writeln!(text, "    (\"{plain}\", \"{symbol}\\0\"),");
    }
    text + "];\n"
}

/// Functions that drivers for Linux do not have (measured with the drivers 535 and 555).
const OTHER_SYSTEMS: [&str; 2] = ["cuEventCreateFromEGLSync", "cuWGLGetDevice"];

/// Returns driver_exports.txt. `PFN_cuMemcpyHtoD_v3020` means that a version of cuMemcpyHtoD came with CUDA 3.2.
pub fn driver_functions(_: &str) -> String {
    let newest = fetched_headers(releases::newest_release()).unwrap_or_else(|error| panic!("{error}"));
    let mut typed = BTreeMap::<String, BTreeSet<(&str, u32)>>::new();
    for header in ["cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaProfilerTypedefs.h"] {
        let text = read_header(&newest.join(header));
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let of_function = word.strip_prefix("PFN_").and_then(|word| word.split_once("_v"));
            let Some((name, rest)) = of_function.filter(|(name, _)| !OTHER_SYSTEMS.contains(name)) else {
                continue;
            };
            let form = ["_ptsz", "_ptds"].into_iter().find(|form| rest.ends_with(form)).unwrap_or_default();
            let Ok(release) = rest.trim_end_matches(form).parse() else { continue };
            typed.entry(name.to_owned()).or_default().insert((form, release));
        }
    }
    let mut untyped = BTreeSet::from_iter(driver_exports::driver_symbols().into_keys());
    for release in releases::all_releases() {
        let include = fetched_headers(release).unwrap_or_else(|error| panic!("{error}"));
        for entry in fs::read_dir(include).expect("a directory") {
            let path = entry.expect("an entry").path();
            if !path.display().to_string().contains("D3D") {
                untyped.extend(functions_in_header(&read_header(&path)));
            }
        }
    }
    let mut groups = BTreeMap::<String, Vec<&str>>::new();
    for (name, versions) in &typed {
        let plain =
            Vec::from_iter(versions.iter().filter(|(form, _)| form.is_empty()).map(|(_, since)| since));
        let group = versions.iter().map(|(form, release)| {
            let suffix = match plain.iter().filter(|since| **since <= release).count() {
                0 | 1 => (*form).to_owned(),
                version => format!("_v{version}{form}"),
            };
            untyped.remove(&format!("{name}{suffix}"));
            format!("{suffix}={release}")
        });
        groups.entry(Vec::from_iter(group).join(",")).or_default().push(&name["cu".len()..]);
    }
    groups.insert("=none".to_owned(), untyped.iter().map(|name| &name["cu".len()..]).collect());
    groups.iter().map(|(versions, names)| format!("{versions} {}\n", names.join(" "))).collect()
}

/// Returns the functions that a header declares or renames. NVIDIA's Python packages lack cudaProfiler.h, so the names
/// of the functions in cudaProfiler.h come from `PFN_` types.
fn functions_in_header(header: &str) -> BTreeSet<String> {
    let mut functions = BTreeSet::new();
    for (plain, symbol) in versioned_macros(header) {
        functions.extend([plain, symbol].map(str::to_owned));
    }
    let words =
        header.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut before = "";
    for word in words {
        let name = match before {
            "CUDAAPI" => Some(word.to_owned()),
            "__CUDA_API_PTDS" => Some(format!("{word}_ptds")),
            "__CUDA_API_PTSZ" => Some(format!("{word}_ptsz")),
            _ => word
                .strip_prefix("PFN_cuProfiler")
                .and_then(|rest| Some(format!("cuProfiler{}", rest.split_once("_v")?.0))),
        };
        functions.extend(name);
        before = word;
    }
    functions
        .retain(|name| name.starts_with("cu") && name.as_bytes().get(2).is_some_and(u8::is_ascii_uppercase));
    functions
}
