//! Reads what bindgen made: its items become the bindings' own, with C's names.

use std::collections::BTreeMap;

use syn::{Expr, Fields, ForeignItem, Item, UseTree};

use super::model::{Bindings, Enum, Function, Record, Type, integer};
use crate::allowlist;

/// Reads bindgen's text. An item or an attribute of an unknown kind is an error: it may change a layout.
pub fn read(text: &str) -> Result<Bindings, String> {
    let file = syn::parse_file(text).map_err(|error| format!("bindgen's code does not parse: {error}"))?;
    let mut bindings = Bindings::default();
    // An enum may come after its values.
    let (constants, others): (Vec<_>, Vec<_>) =
        file.items.into_iter().partition(|item| matches!(item, Item::Const(_)));
    for item in others.into_iter().chain(constants) {
        add(&mut bindings, item)?;
    }
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
    Ok(bindings)
}

fn add(bindings: &mut Bindings, item: Item) -> Result<(), String> {
    match item {
        Item::Type(item) => bindings.aliases.push((item.ident.to_string(), Type::of(&item.ty)?)),
        // `pub use self::CUstream_flags_enum as CUstream_flags;`
        Item::Use(item) => match item.tree {
            UseTree::Path(path) if path.ident == "self" => match *path.tree {
                UseTree::Rename(rename) => {
                    let of = Type::Named(rename.ident.to_string());
                    bindings.aliases.push((rename.rename.to_string(), of));
                }
                other => return Err(format!("a use of an unknown kind: {other:?}")),
            },
            other => return Err(format!("a use of an unknown kind: {other:?}")),
        },
        Item::Union(item) => {
            check_representation(&item.ident, &item.attrs)?;
            bindings.records.push(Record::new(&item.ident, true, item.fields.named.iter())?);
        }
        Item::Struct(item) => {
            check_representation(&item.ident, &item.attrs)?;
            match &item.fields {
                Fields::Named(fields) => {
                    let record = Record::new(&item.ident, false, fields.named.iter())?;
                    if record.fields.iter().any(|(name, _)| name == "_unused") {
                        bindings.opaque.push(record.name);
                    } else {
                        bindings.records.push(record);
                    }
                }
                Fields::Unnamed(fields) => {
                    let name = item.ident.to_string();
                    match fields.unnamed.first().map(|field| Type::of(&field.ty)) {
                        Some(Ok(Type::Named(of))) if of == "c_int" || of == "c_uint" => {}
                        other => return Err(format!("the enum {name} is not an int: {other:?}")),
                    }
                    bindings.enums.push(Enum { name, is_signed: false, values: Vec::new() });
                }
                Fields::Unit => return Err(format!("{} has no fields", item.ident)),
            }
        }
        Item::Const(item) => {
            let name = item.ident.to_string();
            match &*item.expr {
                // `pub const CUDA_SUCCESS: CUresult = CUresult(0);`
                Expr::Call(call) => {
                    let Type::Named(of) = Type::of(&item.ty)? else {
                        return Err(format!("{name} is a constant of an unknown type"));
                    };
                    let value = call.args.first().map(integer).unwrap_or(Err("no value".to_owned()))?;
                    let mut enums = bindings.enums.iter_mut();
                    let an_enum = enums.find(|an_enum| an_enum.name == of);
                    an_enum
                        .ok_or_else(|| format!("{name} is of the unknown type {of}"))?
                        .values
                        .push((name, value));
                }
                value => bindings.macros.push((name, integer(value)?)),
            }
        }
        Item::ForeignMod(block) => {
            for item in block.items {
                match item {
                    ForeignItem::Fn(item) => bindings.functions.push(function(&item.sig)?),
                    other => return Err(format!("a foreign item of an unknown kind: {other:?}")),
                }
            }
        }
        other => return Err(format!("an item of an unknown kind: {other:?}")),
    }
    Ok(())
}

/// Refuses `packed` and `align(…)`, which cuda.h uses for no type of the surface.
fn check_representation(name: &syn::Ident, attributes: &[syn::Attribute]) -> Result<(), String> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let representation: syn::Ident =
            attribute.parse_args().map_err(|_| format!("{name} is packed or aligned"))?;
        if representation != "C" && representation != "transparent" {
            return Err(format!("{name} is represented as {representation}"));
        }
    }
    Ok(())
}

fn function(signature: &syn::Signature) -> Result<Function, String> {
    let name = signature.ident.to_string();
    let listed = allowlist::FUNCTIONS.iter().find(|(symbol, _)| *symbol == name);
    let plain = listed.and_then(|(_, plain)| plain.map(str::to_owned));
    let arguments = signature.inputs.iter().map(|argument| match argument {
        syn::FnArg::Typed(argument) => match &*argument.pat {
            syn::Pat::Ident(name) => Ok((name.ident.to_string(), Type::of(&argument.ty)?)),
            _ => Err(format!("{name} has an argument without a name")),
        },
        syn::FnArg::Receiver(_) => Err(format!("{name} has a receiver")),
    });
    let arguments = arguments.collect::<Result<_, String>>()?;
    let syn::ReturnType::Type(_, result) = &signature.output else {
        return Err(format!("{name} returns nothing"));
    };
    let result = Type::of(result)?;
    Ok(Function { name, plain, arguments, result })
}

/// Gives every type the name that C programs write: the typedef's, not the tag's. A type without one is named by its
/// owner and the owner's field.
fn name(bindings: &mut Bindings) {
    let hand_written = allowlist::HAND_WRITTEN.iter();
    let mut names: BTreeMap<String, String> =
        hand_written.map(|name| (format!("{name}_v1"), (*name).to_owned())).collect();
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
            if let Type::Named(ty) = ty
                && (ty.contains(TYPE) || is_tag(ty))
            {
                names.insert(ty.clone(), format!("{}_{field}", record.name));
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
