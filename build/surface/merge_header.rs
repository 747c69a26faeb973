//! Merges a header's values of constants, and a newer header's enumerators and types, into the embedded bindings.

use std::collections::{BTreeMap, BTreeSet};

use super::compare_items::compare_items;
use super::model::{BindingsModel, CType};
use super::rename_c_types::{name_types_by_typedefs, rename_later_type_versions};
use super::validate_bindings::{validate_bindings, validate_unique_names};
use crate::toolkit::CudaRelease;
use crate::{embedded_bindings, type_exceptions};

/// Reads the bindings that come with the crate.
pub fn read_embedded_surface() -> Result<BindingsModel, String> {
    BindingsModel::parse_bindings(embedded_bindings::embedded_text())
}

pub fn merged_text(surface: &BindingsModel, code: &str, version: CudaRelease) -> Result<String, String> {
    let is_newer = version > CudaRelease::of_embedded_bindings();
    let merged = merge_header(parse_bindgen_code(code, version)?, surface.clone(), is_newer)?;
    Ok(text_with_release_line(&merged, version))
}

/// Parses bindgen's code. An unknown item or attribute is an error, since either may change a layout or a call. A
/// `CUDA_VERSION` that is missing or is not that of `version` is an error too: clang read another cuda.h than that of
/// `version`.
pub fn parse_bindgen_code(code: &str, version: CudaRelease) -> Result<BindingsModel, String> {
    let header = BindingsModel::parse_bindings(code)
        .map_err(|error| format!("unexpected code from bindgen: {error}"))?;
    let read = header.macros.iter().find(|(name, _)| name == "CUDA_VERSION").map(|(_, value)| *value);
    let located = i64::from(version.major * 1000 + version.minor * 10);
    if read != Some(located) {
        return Err(format!(
            "clang read another cuda.h: CUDA_VERSION is {located} in this one and {} in what was read",
            read.map_or("not defined".to_owned(), |read| read.to_string())
        ));
    }
    Ok(header)
}

pub fn text_with_release_line(model: &BindingsModel, version: CudaRelease) -> String {
    let header = format!(
        "// Generated from the cuda.h of CUDA {version}; \
         in the repository by cargo run -p generator, which keeps the fields' documentation\n\n"
    );
    header + &model.rust_text()
}

pub fn merge_header(
    mut header: BindingsModel,
    mut surface: BindingsModel,
    is_newer: bool,
) -> Result<BindingsModel, String> {
    // `bindgen_code_of_header` appends the header's enumerators and macros. `parse_constant` reads both as macros.
    let values: BTreeMap<String, i64> = std::mem::take(&mut header.macros).into_iter().collect();
    // In C, the tag of one type may be the name of another type. bindgen gives both types this name.
    validate_unique_names(&header)?;
    rename_later_type_versions(&mut header, &surface);
    name_types_by_typedefs(&mut header);
    validate_unique_names(&header)?;
    compare_items(&header, &surface)?;
    if is_newer {
        add_enumerators(&mut surface, &header);
        add_types(&mut surface, &header);
    }
    take_constants_from_header(&mut surface, &values);
    validate_bindings(&surface)?;
    Ok(surface)
}

fn add_enumerators(surface: &mut BindingsModel, header: &BindingsModel) {
    let known: BTreeSet<String> = surface.constants_with_values().map(|(name, _)| name.clone()).collect();
    for ours in &mut surface.enums {
        let by_our_name = CType::Named(ours.name.clone());
        let CType::Named(name) = header.resolve_alias(&by_our_name) else { continue };
        let theirs = header.enum_of_name(name).into_iter().flat_map(|theirs| &theirs.values);
        ours.values.extend(theirs.filter(|(name, _)| is_cuda_name(name) && !known.contains(name)).cloned());
    }
}

fn add_types(surface: &mut BindingsModel, header: &BindingsModel) {
    let known: BTreeSet<String> = surface.type_names().chain(surface.versions.values()).cloned().collect();
    // In the header, an embedded type's name may be an alias of a second name. The type with the second name is then
    // not new. The types of the members of that type are not new either: their names begin with the second name.
    let aliased: BTreeSet<String> = known
        .iter()
        .filter_map(|name| match header.resolve_alias(&CType::Named(name.clone())) {
            CType::Named(aliased) if aliased != name => Some(aliased.clone()),
            _ => None,
        })
        .chain(type_exceptions::HAND_WRITTEN.iter().map(|(name, ..)| (*name).to_owned()))
        .collect();
    let is_aliased = |name: &String| {
        aliased
            .iter()
            .any(|of| name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
    };
    let is_new = |name: &String| is_cuda_name(name) && !known.contains(name) && !is_aliased(name);
    surface.aliases.extend(header.aliases.iter().filter(|(name, _)| is_new(name)).cloned());
    surface.opaque.extend(header.opaque.iter().filter(|name| is_new(name)).cloned());
    surface.enums.extend(header.enums.iter().filter(|one| is_new(&one.name)).cloned());
    surface.records.extend(header.records.iter().filter(|one| is_new(&one.name)).cloned());
}

fn is_cuda_name(name: &str) -> bool {
    name.starts_with("CU") || name.starts_with("cu")
}

/// Takes values by the constants' names: a header may define a constant as a macro, or in an enum of another name.
fn take_constants_from_header(surface: &mut BindingsModel, values: &BTreeMap<String, i64>) {
    let enumerators = surface.enums.iter_mut().flat_map(|an_enum| &mut an_enum.values);
    for (name, value) in surface.macros.iter_mut().chain(enumerators) {
        *value = values.get(name).copied().unwrap_or(*value);
    }
}
