//! The list of facts about declarations. Each fact is one number, written as a C expression and as a Rust expression.
//!
//! compilers.rs asks the C compiler and rustc for the numbers.

use std::fmt;
use std::sync::LazyLock;

use build_script::surface::model::{BindingsModel, CEnum, CFunction, CType, StructOrUnion};
use build_script::type_exceptions;

#[derive(Clone)]
pub struct LayoutFact {
    pub kind: FactKind,
    pub about: FactSubject,
    pub c: String,
    pub rust: String,
}

impl LayoutFact {
    /// Returns whether the fact is the signature of a function that wrapper.h declares. The newest cuda.h declares such
    /// a function in its internal section, or another header declares it.
    pub fn is_in_internal_section(&self) -> bool {
        self.kind == FactKind::Signature
            && functions_declared_in_wrapper_h().contains(&&*self.about.to_string())
    }
}

/// The declaration that a fact is about. In docs/releases.md, a release's items are in the order of these variants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactSubject {
    /// A function and its parameters' names, since types do not distinguish a copy's target from its source.
    Function(String, String),
    Type(String),
    /// A type that has a name in C, and the field's path from this type in C.
    Field(String, String),
    /// An enumerator with its enum, or a macro, which has no enum.
    Constant(String, Option<String>),
    /// A macro that renames a function, and the function's symbol: `cuMemAlloc` and `cuMemAlloc_v2`. In a header
    /// without this symbol, the macro may stand for an older function.
    MacroName(String, String),
}

impl fmt::Display for FactSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(root, path) => write!(f, "{root}.{path}"),
            Self::Function(name, _)
            | Self::Type(name)
            | Self::Constant(name, _)
            | Self::MacroName(name, _) => f.write_str(name),
        }
    }
}

/// The meaning of a fact's number. `facts_in_header` counts the facts of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactKind {
    Size,
    Align,
    Offset,
    /// Whether the header's type is the one that the Rust type represents.
    Type,
    Sign,
    Value,
    Signature,
    /// Whether cudaTypedefs.h declares the same signature.
    Pointer,
    /// Whether a macro of cuda.h gives a symbol this name.
    MacroName,
}

impl fmt::Display for FactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// A field of the bindings that has a name in C, with its paths from the outermost type.
pub struct FieldPath<'a> {
    pub root: &'a str,
    pub c: String,
    /// The path in Rust. A member that has no name in C has a name in Rust.
    pub rust: String,
    pub ty: &'a CType,
}

impl FieldPath<'_> {
    pub fn fact_subject(&self) -> FactSubject {
        FactSubject::Field(self.root.to_owned(), self.c.clone())
    }
}

/// Returns the structs and unions that C does not define within another type.
pub fn outermost_records(bindings: &BindingsModel) -> impl Iterator<Item = &StructOrUnion> {
    bindings.records.iter().filter(|record| bindings.owner_of_unnamed_type(&record.name).is_none())
}

/// Returns the fields that have a name in C, also those of structs and unions that are defined within others.
pub fn all_fields(bindings: &BindingsModel) -> Vec<FieldPath<'_>> {
    let outermost =
        outermost_records(bindings).map(|root| (root.name.as_str(), root, String::new(), String::new()));
    let (mut found, mut records) = (Vec::new(), outermost.collect::<Vec<_>>());
    while let Some((root, record, outer_c, outer_rust)) = records.pop() {
        for (field, ty) in &record.fields {
            let is_unnamed = type_exceptions::ANONYMOUS_MEMBER_NAMES.contains(&(&record.name, field));
            let rust = join_paths(&outer_rust, field);
            // The name may be a Rust keyword.
            let c =
                join_paths(&outer_c, if is_unnamed { "" } else { field.strip_suffix('_').unwrap_or(field) });
            let inner = format!("{}_{field}", record.name);
            if let Some(inner) = bindings.records.iter().find(|record| record.name == inner) {
                records.push((root, inner, c.clone(), rust.clone()));
            }
            if !is_unnamed {
                found.push(FieldPath { root, c, rust, ty });
            }
        }
    }
    found
}

/// Joins two paths, of which either may be empty.
pub fn join_paths(path: &str, name: &str) -> String {
    let parts: Vec<&str> = [path, name].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

/// Returns whether a path ends in a field whose bytes a later release may use.
pub fn is_reserved(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|field| field.starts_with("reserved"))
}

pub fn all_facts(bindings: &BindingsModel) -> Vec<LayoutFact> {
    let mut facts = Vec::new();
    let mut add = |kind, about: &FactSubject, c: String, rust: String| {
        facts.push(LayoutFact { kind, about: about.clone(), c, rust });
    };
    let one = || "1".to_owned();
    let aliases = bindings.aliases.iter().map(|(name, _)| name);
    let enums = bindings.enums.iter().map(|an_enum| &an_enum.name);
    for name in aliases.chain(enums).chain(outermost_records(bindings).map(|record| &record.name)) {
        let about = FactSubject::Type(name.clone());
        add(FactKind::Size, &about, format!("sizeof({name})"), format!("size_of::<{name}>()"));
        add(FactKind::Align, &about, format!("_Alignof({name})"), format!("align_of::<{name}>()"));
    }
    for (name, ty) in &bindings.aliases {
        add(
            FactKind::Type,
            &FactSubject::Type(name.clone()),
            types_compatible_expression(name, &c_spelling(bindings, ty)),
            one(),
        );
    }
    for CEnum { name, .. } in &bindings.enums {
        add(
            FactKind::Sign,
            &FactSubject::Type(name.clone()),
            format!("({name})-1 < 0"),
            format!("{name}(!0).0 < 0"),
        );
    }
    for field in all_fields(bindings) {
        let about = field.fact_subject();
        let FieldPath { root, c: path, rust, ty } = field;
        let c = format!("(({root} *)0)->{path}");
        let value = format!("unsafe {{ &zeroed::<{root}>().{rust} }}");
        let offset = format!("__builtin_offsetof({root}, {path})");
        add(FactKind::Offset, &about, offset, format!("offset_of!({root}, {rust})"));
        add(FactKind::Size, &about, format!("sizeof({c})"), format!("size_of_val({value})"));
        add(FactKind::Align, &about, format!("__alignof__({c})"), format!("align_of_val({value})"));
        // C has no name for a type that is defined in place. Facts about its fields replace the fact about the type.
        if !matches!(ty, CType::Named(name) if bindings.owner_of_unnamed_type(name).is_some()) {
            add(FactKind::Type, &about, types_compatible_expression(&c, &c_spelling(bindings, ty)), one());
        }
    }
    for (about, _) in all_constants(bindings) {
        let (c, rust) = match &about {
            // In C, an enumerator may be an int although its enum is unsigned. The bits are the same.
            FactSubject::Constant(name, Some(_)) => {
                (format!("(unsigned int)({name})"), format!("{name}.0 as u32"))
            }
            name => (name.to_string(), name.to_string()),
        };
        add(FactKind::Value, &about, c, rust);
    }
    for CFunction { name, macro_name, arguments, result } in &bindings.functions {
        let (mut names, mut c, mut rust) = (Vec::new(), Vec::new(), Vec::new());
        for (name, ty) in arguments {
            // The name may be a Rust keyword.
            names.push(name.trim_end_matches('_'));
            c.push(c_spelling(bindings, ty));
            rust.push(ty.to_string());
        }
        let c = format!("{} (CUDAAPI *)({})", c_spelling(bindings, result), c.join(", "));
        let rust = format!("unsafe extern \"C\" fn({}) -> {result}", rust.join(", "));
        // rustc checks both names, where there are two.
        let both = [Some(name), macro_name.as_ref()].into_iter().flatten();
        let checks: String =
            both.map(|name| format!("const _: {rust} = {name}; const _: PFN_{name} = {name}; ")).collect();
        let about = FactSubject::Function(name.clone(), names.join(", "));
        add(
            FactKind::Signature,
            &about,
            types_compatible_expression(&format!("&{name}"), &c),
            format!("{{ {checks}1 }}"),
        );
        add(FactKind::Pointer, &about, format!("POINTER_{name}({c})"), one());
        if let Some(macro_name) = macro_name {
            let c = format!("__builtin_strcmp(SPELLED({macro_name}), \"{name}\") == 0");
            add(FactKind::MacroName, &FactSubject::MacroName(macro_name.clone(), name.clone()), c, one());
        }
    }
    facts
}

/// Returns the macros and enumerators with their values, as unsigned numbers.
pub fn all_constants(bindings: &BindingsModel) -> Vec<(FactSubject, u64)> {
    let macros = bindings
        .macros
        .iter()
        .map(|(name, value)| (FactSubject::Constant(name.clone(), None), *value as u64));
    let enumerators = bindings.enums.iter().flat_map(|an_enum| {
        let about = |name: &String| FactSubject::Constant(name.clone(), Some(an_enum.name.clone()));
        an_enum.values.iter().map(move |(name, value)| (about(name), u64::from(*value as u32)))
    });
    macros.chain(enumerators).collect()
}

fn types_compatible_expression(expression_or_type: &str, ty: &str) -> String {
    format!("__builtin_types_compatible_p(__typeof__({expression_or_type}), {ty})")
}

/// The primitive Rust types in the bindings, each with the C type that it represents.
const PRIMITIVES: &[(&str, &str)] = &[
    ("c_char", "char"),
    ("c_uchar", "unsigned char"),
    ("c_ushort", "unsigned short"),
    ("c_int", "int"),
    ("c_uint", "unsigned int"),
    ("c_longlong", "long long"),
    ("c_ulonglong", "unsigned long long"),
    ("c_void", "void"),
    ("usize", "__SIZE_TYPE__"),
    ("u32", "cuuint32_t"),
    ("u64", "cuuint64_t"),
    ("f32", "float"),
];

pub fn c_spelling(bindings: &BindingsModel, ty: &CType) -> String {
    match ty {
        CType::Named(name) if bindings.opaque.contains(name) => format!("struct {name}"),
        CType::Named(name) => {
            let primitive = PRIMITIVES.iter().find(|(rust, _)| rust == name);
            primitive.map_or(name.as_str(), |(_, c)| c).to_owned()
        }
        CType::Pointer { to, mutable: true } => format!("{} *", c_spelling(bindings, to)),
        CType::Pointer { to, mutable: false } => format!("{} const *", c_spelling(bindings, to)),
        CType::Array(of, length) => format!("{} [{length}]", c_spelling(bindings, of)),
        CType::Function(arguments) => {
            let types: Vec<String> = arguments.iter().map(|(_, ty)| c_spelling(bindings, ty)).collect();
            format!("void (CUDA_CB *)({})", types.join(", "))
        }
    }
}

/// Returns the names of wrapper.h's functions, which the newest cuda.h does not declare by default.
pub fn functions_declared_in_wrapper_h() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let text = include_str!("../../../../wrapper.h");
        let names = text.split('(').filter_map(|text| text.rsplit([' ', '\n']).next());
        names.filter(|name| name.starts_with("cu")).collect()
    });
    &NAMES
}
