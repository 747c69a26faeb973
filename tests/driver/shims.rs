//! Writes the stand-in's exports: a C function for each of the bindings', from what Rust says of it.
//!
//! cuda.h is included above them, so the C compiler refuses one that is not as declared there.
//! Nothing of the header is kept: the files are made when they are needed.

use std::fmt::Write as _;

use super::layout::facts::{self, c_type};
use super::layout::inventory::{Function, Inventory, Type};

/// The text of work.h: prototypes of what performs a call, as the C sources have it.
pub fn work_h(inventory: &Inventory) -> String {
    let mut text = String::new();
    for function in &inventory.functions {
        let _ = writeln!(text, "{};", head(inventory, function, "work_"));
    }
    text
}

/// The text of shims.c. The hand-written sources, which perform some functions, are `everywhere` or
/// `on_linux`.
pub fn shims_c(inventory: &Inventory, everywhere: &str, on_linux: &str) -> String {
    let mut text = String::from("#include \"stand_in.h\"\n\n");
    for function in &inventory.functions {
        if let Some(plain) = function.name.strip_suffix("_ptsz") {
            let _ = writeln!(text, "extern __typeof__({plain}) {};", function.name);
        }
        let _ = writeln!(text, "EXPORT {} {{", head(inventory, function, ""));
        let names: Vec<&str> = function.arguments.iter().map(|(name, _)| name.as_str()).collect();
        let work = format!("        return work_{}({});", function.name, names.join(", "));
        let refusal = "        return CUDA_ERROR_NOT_SUPPORTED;";
        let definition = format!("WORK({})(", function.name);
        let performed = if everywhere.contains(&definition) {
            work
        } else if on_linux.contains(&definition) {
            format!("#ifdef __linux__\n{work}\n#else\n{refusal}\n#endif")
        } else {
            refusal.to_owned()
        };
        let _ = writeln!(text, "    if (!stand_in_records())\n{performed}");
        let _ = writeln!(text, "    stand_in_begin(\"{}\");", function.name);
        for (name, _) in &function.arguments {
            let _ = writeln!(text, "    stand_in_seen(\"{name}\", -1, \"\", &{name}, sizeof {name});");
        }
        for (name, ty) in &function.arguments {
            if let Type::Pointer { to, mutable } = ty
                && !is_opaque(inventory, to)
            {
                target(&mut text, inventory, name, to, *mutable);
            }
        }
        text.push_str("    return stand_in_end();\n}\n\n");
    }
    text.push_str("const char *stand_in_code_name(CUresult code) {\n    switch ((unsigned int)code) {\n");
    for constant in inventory.constants.iter().filter(|constant| constant.of.as_deref() == Some("CUresult")) {
        let _ = writeln!(text, "    case {0}:\n        return \"{0}\";", constant.name);
    }
    text.push_str("    }\n    return NULL;\n}\n");
    text
}

/// `CUresult CUDAAPI cuInit(unsigned int Flags)`
fn head(inventory: &Inventory, function: &Function, prefix: &str) -> String {
    let arguments = function.arguments.iter();
    let arguments: Vec<String> =
        arguments.map(|(name, ty)| format!("{} {name}", c_type(inventory, ty))).collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    let result = c_type(inventory, &function.result);
    // A WORK function is called by the shims alone.
    let convention = if prefix.is_empty() { "CUDAAPI " } else { "" };
    format!("{result} {convention}{prefix}{}({arguments})", function.name)
}

/// What a pointer to it points to is the caller's or the driver's secret.
fn is_opaque(inventory: &Inventory, ty: &Type) -> bool {
    matches!(ty, Type::Named(name) if name == "c_void" || inventory.opaque.contains(name))
}

/// A const pointer is taken for an array of two: the second element shows the stride. What a mutable
/// one points to is given a pattern.
fn target(text: &mut String, inventory: &Inventory, name: &str, ty: &Type, mutable: bool) {
    let mut leaves = Vec::new();
    leaf_paths(inventory, ty, "", &mut leaves);
    if mutable {
        for path in leaves {
            let _ = writeln!(
                text,
                "    if ({name} != NULL)\n        stand_in_give(\"{name}\", \"{path}\", &(*{name}){path}, sizeof (*{name}){path});"
            );
        }
    } else {
        let _ = writeln!(text, "    for (int at = 0; {name} != NULL && at < 2; at++) {{");
        for path in leaves {
            let _ = writeln!(
                text,
                "        stand_in_seen(\"{name}\", at, \"{path}\", &{name}[at]{path}, sizeof {name}[at]{path});"
            );
        }
        text.push_str("    }\n");
    }
}

/// The paths of the fields that have none of their own: `.handle.win32.name`, or nothing.
fn leaf_paths(inventory: &Inventory, ty: &Type, path: &str, leaves: &mut Vec<String>) {
    let record = match ty {
        Type::Named(name) => inventory.records.iter().find(|record| record.name == *name),
        _ => None,
    };
    let Some(record) = record else { return leaves.push(path.to_owned()) };
    for (field, ty) in &record.fields {
        let in_c = field.strip_suffix('_').unwrap_or(field);
        let path = match facts::unnamed(record) {
            Some(unnamed) if unnamed == field => path.to_owned(),
            _ => format!("{path}.{in_c}"),
        };
        leaf_paths(inventory, ty, &path, leaves);
    }
}
