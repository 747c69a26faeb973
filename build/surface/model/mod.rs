//! The declarations of the bindings, as data and as text. The tests read the bindings with this module, too.
//!
//! The text has the form of src/bindings/embedded.rs, which calls the macros in src/macros/.

mod parse_bindings;

use std::collections::BTreeMap;
use std::fmt;

use crate::type_exceptions;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindingsModel {
    /// `pub type CUdevice = c_int;`
    pub aliases: Vec<(String, CType)>,
    /// The structs that handles point to. cuda.h declares these structs without defining them.
    pub opaque: Vec<String>,
    pub records: Vec<StructOrUnion>,
    pub enums: Vec<CEnum>,
    pub macros: Vec<(String, i64)>,
    pub functions: Vec<CFunction>,
    /// For an alias or a record, the versioned name in cuda.h: `CUdeviceptr_v2` for the key `CUdeviceptr`.
    pub versions: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StructOrUnion {
    pub name: String,
    pub is_union: bool,
    pub fields: Vec<(String, CType)>,
    /// The documentation of each field, or an empty text.
    pub documentation: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CEnum {
    pub name: String,
    /// Whether the enum is an `int` for every C compiler, since it has a negative enumerator.
    pub is_signed: bool,
    pub values: Vec<(String, i64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CFunction {
    /// The library's symbol.
    pub name: String,
    /// The name that a macro of cuda.h replaces by the symbol.
    pub macro_name: Option<String>,
    pub arguments: Vec<(String, CType)>,
    pub result: CType,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CType {
    /// A type by its name, the last part of a path: `c_int`, `CUdevice`.
    Named(String),
    Pointer {
        to: Box<CType>,
        mutable: bool,
    },
    Array(Box<CType>, usize),
    /// A pointer to a function, which may be null.
    Function(Vec<(String, CType)>),
}

impl BindingsModel {
    /// Removes the differences between the bindings for Microsoft's compiler and those for other compilers. For
    /// Microsoft's compiler, cuda.h defines `cuuint32_t` and `cuuint64_t` by other types, and every enum is an `int`.
    fn remove_compiler_differences(&mut self) {
        for (name, ty) in &mut self.aliases {
            let CType::Named(of) = &*ty else { continue };
            match (name.as_str(), of.as_str()) {
                ("cuuint32_t", "c_uint") => *ty = CType::Named("u32".to_owned()),
                ("cuuint64_t", "c_ulonglong") => *ty = CType::Named("u64".to_owned()),
                _ => {}
            }
        }
        let is_msvc = self.enums.iter().all(|an_enum| an_enum.is_signed);
        for an_enum in self.enums.iter_mut().filter(|_| is_msvc) {
            an_enum.is_signed = an_enum.values.iter().any(|(_, value)| *value < 0);
        }
    }

    pub fn constants_with_values(&self) -> impl Iterator<Item = &(String, i64)> {
        self.macros.iter().chain(self.enums.iter().flat_map(|an_enum| &an_enum.values))
    }

    pub fn record_of_name(&self, name: &str) -> Option<&StructOrUnion> {
        self.records.iter().find(|record| record.name == name)
    }

    pub fn enum_of_name(&self, name: &str) -> Option<&CEnum> {
        self.enums.iter().find(|an_enum| an_enum.name == name)
    }

    pub fn has_type(&self, name: &str) -> bool {
        self.type_names().any(|other| other == name)
    }

    pub fn type_names(&self) -> impl Iterator<Item = &String> {
        let aliases = self.aliases.iter().map(|(name, _)| name);
        let enums = self.enums.iter().map(|an_enum| &an_enum.name);
        let records = self.records.iter().map(|record| &record.name);
        aliases.chain(&self.opaque).chain(enums).chain(records)
    }

    pub fn resolve_alias<'a>(&'a self, mut ty: &'a CType) -> &'a CType {
        // The limit ends the loop for an alias of itself. Chains of aliases in cuda.h have at most three names.
        for _ in 0..16 {
            let CType::Named(name) = ty else { break };
            let Some((_, of)) = self.aliases.iter().find(|(alias, _)| alias == name) else { break };
            ty = of;
        }
        ty
    }

    /// Returns the struct or union and the field in it whose type is `record`, if C has no name for that type.
    pub fn owner_of_unnamed_type(&self, record: &str) -> Option<(&StructOrUnion, &str)> {
        self.records.iter().find_map(|owner| {
            let field = record.strip_prefix(&owner.name)?.strip_prefix('_')?;
            let (field, _) = owner.fields.iter().find(|(name, _)| name == field)?;
            Some((owner, field.as_str()))
        })
    }

    /// Returns the bindings' text. Unions, and the types with a hand-written Debug, do not derive Debug.
    pub fn rust_text(&self) -> String {
        let mut text = String::new();
        let versioned = |name: &String| {
            let versioned = self.versions.get(name);
            versioned.map(|versioned| format!("#[doc(alias = \"{versioned}\")]\n")).unwrap_or_default()
        };
        for (name, ty) in &self.aliases {
            text += &versioned(name);
            text += &format!("pub type {name} = {ty};\n");
        }
        text += &macro_call_text("opaque", self.opaque.iter());
        for (name, value) in &self.macros {
            text += &format!("pub const {name}: u32 = {value};\n");
        }
        for an_enum in &self.enums {
            text += &an_enum.to_string();
        }
        for record in &self.records {
            let kind = if record.is_union { "union" } else { "struct" };
            let is_by_hand =
                record.is_union || type_exceptions::DEBUG_BY_HAND.contains(&record.name.as_str());
            let derive = if is_by_hand { "Copy, Clone" } else { "Copy, Clone, Debug" };
            text += "\n";
            text += &versioned(&record.name);
            text += &format!("#[repr(C)]\n#[derive({derive})]\npub {kind} {} {{\n", record.name);
            for ((field, ty), documentation) in record.fields.iter().zip(&record.documentation) {
                if !documentation.is_empty() {
                    text += &format!("    /// {documentation}\n");
                }
                text += &format!("    pub {field}: {ty},\n");
            }
            text += "}\n";
        }
        let has_zero = |an_enum: &&CEnum| an_enum.values.iter().any(|(_, value)| *value == 0);
        let enums = self.enums.iter().filter(has_zero).map(|an_enum| &an_enum.name);
        text +=
            &macro_call_text("zeroed_default", enums.chain(self.records.iter().map(|record| &record.name)));
        let unions = self.records.iter().filter(|record| record.is_union);
        text += &macro_call_text("union_debug", unions.map(|record| &record.name));
        text += "\ndriver_functions! {\n";
        for function in &self.functions {
            text += &function.to_string();
        }
        text + "}\n"
    }
}

impl CType {
    pub fn mentions_type(&self, name: &str) -> bool {
        match self {
            Self::Named(own) => own == name,
            Self::Pointer { to: of, .. } | Self::Array(of, _) => of.mentions_type(name),
            Self::Function(arguments) => arguments.iter().any(|(_, ty)| ty.mentions_type(name)),
        }
    }
}

/// Returns the size in bytes of a numeric type that has the same size on every 64-bit target, or `None`.
pub fn number_size(name: &str) -> Option<usize> {
    match name {
        "c_char" | "c_schar" | "c_uchar" | "i8" | "u8" => Some(1),
        "c_short" | "c_ushort" | "i16" | "u16" => Some(2),
        "c_int" | "c_uint" | "i32" | "u32" | "f32" => Some(4),
        "c_longlong" | "c_ulonglong" | "i64" | "u64" | "isize" | "usize" | "f64" => Some(8),
        _ => None,
    }
}

/// Returns each argument as `name: type`, with the separator `between` between two arguments.
fn join_arguments(arguments: &[(String, CType)], between: &str) -> String {
    let each: Vec<String> = arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    each.join(between)
}

/// Returns `name! { A, B, }`.
fn macro_call_text<'a>(name: &str, of: impl Iterator<Item = &'a String>) -> String {
    let lines: String = of.map(|item| format!("    {item},\n")).collect();
    format!("\n{name}! {{\n{lines}}}\n\n")
}

impl fmt::Display for CEnum {
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

impl fmt::Display for CFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, macro_name, arguments, result } = self;
        let both = match macro_name {
            Some(macro_name) => format!("{name} as {macro_name}: PFN_{name} as PFN_{macro_name}"),
            None => format!("{name}: PFN_{name}"),
        };
        let line = format!("    pub fn {both}({}) -> {result};", join_arguments(arguments, ", "));
        if line.len() <= 110 {
            return writeln!(f, "{line}");
        }
        writeln!(
            f,
            "    pub fn {both}(\n        {},\n    ) -> {result};",
            join_arguments(arguments, ",\n        ")
        )
    }
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Pointer { to, mutable: true } => write!(f, "*mut {to}"),
            Self::Pointer { to, mutable: false } => write!(f, "*const {to}"),
            Self::Array(of, length) => write!(f, "[{of}; {length}]"),
            Self::Function(arguments) => {
                write!(f, "Option<unsafe extern \"C\" fn({})>", join_arguments(arguments, ", "))
            }
        }
    }
}
