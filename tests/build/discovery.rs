//! Where cuda.h is found, on fake file trees.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::thread;

use libtest_mimic::Trial;
use test_support as support;

use crate::fake_tree::{ARM, FakeTree, LINUX, cuda_h};
use crate::policy::Policy;
use crate::toolkit::environment::{INCLUDE_DIR, Role, VARIABLES};

pub fn all() -> Vec<Trial> {
    support::tests! {
        [] => layouts, what_cannot_be_used_is_passed_over, order_on_linux, order_on_windows, variables,
            other_targets, watched_variables, a_header_that_cannot_be_generated_from_is_passed_over,
            names_that_are_not_utf8, relative_directories_of_path;
    }
}

/// The rows of the table in README.md that has these columns.
fn table<const COLUMNS: usize>(first: &str) -> Vec<[&'static str; COLUMNS]> {
    let lines =
        include_str!("README.md").lines().skip_while(|line| !line.starts_with(&format!("| {first} |")));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |row: &'static str| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    rows.map(|row| cells(row).try_into().unwrap_or_else(|_| panic!("{row}"))).collect()
}

/// What is in backquotes in a cell.
fn items(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn layouts() {
    let rows = table("layout");
    assert!(rows.len() > 50, "{} layouts", rows.len());
    for [layout, files, environment, used, cross] in rows {
        let mut tree = FakeTree::new(items(files).chain(items(environment)));
        assert_eq!(tree.outcome(), used.replace('`', ""), "{layout}");
        tree.target = if tree.host == ARM { LINUX } else { ARM }.to_owned();
        let cross = if cross == "same" { used } else { cross };
        assert_eq!(tree.outcome(), cross.replace('`', ""), "{layout}, cross-compiling");
    }
}

/// Root may read everything, so this runs as nobody, in a thread of its own.
fn what_cannot_be_used_is_passed_over() {
    let as_nobody = || {
        // SAFETY: the function takes a number, and changes the calling thread if that is root's.
        unsafe { libc::setfsuid(65534) };
        rows_that_are_passed_over();
    };
    thread::spawn(as_nobody).join().expect("every row is as expected");
}

fn rows_that_are_passed_over() {
    let rows = table("besides");
    assert!(rows.len() > 20, "{} rows", rows.len());
    for [besides, warning] in rows {
        let mut tree = FakeTree::new(items(besides));
        tree.add("/usr/lib/cuda/include/cuda.h = 12.0");
        let chosen = tree.auto();
        assert_eq!(chosen.source, "generated from CUDA 12.0, found in /usr/lib/cuda", "{besides}");
        let warned = chosen.warnings.iter().filter_map(|text| text.strip_prefix("passed over "));
        let warned = warned.filter_map(|text| Some(text.split_once("; using CUDA 12.0, ")?.0));
        assert_eq!(warned.collect::<Vec<_>>().join("; "), warning.replace('`', ""), "{besides}");
    }
}

/// Makes a header in each place and removes the one that is found, until none is left. A place is a line: how it is found,
/// and its include directories where they are not `include` below it.
fn check_order(tree: &mut FakeTree, places: &[String]) {
    let places = places.iter().flat_map(|line| match line.split_once(": ") {
        Some((found, includes)) => includes.split(' ').map(|include| format!("{found}: {include}")).collect(),
        None => vec![format!("{line}: {}/include", line.trim_start_matches("in "))],
    });
    let places: Vec<String> = places.collect();
    for place in &places {
        tree.add(&format!("{}/cuda.h = 12.0", place.split_once(": ").expect("a place has a path").1));
    }
    let is_pkg_config = |place: &String| place.contains("pkg-config");
    let pkg_configs_turn = places.iter().position(is_pkg_config).expect("it has packages");
    for (at, place) in places.iter().enumerate() {
        let found = tree.auto().toolkit.unwrap_or_else(|| panic!("{place} is not found"));
        assert_eq!(tree.shown(&format!("{}: {}", found.found, found.include.display())), *place);
        assert_eq!(tree.pkg_config_asked.take(), u32::from(at >= pkg_configs_turn), "{place}");
        let root = place.split_once(": ").and_then(|(_, include)| include.strip_suffix("/include"));
        let root = root.map(|root| tree.at(root.trim_end_matches("/targets/x86_64-linux")));
        assert_eq!(found.root, root, "{place}");
        fs::remove_file(found.include.join("cuda.h")).expect("it was found");
        // This crate's own variable ends the search.
        tree.variables
            .retain(|name, _| !(name.ends_with(INCLUDE_DIR) && place.starts_with(&format!("by {name}:"))));
    }
    assert_eq!(tree.outcome().split(';').next(), Some("embedded"));
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
    let mut places = Vec::new();
    // This crate's own variables first; of each, the form for the target first.
    for (role, include) in [(Role::IncludeDir, ""), (Role::Root, "/include")] {
        for form in ["X86_64_UNKNOWN_LINUX_GNU_", ""] {
            for (name, _) in VARIABLES.iter().filter(|(_, its)| *its == role) {
                tree.add(&format!("{form}{name} = /{form}{name}"));
                places.push(format!("by {form}{name}: /{form}{name}{include}"));
            }
        }
    }
    places.extend([
        "by CONDA_PREFIX: /conda/include /conda/targets/x86_64-linux/include",
        "by nvcc on PATH: /first/include /second/include",
        "by pkg-config (cuda): /pc/include /pc/more",
        "by pkg-config (cuda-12.6): /pc/versioned",
        "in /usr/local/cuda: /usr/local/cuda/include /usr/local/cuda/targets/x86_64-linux/include",
        "in /opt/cuda",
        "in /usr/local/cuda-13.0",
        "in /usr/local/cuda-12.10",
        "in /usr/local/cuda-12.9",
        "in /opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/12.6",
        "in /opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/11.8",
        "in /opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda",
        "in /opt/nvidia/hpc_sdk/Linux_x86_64/24.9/cuda/12.6",
        "in /usr/include: /usr/include",
        "in /usr/include/cuda: /usr/include/cuda",
        "in /usr/lib/cuda",
        "as a PyPI wheel in VIRTUAL_ENV: /venv/lib/python3.12/site-packages/nvidia/cu13/include",
        "as a PyPI wheel in VIRTUAL_ENV: /venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include",
        "as a PyPI wheel in VIRTUAL_ENV: /venv/lib/python3.9/site-packages/nvidia/cuda_runtime/include",
        "as a PyPI wheel in CONDA_PREFIX: /conda/lib/python3.12/site-packages/nvidia/cuda_runtime/include",
    ].map(str::to_owned));
    check_order(&mut tree, &places);
}

fn order_on_windows() {
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
        "pkg-config cuda = /pc",
        // A Windows build does not look where Linux has it.
        "/usr/local/cuda/include/cuda.h = 12.0",
    ]);
    let places = [
        "by CUDA_PATH: /path/include",
        "by CUDA_HOME: /home/include",
        "by CONDA_PREFIX: /conda/Library/include /conda/include",
        "by nvcc on PATH: /nvcc/include",
        "by pkg-config (cuda): /pc",
        "by CUDA_PATH_V12_10: /v12.10/include",
        "by CUDA_PATH_V12_9: /v12.9/include",
        "in /Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0",
        "in /Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.10",
        "in /Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.9",
        "as a PyPI wheel in VIRTUAL_ENV: /venv/Lib/site-packages/nvidia/cu13/include",
        "as a PyPI wheel in VIRTUAL_ENV: /venv/Lib/site-packages/nvidia/cuda_runtime/include",
        "as a PyPI wheel in CONDA_PREFIX: /conda/Lib/site-packages/nvidia/cu13/include",
    ]
    .map(str::to_owned);
    check_order(&mut tree, &places);
}

/// Each variable with what leads to a toolkit, with nothing, with what leads nowhere, and in another target's form.
fn variables() {
    let tree = |item: String| {
        FakeTree::new([
            "/cuda/include/cuda.h = 12.3",
            "/cuda/bin/nvcc",
            "/usr/local/cuda/include/cuda.h = 11.7",
            &item,
        ])
    };
    let fixed = "11.7 from /usr/local/cuda/include, found in /usr/local/cuda";
    for (name, role) in VARIABLES {
        let (values, found): (&[&str], _) = match role {
            Role::IncludeDir => (&["/cuda/include"], None),
            Role::Root => (&["/cuda", "/cuda/", "/gone;/cuda", ";/cuda/bin;/cuda;/usr/local/cuda"], None),
            Role::Conda => (&["/cuda"], None),
            Role::Nvcc => (&["/cuda/bin"], Some("nvcc on PATH")),
            // Wheels come last; the table of layouts has them.
            Role::Venv => (&[], None),
        };
        for form in ["", "X86_64_UNKNOWN_LINUX_GNU_", "AARCH64_UNKNOWN_LINUX_GNU_"] {
            let name = format!("{form}{name}");
            let outcome = |value: &str| tree(format!("{name} = {value}")).outcome().replace("//", "/");
            let is_read = form.is_empty() || form.starts_with("X86") && role.names_toolkit();
            for value in values.iter().filter(|_| is_read) {
                let found = found.unwrap_or(&name);
                assert_eq!(
                    outcome(value),
                    format!("12.3 from /cuda/include, found by {found}"),
                    "{name}={value}"
                );
            }
            assert_eq!(outcome(""), fixed, "an empty {name} counts as unset");
            if role != Role::IncludeDir || !is_read {
                let is_warned = is_read && role == Role::Root;
                let warning = if is_warned { format!("; passed over {name}=/gone") } else { String::new() };
                assert_eq!(outcome("/gone"), format!("{fixed}{warning}"), "{name}");
            }
        }
    }
}

/// Other targets than those with directories of their own take the host's include directory.
fn other_targets() {
    let targets =
        "x86_64-pc-windows-msvc x86_64-unknown-linux-musl aarch64-linux-android aarch64-apple-darwin none";
    for target in targets.split(' ') {
        let mut tree = FakeTree::new([
            "/usr/local/cuda/include/cuda.h = 12.1",
            "/usr/local/cuda/targets/ppc64le-linux/include/cuda.h = 12.2",
        ]);
        tree.add(&format!("TARGET = {target}"));
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
    assert!(read.len() > VARIABLES.len() && read.contains("CUDA_PATH_V12_9"));
    for name in read {
        assert_eq!(watched.contains(&name), name != "PATH", "{name}");
    }
    // A triple may have dots.
    tree.add("TARGET = thumbv8m.main-none-eabihf");
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

/// One after the other is tried. All are watched, so one that is corrected is used at once.
fn a_header_that_cannot_be_generated_from_is_passed_over() {
    let mut tree = FakeTree::new([
        "/a/include/cuda.h = 12.0",
        "CUDA_HOME = /a",
        "/usr/local/cuda/include/cuda.h",
        "/opt/cuda/include/cuda.h = 12.5",
        "/usr/include/cuda.h = 12.6",
    ]);
    let headers = ["/a", "/usr/local/cuda", "/opt/cuda", "/usr"].map(|root| format!("{root}/include/cuda.h"));
    for (tried, unreadable) in [(1, "12.0"), (2, "12.5"), (3, "12.6")] {
        let chosen = tree.auto();
        assert_eq!(chosen.tried, ["12.0", "12.5", "12.6"][..tried]);
        assert_eq!(chosen.headers, headers[..if tried == 1 { 1 } else { tried + 1 }]);
        assert_eq!(chosen.toolkit.expect("the next is used").version.to_string(), chosen.tried[tried - 1]);
        tree.add(&format!("unreadable {unreadable}"));
    }
    let chosen = tree.auto();
    assert_eq!((chosen.tried.len(), chosen.warnings.len()), (3, 4));
    assert!(
        chosen
            .source
            .starts_with("embedded: passed over /a/include/cuda.h, found by CUDA_HOME: bindgen cannot ")
    );
    // Without libclang no other header can be read either.
    tree.add("no libclang");
    assert_eq!(tree.auto().tried, ["12.0"]);
}

/// libclang takes no such path, and cargo cannot be told of it.
fn names_that_are_not_utf8() {
    for (name, why) in
        [(&b"caf\xE9 \xFF"[..], "is not valid UTF-8"), (b"line\nbreak", "contains a control character")]
    {
        let mut tree = FakeTree::new(["/usr/include/cuda.h = 12.0", "/usr/local/"]);
        let root = tree.at("/").join(OsStr::from_bytes(name));
        for (directory, file, text) in [("include", "cuda.h", cuda_h("12.2")), ("bin", "nvcc", String::new())]
        {
            fs::create_dir_all(root.join(directory)).expect("a directory");
            fs::write(root.join(directory).join(file), text).expect("a file");
        }
        fs::create_dir(tree.at("/usr/local").join(OsStr::from_bytes(b"cuda-13.\xFF"))).expect("a directory");
        let path = [root.join("bin").as_os_str(), OsStr::from_bytes(b"/\xFE\xFF")].join(OsStr::new(":"));
        for (variable, value) in [("CUDA_HOME", OsString::from(&root)), ("PATH", path)] {
            tree.set(variable, value);
            let chosen = tree.auto();
            assert_eq!(chosen.source, "generated from CUDA 12.0, found in /usr/include");
            assert!(chosen.warnings[0].contains(why), "{:?}", chosen.warnings);
            assert_eq!(chosen.headers, ["/usr/include/cuda.h"], "cargo could not watch the other");
            tree.variables.clear();
        }
        tree.set(INCLUDE_DIR, root.join("include"));
        tree.failure(Policy::Auto);
    }
}

/// A build script runs in its package's directory, so a relative directory is another than the user's.
fn relative_directories_of_path() {
    let mut tree = FakeTree::new(["/cuda/include/cuda.h = 12.0", "/cuda/bin/nvcc"]);
    let above = std::env::current_dir().expect("it has one").components().map(|_| "..").collect::<Vec<_>>();
    let relative = format!("{}{}", above.join("/"), tree.at("/cuda/bin").display());
    assert!(fs::exists(format!("{relative}/nvcc")).expect("it can be looked for"));
    tree.set("PATH", relative);
    assert_eq!(tree.outcome(), "embedded");
}
