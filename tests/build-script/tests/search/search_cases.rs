//! Tests where the search finds cuda.h on fake machines, and what messages a build prints there.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use build_script::toolkit;
use build_script::toolkit::cuda_header::parse_cuda_version;
use build_script::toolkit::environment::{INCLUDE_DIR, VARIABLES, VariableRole};

use crate::fake_machine::{ARM, FakeMachine, LINUX, cuda_h};
use build_script::policy::BindingsPolicy;
use test_support::layout::releases::newest_release;

/// Returns the blocks of a data file. Blank lines separate blocks, and a block that begins with `#` is a comment.
fn text_blocks(file: &'static str) -> Vec<&'static str> {
    file.split("\n\n").map(str::trim_end).filter(|block| !block.starts_with('#')).collect()
}

/// Returns the indented lines of a block: files and variables.
fn indented_lines(block: &str) -> impl Iterator<Item = &str> {
    block.lines().filter_map(|line| line.strip_prefix("  "))
}

fn line_starting_with<'a>(block: &'a str, word: &str) -> Option<&'a str> {
    block.lines().find_map(|line| line.strip_prefix(word))
}

#[test]
fn each_layout_leads_to_its_header() {
    let layouts = text_blocks(include_str!("layouts.txt"));
    assert!(layouts.len() >= 13, "{} layouts", layouts.len());
    for layout in layouts {
        let mut tree = FakeMachine::new(indented_lines(layout));
        let used = line_starting_with(layout, "used: ").expect(layout);
        assert_eq!(tree.outcome_text(), used, "{layout}");
        tree.target = if tree.host == ARM { LINUX } else { ARM }.to_owned();
        let cross = line_starting_with(layout, "cross: ").unwrap_or(used);
        assert_eq!(tree.outcome_text(), cross, "cross-compiling: {layout}");
    }
}

#[test]
fn on_windows_the_newest_installed_release_replaces_a_removed_one() {
    const INSTALLED: &str = "/Program Files/NVIDIA GPU Computing Toolkit/CUDA";
    let mut tree = FakeMachine::new(["HOST = x86_64-pc-windows-msvc", "CUDA_PATH = /v13.0"]);
    for release in ["12.9", "12.10"] {
        tree.add_file_or_setting(&format!("{INSTALLED}/v{release}/include/cuda.h = {release}"));
    }
    let newest = format!("{INSTALLED}/v12.10");
    let used = format!("12.10 from {newest}/include, found in {newest}; passed over CUDA_PATH=/v13.0");
    assert_eq!(tree.outcome_text(), used);
}

#[test]
fn what_cannot_be_used_is_passed_over() {
    let blocks = text_blocks(include_str!("passed_over.txt"));
    assert!(blocks.len() >= 12, "{} blocks", blocks.len());
    for block in blocks {
        let mut tree = FakeMachine::new(indented_lines(block));
        tree.add_file_or_setting("/usr/lib/cuda/include/cuda.h = 12.0");
        let chosen = tree.search_automatically();
        assert_eq!(chosen.source, "generated from CUDA 12.0, found in /usr/lib/cuda", "{block}");
        let warned = chosen.warnings.iter().filter_map(|text| text.strip_prefix("passed over "));
        let warned = warned.filter_map(|text| Some(text.split_once("; using CUDA 12.0, ")?.0));
        let warning = line_starting_with(block, "warning: ").unwrap_or_default();
        assert_eq!(warned.collect::<Vec<_>>().join("; "), warning, "{block}");
    }
}

/// Writes a cuda.h into each place. Each search must find the first one that is left, which the test then removes.
#[test]
fn linux_places_are_searched_in_order() {
    let mut tree = FakeMachine::new([
        "CONDA_PREFIX = /conda",
        "VIRTUAL_ENV = /venv",
        "/first/bin/nvcc",
        "/second/bin/nvcc",
        "PATH = /empty:/first/bin:/second/bin",
        "pkg-config cuda = /pc/include /pc/more",
        "pkg-config cudart = /pc/runtime",
    ]);
    // The order begins with `INCLUDE_DIR`.
    let mut places = Vec::new();
    for (role, named) in [(VariableRole::IncludeDir, "/include"), (VariableRole::Root, "")] {
        for (name, _) in VARIABLES.iter().filter(|(_, its)| *its == role) {
            tree.add_file_or_setting(&format!("{name} = /{name}{named}"));
            places.push((format!("by {name}"), format!("/{name}/include")));
        }
    }
    let roots = VARIABLES.iter().filter(|(_, role)| *role == VariableRole::Root).count();
    // Each line names a place. Include directories follow a colon, unless the only one is `include` below the place.
    for line in include_str!("order_on_linux.txt").lines() {
        match line.split_once(": ") {
            Some((found_by, all)) => {
                places.extend(all.split(' ').map(|include| (found_by.to_owned(), include.to_owned())));
            }
            None => places.push((line.to_owned(), format!("{}/include", line.trim_start_matches("in ")))),
        }
    }
    for (_, include) in &places {
        tree.add_file_or_setting(&format!("{include}/cuda.h = 12.0"));
    }
    let pkg_configs_turn = places.iter().position(|(found_by, _)| found_by.contains("pkg-config"));
    for (at, (found_by, include)) in places.iter().enumerate() {
        let found = tree.search_automatically().toolkit.unwrap_or_else(|| panic!("{include} is not found"));
        let path = tree.without_tree_root(&found.include.display().to_string());
        let by = tree.without_tree_root(&found.found_by);
        assert_eq!((&by, &path), (found_by, include));
        assert_eq!(tree.asks_pkg_config.take(), Some(at) >= pkg_configs_turn, "{include}");
        let root = include.strip_suffix("/include");
        let root = root.map(|root| tree.real_path(root.trim_end_matches("/targets/x86_64-linux")));
        assert_eq!(found.root, root, "{include}");
        fs::remove_file(found.include.join("cuda.h")).expect("it was found");
        // While `INCLUDE_DIR` is set, the search tries no other place.
        tree.variables.remove(INCLUDE_DIR);
    }
    // Each variable with the role `Root` now leads to no header, so the search warns about it.
    let chosen = tree.search_automatically();
    assert_eq!(chosen.warnings.len(), roots, "{:#?}", chosen.warnings);
    assert!(chosen.toolkit.is_none());
}

/// Cargo must run the script again if a variable that the search reads changes, except for PATH.
#[test]
fn every_variable_read_but_path_reruns_the_script() {
    let tree = FakeMachine::new(["HOST = x86_64-pc-windows-msvc"]);
    let variables = tree.run_with_environment(toolkit::rerun_variables);
    tree.outcome_text();
    let read = tree.read.take();
    assert_eq!(read.len(), VARIABLES.len());
    for name in read {
        assert_eq!(variables.contains(&name), name != "PATH", "{name}");
    }
    let of_libclang = "BINDGEN_EXTRA_CLANG_ARGS_x86_64-pc-windows-msvc".to_owned();
    assert!(variables.contains(&of_libclang), "{variables:#?}");
}

/// If bindgen cannot read a header, the search must try the next header, unless libclang is missing. Cargo must watch
/// the chosen header and the headers that were passed over for their content: after a change to one of these headers,
/// the next build must search again.
#[test]
fn a_header_that_cannot_be_generated_from_is_passed_over() {
    let mut tree = FakeMachine::new([
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
    tree.add_file_or_setting("unreadable 12.5");
    tree.add_file_or_setting("unreadable 12.6");
    let chosen = tree.search_automatically();
    assert_eq!((chosen.tried.len(), chosen.warnings.len()), (3, 4));
    let source = "embedded: passed over /a/include/cuda.h, found by CUDA_HOME: bindgen cannot read it: ";
    assert!(chosen.source.starts_with(source), "{}", chosen.source);
    // Without libclang no other header can be read either.
    tree.add_file_or_setting("no libclang");
    assert_eq!(tree.search_automatically().tried, ["12.0"]);
}

/// bindgen takes paths as UTF-8 text, and a build script cannot pass a path with a line break to cargo. The search must
/// pass over a cuda.h whose path is not UTF-8 or contains a control character.
#[test]
fn paths_that_libclang_cannot_open_are_passed_over() {
    let mut tree = FakeMachine::new(["/usr/include/cuda.h = 12.0"]);
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

/// `parse_cuda_version` must read a definition with any spacing. The number may have a suffix, and a comment may follow
/// the number. The function must not read a definition after `//`, or a value that is not a 32-bit number.
#[test]
fn version_definitions_are_read() {
    let cases: [(&[u8], &str); 6] = [
        (b" # define\tCUDA_VERSION\t\t12090\t\r\n", "12.9"),
        (b"\xEF\xBB\xBF\n#define CUDA_VERSION 12040 /* 12.4 */\n", "12.4"),
        (b"\xFF\xFE\x00\n#define CUDA_VERSION 13000u\n\xFF", "13.0"),
        (b"// #define CUDA_VERSION 13050\n", "none"),
        (b"#define CUDA_VERSION __CUDA_API_VERSION\n", "none"),
        (b"#define CUDA_VERSION 99999999999999999999\n", "none"),
    ];
    for (header, expected) in cases {
        let version =
            parse_cuda_version(header).map_or_else(|| "none".to_owned(), |version| version.to_string());
        assert_eq!(version, expected, "{}", header.escape_ascii());
    }
}

/// If `INCLUDE_DIR` leads to no usable cuda.h, both policies that search must return an error that names the mistake.
#[test]
fn the_crates_own_variable_is_final() {
    for (value, why) in [
        ("/a toolkit", "set\n  CUDA_EXTERNAL_SYS_INCLUDE_DIR=/a toolkit/include\n"),
        ("/a toolkit/include/cuda.h", "Name the directory, not the file: set\n"),
        ("/a toolkit/include;/gone", "no such directory"),
        ("/old", "CUDA 11.6 is older than CUDA 11.7, the oldest supported release"),
    ] {
        let mut tree = FakeMachine::new([
            "/a toolkit/include/cuda.h = 12.0",
            "CUDA_HOME = /a toolkit",
            "/old/cuda.h = 11.6",
        ]);
        tree.add_file_or_setting(&format!("{INCLUDE_DIR} = {value}"));
        for policy in [BindingsPolicy::Auto, BindingsPolicy::Generate] {
            let text = tree.search_failure(policy);
            assert!(text.starts_with("CUDA_EXTERNAL_SYS_INCLUDE_DIR leads to no usable cuda.h.\n"), "{text}");
            assert!(text.contains(why), "{text}");
        }
    }
}

#[test]
fn a_failure_says_what_was_looked_for() {
    let mut tree = FakeMachine::new(["CUDA_HOME ==", "CONDA_PREFIX = /a conda"]);
    let text = tree.search_failure(BindingsPolicy::Generate);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let has = |row: &str| rows.contains(&row.split(' ').collect());
    for (name, _) in VARIABLES.iter().filter(|(name, _)| !["CUDA_HOME", "CONDA_PREFIX"].contains(name)) {
        assert!(has(&format!("{name} unset")), "{name}: {text}");
    }
    assert!(
        has("CUDA_HOME empty") && has("CONDA_PREFIX /a conda") && has("/a conda no such directory"),
        "{text}"
    );
    assert!(has("/usr/local/cuda-* none"), "{text}");
    let package = format!("apt install cuda-cudart-dev-{}", newest_release().replace('.', "-"));
    assert!(text.contains(&package) && text.contains("_BINDINGS=embedded"), "{text}");

    tree.add_file_or_setting("/refused/include/cuda.h = 12.2");
    tree.add_file_or_setting("unreadable 12.2");
    tree.add_file_or_setting("CUDA_ROOT = /refused");
    tree.add_file_or_setting("/usr/include/cuda.h = 12.3");
    let text = tree.search_failure(BindingsPolicy::Generate);
    let refused = "  /refused/include/cuda.h, found by CUDA_ROOT\n  bindgen cannot read it: cuda.h:2:1: \
                   error: unknown type name 'this'\n    cuda.h:2:8: error: expected ';'\n";
    let other = "auto would use CUDA 12.3, found in /usr/include:\n  /usr/include/cuda.h\n";
    assert!(text.contains(refused) && text.contains(other), "{text}");
    tree.add_file_or_setting("no libclang");
    assert!(tree.search_failure(BindingsPolicy::Generate).contains("Install libclang"));
}
