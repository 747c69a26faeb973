//! How C and Rust spell the types of the bindings.

use super::allowlist;
use super::inventory::{Function, Inventory, Record, Type};

/// The record that C has a name for, and the path from it to this one: `handle.win32`.
pub fn place(inventory: &Inventory, record: &Record) -> (String, String) {
    match inventory.owner(&record.name) {
        None => (record.name.clone(), String::new()),
        Some((owner, field)) => {
            let (root, mut path) = place(inventory, owner);
            if !is_unnamed(owner, field) {
                path = [path.as_str(), field].join(if path.is_empty() { "" } else { "." });
            }
            (root, path)
        }
    }
}

/// How C spells the record, if it can at all.
pub fn c_name(inventory: &Inventory, record: &str) -> Option<String> {
    match inventory.owner(record) {
        None => Some(record.to_owned()),
        Some((owner, field)) if is_unnamed(owner, field) => None,
        Some((owner, field)) => {
            let owner = c_name(inventory, &owner.name)?;
            Some(format!("__typeof__((({owner} *)0)->{field})"))
        }
    }
}

pub fn is_unnamed(owner: &Record, field: &str) -> bool {
    unnamed(owner) == Some(field)
}

/// The record's field that C has no name for.
pub fn unnamed(record: &Record) -> Option<&'static str> {
    allowlist::UNNAMED.iter().find(|(owner, _)| *owner == record.name).map(|(_, field)| *field)
}

/// The C spelling of the type that a Rust type stands for.
pub fn c_type(inventory: &Inventory, ty: &Type) -> String {
    match ty {
        Type::Named(name) => match name.as_str() {
            "c_char" => "char".to_owned(),
            "c_schar" => "signed char".to_owned(),
            "c_uchar" => "unsigned char".to_owned(),
            "c_short" => "short".to_owned(),
            "c_ushort" => "unsigned short".to_owned(),
            "c_int" => "int".to_owned(),
            "c_uint" => "unsigned int".to_owned(),
            "c_long" => "long".to_owned(),
            "c_ulong" => "unsigned long".to_owned(),
            "c_longlong" => "long long".to_owned(),
            "c_ulonglong" => "unsigned long long".to_owned(),
            "c_void" => "void".to_owned(),
            "usize" => "__SIZE_TYPE__".to_owned(),
            name if inventory.opaque.iter().any(|tag| tag == name) => format!("struct {name}"),
            "u32" => "cuuint32_t".to_owned(),
            "u64" => "cuuint64_t".to_owned(),
            "f32" => "float".to_owned(),
            name => c_name(inventory, name).unwrap_or_else(|| name.to_owned()),
        },
        Type::Pointer { to, mutable: true } => format!("{} *", c_type(inventory, to)),
        Type::Pointer { to, mutable: false } => format!("{} const *", c_type(inventory, to)),
        Type::Array(of, length) => format!("{} [{length}]", c_type(inventory, of)),
        Type::Function(arguments) => {
            let types: Vec<String> = arguments.iter().map(|(_, ty)| c_type(inventory, ty)).collect();
            format!("void (CUDA_CB *)({})", types.join(", "))
        }
    }
}

pub fn c_pointer(inventory: &Inventory, function: &Function) -> String {
    let types: Vec<String> = function.arguments.iter().map(|(_, ty)| c_type(inventory, ty)).collect();
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    format!("{} (CUDAAPI *)({types})", c_type(inventory, &function.result))
}

pub fn rust_pointer(function: &Function) -> String {
    let types: Vec<String> = function.arguments.iter().map(|(_, ty)| rust_type(ty)).collect();
    format!("unsafe extern \"C\" fn({}) -> {}", types.join(", "), rust_type(&function.result))
}

fn rust_type(ty: &Type) -> String {
    match ty {
        Type::Named(name) if name.starts_with("c_") => format!("core::ffi::{name}"),
        Type::Named(name) => name.clone(),
        Type::Pointer { to, mutable: true } => format!("*mut {}", rust_type(to)),
        Type::Pointer { to, mutable: false } => format!("*const {}", rust_type(to)),
        Type::Array(of, length) => format!("[{}; {length}]", rust_type(of)),
        Type::Function(arguments) => {
            let types: Vec<String> = arguments.iter().map(|(_, ty)| rust_type(ty)).collect();
            format!("Option<unsafe extern \"C\" fn({})>", types.join(", "))
        }
    }
}
