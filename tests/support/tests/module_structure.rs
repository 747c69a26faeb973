//! Checks that directories have few Rust files, that a package's file names differ, and that no modules form a cycle.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use test_support::rustdoc_output::read_files_below;
use test_support::{repository, repository_files};

/// Adds to `all` the paths in tokens such as `a::{b, c::d}`. A path that does not begin with `crate` is relative to the
/// module `path`. The added paths are relative to the crate's root. An added path may end in names that only follow the
/// path in the code, for example `as` and a new name.
fn collect_use_paths(tokens: &[TokenTree], mut path: Vec<String>, all: &mut Vec<Vec<String>>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) if *name == "crate" => path.clear(),
            TokenTree::Ident(name) if *name == "super" => drop(path.pop()),
            TokenTree::Ident(name) if *name == "self" => {}
            TokenTree::Ident(name) => path.push(name.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == ':' => {}
            TokenTree::Group(group) => {
                let inner = Vec::from_iter(group.stream());
                let parts = inner.split(|token| token.to_string() == ",");
                return parts.for_each(|part| collect_use_paths(part, path.clone(), all));
            }
            // A parameter of a macro.
            TokenTree::Punct(mark) if mark.as_char() == '$' => return,
            TokenTree::Punct(_) | TokenTree::Literal(_) => break,
        }
    }
    all.push(path);
}

/// Collects the paths in a module's code. A path in `use` may be a single name. Other paths have at least two names.
fn collect_module_paths(code: TokenStream, own: &[String], all: &mut Vec<Vec<String>>) {
    let tokens = Vec::from_iter(code);
    let is = |at: usize, mark: &str| tokens.get(at).is_some_and(|token| token.to_string() == mark);
    let is_within = |at: usize| at > 1 && is(at - 1, ":") && is(at - 2, ":");
    for (at, token) in tokens.iter().enumerate() {
        match (token, token.to_string().as_str()) {
            // `pub(in crate::layer)` uses nothing.
            (TokenTree::Group(_), text) if text.starts_with("(in ") => {}
            (TokenTree::Group(group), _) => {
                let is_module = at > 1 && is(at - 2, "mod");
                let name = is_module.then(|| tokens[at - 1].to_string());
                collect_module_paths(group.stream(), &[own, name.as_slice()].concat(), all);
            }
            (_, "use") => collect_use_paths(&tokens[at + 1..], own.to_vec(), all),
            // `$crate` in a macro is a dependency of the macro's callers.
            (_, "crate") if at > 0 && is(at - 1, "$") => {}
            (TokenTree::Ident(_), _) if is(at + 1, ":") && is(at + 2, ":") && !is_within(at) => {
                collect_use_paths(&tokens[at..], own.to_vec(), all)
            }
            _ => {}
        }
    }
}

type UsedPathsByModule = BTreeMap<Vec<String>, Vec<Vec<String>>>;

fn module_of_path<'a>(modules: &UsedPathsByModule, path: &'a [String]) -> Option<&'a [String]> {
    (0..=path.len()).rev().map(|length| &path[..length]).find(|of| modules.contains_key(*of))
}

fn resolve_used_module(modules: &UsedPathsByModule, own: &[String], path: &[String]) -> Option<Vec<String>> {
    let to = module_of_path(modules, path)?;
    let name = path.get(to.len());
    let mut hands_on = modules[to].iter().filter(|of| name.is_some() && of.last() == name);
    let from = hands_on.find_map(|of| module_of_path(modules, of).filter(|from| from.len() > to.len()));
    from.or(Some(to)).filter(|to| *to != own).map(<[_]>::to_vec)
}

fn rust_files_by_package() -> BTreeMap<String, Vec<String>> {
    let files = repository_files();
    let (manifests, files): (Vec<&str>, Vec<&str>) =
        files.iter().map(String::as_str).partition(|name| name.ends_with("Cargo.toml"));
    let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.into_iter().filter(|name| name.ends_with(".rs")) {
        let roots = manifests.iter().map(|manifest| manifest.trim_end_matches("Cargo.toml"));
        let root = roots.filter(|root| file.starts_with(root)).max_by_key(|root| root.len());
        packages.entry(root.unwrap_or_default().to_owned()).or_default().push(file.to_owned());
    }
    packages
}

/// A directory has at most twenty Rust files. File names are unique in a package, since many comments name a file
/// without its directory. Names such as `mod.rs` may repeat.
#[test]
fn directories_are_small_and_file_names_unique() {
    let mut wrong = Vec::new();
    for (package, files) in rust_files_by_package() {
        let (mut directories, mut names) = (BTreeMap::<_, u32>::new(), BTreeMap::<_, Vec<_>>::new());
        for file in &files {
            let (directory, name) = file.rsplit_once('/').unwrap_or(("", file));
            *directories.entry(directory).or_default() += 1;
            if !["mod.rs", "lib.rs", "main.rs", "build.rs"].contains(&name) {
                names.entry(name).or_default().push(file);
            }
        }
        wrong.extend(directories.iter().filter(|(_, count)| **count > 20).map(|of| format!("{of:?} files")));
        wrong.extend(
            names.values().filter(|files| files.len() > 1).map(|files| format!("{package}: {files:?}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_package_has_a_module_cycle() {
    const ROOMS: [&str; 10] = [
        "src",
        "build",
        "tools/check/src",
        "tools/cpu/src",
        "dev/generator/src",
        "tools/in_process/src",
        "examples/support/src",
        "tools/ptx/src",
        "dev/driver_survey/src",
        "tests/support/src",
    ];
    for room in ROOMS {
        let mut modules = UsedPathsByModule::new();
        for (path, text) in read_files_below(&repository().join(room), "rs") {
            let file = path.trim_end_matches(".rs").trim_end_matches("/mod");
            let is_root = ["lib", "main"].contains(&file);
            let own = Vec::from_iter(file.split('/').filter(|_| !is_root).map(str::to_owned));
            // This import serves only links in the documentation, which are not dependencies.
            let text = text.replace("#[cfg(doc)]\nuse crate::*;", "");
            collect_module_paths(
                text.parse().expect("it is Rust"),
                &own,
                modules.entry(own.clone()).or_default(),
            );
        }
        let mut arrows = BTreeMap::new();
        for (own, all) in &modules {
            arrows.insert(
                own,
                BTreeSet::from_iter(all.iter().filter_map(|path| resolve_used_module(&modules, own, path))),
            );
        }
        // Each round removes the files that use no remaining file, and the files that no remaining file uses. After as
        // many rounds as there are files, files remain only if there is a cycle.
        for _ in &modules {
            let left = arrows.clone();
            arrows.retain(|own, to| {
                to.iter().any(|to| left.contains_key(to)) && left.values().any(|to| to.contains(*own))
            });
        }
        assert!(arrows.is_empty(), "{room} has a circle: {arrows:?}");
    }
}
