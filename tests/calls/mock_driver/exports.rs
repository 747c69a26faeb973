//! Writes the mock driver's exports: a C function for each of the bindings', from what Rust says of it.
//!
//! cuda.h is included above them, so the C compiler refuses one that is not as declared there. Nothing of the header is
//! kept: the files are made when they are needed.

use std::fmt::Write as _;

use crate::layout::comparison;
use crate::layout::facts::{self, About, c_type};
use crate::layout::header::Header;
use crate::layout::inventory::{Function, Inventory, Record, Type};

/// The bindings, and the cuda.h that the mock driver is compiled with, which may be older.
pub struct Exports {
    pub inventory: Inventory,
    pub header: Header,
}

impl Exports {
    /// The text of perform.h: prototypes of what performs a call.
    pub fn perform_h(&self) -> String {
        let declared = self.declared().map(|function| format!("{};\n", self.head(function, "perform_")));
        declared.collect()
    }

    /// The text of exports.c. `performs` is the text that performs some functions: all of them on Linux, and those above
    /// `#ifdef` everywhere.
    pub fn exports_c(&self, performs: &str) -> String {
        let everywhere = performs.split("#ifdef").next().unwrap_or_default();
        let mut text = String::from("#include \"mock.h\"\n\n");
        for function in &self.inventory.functions {
            if !self.declares(function) {
                // Its callers are in the bindings, and a program that is linked wants the symbol.
                let _ = writeln!(
                    text,
                    "EXPORT int {}(void);\nEXPORT int {0}(void) {{ return CUDA_ERROR_NOT_SUPPORTED; }}\n",
                    function.name
                );
                continue;
            }
            if let Some(plain) = function.name.strip_suffix("_ptsz") {
                let _ = writeln!(text, "extern __typeof__({plain}) {};", function.name);
            }
            let _ = writeln!(text, "EXPORT {} {{", self.head(function, ""));
            let names: Vec<&str> = function.arguments.iter().map(|(name, _)| name.as_str()).collect();
            let definition = format!("PERFORM({})(", function.name);
            let call = format!("        return perform_{}({});", function.name, names.join(", "));
            let refusal = "        return CUDA_ERROR_NOT_SUPPORTED;";
            let performed = if everywhere.contains(&definition) {
                call
            } else if performs.contains(&definition) {
                format!("#ifdef __linux__\n{call}\n#else\n{refusal}\n#endif")
            } else {
                refusal.to_owned()
            };
            let _ = writeln!(text, "    if (!mock_records())\n{performed}");
            let _ = writeln!(text, "    mock_begin(\"{}\");", function.name);
            for name in names {
                let _ = writeln!(text, "    mock_saw(\"{name}\", -1, \"\", &{name}, sizeof {name});");
            }
            for (name, ty) in &function.arguments {
                if let Type::Pointer { to, mutable } = ty
                    && !self.is_opaque(to)
                {
                    self.elements(&mut text, name, to, *mutable);
                }
            }
            text.push_str("    return mock_end();\n}\n\n");
        }
        text
    }

    /// The text of fields.rs: the functions that the header declares; and where Rust has the fields that the mock driver
    /// reads by C's names.
    pub fn fields_rs(&self) -> String {
        let names: Vec<&str> = self.declared().map(|function| function.name.as_str()).collect();
        let mut text = format!("const DECLARED: &[&str] = &{names:?};\n");
        let records: Vec<_> = self.inventory.records.iter().collect();
        let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
        let _ = writeln!(text, "const RECORDS: &[&str] = &{names:?};");
        text.push_str("fn fields(name: &str) -> Vec<(&'static str, Field)> {\n    match name {\n");
        for record in records {
            let name = &record.name;
            let _ = writeln!(text, "        \"{name}\" => {{\n            let value = {name}::default();");
            text.push_str("            let at = &raw const value;\n            vec![\n");
            for Leaf { c, rust } in self.leaves(record) {
                let _ = writeln!(
                    text,
                    "                (\"{c}\", field(at, unsafe {{ &raw const (*at){rust} }})),"
                );
            }
            text.push_str("            ]\n        }\n");
        }
        text.push_str("        _ => Vec::new(),\n    }\n}\n");
        text
    }

    fn declares(&self, function: &Function) -> bool {
        // The `_ptsz` functions are declared by a macro of their plain names.
        let plain = function.name.strip_suffix("_ptsz").unwrap_or(&function.name);
        self.header.parameters(plain).is_some()
    }

    fn declared(&self) -> impl Iterator<Item = &Function> {
        self.inventory.functions.iter().filter(|function| self.declares(function))
    }

    /// `CUresult CUDAAPI cuInit(unsigned int Flags)`
    fn head(&self, function: &Function, prefix: &str) -> String {
        let arguments = function.arguments.iter();
        let arguments: Vec<String> =
            arguments.map(|(name, ty)| format!("{} {name}", c_type(&self.inventory, ty))).collect();
        let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
        let result = c_type(&self.inventory, &function.result);
        // What performs a call is called by the exports alone.
        let convention = if prefix.is_empty() { "CUDAAPI " } else { "" };
        format!("{result} {convention}{prefix}{}({arguments})", function.name)
    }

    /// Neither side looks at what a pointer to it points to.
    fn is_opaque(&self, ty: &Type) -> bool {
        matches!(ty, Type::Named(name) if name == "c_void" || self.inventory.opaque.contains(name))
    }

    /// A const pointer is taken for an array of two: the second element shows the stride. What a mutable one points to
    /// is recorded and then replaced by a pattern.
    fn elements(&self, text: &mut String, name: &str, ty: &Type, mutable: bool) {
        let count = if mutable { 1 } else { 2 };
        let _ = writeln!(text, "    for (int at = 0; {name} != NULL && at < {count}; at++) {{");
        let _ = writeln!(text, "        mock_saw(\"{name}\", at, \"\", &{name}[at], sizeof {name}[at]);");
        let leaves = self.record(ty).map(|record| self.leaves(record));
        for Leaf { c, .. } in leaves.unwrap_or_default() {
            let _ = writeln!(
                text,
                "        mock_saw(\"{name}\", at, \"{c}\", &{name}[at]{c}, sizeof {name}[at]{c});"
            );
        }
        if mutable {
            let _ = writeln!(text, "        mock_give(\"{name}\", {name}, sizeof *{name});");
        }
        text.push_str("    }\n");
    }

    fn record(&self, ty: &Type) -> Option<&Record> {
        let Type::Named(name) = ty else { return None };
        let aliases = &self.inventory.aliases;
        match aliases.iter().find(|(alias, _)| alias == name) {
            Some((_, ty)) => self.record(ty),
            None => self.inventory.records.iter().find(|record| record.name == *name),
        }
    }

    /// The fields that have no fields of their own, as far as the header has them.
    fn leaves(&self, of: &Record) -> Vec<Leaf> {
        let (root, path) = facts::place(&self.inventory, of);
        let is_older = self.declared().count() < self.inventory.functions.len();
        let mut found = Vec::new();
        for (field, ty) in &of.fields {
            let is_unnamed = facts::unnamed(of) == Some(field);
            let in_c = field.strip_suffix('_').unwrap_or(field);
            let whole = [path.as_str(), in_c].join(if path.is_empty() { "" } else { "." });
            if !is_unnamed && !comparison::has(&self.header, &About::Field(root.clone(), whole)) {
                continue;
            }
            // Newer releases put their fields where an older one has reserved bytes.
            if is_older && field.starts_with("reserved") {
                continue;
            }
            let c = if is_unnamed { String::new() } else { format!(".{in_c}") };
            match self.record(ty) {
                Some(inner) => found.extend(
                    self.leaves(inner)
                        .into_iter()
                        .map(|leaf| Leaf { c: c.clone() + &leaf.c, rust: format!(".{field}{}", leaf.rust) }),
                ),
                None => found.push(Leaf { c, rust: format!(".{field}") }),
            }
        }
        found
    }
}

/// A field by its path in each language: `.handle.win32.name`.
struct Leaf {
    c: String,
    rust: String,
}
