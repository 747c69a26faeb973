//! Merges a header into the surface: its values, and the items that it adds. The rest of the surface stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::compare;
use super::model::{Model, Type};
use super::{check, names};
use crate::allowlist;

/// Returns the surface with the header's values. A newer header also adds what the surface lacks: enumerators of its
/// enums, and CUDA types that its items use in the header. The error says why the header cannot be used.
pub fn merge(mut header: Model, mut surface: Model, is_newer: bool) -> Result<Model, String> {
    // The constants are all that the header has, enumerators too.
    let values: BTreeMap<String, i64> = std::mem::take(&mut header.macros).into_iter().collect();
    // A tag of one type may be the name of another type. bindgen does not distinguish the two.
    check::names_are_unique(&header)?;
    names::set_versions_apart(&mut header, &surface);
    names::name(&mut header);
    check::names_are_unique(&header)?;
    compare(&header, &surface)?;
    if is_newer {
        add_enumerators(&mut surface, &header);
        add_types(&mut surface, &header);
    }
    take_values(&mut surface, &values);
    check::check(&surface)?;
    Ok(surface)
}

fn add_enumerators(surface: &mut Model, header: &Model) {
    let known: BTreeSet<String> = surface.constants().map(|(name, _)| name.clone()).collect();
    for ours in &mut surface.enums {
        let by_our_name = Type::Named(ours.name.clone());
        let Type::Named(name) = header.resolve(&by_our_name) else { continue };
        let theirs = header.an_enum(name).into_iter().flat_map(|theirs| &theirs.values);
        ours.values.extend(theirs.filter(|(name, _)| is_cudas(name) && !known.contains(name)).cloned());
    }
}

fn add_types(surface: &mut Model, header: &Model) {
    let known: BTreeSet<String> = surface.type_names().chain(surface.versions.values()).cloned().collect();
    // The header may have another name behind the surface's; the types of its members then begin with that.
    let behind: BTreeSet<String> = known
        .iter()
        .filter_map(|name| match header.resolve(&Type::Named(name.clone())) {
            Type::Named(behind) if behind != name => Some(behind.clone()),
            _ => None,
        })
        .chain(allowlist::HAND_WRITTEN.iter().map(|(name, ..)| (*name).to_owned()))
        .collect();
    let is_behind = |name: &String| {
        behind
            .iter()
            .any(|of| name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
    };
    let is_new = |name: &String| is_cudas(name) && !known.contains(name) && !is_behind(name);
    surface.aliases.extend(header.aliases.iter().filter(|(name, _)| is_new(name)).cloned());
    surface.opaque.extend(header.opaque.iter().filter(|name| is_new(name)).cloned());
    surface.enums.extend(header.enums.iter().filter(|one| is_new(&one.name)).cloned());
    surface.records.extend(header.records.iter().filter(|one| is_new(&one.name)).cloned());
}

/// Whether a name is one of CUDA's, as every name that it has given so far.
fn is_cudas(name: &str) -> bool {
    name.starts_with("CU") || name.starts_with("cu")
}

/// Takes each constant's value from the header, wherever it is defined there: in its enum, in another one, or by a macro.
fn take_values(surface: &mut Model, values: &BTreeMap<String, i64>) {
    let enumerators = surface.enums.iter_mut().flat_map(|an_enum| &mut an_enum.values);
    for (name, value) in surface.macros.iter_mut().chain(enumerators) {
        *value = values.get(name).copied().unwrap_or(*value);
    }
}
