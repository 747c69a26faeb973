//! Writes the stand-in's exports: a C function for each of the bindings', from what Rust says of it.
//!
//! cuda.h is included above them, so the C compiler refuses one that is not as declared there.
//! Nothing of the header is kept: the files are made when they are needed.

use std::fmt::Write as _;

use super::layout::facts::{self, c_type};
use super::layout::inventory::{Function, Inventory, Record, Type};

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
    let results = inventory.enums.iter().filter(|an_enum| an_enum.name == "CUresult");
    for (name, _) in results.flat_map(|an_enum| &an_enum.values) {
        let _ = writeln!(text, "    case {name}:\n        return \"{name}\";");
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

/// A const pointer is taken for an array of two: the second element shows the stride. What a mutable one points to is
/// recorded and then replaced by a pattern.
fn target(text: &mut String, inventory: &Inventory, name: &str, ty: &Type, mutable: bool) {
    let count = if mutable { 1 } else { 2 };
    let _ = writeln!(text, "    for (int at = 0; {name} != NULL && at < {count}; at++) {{");
    let _ = writeln!(text, "        stand_in_seen(\"{name}\", at, \"\", &{name}[at], sizeof {name}[at]);");
    for Leaf { c, .. } in record(inventory, ty).map(|record| leaves(inventory, record)).unwrap_or_default() {
        let _ = writeln!(
            text,
            "        stand_in_seen(\"{name}\", at, \"{c}\", &{name}[at]{c}, sizeof {name}[at]{c});"
        );
    }
    if mutable {
        let _ = writeln!(text, "        stand_in_give(\"{name}[0]\", \"\", {name}, sizeof *{name});");
    }
    text.push_str("    }\n");
}

/// The text of fields.rs: where Rust has the fields that the mock driver reads by C's names.
pub fn fields_rs(inventory: &Inventory) -> String {
    let mut text = String::from("fn fields(name: &str) -> Vec<(&'static str, Field)> {\n    match name {\n");
    for record in inventory.records.iter().filter(|record| inventory.owner(&record.name).is_none()) {
        let name = &record.name;
        let _ = writeln!(text, "        \"{name}\" => {{");
        // As the caller of a function would make it.
        let _ = writeln!(text, "            let value = {name}::default();");
        text.push_str("            let at = &raw const value;\n            vec![\n");
        for Leaf { c, rust } in leaves(inventory, record) {
            let _ =
                writeln!(text, "                (\"{c}\", field(at, unsafe {{ &raw const (*at){rust} }})),");
        }
        text.push_str("            ]\n        }\n");
    }
    text.push_str("        _ => Vec::new(),\n    }\n}\n");
    text
}

fn record<'a>(inventory: &'a Inventory, ty: &Type) -> Option<&'a Record> {
    let Type::Named(name) = ty else { return None };
    let name = match inventory.aliases.iter().find(|(alias, _)| alias == name) {
        Some((_, ty)) => return record(inventory, ty),
        None => name,
    };
    inventory.records.iter().find(|record| record.name == *name)
}

/// A field that has no fields of its own, by its path in each language: `.handle.win32.name`.
struct Leaf {
    c: String,
    rust: String,
}

fn leaves(inventory: &Inventory, of: &Record) -> Vec<Leaf> {
    let mut found = Vec::new();
    for (field, ty) in &of.fields {
        let in_c = match facts::unnamed(of) {
            Some(unnamed) if unnamed == field => String::new(),
            _ => format!(".{}", field.strip_suffix('_').unwrap_or(field)),
        };
        match record(inventory, ty) {
            Some(inner) => {
                found.extend(leaves(inventory, inner).into_iter().map(|leaf| Leaf {
                    c: format!("{in_c}{}", leaf.c),
                    rust: format!(".{field}{}", leaf.rust),
                }))
            }
            None => found.push(Leaf { c: in_c, rust: format!(".{field}") }),
        }
    }
    found
}
