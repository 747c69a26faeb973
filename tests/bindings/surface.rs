//! The list of public items: nothing leaks, and nothing disappears unnoticed.
//!
//! surface.txt has those of the embedded bindings, and every release's header gives the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use libtest_mimic::Trial;
use syn::{Item, UseTree, Visibility};

use crate::layout::releases;
use crate::support::{self, Need};
use crate::{assert_file, model};

pub fn all() -> Vec<Trial> {
    let libclang = Need::new("libclang", &support::libclang());
    let bindgen = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let test = |name: &str, run: fn()| support::test(&format!("surface::{name}"), &[], run);
    let mut trials = vec![
        test("every_binding_is_exported_once", every_binding_is_exported_once),
        test("public_items_are_the_listed_ones", the_public_items_are_the_listed_ones),
        test("no_name_is_of_bindgens_making", no_name_is_of_bindgens_making),
    ];
    for release in releases::all() {
        let header = Need::new("headers", &support::headers(release));
        let needs = [libclang.clone(), bindgen.clone(), header];
        trials.push(support::test(&format!("surface::same_with_{release}"), &needs, move || {
            same_with(release)
        }));
    }
    trials
}

const TOPICS: [&str; 16] = [
    "allocation",
    "array",
    "cig",
    "constants",
    "context",
    "device",
    "error",
    "graph",
    "graph::node_params",
    "init",
    "memory",
    "semaphore",
    "stream",
    "texture",
    "transfer",
    "vmm",
];

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn items(file: &str) -> Vec<Item> {
    syn::parse_file(&read(file)).unwrap_or_else(|error| panic!("{file}: {error}")).items
}

/// What the embedded bindings define, and in which module of constants, if in one.
fn bindings() -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    let mut in_modules = BTreeMap::new();
    let bindings =
        model::Bindings::read(&read("src/bindings/embedded.rs")).unwrap_or_else(|error| panic!("{error}"));
    for function in &bindings.functions {
        for name in [Some(&function.name), function.plain.as_ref()].into_iter().flatten() {
            found.insert(name.clone(), None);
            found.insert(format!("PFN_{name}"), Some("pfn".to_owned()));
        }
    }
    let aliases = bindings.aliases.into_iter().map(|(name, _)| name);
    let macros = bindings.macros.into_iter().map(|(name, _)| name);
    let records = bindings.records.into_iter().map(|record| record.name);
    found.extend(aliases.chain(macros).chain(records).chain(bindings.opaque).map(|name| (name, None)));
    for an_enum in bindings.enums {
        for (constant, _) in an_enum.values {
            in_modules.insert(constant, Some(format!("{}_values", an_enum.name)));
        }
        found.insert(an_enum.name, None);
    }
    found.extend(in_modules);
    found
}

/// The names that a tree of `pub use` ends in; a glob ends in its module's name and a star.
fn leaves(tree: &UseTree, module: &str, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &path.ident.to_string(), found),
        UseTree::Name(name) => found.push(name.ident.to_string()),
        UseTree::Rename(rename) => found.push(rename.rename.to_string()),
        UseTree::Glob(_) => found.push(format!("{module}::*")),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, module, found)),
    }
}

/// The file of a private module that a file declares, where a glob names one.
fn part(file: &str, glob: &str) -> Option<String> {
    let directory = file.strip_suffix(".rs").filter(|directory| *directory != "src/lib")?;
    let part = format!("{directory}/{}.rs", glob.strip_suffix("::*")?);
    Path::new(env!("CARGO_MANIFEST_DIR")).join(&part).is_file().then_some(part)
}

/// A topic's file.
fn file(topic: &str) -> String {
    format!("src/{}.rs", topic.replace("::", "/"))
}

/// What a file of src exports.
fn exports(module: &str, file: &str) -> Vec<String> {
    let mut found = Vec::new();
    for item in items(file) {
        let (visibility, name) = match &item {
            Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => {
                let mut names = Vec::new();
                leaves(&item.tree, "", &mut names);
                for name in names {
                    match part(file, &name) {
                        Some(part) => found.extend(exports(module, &part)),
                        None => found.push(name),
                    }
                }
                continue;
            }
            Item::Struct(item) => (&item.vis, &item.ident),
            Item::Enum(item) => (&item.vis, &item.ident),
            Item::Const(item) => (&item.vis, &item.ident),
            Item::Fn(item) => (&item.vis, &item.sig.ident),
            // A topic within a topic is listed by itself.
            Item::Mod(item) if TOPICS.contains(&format!("{module}::{}", item.ident).as_str()) => continue,
            Item::Mod(item) => (&item.vis, &item.ident),
            Item::Type(item) => (&item.vis, &item.ident),
            Item::Use(_) | Item::Impl(_) | Item::ExternCrate(_) => continue,
            other => panic!("{module}: an item of a kind that this test does not know: {other:?}"),
        };
        if matches!(visibility, Visibility::Public(_)) {
            found.push(name.to_string());
        }
    }
    found
}

fn every_binding_is_exported_once() {
    let mut missing = bindings();
    // The pointer types have a module of their own, which the root exports.
    missing.retain(|_, of| of.as_deref() != Some("pfn"));
    for topic in TOPICS {
        for name in exports(topic, &file(topic)) {
            if let Some(module) = name.strip_suffix("::*") {
                let count = missing.len();
                missing.retain(|_, of| of.as_deref() != Some(module));
                assert!(
                    missing.len() < count,
                    "{topic} exports {module}, which has nothing, or not for the first time"
                );
            } else if missing.remove(&name).is_none() {
                assert_eq!(
                    name, "CUmemLocation",
                    "{topic} exports {name}, which no binding is, or not for the first time"
                );
            }
        }
    }
    assert!(missing.is_empty(), "not exported: {:#?}", missing.keys());
}

fn the_public_items_are_the_listed_ones() {
    let bindings = bindings();
    let mut lines = Vec::new();
    for (module, file) in
        [("", "src/lib.rs".to_owned())].into_iter().chain(TOPICS.map(|topic| (topic, file(topic))))
    {
        for name in exports(module, &file) {
            match name.strip_suffix("::*") {
                // The root's globs of the topics.
                Some(topic) if TOPICS.iter().any(|known| known.rsplit("::").next() == Some(topic)) => {}
                Some("pfn") => {
                    let of = bindings.iter().filter(|(_, of)| of.as_deref() == Some("pfn"));
                    lines.extend(of.map(|(name, _)| format!("pfn::{name}")));
                }
                Some(values) => {
                    let of = bindings.iter().filter(|(_, of)| of.as_deref() == Some(values));
                    lines.extend(of.map(|(name, _)| format!("{module}::{name}")));
                }
                None => lines.push(format!("{module}::{name}")),
            }
        }
    }
    lines.sort();
    assert_file("tests/bindings/surface.txt", &(lines.join("\n") + "\n"));
}

fn no_name_is_of_bindgens_making() {
    assert!(!read("src/bindings/embedded.rs").contains("__bindgen"));
}

/// The bindings that are generated from a release, for both C ABIs: one text, with the embedded bindings' names.
/// ci/targets/checks.sh generates from each release for all four targets.
fn same_with(release: &str) {
    let include = support::headers(release).expect("the test needs it");
    let generated =
        |target: &str| test_support::build_script!(target).generate_from(&include).run().expect_bindings();
    let text = generated("x86_64-unknown-linux-gnu");
    assert!(generated("x86_64-pc-windows-msvc") == text, "the C ABIs have different texts");
    assert_eq!(names(&text), names(&read("src/bindings/embedded.rs")));
}

fn names(text: &str) -> Vec<String> {
    let bindings = model::Bindings::read(text).unwrap_or_else(|error| panic!("{error}"));
    let mut names: Vec<String> = bindings.opaque;
    names.extend(bindings.aliases.into_iter().map(|(name, ty)| format!("{name} = {ty}")));
    names.extend(bindings.macros.into_iter().map(|(name, _)| name));
    for function in bindings.functions {
        names.push(function.to_string());
    }
    for record in bindings.records {
        names.extend(record.fields.iter().map(|(field, ty)| format!("{}.{field}: {ty}", record.name)));
    }
    for an_enum in bindings.enums {
        names.extend(an_enum.values.iter().map(|(value, _)| format!("{}::{value}", an_enum.name)));
    }
    names.sort();
    names
}
