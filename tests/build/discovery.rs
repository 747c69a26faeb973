//! Where cuda.h is found, on fake file trees.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use test_support as support;

use crate::fake_tree::{ARM, FakeTree, LINUX, WINDOWS};
use crate::policy::Policy;
use crate::toolkit::environment::{INCLUDE_DIR, Role, VARIABLES};
use crate::toolkit::{GenerateError, OLDEST};

pub fn all() -> Vec<Trial> {
    support::tests! {
        [] => layouts, order_on_linux, order_on_windows, pkg_config_is_asked_only_in_its_turn, variables,
            own_variable_is_final, variables_that_disagree, same_file_is_tried_once, targets,
            watched_variables, policies, a_header_that_cannot_be_generated_from_is_passed_over,
            without_libclang_the_search_ends, broken_trees, names_that_are_not_utf8,
            relative_directories_of_path, unreadable_directories;
    }
}

/// What is in backquotes in a cell.
fn items(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The table in README.md.
fn layouts() {
    let rows =
        include_str!("README.md").lines().filter(|line| line.starts_with("| ") && line.contains(" | "));
    let rows: Vec<Vec<&str>> =
        rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect();
    let rows: Vec<_> = rows.iter().filter(|cells| cells.len() == 5 && cells[0] != "layout").collect();
    assert!(rows.len() > 40, "the table has {} rows", rows.len());
    for cells in rows {
        let [layout, files, environment, used, cross] = cells[..] else { unreachable!("five cells") };
        let mut tree = FakeTree::new(items(files).chain(items(environment)));
        assert_eq!(tree.outcome(), used.replace('`', ""), "{layout}");
        tree.target = if tree.host == ARM { LINUX } else { ARM }.to_owned();
        let cross = if cross == "same" { used } else { cross };
        assert_eq!(tree.outcome(), cross.replace('`', ""), "{layout}, cross-compiling");
    }
}

/// What is found, then what is found without that, and so on.
fn order(tree: &mut FakeTree) -> Vec<String> {
    let mut order = Vec::new();
    while let Some(toolkit) = tree.auto().toolkit {
        order.push(tree.shown(&format!("{}: {}", toolkit.found, toolkit.include.display())));
        fs::remove_file(toolkit.include.join("cuda.h")).expect("it was found");
        let own = toolkit.found.trim_start_matches("by ");
        if own.ends_with(INCLUDE_DIR) {
            tree.variables.remove(own);
        }
    }
    order
}

fn order_on_linux() {
    let mut tree = FakeTree::new([
        "CONDA_PREFIX = /conda",
        "VIRTUAL_ENV = /venv",
        "/first/bin/nvcc",
        "/second/bin/nvcc",
        "PATH = /empty:/first/bin:/second/bin",
        "pkg-config cuda = /pc/include /pc/more",
        "pkg-config cuda-12.6 = /pc/versioned",
    ]);
    let mut expected = Vec::new();
    for (name, role) in VARIABLES.iter().filter(|(_, role)| role.names_toolkit()) {
        for (prefix, at) in [("X86_64_UNKNOWN_LINUX_GNU_", "target"), ("", "all")] {
            let include = if *role == Role::IncludeDir { "" } else { "/include" };
            tree.add(&format!("{prefix}{name} = /{at}/{name}"));
            expected.push((at, *role, format!("by {prefix}{name}: /{at}/{name}{include}")));
        }
    }
    // This crate's own variables first; of each, the form for the target first.
    expected.sort_by_key(|(at, role, _)| (*role != Role::IncludeDir, *at != "target"));
    let mut expected: Vec<String> = expected.into_iter().map(|(_, _, line)| line).collect();
    let hpc = "/opt/nvidia/hpc_sdk/Linux_x86_64";
    let fixed = |path: &str| format!("in {path}: {path}/include");
    expected.extend(
        ["by CONDA_PREFIX: /conda/include", "by CONDA_PREFIX: /conda/targets/x86_64-linux/include"]
            .map(str::to_owned),
    );
    expected.extend(["/first", "/second"].map(|root| format!("by nvcc on PATH: {root}/include")));
    expected.extend(["/pc/include", "/pc/more"].map(|include| format!("by pkg-config (cuda): {include}")));
    expected.push("by pkg-config (cuda-12.6): /pc/versioned".to_owned());
    expected.push(fixed("/usr/local/cuda"));
    expected.push("in /usr/local/cuda: /usr/local/cuda/targets/x86_64-linux/include".to_owned());
    expected.extend(
        ["/opt/cuda", "/usr/local/cuda-13.0", "/usr/local/cuda-12.10", "/usr/local/cuda-12.9"].map(fixed),
    );
    expected.extend(
        ["24.11/cuda/12.6", "24.11/cuda/11.8", "24.11/cuda", "24.9/cuda/12.6"]
            .map(|path| fixed(&format!("{hpc}/{path}"))),
    );
    expected.extend(["/usr/include", "/usr/include/cuda"].map(|path| format!("in {path}: {path}")));
    expected.push(fixed("/usr/lib/cuda"));
    for (name, path) in [
        ("VIRTUAL_ENV", "/venv/lib/python3.12/site-packages/nvidia/cu13"),
        ("VIRTUAL_ENV", "/venv/lib/python3.12/site-packages/nvidia/cuda_runtime"),
        ("VIRTUAL_ENV", "/venv/lib/python3.9/site-packages/nvidia/cuda_runtime"),
        ("CONDA_PREFIX", "/conda/lib/python3.12/site-packages/nvidia/cuda_runtime"),
    ] {
        expected.push(format!("as a PyPI wheel in {name}: {path}/include"));
    }
    check_order(&mut tree, &expected);
}

fn order_on_windows() {
    let default = "/Program Files/NVIDIA GPU Computing Toolkit/CUDA";
    let mut tree = FakeTree::new([
        "HOST = x86_64-pc-windows-msvc",
        "CUDA_PATH = /path",
        "CUDA_HOME = /home",
        "CUDA_PATH_V12_9 = /v12.9",
        "CUDA_PATH_V12_10 = /v12.10",
        "CUDA_PATH_V_DRIVE = C",
        "CONDA_PREFIX = /conda",
        "VIRTUAL_ENV = /venv",
        "/nvcc/bin/x64/nvcc.exe",
        "PATH = /nvcc/bin/x64",
        // A Windows build does not look where Linux has it.
        "/usr/local/cuda/include/",
    ]);
    let mut expected = [
        "by CUDA_PATH: /path/include",
        "by CUDA_HOME: /home/include",
        "by CONDA_PREFIX: /conda/Library/include",
        "by CONDA_PREFIX: /conda/include",
        "by nvcc on PATH: /nvcc/include",
        "by CUDA_PATH_V12_10: /v12.10/include",
        "by CUDA_PATH_V12_9: /v12.9/include",
    ]
    .map(str::to_owned)
    .to_vec();
    expected.extend(
        ["v13.0", "v12.10", "v12.9"].map(|name| format!("in {default}/{name}: {default}/{name}/include")),
    );
    for (name, path) in [
        ("VIRTUAL_ENV", "/venv/Lib/site-packages/nvidia/cu13"),
        ("VIRTUAL_ENV", "/venv/Lib/site-packages/nvidia/cuda_runtime"),
        ("CONDA_PREFIX", "/conda/Lib/site-packages/nvidia/cu13"),
    ] {
        expected.push(format!("as a PyPI wheel in {name}: {path}/include"));
    }
    check_order(&mut tree, &expected);
}

/// Each line's header is there, and they are found in this order.
#[track_caller]
fn check_order(tree: &mut FakeTree, expected: &[String]) {
    for line in expected {
        let (_, include) = line.split_once(": ").expect("a line has an include directory");
        tree.add(&format!("{include}/cuda.h = 12.0"));
    }
    let order = order(tree);
    for (found, expected) in order.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(order.len(), expected.len());
}

fn pkg_config_is_asked_only_in_its_turn() {
    let mut tree = FakeTree::new([
        "/conda/include/cuda.h = 12.0",
        "/usr/local/cuda/include/cuda.h = 12.1",
        "CONDA_PREFIX = /conda",
    ]);
    tree.outcome();
    assert_eq!(tree.pkg_config_asked.get(), 0);
    tree.variables.clear();
    assert_eq!(tree.outcome(), "12.1 from /usr/local/cuda/include, found in /usr/local/cuda");
    assert_eq!(tree.pkg_config_asked.get(), 1);
}

/// A tree with a usable toolkit in /cuda and another in a fixed place.
const TWO: [&str; 4] = [
    "/cuda/include/cuda.h = 12.3",
    "/cuda/bin/nvcc",
    "/cuda/lib/python3.12/site-packages/nvidia/cu13/include/cuda.h = 13.1",
    "/usr/local/cuda/include/cuda.h = 11.7",
];
const FIXED: &str = "11.7 from /usr/local/cuda/include, found in /usr/local/cuda";

fn variables() {
    for (name, role) in VARIABLES {
        let target = format!("X86_64_UNKNOWN_LINUX_GNU_{name}");
        let other = format!("{}_{name}", ARM.to_uppercase().replace('-', "_"));
        let names: &[&str] = if role.names_toolkit() { &[name, &target] } else { &[name] };
        for name in names {
            let outcome = |value: &str| {
                let mut tree = FakeTree::new(TWO);
                tree.add(&format!("{name} = {value}"));
                tree.outcome()
            };
            let found = |include: &str, found: &str| format!("12.3 from {include}, found {found}");
            match role {
                Role::IncludeDir => {
                    assert_eq!(outcome("/cuda/include"), found("/cuda/include", &format!("by {name}")));
                    assert_eq!(outcome("/cuda/include/"), found("/cuda/include/", &format!("by {name}")));
                }
                Role::Root => {
                    for value in ["/cuda", "/cuda/", "/gone;/cuda", ";/cuda/bin;/cuda;/usr/local/cuda"] {
                        let outcome = outcome(value).replace("//", "/");
                        assert_eq!(outcome, found("/cuda/include", &format!("by {name}")), "{value}");
                    }
                    // A variable of another program that is wrong in any way is passed over.
                    for value in [
                        "/gone",
                        "/cuda/include/cuda.h",
                        "/usr/local",
                        "/gone;/usr",
                        "cuda",
                        "~/cuda",
                        "$HOME/cuda",
                        "12.9",
                    ] {
                        assert_eq!(outcome(value), format!("{FIXED}; passed over {name}={value}"));
                    }
                    assert_eq!(outcome(";"), FIXED);
                }
                Role::Conda => assert_eq!(outcome("/cuda"), found("/cuda/include", "by CONDA_PREFIX")),
                Role::Nvcc => assert_eq!(outcome("/cuda/bin"), found("/cuda/include", "by nvcc on PATH")),
                Role::Venv => assert_eq!(outcome("/cuda"), FIXED),
            }
            if role != Role::IncludeDir && !role.names_toolkit() {
                assert_eq!(outcome("/gone"), FIXED, "nothing to warn of: {name}");
            }
            if role != Role::Venv {
                assert_eq!(outcome(""), FIXED, "an empty {name} counts as unset");
            }
        }
        let mut tree = FakeTree::new(TWO);
        tree.add(&format!("{other} = /gone"));
        assert_eq!(tree.outcome(), FIXED, "{other} is another target's");
    }
    // The root is told to dependents.
    let root = |item: &str| {
        let mut tree = FakeTree::new(TWO);
        tree.add(item);
        let root = tree.auto().toolkit.expect("it is found").root;
        root.map(|root| tree.shown(root.to_str().expect("UTF-8")))
    };
    assert_eq!(root("CUDA_EXTERNAL_SYS_INCLUDE_DIR = /cuda/include").as_deref(), Some("/cuda"));
    assert_eq!(root("CUDA_HOME = /cuda").as_deref(), Some("/cuda"));
    assert_eq!(
        FakeTree::new(["/usr/include/cuda/cuda.h = 12.9"]).auto().toolkit.expect("it is found").root,
        None
    );
}

/// Nothing else is searched, and where it is wrong the build fails, whatever the policy.
fn own_variable_is_final() {
    for name in [INCLUDE_DIR.to_owned(), format!("X86_64_UNKNOWN_LINUX_GNU_{INCLUDE_DIR}")] {
        for (value, why) in [
            ("/gone", "no such directory"),
            ("/cuda", "no cuda.h in it"),
            ("/cuda/include/cuda.h", "not a directory"),
            ("/cuda/include;/gone", "no such directory"),
            ("cuda/include", "not an absolute path"),
            ("/old", "CUDA 11.6 is older than CUDA 11.7, the oldest supported release"),
            ("/refused", "clang says no"),
        ] {
            for policy in [Policy::Auto, Policy::Generate] {
                let mut tree = FakeTree::new(TWO);
                tree.add("/old/cuda.h = 11.6");
                tree.add("/refused/cuda.h = 12.8");
                tree.refused.insert("12.8".to_owned(), refuse);
                tree.add(&format!("{name} = {value}"));
                tree.add("CUDA_HOME = /cuda");
                let text = tree.failure(policy);
                let first = format!("{name} leads to no usable cuda.h.\n\n  ");
                assert!(text.starts_with(&first) && text.contains(&format!("  {why}\n")), "{text}");
            }
        }
    }
}

fn variables_that_disagree() {
    let mut tree = FakeTree::new(TWO);
    tree.add("CUDAToolkit_ROOT = /usr/local/cuda");
    tree.add("CUDA_HOME = /cuda");
    assert_eq!(
        tree.auto().warnings,
        ["CUDA_HOME=/cuda is used; it disagrees with CUDAToolkit_ROOT=/usr/local/cuda"]
    );
    tree.add("CUDA_ROOT = /gone");
    let warning =
        "CUDA_HOME=/cuda is used; it disagrees with CUDA_ROOT=/gone and CUDAToolkit_ROOT=/usr/local/cuda";
    assert_eq!(tree.auto().warnings, [warning]);
    // Three names of one cuda.h.
    let tree = FakeTree::new([
        "/cuda/include/cuda.h = 12.3",
        "/link -> /cuda",
        "/conda/targets/x86_64-linux/include/cuda.h -> /cuda/include/cuda.h",
        "CUDA_PATH = /link",
        "CUDA_HOME = /cuda/",
        "CUDA_TOOLKIT_ROOT_DIR = /gone;/conda",
    ]);
    assert_eq!(tree.auto().warnings, [""; 0]);
}

/// A header that many names lead to is one warning.
fn same_file_is_tried_once() {
    let tree = FakeTree::new([
        "/usr/local/cuda-11.4/include/cuda.h = 11.4",
        "/usr/local/cuda-11.4/bin/nvcc",
        "/usr/local/cuda -> /usr/local/cuda-11.4",
        "/usr/local/cuda-11.4/targets/x86_64-linux/include -> /usr/local/cuda-11.4/include",
        "CUDA_PATH = /usr/local/cuda",
        "CUDA_HOME = /usr/local/cuda-11.4",
        "CUDA_ROOT = /usr/local/cuda/",
        "PATH = /usr/local/cuda/bin",
        "pkg-config cuda = /usr/local/cuda-11.4/include",
    ]);
    let chosen = tree.auto();
    assert_eq!(chosen.warnings.len(), 1, "{:#?}", chosen.warnings);
    assert_eq!(chosen.headers, [tree.at("/usr/local/cuda/include/cuda.h")]);
    let text = tree.failure(Policy::Generate);
    // Each of its names is in the report.
    assert_eq!(text.matches(" looked at already").count(), 9, "{text}");
}

/// Other targets than those with directories of their own take the host's include directory.
fn targets() {
    for target in [
        ARM,
        WINDOWS,
        "x86_64-unknown-linux-musl",
        "aarch64-linux-android",
        "riscv64gc-unknown-linux-gnu",
        "aarch64-apple-darwin",
        "unknown",
    ] {
        let mut tree = FakeTree::new([
            "/usr/local/cuda/include/cuda.h = 12.1",
            "/usr/local/cuda/targets/ppc64le-linux/include/cuda.h = 12.2",
        ]);
        target.clone_into(&mut tree.target);
        assert_eq!(tree.outcome(), "12.1 from /usr/local/cuda/include, found in /usr/local/cuda", "{target}");
    }
}

/// All that is read is watched, but PATH; and the forms that libclang's and pkg-config's callers read.
fn watched_variables() {
    let mut tree =
        FakeTree::new(["HOST = x86_64-pc-windows-msvc", "CUDA_PATH_V12_9 = /gone", "CUDA_PATH_V_DRIVE = C"]);
    let watched = tree.watched();
    tree.outcome();
    let read = tree.read.take();
    assert!(read.len() > VARIABLES.len());
    for name in read {
        assert_eq!(watched.contains(&name), name != "PATH", "{name}");
    }
    assert!(watched.contains(&"CUDA_PATH_V12_9".to_owned()));
    // A triple may have dots.
    tree.target = "thumbv8m.main-none-eabihf".to_owned();
    let watched = tree.watched();
    for name in [
        "THUMBV8M_MAIN_NONE_EABIHF_CUDA_HOME",
        "BINDGEN_EXTRA_CLANG_ARGS_thumbv8m.main-none-eabihf",
        "BINDGEN_EXTRA_CLANG_ARGS_thumbv8m.main_none_eabihf",
        "TARGET_PKG_CONFIG_PATH",
        "PKG_CONFIG_LIBDIR_thumbv8m.main_none_eabihf",
    ] {
        assert!(watched.iter().any(|watched| watched == name), "{name}: {watched:#?}");
    }
}

fn policies() {
    let parse = |value: &str| Policy::parse(Some(OsStr::new(value)));
    assert_eq!(Policy::parse(None), Ok(Policy::Auto));
    assert_eq!(parse(""), Ok(Policy::Auto));
    assert_eq!(parse("auto"), Ok(Policy::Auto));
    assert_eq!(parse("generate"), Ok(Policy::Generate));
    assert_eq!(parse("embedded"), Ok(Policy::Embedded));
    for value in [&b"never"[..], b"Auto", b" auto", b"\xFF", b"0"] {
        let error = Policy::parse(Some(OsStr::from_bytes(value))).expect_err("it is not a policy");
        assert!(error.contains("It must be one of:"), "{error}");
    }
}

fn refuse() -> GenerateError {
    GenerateError::Header { why: "clang says no".to_owned(), output: "cuda.h:1: error: no".to_owned() }
}

fn a_header_that_cannot_be_generated_from_is_passed_over() {
    let mut tree = FakeTree::new([
        "/a/include/cuda.h = 12.0",
        "CUDA_HOME = /a",
        "/opt/cuda/include/cuda.h = 12.5",
        "/usr/include/cuda.h = 12.6",
    ]);
    assert_eq!(tree.auto().tried, ["12.0"]);
    for version in ["12.0", "12.5", "12.6"] {
        tree.refused.insert(version.to_owned(), refuse);
    }
    let chosen = tree.auto();
    assert_eq!(chosen.tried, ["12.0", "12.5", "12.6"]);
    assert_eq!(
        chosen.source,
        "embedded: passed over /a/include/cuda.h, found by CUDA_HOME: clang says no; \
         passed over /opt/cuda/include/cuda.h, found in /opt/cuda: clang says no; \
         passed over /usr/include/cuda.h, found in /usr/include: clang says no"
    );
    tree.refused.remove("12.6");
    let chosen = tree.auto();
    assert_eq!(chosen.source, "generated from CUDA 12.6, found in /usr/include");
    assert_eq!(
        chosen.warnings,
        [
            "passed over /a/include/cuda.h, found by CUDA_HOME: clang says no; using CUDA 12.6, found in /usr/include",
            "passed over /opt/cuda/include/cuda.h, found in /opt/cuda: clang says no; using CUDA 12.6, found in \
             /usr/include (CUDA_EXTERNAL_SYS_BINDINGS=embedded silences this warning, generate fails with details)",
        ]
    );
    // All of them are watched: one that is corrected is used at once.
    assert_eq!(
        chosen.headers,
        ["/a/include", "/opt/cuda/include", "/usr/include"].map(|path| tree.at(path).join("cuda.h"))
    );
}

fn without_libclang_the_search_ends() {
    let mut tree = FakeTree::new(TWO);
    tree.add("CUDA_HOME = /cuda");
    fn missing() -> GenerateError {
        let why = "bindgen found no libclang to read it with".to_owned();
        GenerateError::Clang { why, output: "no libclang.so".to_owned() }
    }
    tree.refused.insert("12.3".to_owned(), missing);
    tree.refused.insert("11.7".to_owned(), missing);
    let chosen = tree.auto();
    assert_eq!(chosen.tried, ["12.3"], "no other header can be read either");
    assert_eq!(
        chosen.source,
        "embedded: passed over /cuda/include/cuda.h, found by CUDA_HOME: bindgen found no libclang to read it with"
    );
    assert_eq!(chosen.warnings.len(), 1);
    // The variable is right: that libclang is missing is not its fault.
    tree.add("CUDA_EXTERNAL_SYS_INCLUDE_DIR = /cuda/include");
    assert_eq!(tree.auto().warnings.len(), 1);
    assert!(tree.failure(Policy::Generate).starts_with("bindgen can read no cuda.h."));
}

/// What is there and cannot be used is passed over with a warning that says why; what is not there is no warning.
fn broken_trees() {
    let usable = "/usr/lib/cuda/include/cuda.h = 12.0";
    let found = "12.0 from /usr/lib/cuda/include, found in /usr/lib/cuda";
    let cases: [(&[&str], &str); 11] = [
        (&["/usr/local/cuda -> /usr/local/cuda-12.0"], ""),
        (&["/opt/cuda/include -> targets/x86_64-linux/include"], ""),
        (&["/opt/cuda/include/"], ""),
        (&["/opt/cuda"], ""),
        (&["/opt/nvidia/hpc_sdk"], ""),
        (&["/usr/local"], ""),
        (&["/usr/include/cuda.h -> gone.h"], "cuda.h is a link to gone.h, which does not exist"),
        (&["/opt/cuda/include/cuda.h/"], "cuda.h is not a file"),
        (&["/opt/cuda/include/cuda.h"], "cuda.h does not define CUDA_VERSION"),
        (&["/opt/cuda/include/cuda.h -> cuda.h"], "cuda.h: Too many levels of symbolic links (os error 40)"),
        (&["/usr/local/cuda -> cuda"], "Too many levels of symbolic links (os error 40)"),
    ];
    for (items, why) in cases {
        let mut tree = FakeTree::new(items.iter().copied());
        tree.add(usable);
        let warnings = tree.auto().warnings;
        match &warnings[..] {
            [] => assert_eq!(why, "", "{items:?}"),
            [warning] => {
                assert!(warning.contains(&format!(": {why}; using CUDA 12.0")), "{items:?}: {warning}")
            }
            _ => panic!("{warnings:#?}"),
        }
        assert!(tree.outcome().starts_with(found), "{items:?}");
    }
    // One that is corrected is used at once, so it is watched.
    let tree = FakeTree::new(["/opt/cuda/include/cuda.h"]);
    assert_eq!(tree.auto().headers, [tree.at("/opt/cuda/include/cuda.h")]);
    // A device is not read.
    let tree = FakeTree::new(["/opt/cuda/include/"]);
    symlink("/dev/zero", tree.at("/opt/cuda/include/cuda.h")).expect("a link");
    assert!(tree.auto().warnings[0].contains("cuda.h is not a file"));
    // The oldest release that is used.
    assert_eq!(OLDEST.to_string(), "11.7");
    for (release, used) in [("11.6", false), ("11.7", true), ("10.2", false), ("14.0", true)] {
        let tree = FakeTree::new([format!("/opt/cuda/include/cuda.h = {release}").as_str()]);
        assert_eq!(tree.auto().toolkit.is_some(), used, "{release}");
    }
    // Paths longer than the system allows, in variables.
    let long = format!("/{}", ["b".repeat(200).as_str(); 40].join("/"));
    for name in ["CUDA_HOME", "CONDA_PREFIX", "PATH", "VIRTUAL_ENV"] {
        let mut tree = FakeTree::new([usable]);
        tree.variables.insert(name.to_owned(), long.clone().into());
        let warnings = tree.auto().warnings.join("\n");
        assert_eq!(
            warnings.contains("File name too long"),
            matches!(name, "CUDA_HOME" | "CONDA_PREFIX"),
            "{warnings}"
        );
        assert!(tree.outcome().starts_with(found), "{name}");
    }
}

fn names_that_are_not_utf8() {
    // libclang takes no such path, and cargo cannot be told of it.
    for name in [&b"caf\xE9 \xFF"[..], b"line\nbreak"] {
        let mut tree = FakeTree::new(["/usr/include/cuda.h = 12.0"]);
        let root = tree.at("/").join(OsStr::from_bytes(name));
        fs::create_dir_all(root.join("include")).expect("a directory");
        fs::create_dir_all(root.join("bin")).expect("a directory");
        fs::write(root.join("include/cuda.h"), crate::fake_tree::cuda_h("12.2")).expect("a file");
        fs::write(root.join("bin/nvcc"), b"").expect("a file");
        let mut path = root.join("bin").into_os_string();
        path.push(OsStr::from_bytes(b":/\xFE\xFF"));
        for (variable, value) in [("CUDA_HOME", OsString::from(&root)), ("PATH", path)] {
            tree.variables.insert(variable.to_owned(), value);
            let chosen = tree.auto();
            assert_eq!(chosen.source, "generated from CUDA 12.0, found in /usr/include");
            let why = if name.is_ascii() { "contains a control character" } else { "is not valid UTF-8" };
            assert!(chosen.warnings[0].contains(why), "{:?}", chosen.warnings);
            assert_eq!(chosen.headers, [tree.at("/usr/include/cuda.h")], "cargo could not watch the other");
            tree.variables.clear();
        }
        tree.variables.insert(INCLUDE_DIR.to_owned(), root.join("include").into());
        tree.failure(Policy::Auto);
    }
    let tree = FakeTree::new(["/usr/local/cuda-12.0/include/cuda.h = 12.0"]);
    fs::create_dir(tree.at("/usr/local").join(OsStr::from_bytes(b"cuda-13.\xFF"))).expect("a directory");
    assert_eq!(tree.outcome(), "12.0 from /usr/local/cuda-12.0/include, found in /usr/local/cuda-12.0");
}

/// A build script runs in its package's directory, so a relative directory is another than the user's.
fn relative_directories_of_path() {
    let mut tree = FakeTree::new(["/cuda/include/cuda.h = 12.0", "/cuda/bin/nvcc"]);
    let up = "../".repeat(std::env::current_dir().expect("it has one").components().count());
    let relative = PathBuf::from(up).join(tree.at("/cuda/bin").strip_prefix("/").expect("it is absolute"));
    assert!(relative.join("nvcc").exists());
    tree.variables.insert("PATH".to_owned(), relative.into());
    assert_eq!(tree.outcome(), "embedded");
}

/// Root may read everything, so for root the test runs once more as nobody.
fn unreadable_directories() {
    let tree = FakeTree::new([
        "/usr/local/cuda/include/cuda.h = 12.0",
        "/home/me/cuda/include/cuda.h = 12.0",
        "/opt/cuda/include/cuda.h = 12.0",
        "/opt/nvidia/hpc_sdk/Linux_x86_64/",
        "/usr/include/cuda.h = 12.1",
        "CUDA_HOME = /home/me/cuda",
    ]);
    let closed =
        ["/usr/local/cuda", "/home/me/cuda", "/opt/cuda/include/cuda.h", "/opt/nvidia/hpc_sdk/Linux_x86_64"];
    let closed = closed.map(|path| tree.at(path));
    let set = |mode| {
        for path in &closed {
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("they are ours");
        }
    };
    set(0o000);
    if fs::read_dir(&closed[0]).is_ok() {
        set(0o755);
        return as_nobody();
    }
    let chosen = tree.auto();
    let message = tree.failure(Policy::Generate);
    // So that the directory can be removed.
    set(0o755);
    assert_eq!(chosen.source, "generated from CUDA 12.1, found in /usr/include");
    for place in
        ["/home/me/cuda/include/cuda.h", "/usr/local/cuda/include/cuda.h", "/opt/cuda/include/cuda.h"]
    {
        let part = format!("passed over {place}, found");
        assert!(
            chosen
                .warnings
                .iter()
                .any(|warning| warning.contains(&part) && warning.contains("Permission denied")),
            "{part}: {:#?}",
            chosen.warnings
        );
    }
    let message: Vec<&str> = message.split_whitespace().collect();
    assert!(
        message.join(" ").contains(" /opt/nvidia/hpc_sdk/Linux_x86_64/* Permission denied (os error 13) ")
    );
}

fn as_nobody() {
    // nobody may not search the directories above the program, but may run it by this name.
    let output = Command::new(Path::new("/proc/self/exe"))
        .args(["--exact", "discovery::unreadable_directories"])
        .env("TMPDIR", "/tmp")
        .env_remove("CUDA_EXTERNAL_SYS_REQUIRE")
        .current_dir("/")
        .gid(65534)
        .uid(65534)
        .output()
        .expect("root can become nobody");
    let text = support::told(&output);
    assert!(output.status.success() && text.contains("1 passed"), "as nobody: {text}");
}
