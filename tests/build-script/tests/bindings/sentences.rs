//! Sentences and lists that repeat what the code, a header or a measurement says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use cuda_external_sys_build::toolkit::environment;
use libtest_mimic::Trial;

use crate::docs::files;
use crate::layout::{compilers, releases};
use crate::support::{self, Need};

pub fn all() -> Vec<Trial> {
    let newest = Need::new("headers", &support::headers(releases::newest()));
    support::tests! {
        [newest] => the_check_knows_each_sticky_error_and_each_flag_of_arrays,
            the_check_wraps_the_functions_of_a_threads_own_default_stream, each_wrapper_has_the_functions_parameters;
        [] => the_check_looks_at_each_address_that_is_read_or_written, each_variable_that_names_a_toolkit_has_a_form_for_one_target, every_list_of_capabilities_keeps_the_default,
            the_sentences_about_descriptors_are_those_of_the_tables, kernels_are_for_every_driver,
            each_release_is_that_of_the_tables, a_library_switches_off_what_it_does_not_list;
    }
}

fn page(name: &str) -> String {
    fs::read_to_string(support::repository().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The cells of the rows of a table, which begins with this line.
fn rows<'a>(page: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let (_, table) = page.split_once(head).unwrap_or_else(|| panic!("no {head}"));
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches(['|', ' ']).split(" | ").collect()).collect()
}

/// cuda.h says of most of them that no call succeeds any more, and of others that memory is not what it was.
fn the_check_knows_each_sticky_error_and_each_flag_of_arrays() {
    let header = support::headers(releases::newest()).expect("the test needs it").join("cuda.h");
    let header = String::from_utf8_lossy(&fs::read(header).expect("a file")).into_owned();
    let is_last = |words: &str| {
        let words = words.split_whitespace().filter(|word| *word != "*").collect::<Vec<_>>().join(" ");
        ["inconsistent state", "cannot be used anymore", "uncorrectable"]
            .iter()
            .any(|said| words.contains(said))
    };
    let told =
        header.split("/**").filter_map(|part| part.split_once("*/")).filter(|(words, _)| is_last(words));
    let names = told.filter_map(|(_, rest)| rest.trim_start().split([' ', '=']).next());
    let sticky = names.filter(|name| name.starts_with("CUDA_ERROR_")).collect::<BTreeSet<_>>();
    let site = page("check/src/layer/site.rs");
    let (_, function) = site.split_once("fn is_sticky").expect("a function");
    let (function, _) = function.split_once("\n}").expect("its end");
    let words = function.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    assert_eq!(words.filter(|word| word.starts_with("CUDA_ERROR_")).collect::<BTreeSet<_>>(), sticky);

    let flags = header.lines().filter_map(|line| line.strip_prefix("#define CUDA_ARRAY3D_"));
    let flags = flags.filter_map(|line| line.split_whitespace().nth(1)?.strip_prefix("0x"));
    let all =
        flags.map(|flag| u32::from_str_radix(flag, 16).expect("a number")).fold(0, |all, flag| all | flag);
    assert!(
        page("check/src/layer/mappings.rs").contains(&format!("const KNOWN_FLAGS: u32 = {all:#x};")),
        "{all:#x}"
    );
}

/// A program that is compiled for them calls these alone.
fn the_check_wraps_the_functions_of_a_threads_own_default_stream() {
    let header = support::headers(releases::newest()).expect("the test needs it").join("cuda.h");
    let header = String::from_utf8_lossy(&fs::read(header).expect("a file")).into_owned();
    let exports =
        ["family", "moves", "neighbors"].map(|name| page(&format!("check/src/layer/exports/{name}.rs")));
    let functions =
        exports.iter().flat_map(|file| file.lines()).filter_map(|line| line.trim().split_once('('));
    let wrapped =
        functions.map(|(name, _)| name).filter(|name| name.starts_with("cu")).collect::<BTreeSet<_>>();
    let (mut compared, mut missing) = (0, Vec::new());
    for (kind, end) in [("PTDS", "_ptds"), ("PTSZ", "_ptsz")] {
        let call = format!(" __CUDA_API_{kind}(");
        let renamed = header.split(&call).skip(1).filter_map(|rest| rest.split(')').next());
        for name in renamed.filter(|name| wrapped.contains(name)) {
            compared += 1;
            missing.extend(Some(format!("{name}{end}")).filter(|own| !wrapped.contains(own.as_str())));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(compared >= 30, "{compared}");
}

/// As many as cuda.h declares: a wrapper passes on what it has.
fn each_wrapper_has_the_functions_parameters() {
    let header = compilers::header(&support::headers(releases::newest()).expect("the test needs it"));
    let mut compared = 0;
    for file in ["family", "moves", "neighbors"] {
        let text = page(&format!("check/src/layer/exports/{file}.rs"));
        for part in text.split("\n    cu").skip(1) {
            let Some((name, rest)) = part.split_once('(') else { continue };
            let name = format!("cu{name}");
            let declared = name.trim_end_matches("_ptsz").trim_end_matches("_ptds");
            let Some(parameters) = header.parameters(declared) else { continue };
            let (wrapped, _) = rest.split_once(')').expect("its end");
            let declared = parameters.split(',').filter(|parameter| !parameter.trim().is_empty()).count();
            assert_eq!(wrapped.matches(": ").count(), declared, "{name}: {parameters}");
            compared += 1;
        }
    }
    assert!(compared > 80, "{compared}");
}

fn the_check_looks_at_each_address_that_is_read_or_written() {
    let moves = page("check/src/layer/exports/moves.rs");
    let (_, rows) = moves.split_once("\ntransfers! {").expect("the table");
    let mut looked_at = 0;
    for row in rows.split(';') {
        for name in ["dst", "src"].into_iter().filter(|name| row.contains(&format!("{name}: Address"))) {
            assert!(
                ["one", "rows"].iter().any(|of| row.contains(&format!("{of}({name}, "))),
                "{name} of {row}"
            );
            looked_at += 1;
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}

fn each_variable_that_names_a_toolkit_has_a_form_for_one_target() {
    let page = page("docs/building.md");
    let rows = rows(&page, "| variable | |");
    let [_, middle @ .., _] = rows.as_slice() else { panic!("a table") };
    let names = middle.iter().flat_map(|row| row[0].split(", ")).map(|name| name.trim_matches('`'));
    let with_forms = environment::VARIABLES.iter().filter(|(_, role)| role.names_toolkit());
    assert_eq!(names.collect::<Vec<_>>(), Vec::from_iter(with_forms.map(|(name, _)| *name)));
    assert!(page.contains("All but the first and the last also have a form for one target, such as"));
}

fn every_list_of_capabilities_keeps_the_default() {
    let page = page("docs/platforms.md");
    for row in rows(&page, "| the program | `NVIDIA_DRIVER_CAPABILITIES` |") {
        let list = row[1].split('`').nth(1).expect("a list").split(',').collect::<Vec<_>>();
        let has = |name: &str| list == ["all"] || list.contains(&name);
        assert!(has("compute") && has("utility"), "{row:?}");
        assert_eq!(list.len() == 2, row[1].ends_with("(the default)"), "{row:?}");
        assert!(has("graphics") || row[0] == "uses CUDA alone", "{row:?}");
    }
}

fn the_sentences_about_descriptors_are_those_of_the_tables() {
    let measured = page("docs/fd-ownership.md");
    let told = page("docs/memory.md");
    for (table, closed_by, sentence) in [
        (
            "import-memory",
            &["CUDA_SUCCESS", "CUDA_ERROR_UNKNOWN"][..],
            "A **memory import that failed** with [`CUDA_ERROR_UNKNOWN`] has **closed the FD too**: it was not a GPU's memory, but for\n  \
             example a pipe or a file of the program. After any other code the FD is still open.",
        ),
        (
            "import-semaphore",
            &["CUDA_SUCCESS"],
            "A **semaphore import that failed** has left the FD open, whatever the code.",
        ),
    ] {
        let head = format!("<!-- survey: {table} -->\n| what the descriptor is, and how it is described |");
        let rows = rows(&measured, &head);
        assert!(rows.len() > 20, "{table}");
        for row in rows.iter().filter(|row| row[2] != "-" && row[1].starts_with("CUDA_")) {
            assert_eq!(
                row[2],
                if closed_by.contains(&row[1]) { "closed" } else { "open" },
                "{table}: {row:?}"
            );
        }
        assert!(told.contains(sentence), "{sentence}");
    }
}

/// CUDA 11.7, the oldest release that the crate takes, has PTX 7.7. A later one needs a later driver.
fn kernels_are_for_every_driver() {
    for name in [
        "examples/cudarc/src/kernels.ptx",
        "examples/kernel.rs",
        "benches/hand_over/kernel.rs",
        "tests/gpu/kernels.rs",
    ] {
        let page = page(name);
        let version =
            page.lines().find_map(|line| line.trim().strip_prefix(".version ")).expect("it has a kernel");
        let (major, minor) = version.split_once('.').expect("a version");
        let version = (major.parse::<u32>().expect("a number"), minor.parse::<u32>().expect("a number"));
        assert!(version <= (7, 7), "{name}: PTX {version:?}");
    }
}

type Release = (u32, u32);

fn release(text: &str) -> Option<Release> {
    let (major, rest) = text.split_once('.')?;
    let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// An item's page says since which release it is there, and other pages repeat it. docs/since.md has which header brought
/// it, and between which two drivers a function came.
fn each_release_is_that_of_the_tables() {
    let page = page("docs/since.md");
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let headers = rows(&page, "| CUDA | new in its `cuda.h` |");
    let headers =
        headers.iter().flat_map(|row| names(row[1]).into_iter().map(|name| (name, release(row[0]))));
    let headers = headers.collect::<BTreeMap<_, _>>();
    let drivers =
        rows(&page, "| driver | CUDA | functions of this crate that it has and the ones above lack |");
    let mut came = BTreeMap::new();
    let mut last = None;
    for row in &drivers {
        came.extend(names(row[2]).into_iter().map(|name| (name, (last, release(row[1])))));
        last = release(row[1]);
    }

    let mut since = BTreeMap::new();
    for (path, text) in files(&support::repository().join("src"), "rs") {
        for block in text.split("\n\n") {
            // Not of a value in a list.
            let lines =
                block.lines().filter(|line| !line.starts_with("/// -") && !line.starts_with("///   "));
            let Some(said) = lines.filter_map(|line| line.split_once("Since CUDA ")).next_back() else {
                continue;
            };
            let Some((_, item)) = block.split_once("pub use crate::bindings::") else { continue };
            let name = item.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().expect("a name");
            let said = release(said.1).unwrap_or_else(|| panic!("{path}: {name}: {said:?}"));
            let (_, oldest) = release(releases::all()[0]).expect("a release");
            // An unnamed type is as old as a field of its owner.
            let owner = name.rsplit_once('_').map(|(owner, _)| format!("{owner}.")).unwrap_or_default();
            let of_owner = |(known, _): &(&String, _)| !owner.is_empty() && known.starts_with(&owner);
            match headers.get(name) {
                Some(brought) => assert_eq!(Some(said), *brought, "{path}: {name}"),
                None if headers.iter().filter(of_owner).any(|(_, brought)| *brought == Some(said)) => {}
                None => assert!(said <= (11, oldest), "{path}: {name} since {said:?}: every header has it"),
            }
            let (after, until) = came.get(name).copied().unwrap_or((None, release(drivers[0][1])));
            // Windows' driver had that one before.
            let is_function = name.starts_with("cu") && name != "cuDeviceGetLuid";
            assert!(
                !is_function || Some(said) > after,
                "{path}: {name} since {said:?}: a driver of {after:?} lacks it"
            );
            assert!(
                !is_function || until.is_none_or(|until| said <= until),
                "{path}: {name} since {said:?}: {until:?}"
            );
            since.insert(name.to_owned(), said);
        }
    }
    assert!(since.len() > 120, "{}", since.len());

    let mut repeated = 0;
    for (path, text) in files(&support::repository().join("docs"), "md") {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = ["needs a driver of CUDA ", "since CUDA ", "one of "];
        for (before, after) in said
            .iter()
            .flat_map(|said| text.match_indices(said).map(|(at, _)| (&text[..at], &text[at + said.len()..])))
        {
            let Some(said) = release(after) else { continue };
            let Some((_, name)) = before.trim_end_matches([' ', ',', ']', '`']).rsplit_once('`') else {
                continue;
            };
            let Some(known) = since.get(name) else { continue };
            assert_eq!(said, *known, "{path}: {name}");
            repeated += 1;
        }
    }
    assert!(repeated >= 5, "{repeated}");
}

/// Each snippet of Cargo.toml: features that are on anyway need no list.
fn a_library_switches_off_what_it_does_not_list() {
    let mut snippets = 0;
    for name in ["README.md", "docs/building.md", "docs/cudarc.md", "docs/replace-declarations.md"] {
        let page = page(name);
        for line in page.lines().filter(|line| line.starts_with("cuda-external-sys = {")) {
            assert!(line.contains("default-features = false, features = [\"load\"]"), "{name}: {line}");
            snippets += 1;
        }
    }
    assert!(snippets >= 4, "{snippets}");
}
