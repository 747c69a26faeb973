//! Checks bindings before the build script or the generator writes them, so that rustc can compile them.

use std::collections::BTreeSet;

use super::model::{BindingsModel, CType, StructOrUnion, number_size};
use crate::type_exceptions;

/// Checks that each name is unique, each value fits its type, and each type is known.
pub fn validate_bindings(model: &BindingsModel) -> Result<(), String> {
    validate_unique_names(model)?;
    for (name, value) in &model.macros {
        if u32::try_from(*value).is_err() {
            return Err(format!("{name} is {value}, which is not a number of 32 bits without a sign"));
        }
    }
    for an_enum in &model.enums {
        for (name, value) in &an_enum.values {
            let fits =
                if an_enum.is_signed { i32::try_from(*value).is_ok() } else { u32::try_from(*value).is_ok() };
            if !fits {
                return Err(format!("{name} is {value}, which does not fit {}", an_enum.name));
            }
        }
    }
    for (name, ty) in &model.aliases {
        validate_known_type(model, ty).map_err(|why| format!("{name}: {why}"))?;
    }
    for record in &model.records {
        validate_record_fields(model, record)?;
    }
    // The functions need no check: a build writes those of the embedded bindings, which compile.
    Ok(())
}

/// Checks that no two items have the same name, of whatever kind they are.
pub fn validate_unique_names(model: &BindingsModel) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let functions =
        model.functions.iter().flat_map(|function| [Some(&function.name), function.macro_name.as_ref()]);
    let enumerators = model.enums.iter().flat_map(|an_enum| an_enum.values.iter().map(|(name, _)| name));
    let macros = model.macros.iter().map(|(name, _)| name);
    let names = model.type_names().chain(functions.flatten()).chain(enumerators).chain(macros);
    let by_hand = type_exceptions::HAND_WRITTEN.iter().map(|(name, ..)| (*name).to_owned());
    let modules = model.enums.iter().map(|an_enum| format!("{}_values", an_enum.name));
    for name in names.cloned().chain(by_hand).chain(modules) {
        if !seen.insert(name.clone()) {
            return Err(format!("two items are called {name}"));
        }
    }
    Ok(())
}

fn validate_record_fields(model: &BindingsModel, record: &StructOrUnion) -> Result<(), String> {
    let StructOrUnion { name, fields, .. } = record;
    if name.contains("__bindgen") {
        return Err(format!("{name}: a type without a name, which no item leads to"));
    }
    let mut seen = BTreeSet::new();
    for (field, ty) in fields {
        if !seen.insert(field) || field.contains("bindgen") {
            return Err(format!("{name}: the name of the field {field} is not one of C's, or stands twice"));
        }
        validate_known_type(model, ty).map_err(|why| format!("{name}.{field}: {why}"))?;
    }
    Ok(())
}

/// Rust implements Debug for pointers to functions with at most this many arguments.
const MOST_ARGUMENTS: usize = 12;

fn validate_known_type(model: &BindingsModel, ty: &CType) -> Result<(), String> {
    match ty {
        CType::Pointer { to: of, .. } | CType::Array(of, _) => validate_known_type(model, of),
        CType::Function(arguments) if arguments.len() > MOST_ARGUMENTS => {
            Err("a callback of too many arguments".to_owned())
        }
        CType::Function(arguments) => arguments.iter().try_for_each(|(_, ty)| validate_known_type(model, ty)),
        CType::Named(name) => {
            let by_hand = type_exceptions::HAND_WRITTEN.iter().any(|(by_hand, ..)| by_hand == name);
            let is_known = by_hand || name == "c_void" || number_size(name).is_some() || model.has_type(name);
            is_known.then_some(()).ok_or_else(|| format!("the type {name} is unknown"))
        }
    }
}
