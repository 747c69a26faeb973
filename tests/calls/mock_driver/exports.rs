//! Writes the mock driver's exports: a C function for each of the bindings', from what Rust says of it.
//!
//! cuda.h is included above them, so the C compiler refuses one that is not as declared there. Nothing of the header is
//! kept: the files are made when they are needed.

use std::path::Path;

use crate::layout::comparison;
use crate::layout::compilers::{self, Bindings};
use crate::layout::facts::{self, About, c_type};
use crate::layout::header::Header;
use crate::layout::inventory::{Function, Inventory, Record, Type};

/// The bindings, and the cuda.h that the mock driver is compiled with, which may be older.
pub struct Exports {
    inventory: Inventory,
    header: Header,
}

impl Exports {
    pub fn new(bindings: &Bindings, include: &Path) -> Result<Self, String> {
        let inventory = comparison::read(bindings).map_err(|problem| problem.to_string())?;
        Ok(Self { inventory, header: compilers::header(include)? })
    }

    /// The text of exports.c.
    pub fn exports_c(&self) -> String {
        let functions = self.inventory.functions.iter().map(|function| self.export(function));
        format!("#include \"mock.h\"\n\n{}", functions.collect::<String>())
    }

    /// The text of fields.rs: the functions that the header declares; and where Rust has the fields that the mock driver
    /// reads by C's names.
    pub fn fields_rs(&self) -> String {
        let functions = self.inventory.functions.iter().filter(|function| self.declares(function));
        let functions: String = functions.map(|function| format!("{:?}, ", function.name)).collect();
        let record = |record: &Record| {
            let pairs = self.leaves(record).into_iter().map(|(c, rust)| format!("{c:?} => {rust}, "));
            format!("    {} {{ {}}}\n", record.name, pairs.collect::<String>())
        };
        let records: String = self.inventory.records.iter().map(record).collect();
        format!("const DECLARED: &[&str] = &[{functions}];\nrecords! {{\n{records}}}\n")
    }

    fn declares(&self, function: &Function) -> bool {
        self.header.parameters(plain(function)).is_some()
    }

    fn export(&self, function: &Function) -> String {
        let Function { name, arguments, .. } = function;
        if !self.declares(function) {
            // Its callers are in the bindings, and a program that is linked needs the symbol.
            return format!("EXPORT int {name}(void) {{ return CUDA_ERROR_NOT_SUPPORTED; }}\n\n");
        }
        let parameter = |(name, ty): &(String, Type)| format!("{} {name}", c_type(&self.inventory, ty));
        let parameters = match arguments.iter().map(parameter).collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "void".to_owned(),
            parameters => parameters,
        };
        let names: Vec<&str> = arguments.iter().map(|(name, _)| name.as_str()).collect();
        let seen: String = arguments.iter().map(|(name, ty)| self.seen(name, ty)).collect();
        format!(
            "extern __typeof__({plain}) {name};
__attribute__((weak)) PERFORM({name}, {parameters}) {{ return CUDA_ERROR_NOT_SUPPORTED; }}
EXPORT CUresult CUDAAPI {name}({parameters}) {{
    int code = mock_begin(\"{name}\");
    if (code < 0)
        return perform_{name}({names});
{seen}    return (CUresult)code;
}}

",
            plain = plain(function),
            names = names.join(", "),
        )
    }

    /// What is recorded of an argument: itself, and what it points to.
    ///
    /// A const pointer is taken for an array of two: the second element shows the stride. What a mutable one points to
    /// is recorded and then replaced by a pattern.
    fn seen(&self, name: &str, ty: &Type) -> String {
        let mut text = format!("    SAW({name});\n");
        let Type::Pointer { to, mutable } = ty else { return text };
        // Neither side looks at what a pointer to it points to.
        if matches!(&**to, Type::Named(name) if name == "c_void" || self.inventory.opaque.contains(name)) {
            return text;
        }
        let leaves = self.record(to).map(|record| self.leaves(record)).unwrap_or_default();
        for at in 0..if *mutable { 1 } else { 2 } {
            text += &format!("    SAW({name}[{at}]);\n");
            text.extend(leaves.iter().map(|(c, _)| format!("    SAW({name}[{at}]{c});\n")));
        }
        if *mutable {
            text += &format!("    GIVE({name}[0]);\n");
        }
        text
    }

    fn record(&self, ty: &Type) -> Option<&Record> {
        let is_of = |record: &&Record| matches!(ty, Type::Named(name) if *name == record.name);
        self.inventory.records.iter().find(is_of)
    }

    /// The paths in C and in Rust (`.handle.win32.name`) of the fields that have no fields of their own, as far as the
    /// header has them.
    fn leaves(&self, of: &Record) -> Vec<(String, String)> {
        let (root, path) = facts::place(&self.inventory, of);
        let is_older = !self.inventory.functions.iter().all(|function| self.declares(function));
        let mut found = Vec::new();
        for (field, ty) in &of.fields {
            let is_unnamed = facts::unnamed(of) == Some(field);
            let in_c = field.strip_suffix('_').unwrap_or(field);
            let whole = if path.is_empty() { in_c.to_owned() } else { format!("{path}.{in_c}") };
            let is_known = is_unnamed || comparison::has(&self.header, &About::Field(root.clone(), whole));
            // Newer releases put their fields where an older one has reserved bytes.
            if !is_known || is_older && field.starts_with("reserved") {
                continue;
            }
            let in_c = if is_unnamed { String::new() } else { format!(".{in_c}") };
            let inner = self.record(ty).map(|inner| self.leaves(inner));
            for (c, rust) in inner.unwrap_or_else(|| vec![Default::default()]) {
                found.push((format!("{in_c}{c}"), format!(".{field}{rust}")));
            }
        }
        found
    }
}

/// The `_ptsz` functions are declared by a macro of their plain names.
fn plain(function: &Function) -> &str {
    function.name.strip_suffix("_ptsz").unwrap_or(&function.name)
}
