//! What the bindings declare, as data, and their text. The tests read them by this, too.
//!
//! The forms are those of src/bindings/embedded.rs; the macros in src/macros/ make Rust items of them.

mod parse;
mod parse_type;

use std::collections::BTreeMap;
use std::fmt;

use parse::Item;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings {
    /// `pub type CUdevice = c_int;`
    pub aliases: Vec<(String, Type)>,
    /// The structs that handles point to, which C never defines.
    pub opaque: Vec<String>,
    pub records: Vec<Record>,
    pub enums: Vec<Enum>,
    /// The values of macros.
    pub macros: Vec<(String, i64)>,
    pub functions: Vec<Function>,
}

/// A struct or a union with its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub name: String,
    pub is_union: bool,
    pub fields: Vec<(String, Type)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    pub name: String,
    /// A negative enumerator makes it an `int` for every C compiler.
    pub is_signed: bool,
    pub values: Vec<(String, i64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The library's symbol.
    pub name: String,
    /// The name that cuda.h gives it by a macro.
    pub plain: Option<String>,
    pub arguments: Vec<(String, Type)>,
    pub result: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// The last part of a path: `c_int`, `CUdevice`.
    Named(String),
    Pointer {
        to: Box<Type>,
        mutable: bool,
    },
    Array(Box<Type>, usize),
    /// A pointer to a function, which may be null.
    Function(Vec<(String, Type)>),
}

impl Bindings {
    /// Reads bindings in the embedded file's form or in bindgen's. An item of any other form is an error.
    pub fn read(text: &str) -> Result<Self, String> {
        let items = parse::items(text).map_err(|error| error.to_string())?;
        let mut bindings = Self::default();
        let mut values = Vec::new();
        for item in items {
            match item {
                Item::Alias(name, ty) => bindings.aliases.push((name, ty)),
                Item::Opaque(names) => bindings.opaque.extend(names),
                Item::Record(record) => bindings.records.push(record),
                Item::Enum(an_enum) => bindings.enums.push(an_enum),
                Item::Value(of, name, value) => values.push((of, name, value)),
                Item::Macro(name, value) => bindings.macros.push((name, value)),
                Item::Functions(functions) => bindings.functions.extend(functions),
                Item::ListsAgain => {}
            }
        }
        for (of, name, value) in values {
            let an_enum = bindings.enums.iter_mut().find(|an_enum| an_enum.name == of);
            an_enum.ok_or_else(|| format!("{name} is of the unknown type {of}"))?.values.push((name, value));
        }
        Ok(bindings)
    }

    /// The record and its field that this record is the type of, where C has no other name for it.
    pub fn owner(&self, record: &str) -> Option<(&Record, &str)> {
        self.records.iter().find_map(|owner| {
            let field = record.strip_prefix(&owner.name)?.strip_prefix('_')?;
            let (field, _) = owner.fields.iter().find(|(name, _)| name == field)?;
            Some((owner, field.as_str()))
        })
    }

    /// The bindings' text, each field below its documentation, which is listed by `type.field`. Unions, and the types listed
    /// in `debug_by_hand`, do not derive Debug.
    pub fn text(&self, documentation: &BTreeMap<String, String>, debug_by_hand: &[&str]) -> String {
        let mut text = String::new();
        for (name, ty) in &self.aliases {
            text += &format!("pub type {name} = {ty};\n");
        }
        text += &list("opaque", self.opaque.iter());
        for (name, value) in &self.macros {
            text += &format!("pub const {name}: u32 = {value};\n");
        }
        for an_enum in &self.enums {
            text += &an_enum.to_string();
        }
        for record in &self.records {
            let kind = if record.is_union { "union" } else { "struct" };
            let is_by_hand = record.is_union || debug_by_hand.contains(&record.name.as_str());
            let derive = if is_by_hand { "Copy, Clone" } else { "Copy, Clone, Debug" };
            text += &format!("\n#[repr(C)]\n#[derive({derive})]\npub {kind} {} {{\n", record.name);
            for (field, ty) in &record.fields {
                if let Some(documentation) = documentation.get(&format!("{}.{field}", record.name)) {
                    text += &format!("    /// {documentation}\n");
                }
                text += &format!("    pub {field}: {ty},\n");
            }
            text += "}\n";
        }
        text += &list("zeroed_default", self.records.iter().map(|record| &record.name));
        let unions = self.records.iter().filter(|record| record.is_union);
        text += &list("union_debug", unions.map(|record| &record.name));
        text += "\ndriver_functions! {\n";
        for function in &self.functions {
            text += &function.to_string();
        }
        text + "}\n"
    }
}

/// `name: type` of each, with something between them.
fn joined(arguments: &[(String, Type)], between: &str) -> String {
    let each: Vec<String> = arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    each.join(between)
}

/// `name! { A, B, }`
fn list<'a>(name: &str, of: impl Iterator<Item = &'a String>) -> String {
    let lines: String = of.map(|item| format!("    {item},\n")).collect();
    format!("\n{name}! {{\n{lines}}}\n\n")
}

impl fmt::Display for Enum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let must_use = if self.name == "CUresult" { "    #[must_use]\n" } else { "" };
        let repr = if self.is_signed { "(c_int)" } else { "" };
        writeln!(f, "\nc_enum! {{\n{must_use}    pub enum {0}{repr}: {0}_values {{", self.name)?;
        for (name, value) in &self.values {
            writeln!(f, "        {name} = {value},")?;
        }
        writeln!(f, "    }}\n}}")
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, plain, arguments, result } = self;
        let both = match plain {
            Some(plain) => format!("{name} as {plain}: PFN_{name} as PFN_{plain}"),
            None => format!("{name}: PFN_{name}"),
        };
        let line = format!("    pub fn {both}({}) -> {result};", joined(arguments, ", "));
        if line.len() <= 110 {
            return writeln!(f, "{line}");
        }
        writeln!(f, "    pub fn {both}(\n        {},\n    ) -> {result};", joined(arguments, ",\n        "))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Pointer { to, mutable: true } => write!(f, "*mut {to}"),
            Self::Pointer { to, mutable: false } => write!(f, "*const {to}"),
            Self::Array(of, length) => write!(f, "[{of}; {length}]"),
            Self::Function(arguments) => {
                write!(f, "Option<unsafe extern \"C\" fn({})>", joined(arguments, ", "))
            }
        }
    }
}
