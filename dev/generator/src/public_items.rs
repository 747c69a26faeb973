//! Generates tests/surface.txt, the list of public items. The list is the same for the cuda.h of every release.

use std::collections::{BTreeMap, BTreeSet};

use build_script::surface::model::{BindingsModel, CEnum, CFunction, CType, StructOrUnion};
use test_support::rustdoc_output::{ITEMS, PAGES, rustdoc_aliases};

use crate::embedded_bindings_file::PATH;

/// Returns each name of the bindings. A part of an item, such as a constant of an enum, comes with the item's name.
fn names_with_owner(embedded: &str) -> Vec<(String, Option<String>)> {
    let bindings = BindingsModel::parse_bindings(embedded).unwrap_or_else(|error| panic!("{error}"));
    let mut names = Vec::new();
    for CFunction { name, macro_name, .. } in &bindings.functions {
        names.push((name.clone(), None));
        names.extend(macro_name.iter().map(|macro_name| (macro_name.clone(), Some(name.clone()))));
        let both = [Some(name), macro_name.as_ref()].into_iter().flatten();
        names.extend(both.map(|name| (format!("PFN_{name}"), Some("every function".to_owned()))));
    }
    for CEnum { name, values, .. } in &bindings.enums {
        names.push((name.clone(), None));
        names.extend(values.iter().map(|(value, _)| (value.clone(), Some(name.clone()))));
    }
    for StructOrUnion { name, .. } in &bindings.records {
        names.push((name.clone(), bindings.owner_of_unnamed_type(name).map(|(owner, _)| owner.name.clone())));
    }
    for (name, ty) in &bindings.aliases {
        names.push((name.clone(), None));
        // The struct that a handle points to.
        if let CType::Pointer { to, .. } = ty {
            names.push((to.to_string(), Some(name.clone())));
        }
    }
    names.extend(bindings.macros.into_iter().map(|(name, _)| (name, None)));
    names
}

fn is_non_exhaustive_item(name: &str) -> bool {
    let pages = [format!("enum.{name}.html"), format!("struct.{name}.html")];
    pages.iter().any(|page| PAGES.get(page).is_some_and(|text| text.contains("marked as non-exhaustive")))
}

/// Returns a line for each item, with its search aliases. An item's parts share a line for each module, or have none if
/// all parts are in the item's module. A part with a search alias also has a separate line.
pub fn surface_text(_: &str) -> String {
    let mut unlisted = BTreeSet::new();
    let mut modules: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (name, of) in names_with_owner(&crate::read_file(PATH)) {
        let module = ITEMS.get(name.as_str()).unwrap_or_else(|| panic!("{name} is not exported"));
        if let Some(of) = of {
            modules.entry(of).or_default().insert(module);
            unlisted.insert(name);
        }
    }
    let aliases = rustdoc_aliases();
    let is_listed = |name: &str| {
        !unlisted.contains(name) || aliases.get(name).is_some_and(|found_as| !found_as.is_empty())
    };
    let listed = ITEMS.iter().filter(|(name, _)| is_listed(name));
    let line = |(name, module): (&&str, &String)| {
        let found_as: Vec<&str> = aliases.get(*name).into_iter().flatten().map(String::as_str).collect();
        let found_as =
            if found_as.is_empty() { String::new() } else { format!(", found as {}", found_as.join(", ")) };
        format!(
            "{module}::{name}{}{found_as}\n",
            if is_non_exhaustive_item(name) { ", non_exhaustive" } else { "" }
        )
    };
    let mut lines: Vec<String> = listed.map(line).collect();
    for (of, modules) in modules {
        let is_beside = ITEMS.get(of.as_str()).is_some_and(|module| modules == [module.as_str()].into());
        if !is_beside {
            lines.extend(modules.iter().map(|module| format!("{module}::* of {of}\n")));
        }
    }
    lines.sort();
    lines.concat()
}
