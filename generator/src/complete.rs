//! Completes what a header has to the surface of the newest release, so that it is the same with every toolkit.

use std::fmt::Display;

use super::layout::{Layout, Layouts};
use super::model::{Bindings, Function, Record, Type};
use crate::allowlist;

/// Adds what the header lacks of the newest release's bindings, which come with the crate.
///
/// A newer header's definitions stand. Of an older one only the values stand, after a check that its types and functions
/// agree with the newest; the error names what does not.
pub fn complete(header: Bindings, newest: Bindings, header_is_older: bool) -> Result<Bindings, String> {
    if header_is_older {
        check(&header, &newest)?;
        Ok(with_values_of(newest, &header))
    } else {
        Ok(with_missing_of(header, newest))
    }
}

fn with_values_of(mut newest: Bindings, header: &Bindings) -> Bindings {
    let value = |values: &[(String, i64)], name: &str| {
        values.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    };
    for (name, ours) in &mut newest.macros {
        *ours = value(&header.macros, name).unwrap_or(*ours);
    }
    for an_enum in &mut newest.enums {
        let Some(theirs) = header.enums.iter().find(|other| other.name == an_enum.name) else { continue };
        for (name, ours) in &mut an_enum.values {
            *ours = value(&theirs.values, name).unwrap_or(*ours);
        }
    }
    newest
}

fn with_missing_of(mut header: Bindings, newest: Bindings) -> Bindings {
    add_missing(&mut header.aliases, newest.aliases, |(name, _)| name);
    add_missing(&mut header.opaque, newest.opaque, |name| name);
    add_missing(&mut header.records, newest.records, |record| &record.name);
    add_missing(&mut header.macros, newest.macros, |(name, _)| name);
    add_missing(&mut header.functions, newest.functions, |function| &function.name);
    for ours in newest.enums {
        match header.enums.iter_mut().find(|theirs| theirs.name == ours.name) {
            Some(theirs) => add_missing(&mut theirs.values, ours.values, |(name, _)| name),
            None => header.enums.push(ours),
        }
    }
    header
}

fn add_missing<T>(to: &mut Vec<T>, from: Vec<T>, name: impl Fn(&T) -> &String) {
    for one in from {
        if to.iter().all(|other| name(other) != name(&one)) {
            to.push(one);
        }
    }
}

/// Checks that an older header's types and functions are binary compatible with the newest.
fn check(header: &Bindings, newest: &Bindings) -> Result<(), String> {
    let older = Layouts { bindings: header };
    let newer = Layouts { bindings: newest };
    for theirs in &header.records {
        if let Some(ours) = newest.records.iter().find(|ours| ours.name == theirs.name) {
            check_record(theirs, ours, &older, &newer)?;
        }
    }
    for (name, theirs) in &header.aliases {
        let ours = newest.aliases.iter().find(|(ours, _)| ours == name);
        match ours {
            Some((_, ours)) if older.of(theirs)? != newer.of(ours)? => {
                return Err(format!("{name} is {theirs} in this header and {ours} in the newest"));
            }
            _ => {}
        }
    }
    for theirs in &header.functions {
        if let Some(ours) = newest.functions.iter().find(|ours| ours.name == theirs.name) {
            check_function(theirs, ours, &older, &newer)?;
        }
    }
    Ok(())
}

fn check_record(
    theirs: &Record,
    ours: &Record,
    older: &Layouts<'_>,
    newer: &Layouts<'_>,
) -> Result<(), String> {
    let name = &ours.name;
    let differ = |what: &str, theirs: &dyn Display, ours: &dyn Display| {
        Err(format!("{what} {theirs} in this header, and {ours} in the newest"))
    };
    let (size, newest_size) = (older.of_record(theirs)?, newer.of_record(ours)?);
    if !is_compatible(name, size, newest_size) {
        return differ(&format!("{name} has"), &size, &newest_size);
    }
    for ours in newer.fields(ours)? {
        // A later release takes its new fields from the reserved ones.
        let theirs = older.fields(theirs)?.into_iter().find(|theirs| theirs.name == ours.name);
        let Some(theirs) = theirs.filter(|_| !ours.name.starts_with("reserved")) else { continue };
        let ty = match ours.ty {
            Type::Named(ty) => ty,
            _ => "",
        };
        if theirs.offset != ours.offset || !is_compatible(ty, theirs.layout, ours.layout) {
            return differ(&format!("{name}.{} is at", ours.name), &theirs, &ours);
        }
    }
    Ok(())
}

fn is_compatible(ty: &str, theirs: Layout, ours: Layout) -> bool {
    let has_grown = allowlist::GROWN.contains(&ty) && theirs.align == ours.align && theirs.size < ours.size;
    theirs == ours || has_grown
}

fn check_function(
    theirs: &Function,
    ours: &Function,
    older: &Layouts<'_>,
    newer: &Layouts<'_>,
) -> Result<(), String> {
    let layouts = |function: &Function, of: &Layouts<'_>| {
        let types = function.arguments.iter().map(|(_, ty)| ty).chain([&function.result]);
        types.map(|ty| of.of(ty)).collect::<Result<Vec<_>, _>>()
    };
    if layouts(theirs, older)? != layouts(ours, newer)? {
        return Err(format!("the arguments of {} are not those of the newest header", ours.name));
    }
    Ok(())
}
