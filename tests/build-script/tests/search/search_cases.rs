//! Where cuda.h is found on fake machines, and what a build says there.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use build_script::toolkit;
use build_script::toolkit::cuda_header::version_in;
use build_script::toolkit::environment::{INCLUDE_DIR, VARIABLES, VariableRole};

use crate::fake_tree::{ARM, FakeTree, LINUX, cuda_h};
use build_script::policy::Policy;

/// A block of a data file. Blank lines separate blocks, and `#` begins a comment.
struct TextBlock {
    text: &'static str,
}

impl TextBlock {
    fn all_blocks(file: &'static str) -> Vec<Self> {
        let blocks = file.split("\n\n").map(str::trim_end).filter(|text| !text.starts_with('#'));
        blocks.map(|text| Self { text }).collect()
    }

    /// The indented lines: files and variables.
    fn indented_lines(&self) -> impl Iterator<Item = &'static str> {
        self.text.lines().filter_map(|line| line.strip_prefix("  "))
    }

    fn line_starting_with(&self, word: &str) -> Option<&'static str> {
        self.text.lines().find_map(|line| line.strip_prefix(word))
    }
}

#[test]
fn layouts() {
    let layouts = TextBlock::all_blocks(include_str!("layouts.txt"));
    assert!(layouts.len() >= 15, "{} layouts", layouts.len());
    for layout in layouts {
        let mut tree = FakeTree::new(layout.indented_lines());
        let used =
            layout.line_starting_with("used: ").unwrap_or_else(|| panic!("nothing is used: {}", layout.text));
        assert_eq!(tree.outcome_text(), used, "{}", layout.text);
        tree.target = if tree.host == ARM { LINUX } else { ARM }.to_owned();
        assert_eq!(
            tree.outcome_text(),
            layout.line_starting_with("cross: ").unwrap_or(used),
            "cross-compiling: {}",
            layout.text
        );
    }
}

#[test]
fn what_cannot_be_used_is_passed_over() {
    let blocks = TextBlock::all_blocks(include_str!("passed_over.txt"));
    assert!(blocks.len() > 12, "{} blocks", blocks.len());
    for block in blocks {
        let mut tree = FakeTree::new(block.indented_lines());
        tree.add_item("/usr/lib/cuda/include/cuda.h = 12.0");
        let chosen = tree.search_automatically();
        assert_eq!(chosen.source, "generated from CUDA 12.0, found in /usr/lib/cuda", "{}", block.text);
        let warned = chosen.warnings.iter().filter_map(|text| text.strip_prefix("passed over "));
        let warned = warned.filter_map(|text| Some(text.split_once("; using CUDA 12.0, ")?.0));
        let warning = block.line_starting_with("warning: ").unwrap_or_default();
        assert_eq!(warned.collect::<Vec<_>>().join("; "), warning, "{}", block.text);
    }
}

/// The places of a list, after those that the test adds. The test makes a header in each, and removes the one that is
/// found until none is left. A place is a line: how it is found, and its include directories if they are not
/// `include` below it.
fn assert_order(tree: &mut FakeTree, list: &str, mut places: Vec<String>) {
    for line in list.lines() {
        match line.split_once(": ") {
            Some((found, includes)) => {
                places.extend(includes.split(' ').map(|include| format!("{found}: {include}")))
            }
            None => places.push(format!("{line}: {}/include", line.trim_start_matches("in "))),
        }
    }
    assert!(places.len() > 12, "{places:#?}");
    for place in &places {
        tree.add_item(&format!("{}/cuda.h = 12.0", place.split_once(": ").expect("a place has a path").1));
    }
    let is_pkg_config = |place: &String| place.contains("pkg-config");
    let pkg_configs_turn = places.iter().position(is_pkg_config).expect("it has packages");
    for (at, place) in places.iter().enumerate() {
        let found = tree.search_automatically().toolkit.unwrap_or_else(|| panic!("{place} is not found"));
        assert_eq!(
            tree.without_tree_root(&format!("{}: {}", found.found_by, found.include.display())),
            *place
        );
        assert_eq!(!tree.asked.take().is_empty(), at >= pkg_configs_turn, "{place}");
        let root = place.split_once(": ").and_then(|(_, include)| include.strip_suffix("/include"));
        let root = root.map(|root| tree.real_path(root.trim_end_matches("/targets/x86_64-linux")));
        assert_eq!(found.root, root, "{place}");
        fs::remove_file(found.include.join("cuda.h")).expect("it was found");
        // This crate's own variable ends the search.
        let (found, _) = place.split_once(": ").expect("a place has a path");
        tree.variables.retain(|name, _| !name.ends_with(INCLUDE_DIR) || found != format!("by {name}"));
    }
    // A variable that names a toolkit leads to none now.
    let names = VARIABLES.iter().filter(|(_, role)| *role == VariableRole::Root).map(|(name, _)| *name);
    let named = names.map(|name| places.iter().filter(|place| place.contains(&format!("{name}: "))).count());
    let chosen = tree.search_automatically();
    assert_eq!(chosen.warnings.len(), named.sum::<usize>(), "{:#?}", chosen.warnings);
    assert!(chosen.toolkit.is_none());
}

#[test]
fn order_on_linux() {
    let mut tree = FakeTree::new([
        "CONDA_PREFIX = /conda",
        "VIRTUAL_ENV = /venv",
        "/first/bin/nvcc",
        "/second/bin/nvcc",
        "PATH = /empty:/first/bin:/second/bin",
        "pkg-config cuda = /pc/include /pc/more",
        "pkg-config cudart = /pc/runtime",
    ]);
    // This crate's own variables first; of each, the form for the target first.
    let mut places = Vec::new();
    for (role, named) in [(VariableRole::IncludeDir, "/include"), (VariableRole::Root, "")] {
        for form in ["X86_64_UNKNOWN_LINUX_GNU_", ""] {
            for (name, _) in VARIABLES.iter().filter(|(_, its)| *its == role) {
                tree.add_item(&format!("{form}{name} = /{form}{name}{named}"));
                places.push(format!("by {form}{name}: /{form}{name}/include"));
            }
        }
    }
    assert_order(&mut tree, include_str!("order_on_linux.txt"), places);
}

/// Cargo runs the script again when a variable that was read changes, except for PATH. The forms that libclang's and
/// pkg-config's callers read are included.
#[test]
fn rerun_variables() {
    let tree =
        FakeTree::new(["HOST = x86_64-pc-windows-msvc", "CUDA_PATH_V12_9 = /gone", "CUDA_PATH_V_DRIVE = C"]);
    let variables = tree.with_environment(toolkit::rerun_variables);
    tree.outcome_text();
    let read = tree.read.take();
    assert!(read.len() > VARIABLES.len() && read.contains("CUDA_PATH_V12_9"));
    for name in read {
        assert_eq!(variables.contains(&name), name != "PATH", "{name}");
    }
    for name in [
        "X86_64_PC_WINDOWS_MSVC_CUDA_HOME",
        "BINDGEN_EXTRA_CLANG_ARGS_x86_64-pc-windows-msvc",
        "PKG_CONFIG_LIBDIR",
    ] {
        assert!(variables.iter().any(|variable| variable == name), "{name}: {variables:#?}");
    }
}

/// The toolkits are tried one after the other. All are watched, so one that is corrected is used at once.
#[test]
fn a_header_that_cannot_be_generated_from_is_passed_over() {
    let mut tree = FakeTree::new([
        "/a/include/cuda.h = 12.0",
        "CUDA_HOME = /a",
        "/usr/local/cuda/include/cuda.h",
        "/opt/cuda/include/cuda.h = 12.5",
        "/usr/include/cuda.h = 12.6",
        "unreadable 12.0",
    ]);
    let chosen = tree.search_automatically();
    assert_eq!(chosen.tried, ["12.0", "12.5"]);
    let headers = ["/a", "/usr/local/cuda", "/opt/cuda"].map(|root| format!("{root}/include/cuda.h"));
    assert_eq!(chosen.headers, headers);
    tree.add_item("unreadable 12.5");
    tree.add_item("unreadable 12.6");
    let chosen = tree.search_automatically();
    assert_eq!((chosen.tried.len(), chosen.warnings.len()), (3, 4));
    let source = "embedded: passed over /a/include/cuda.h, found by CUDA_HOME: bindgen cannot read it: ";
    assert!(chosen.source.starts_with(source), "{}", chosen.source);
    // Without libclang no other header can be read either.
    tree.add_item("no libclang");
    assert_eq!(tree.search_automatically().tried, ["12.0"]);
}

/// libclang takes no such path, and cargo cannot watch it.
#[test]
fn names_that_are_not_utf8() {
    let mut tree = FakeTree::new(["/usr/include/cuda.h = 12.0"]);
    for (name, why) in
        [(&b"caf\xE9 \xFF"[..], "is not valid UTF-8"), (b"line\nbreak", "contains a control character")]
    {
        let root = tree.real_path("/").join(OsStr::from_bytes(name));
        fs::create_dir_all(root.join("include")).expect("a directory");
        fs::write(root.join("include/cuda.h"), cuda_h("12.2")).expect("a file");
        tree.set_variable("CUDA_HOME", root);
        let chosen = tree.search_automatically();
        assert_eq!(chosen.source, "generated from CUDA 12.0, found in /usr/include");
        assert!(chosen.warnings[0].contains(why), "{:?}", chosen.warnings);
        assert_eq!(chosen.headers, ["/usr/include/cuda.h"], "cargo could not watch the other");
    }
}

/// A definition is read however it is spaced, and what only looks like one is not.
#[test]
fn definitions() {
    let cases: [(&[u8], &str); 6] = [
        (b" # define\tCUDA_VERSION\t\t12090\t\r\n", "12.9"),
        (b"\xEF\xBB\xBF\n#define CUDA_VERSION 12040 /* 12.4 */\n", "12.4"),
        (b"\xFF\xFE\x00\n#define CUDA_VERSION 13000u\n\xFF", "13.0"),
        (b"// #define CUDA_VERSION 13050\n", "none"),
        (b"#define CUDA_VERSION __CUDA_API_VERSION\n", "none"),
        (b"#define CUDA_VERSION 99999999999999999999\n", "none"),
    ];
    for (header, expected) in cases {
        let version = version_in(header).map_or_else(|| "none".to_owned(), |version| version.to_string());
        assert_eq!(version, expected, "{}", header.escape_ascii());
    }
}

/// A wrong value is an error with every policy that may search, and says what is wrong.
#[test]
fn the_crates_own_variable_is_final() {
    for (value, why) in [
        ("/a toolkit", "set\n  CUDA_EXTERNAL_SYS_INCLUDE_DIR=/a toolkit/include\n"),
        ("/a toolkit/include/cuda.h", "Name the directory, not the file: set\n"),
        ("/a toolkit/include;/gone", "no such directory"),
        ("/old", "CUDA 11.6 is older than CUDA 11.7, the oldest supported release"),
    ] {
        let mut tree = FakeTree::new([
            "/a toolkit/include/cuda.h = 12.0",
            "CUDA_HOME = /a toolkit",
            "/old/cuda.h = 11.6",
        ]);
        tree.add_item(&format!("{INCLUDE_DIR} = {value}"));
        for policy in [Policy::Auto, Policy::Generate] {
            let text = tree.search_failure(policy);
            assert!(text.starts_with("CUDA_EXTERNAL_SYS_INCLUDE_DIR leads to no usable cuda.h.\n"), "{text}");
            assert!(text.contains(why), "{text}");
        }
    }
}

/// The message of a build that must generate has each variable with its value, each place with the reason, what is
/// passed over with the output that shows why, and the ways out.
#[test]
fn a_failure_says_what_was_looked_for() {
    let mut tree = FakeTree::new(["CUDA_HOME ==", "CONDA_PREFIX = /a conda"]);
    let text = tree.search_failure(Policy::Generate);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let has = |row: &str| rows.contains(&row.split(' ').collect());
    for (name, _) in VARIABLES.iter().filter(|(name, _)| !["CUDA_HOME", "CONDA_PREFIX"].contains(name)) {
        assert!(has(&format!("{name} unset")), "{name}: {text}");
    }
    assert!(
        has("CUDA_HOME empty") && has("CONDA_PREFIX /a conda") && has("/a conda no such directory"),
        "{text}"
    );
    assert!(has("pkg-config it has no package cuda or cudart") && has("/usr/local/cuda-* none"), "{text}");
    assert!(
        text.contains("apt install cuda-cudart-dev-13-5") && text.contains("_BINDINGS=embedded"),
        "{text}"
    );

    tree.add_item("/refused/include/cuda.h = 12.2");
    tree.add_item("unreadable 12.2");
    tree.add_item("CUDA_ROOT = /refused");
    tree.add_item("/usr/include/cuda.h = 12.3");
    let text = tree.search_failure(Policy::Generate);
    let refused = "  /refused/include/cuda.h, found by CUDA_ROOT\n  bindgen cannot read it: cuda.h:2:1: \
                   error: unknown type name 'this'\n    cuda.h:2:8: error: expected ';'\n";
    let other = "auto would use CUDA 12.3, found in /usr/include:\n  /usr/include/cuda.h\n";
    assert!(text.contains(refused) && text.contains(other), "{text}");
    tree.add_item("no libclang");
    assert!(tree.search_failure(Policy::Generate).contains("Install libclang"));
}

/// The versioned packages are asked for only where there is no other, the newest first.
#[test]
fn pkg_config_packages() {
    let mixed = "cudart-12.10 cuda-12.6 cuda-12.10 cuda-samples cudart-static zlib-13.0";
    for (packages, used, questions) in [
        ("cuda cudart cuda-12.6", "cuda", "cuda, cudart"),
        (mixed, "cuda-12.10", "cuda, cudart, pkg-config --list-all, cuda-12.10, cudart-12.10, cuda-12.6"),
    ] {
        let mut tree = FakeTree::new([]);
        for package in packages.split(' ') {
            tree.add_item(&format!("/{package}/include/cuda.h = 12.0"));
            tree.add_item(&format!("pkg-config {package} = /{package}/include"));
        }
        let expected = format!("12.0 from /{used}/include, found by pkg-config ({used})");
        assert_eq!(tree.outcome_text(), expected);
        assert_eq!(tree.asked.take().join(", "), questions);
    }
}
