//! The pages: every public item and every field has its text, every link within them leads somewhere, and the runtime
//! API's names are found.
//!
//! rustdoc's own pages are what is looked at, as a reader has them, built as the documentation server builds them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use libtest_mimic::Trial;

use crate::support;

pub fn all() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("every_item_has_a_text", every_item_has_a_text),
        ("every_field_has_a_text", every_field_has_a_text),
        ("no_text_is_a_placeholder", no_text_is_a_placeholder),
        ("every_link_within_the_pages_leads_somewhere", every_link_within_the_pages_leads_somewhere),
        ("the_runtime_apis_names_are_found", the_runtime_apis_names_are_found),
    ];
    tests.map(|(name, run)| support::test(&format!("docs::{name}"), &[], run)).into()
}

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The pages by path below the crate's directory, `memory/fn.cuImportExternalMemory.html` for example.
static PAGES: LazyLock<BTreeMap<PathBuf, String>> = LazyLock::new(|| {
    let target = Path::new(ROOT).join("target/pages");
    let status = Command::new(env!("CARGO"))
        .args([
            "doc",
            "--quiet",
            "--no-deps",
            "--no-default-features",
            "--features",
            "load,link",
            "--target-dir",
        ])
        .arg(&target)
        .current_dir(ROOT)
        .env("DOCS_RS", "1")
        .env("RUSTDOCFLAGS", "-D warnings")
        .status()
        .expect("cargo starts");
    assert!(status.success(), "cargo doc failed");
    let root = target.join("doc/cuda_external_sys");
    let mut pages = BTreeMap::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("rustdoc's directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = fs::read_to_string(&path).expect("a page");
                pages.insert(path.strip_prefix(&root).expect("it is below").to_owned(), text);
            }
        }
    }
    pages
});

/// The public items, as surface.rs holds them: module and name.
fn surface() -> Vec<(String, String)> {
    let list = fs::read_to_string(Path::new(ROOT).join("tests/bindings/surface.txt"))
        .expect("it is in the repository");
    let split =
        |line: &str| line.rsplit_once("::").map(|(module, name)| (module.to_owned(), name.to_owned()));
    list.lines().map(|line| split(line).expect("module::name")).collect()
}

/// An item's own page; a page left from an item that is gone is never asked for.
fn page(module: &str, name: &str) -> (PathBuf, &'static str) {
    let module = module.replace("::", "/");
    let kinds = ["fn", "struct", "union", "enum", "constant", "type"];
    let mut paths: Vec<_> = kinds.map(|kind| Path::new(&module).join(format!("{kind}.{name}.html"))).into();
    paths.push(Path::new(&module).join(name).join("index.html"));
    let found = paths.into_iter().find_map(|path| Some((path.clone(), PAGES.get(&path)?.as_str())));
    found.unwrap_or_else(|| panic!("{module}::{name} has no page"))
}

fn every_item_has_a_text() {
    let mut without = Vec::new();
    let mut with = 0;
    for (module, name) in surface() {
        let (_, text) = page(&module, &name);
        if text.contains("<details class=\"toggle top-doc\" open>") {
            with += 1;
        } else {
            without.push(format!("{module}::{name}"));
        }
    }
    assert!(without.is_empty(), "{} have a text, and these have none: {without:#?}", with);
    assert!(with > 600, "only {with} items have a text");
}

fn every_field_has_a_text() {
    let mut without = Vec::new();
    let mut with = 0;
    for (module, name) in surface() {
        let (path, text) = page(&module, &name);
        for field in text.split("id=\"structfield.").skip(1) {
            let name = field.split('"').next().expect("an id has an end");
            let after = field.split_once("</code></span>").expect("a field has a declaration").1;
            if after.starts_with("<div class=\"docblock\">") {
                with += 1;
            } else if name != "0" {
                // 0 is the number that an enum wraps.
                without.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(without.is_empty(), "{with} have a text, and these have none: {without:#?}");
    assert!(with > 100, "only {with} fields have a text");
}

fn no_text_is_a_placeholder() {
    for (path, text) in &*PAGES {
        for word in ["TODO", "FIXME", "__bindgen"] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
}

/// rustdoc checks that an item exists, not that a heading of its page does.
fn every_link_within_the_pages_leads_somewhere() {
    let mut count = 0;
    for (path, text) in &*PAGES {
        let links = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
        for (file, heading) in links.filter_map(|link| link.split_once('#')) {
            if file.starts_with("http") || file.contains("src/") || heading.is_empty() {
                continue;
            }
            let mut to = path.clone();
            if !file.is_empty() {
                to.pop();
                for part in file.split('/') {
                    match part {
                        ".." => drop(to.pop()),
                        _ => to.push(part),
                    }
                }
            }
            let target =
                PAGES.get(&to).unwrap_or_else(|| panic!("{}: {file} does not exist", path.display()));
            assert!(
                target.contains(&format!("id=\"{heading}\"")),
                "{}: no heading {heading} in {}",
                path.display(),
                to.display()
            );
            count += 1;
        }
    }
    assert!(count > 300, "only {count} links");
}

/// The files in src/ that document items.
pub fn source_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![Path::new(ROOT).join("src")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("the directory of a module") {
            let path = entry.expect("an entry").path();
            if !path.is_dir() {
                files.push(path);
            } else if !path.ends_with("bindings") {
                directories.push(path);
            }
        }
    }
    files
}

/// The aliases that rustdoc's search knows, by item, read from the source.
fn aliases() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in source_files() {
        let mut pending = BTreeSet::new();
        for line in fs::read_to_string(file).expect("a source file").lines() {
            if let Some(alias) = line.strip_prefix("#[doc(alias = \"") {
                pending.insert(alias.trim_end_matches("\")]").to_owned());
            } else if let Some(name) = line.strip_prefix("pub use crate::bindings::") {
                found.entry(name.trim_end_matches(';').to_owned()).or_default().append(&mut pending);
            }
        }
    }
    found
}

fn the_runtime_apis_names_are_found() {
    let aliases = aliases();
    let table =
        fs::read_to_string(Path::new(ROOT).join("docs/runtime-api.md")).expect("it is in the repository");
    let code =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let mut count = 0;
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let items = code(cells[1]);
        for alias in code(cells[0]) {
            let is_on = |item: &String| aliases.get(item).is_some_and(|names| names.contains(&alias));
            assert!(items.iter().any(is_on), "{alias}: {row}");
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} names in the table");
    let family = ["memory", "semaphore", "graph"];
    for (module, name) in surface().into_iter().filter(|(module, _)| family.contains(&module.as_str())) {
        if let Some(rest) = name.strip_prefix("cu") {
            let runtime = format!("cuda{rest}");
            let names = aliases.get(&name).unwrap_or_else(|| panic!("{module}::{name} has no alias"));
            let is_found = names.iter().any(|alias| runtime.starts_with(alias.as_str()));
            assert!(is_found, "{module}::{name} is not found as {runtime}");
        }
    }
}
