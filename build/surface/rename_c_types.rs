//! Renames the types in bindgen's code to the names that C programs write.

use std::collections::BTreeMap;

use super::model::{BindingsModel, CType, StructOrUnion};
use crate::type_exceptions;

/// Names a type by its last typedef or, without a typedef, by the outer type and the field: `CUgraphNodeParams_params`.
pub fn name_types_by_typedefs(model: &mut BindingsModel) {
    let mut names = BTreeMap::new();
    for (name, ..) in type_exceptions::HAND_WRITTEN {
        names.insert(format!("{name}_v1"), (*name).to_owned());
    }
    let (mut duplicates, mut kept) = (Vec::new(), Vec::new());
    // `typedef struct X_st {…} X_v1; typedef X_v1 X;` gives one type three names. `X` replaces the other two.
    for (alias, ty) in std::mem::take(&mut model.aliases) {
        match &ty {
            CType::Named(of) if is_tag_name(of) || split_type_version(of, &alias).is_some() => {
                duplicates.push((of.clone(), alias));
            }
            _ => kept.push((alias, ty)),
        }
    }
    model.aliases = kept;
    // The loop runs in reverse order, since a later typedef names an earlier one.
    for (of, alias) in duplicates.into_iter().rev() {
        match names.get(&of) {
            Some(name) => model.aliases.push((alias, CType::Named(name.clone()))),
            None => {
                if is_type_version(&of, &alias) {
                    model.versions.insert(alias.clone(), of.clone());
                }
                let last = names.get(&alias).cloned().unwrap_or(alias);
                names.insert(of, last);
            }
        }
    }
    rename_types(model, &names);
    name_unnamed_types(model);
}

fn is_tag_name(name: &str) -> bool {
    name.ends_with("_st") || name.ends_with("_enum") || name.ends_with("_union")
}

/// Returns whether `name` is `plain` with a version appended, as `CUdeviceptr_v2` is for `CUdeviceptr`.
fn is_type_version(name: &str, plain: &str) -> bool {
    split_type_version(name, plain).is_some_and(|(_, rest)| rest.is_empty())
}

/// Returns the version in a name that begins with `plain`, and the rest of the name: 3 and `_st` for `X_v3_st`.
fn split_type_version<'a>(name: &'a str, plain: &str) -> Option<(u32, &'a str)> {
    let version = name.strip_prefix(plain)?.strip_prefix("_v")?;
    let end = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    let number = version[..end].parse().ok()?;
    let rest = &version[end..];
    (rest.is_empty() || rest.starts_with('_')).then_some((number, rest))
}

/// Renames the header's types so that a name means the same version in the header and in the embedded bindings.
pub fn rename_later_type_versions(header: &mut BindingsModel, surface: &BindingsModel) {
    let mut names = BTreeMap::new();
    let aliases = surface.aliases.iter().map(|(name, _)| name);
    let enums = surface.enums.iter().map(|an_enum| &an_enum.name);
    for plain in aliases.chain(surface.records.iter().map(|record| &record.name)).chain(enums) {
        let ours = surface.versions.get(plain).cloned().unwrap_or_else(|| format!("{plain}_v1"));
        let theirs = header.aliases.iter().find(|(alias, _)| alias == plain);
        match theirs.map(|(_, ty)| ty) {
            // The header lacks the name `plain`, but may use the versioned name `ours` for the same type.
            None if !header.has_type(plain) => drop(names.insert(ours, plain.clone())),
            Some(CType::Named(of)) if *of != ours && split_type_version(of, plain).is_some() => {
                names.insert(plain.clone(), of.clone());
                names.insert(ours, plain.clone());
                header.aliases.retain(|(alias, _)| alias != plain);
            }
            _ => {}
        }
    }
    rename_types(header, &names);
}

/// In a struct `X`, bindgen calls an unnamed member `__bindgen_anon_1`, and the member's type `X__bindgen_ty_1`.
const MEMBER: &str = "__bindgen_anon_";
const TYPE: &str = "__bindgen_ty_";

/// Names outer types before inner types, since the name of an inner type contains the name of the outer type.
fn name_unnamed_types(model: &mut BindingsModel) {
    let names = model.records.iter().map(|record| &record.name);
    let names = names.chain(model.enums.iter().map(|an_enum| &an_enum.name));
    let mut unnamed: Vec<String> =
        names.filter(|name| name.contains(TYPE) || is_tag_name(name)).cloned().collect();
    loop {
        let mut names = BTreeMap::new();
        for record in model.records.iter_mut().filter(|record| !unnamed.contains(&record.name)) {
            for at in 0..record.fields.len() {
                name_unnamed_member(record, at);
                let (field, ty) = &record.fields[at];
                if let Some(name) = type_name_within_arrays(ty).filter(|name| unnamed.contains(name)) {
                    names.insert(name.clone(), format!("{}_{field}", record.name));
                }
            }
        }
        if names.is_empty() {
            return;
        }
        unnamed.retain(|name| !names.contains_key(name));
        rename_types(model, &names);
    }
}

fn name_unnamed_member(record: &mut StructOrUnion, at: usize) {
    let Some(number) = record.fields[at].0.strip_prefix(MEMBER) else { return };
    let listed = type_exceptions::ANONYMOUS_MEMBER_NAMES.iter().filter(|(owner, _)| *owner == record.name);
    let nth = number.parse::<usize>().unwrap_or(1).saturating_sub(1);
    let name =
        listed.map(|(_, name)| (*name).to_owned()).nth(nth).unwrap_or_else(|| format!("unnamed_{number}"));
    record.fields[at].0 = name;
}

/// Returns the name of a type, or of the type of an array's elements. Pointers have no name.
fn type_name_within_arrays(ty: &CType) -> Option<&String> {
    match ty {
        CType::Named(name) => Some(name),
        CType::Array(of, _) => type_name_within_arrays(of),
        _ => None,
    }
}

fn rename_types(model: &mut BindingsModel, names: &BTreeMap<String, String>) {
    let apply = |name: &mut String| {
        if let Some(new) = names.get(name) {
            new.clone_into(name);
        }
    };
    for (alias, ty) in &mut model.aliases {
        apply(alias);
        rename_in_type(ty, &apply);
    }
    for record in &mut model.records {
        apply(&mut record.name);
        record.fields.iter_mut().for_each(|(_, ty)| rename_in_type(ty, &apply));
    }
    model.enums.iter_mut().for_each(|an_enum| apply(&mut an_enum.name));
    for function in &mut model.functions {
        function.arguments.iter_mut().for_each(|(_, ty)| rename_in_type(ty, &apply));
        rename_in_type(&mut function.result, &apply);
    }
}

fn rename_in_type(ty: &mut CType, apply: &impl Fn(&mut String)) {
    match ty {
        CType::Named(name) => apply(name),
        CType::Pointer { to: of, .. } | CType::Array(of, _) => rename_in_type(of, apply),
        CType::Function(arguments) => arguments.iter_mut().for_each(|(_, ty)| rename_in_type(ty, apply)),
    }
}
