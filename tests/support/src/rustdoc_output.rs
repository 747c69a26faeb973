//! rustdoc's pages of the crate, built with the variable DOCS_RS as on docs.rs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use crate::directories;

/// The pages by path below the crate's directory, `memory/fn.cuImportExternalMemory.html` for example.
pub static PAGES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let target = directories::target_directory().join("pages");
    let root = target.join("doc/cuda_external_sys");
    // Removes the pages of items that the crate no longer has.
    let _ = fs::remove_dir_all(&root);
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["doc", "--quiet", "--package=cuda-external-sys", "--lib", "--no-deps"])
        .args(["--no-default-features", "--features=load,link"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(directories::repository())
        .env("DOCS_RS", "1")
        .env("RUSTDOCFLAGS", "-D warnings")
        .status()
        .expect("cargo starts");
    assert!(status.success(), "cargo doc failed");
    let mut pages = BTreeMap::new();
    for (path, text) in read_files_below(&root, "html") {
        // For an item of a private module, rustdoc writes a page that redirects to the public item's page.
        if path != "all.html" && !text.contains("<title>Redirection</title>") {
            pages.insert(path, text);
        }
    }
    pages
});

/// Returns the files below `root` with this extension, each as its path from `root`, with slashes, and its text.
pub fn read_files_below(root: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        if path.is_dir() {
            let below = read_files_below(&path, extension).into_iter();
            found.extend(below.map(|(path, text)| (format!("{name}/{path}"), text)));
        } else if path.extension().is_some_and(|of_this| of_this == extension) {
            found.push((name, fs::read_to_string(&path).expect("a text")));
        }
    }
    found
}

/// The public items, each with the module that has its page. The root's re-exports of modules' items have no pages.
pub static ITEMS: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let mut items = BTreeMap::new();
    for path in PAGES.keys().filter_map(|path| path.strip_suffix(".html")) {
        // An item's path is `memory/fn.cuImportExternalMemory`, for example, and a module's path is `memory/index`.
        let path = path.strip_suffix("/index").unwrap_or(path);
        let (module, file) = path.rsplit_once('/').unwrap_or(("", path));
        let name = file.rsplit('.').next().expect("a file has a name");
        let other = items.insert(name, module.replace('/', "::"));
        assert!(other.is_none(), "{name} is in {module} and in {other:?}");
    }
    items
});

/// Returns the texts of `doc(alias)` of each item that a file in src/ re-exports from `crate::bindings`.
pub fn rustdoc_aliases() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for (_, text) in read_files_below(&directories::repository().join("src"), "rs") {
        // The only hidden items are those that the exported macros use. Their names begin with `__`.
        let is_macros = |rest: &str| rest.lines().take(4).any(|line| line.contains(" __"));
        let are_macros = text.split("doc(hidden)").skip(1).all(is_macros);
        assert!(are_macros, "an item without a page is public nevertheless");
        for item in text.split("\n\n") {
            if let Some((attributes, name)) = item.rsplit_once("pub use crate::bindings::") {
                let aliases = attributes.split("#[doc(alias = \"").skip(1);
                let aliases = aliases.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
                let (name, _) = name.split_once(';').expect("a re-export ends");
                found.insert(name.to_owned(), aliases.collect());
            }
        }
    }
    found
}
