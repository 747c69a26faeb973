//! Reads what bindgen made, and gives everything the name that C programs write.

use std::collections::BTreeMap;

use super::model::{Bindings, Type};
use crate::allowlist;

/// Reads bindgen's text. An item or an attribute of an unknown kind is an error: it may change a layout.
pub fn read(text: &str) -> Result<Bindings, String> {
    let mut bindings =
        Bindings::read(text).map_err(|error| format!("unexpected code from bindgen: {error}"))?;
    name(&mut bindings);
    for (name, ty) in &mut bindings.aliases {
        // The same integers by another path, depending on the C compiler.
        match name.as_str() {
            "cuuint32_t" => *ty = Type::Named("u32".to_owned()),
            "cuuint64_t" => *ty = Type::Named("u64".to_owned()),
            _ => {}
        }
    }
    for an_enum in &mut bindings.enums {
        an_enum.is_signed = an_enum.values.iter().any(|(_, value)| *value < 0);
    }
    for function in &mut bindings.functions {
        let listed = allowlist::FUNCTIONS.iter().find(|(symbol, _)| *symbol == function.name);
        function.plain = listed.and_then(|(_, plain)| plain.map(str::to_owned));
    }
    Ok(bindings)
}

/// Gives every type the name that C programs write: the typedef's, not the tag's. A type without one is named by its
/// owner and the owner's field.
fn name(bindings: &mut Bindings) {
    let mut names = BTreeMap::new();
    for (name, ..) in allowlist::HAND_WRITTEN {
        names.insert(format!("{name}_v1"), (*name).to_owned());
    }
    let (mut duplicates, mut kept) = (Vec::new(), Vec::new());
    // `typedef struct X_st {…} X_v1; typedef X_v1 X;`: one type, whose name is the last one.
    for (alias, ty) in std::mem::take(&mut bindings.aliases) {
        match &ty {
            Type::Named(of) if is_tag(of) || is_version_of(of, &alias) => {
                duplicates.push((of.clone(), alias));
            }
            _ => kept.push((alias, ty)),
        }
    }
    bindings.aliases = kept;
    // Later typedefs are of earlier ones.
    for (of, alias) in duplicates.into_iter().rev() {
        match names.get(&of) {
            Some(name) => bindings.aliases.push((alias, Type::Named(name.clone()))),
            None => {
                let last = names.get(&alias).cloned().unwrap_or(alias);
                names.insert(of, last);
            }
        }
    }
    rename(bindings, &names);
    // Owners first: a type within one that has no name of its own gets its name in the next round.
    loop {
        let names = unnamed_types(bindings);
        if names.is_empty() {
            break;
        }
        rename(bindings, &names);
    }
}

fn is_tag(name: &str) -> bool {
    name.ends_with("_st") || name.ends_with("_enum") || name.ends_with("_union")
}

/// `CUdeviceptr_v2` is a version of `CUdeviceptr`.
fn is_version_of(name: &str, plain: &str) -> bool {
    let version = name.strip_prefix(plain).and_then(|rest| rest.strip_prefix("_v"));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()))
}

/// bindgen's name for a member without a name, and the suffix of such a member's type.
const MEMBER: &str = "__bindgen_anon_";
const TYPE: &str = "__bindgen_ty_";

/// Names the members of owners that have a name, and returns the names for their types.
fn unnamed_types(bindings: &mut Bindings) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for record in &mut bindings.records {
        if record.name.contains(TYPE) || is_tag(&record.name) {
            continue;
        }
        for (field, ty) in &mut record.fields {
            if let Some(number) = field.strip_prefix(MEMBER) {
                let listed = allowlist::UNNAMED.iter().filter(|(owner, _)| *owner == record.name);
                let nth = number.parse::<usize>().unwrap_or(1) - 1;
                *field = listed
                    .map(|(_, name)| (*name).to_owned())
                    .nth(nth)
                    .unwrap_or_else(|| format!("unnamed_{number}"));
            }
            match ty {
                Type::Named(ty) if ty.contains(TYPE) || is_tag(ty) => {
                    names.insert(ty.clone(), format!("{}_{field}", record.name));
                }
                _ => {}
            }
        }
    }
    names
}

fn rename(bindings: &mut Bindings, names: &BTreeMap<String, String>) {
    let apply = |name: &mut String| {
        if let Some(new) = names.get(name) {
            new.clone_into(name);
        }
    };
    for (alias, ty) in &mut bindings.aliases {
        apply(alias);
        rename_in(ty, &apply);
    }
    for record in &mut bindings.records {
        apply(&mut record.name);
        record.fields.iter_mut().for_each(|(_, ty)| rename_in(ty, &apply));
    }
    bindings.enums.iter_mut().for_each(|an_enum| apply(&mut an_enum.name));
    for function in &mut bindings.functions {
        function.arguments.iter_mut().for_each(|(_, ty)| rename_in(ty, &apply));
        rename_in(&mut function.result, &apply);
    }
}

fn rename_in(ty: &mut Type, apply: &impl Fn(&mut String)) {
    match ty {
        Type::Named(name) => apply(name),
        Type::Pointer { to: of, .. } | Type::Array(of, _) => rename_in(of, apply),
        Type::Function(arguments) => arguments.iter_mut().for_each(|(_, ty)| rename_in(ty, apply)),
    }
}
