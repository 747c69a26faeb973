//! What the bindings declare, as data: read from their own text, and written as it. The tests read them by this, too.
//!
//! The forms are those of src/bindings/embedded.rs; the macros in src/macros/ make Rust items of them.

use std::fmt;

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, Ident, Item, Lit, Token, UnOp, braced, parenthesized};

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
    /// Reads bindings in the embedded file's form. An item of any other form is an error.
    pub fn read(text: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| error.to_string())?;
        let mut bindings = Self::default();
        for item in file.items {
            bindings.add(item)?;
        }
        Ok(bindings)
    }

    fn add(&mut self, item: Item) -> Result<(), String> {
        match item {
            Item::Type(item) => self.aliases.push((item.ident.to_string(), Type::of(&item.ty)?)),
            Item::Const(item) => self.macros.push((item.ident.to_string(), integer(&item.expr)?)),
            Item::Union(item) => {
                self.records.push(Record::new(&item.ident, true, item.fields.named.iter())?);
            }
            Item::Struct(item) => match &item.fields {
                Fields::Named(fields) => {
                    self.records.push(Record::new(&item.ident, false, fields.named.iter())?);
                }
                _ => return Err(format!("{} has fields without names", item.ident)),
            },
            Item::Macro(item) => {
                let mac = &item.mac;
                let name = mac.path.segments.last().map(|segment| segment.ident.to_string());
                let parsed = match name.as_deref() {
                    Some("driver_functions") => mac.parse_body().map(|List(all)| self.functions.extend(all)),
                    Some("c_enum") => mac.parse_body().map(|one| self.enums.push(one)),
                    Some("opaque") => mac.parse_body().map(|Names(all)| self.opaque.extend(all)),
                    // They list the records above again.
                    Some("zeroed_default" | "union_debug") => Ok(()),
                    _ => return Err(format!("an unknown macro: {name:?}")),
                };
                parsed.map_err(|error| error.to_string())?;
            }
            other => return Err(format!("an item of an unknown kind: {other:?}")),
        }
        Ok(())
    }

    /// The record and its field that this record is the type of, where C has no other name for it.
    pub fn owner(&self, record: &str) -> Option<(&Record, &str)> {
        self.records.iter().find_map(|owner| {
            let field = record.strip_prefix(&owner.name)?.strip_prefix('_')?;
            let (field, _) = owner.fields.iter().find(|(name, _)| name == field)?;
            Some((owner, field.as_str()))
        })
    }

    /// The bindings' text, each field below its documentation. Unions, and the types listed in `debug_by_hand`, do not
    /// derive Debug.
    pub fn text(
        &self,
        document: impl Fn(&str, &str) -> Option<&'static str>,
        debug_by_hand: &[&str],
    ) -> String {
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
                if let Some(documentation) = document(&record.name, field) {
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
        let arguments: Vec<String> = arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let line = format!("    pub fn {both}({}) -> {result};", arguments.join(", "));
        if line.len() <= 110 {
            return writeln!(f, "{line}");
        }
        writeln!(f, "    pub fn {both}(\n        {},\n    ) -> {result};", arguments.join(",\n        "))
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
                let arguments: Vec<String> =
                    arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                write!(f, "Option<unsafe extern \"C\" fn({})>", arguments.join(", "))
            }
        }
    }
}

impl Record {
    pub fn new<'a>(
        name: &Ident,
        is_union: bool,
        fields: impl Iterator<Item = &'a syn::Field>,
    ) -> Result<Self, String> {
        let fields = fields.map(|field| {
            let name = field.ident.as_ref().ok_or("a field without a name")?.to_string();
            Ok((name, Type::of(&field.ty)?))
        });
        Ok(Self { name: name.to_string(), is_union, fields: fields.collect::<Result<_, String>>()? })
    }
}

impl Type {
    pub fn of(ty: &syn::Type) -> Result<Self, String> {
        match ty {
            syn::Type::Path(path) => {
                let last = path.path.segments.last().ok_or("a type without a name")?;
                match (&last.arguments, last.ident == "Option") {
                    (syn::PathArguments::None, false) => Ok(Self::Named(last.ident.to_string())),
                    (syn::PathArguments::AngleBracketed(of), true) => match of.args.first() {
                        Some(syn::GenericArgument::Type(syn::Type::BareFn(of))) => Self::of_pointer(of),
                        _ => Err(format!("an Option of an unknown kind: {of:?}")),
                    },
                    (other, _) => Err(format!("a type with arguments: {other:?}")),
                }
            }
            syn::Type::Ptr(pointer) => Ok(Self::Pointer {
                to: Box::new(Self::of(&pointer.elem)?),
                mutable: pointer.mutability.is_some(),
            }),
            syn::Type::Array(array) => {
                let length = usize::try_from(integer(&array.len)?).map_err(|error| error.to_string())?;
                Ok(Self::Array(Box::new(Self::of(&array.elem)?), length))
            }
            other => Err(format!("a type of an unknown kind: {other:?}")),
        }
    }

    fn of_pointer(pointer: &syn::TypeBareFn) -> Result<Self, String> {
        let syn::ReturnType::Default = pointer.output else {
            return Err("a pointer to a function with a result".to_owned());
        };
        let arguments = pointer.inputs.iter().map(|argument| {
            let (name, _) = argument.name.as_ref().ok_or("an argument without a name")?;
            Ok((name.to_string(), Self::of(&argument.ty)?))
        });
        arguments.collect::<Result<_, String>>().map(Self::Function)
    }
}

/// `1`, `-1` or `16usize`.
pub fn integer(expression: &Expr) -> Result<i64, String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(integer) => integer.base10_parse().map_err(|error| error.to_string()),
            _ => Err("a literal that is not an integer".to_owned()),
        },
        Expr::Unary(syn::ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer(expr).map(|value| -value),
        _ => Err("a value that is not an integer".to_owned()),
    }
}

struct List<T>(Vec<T>);

impl<T: Parse> Parse for List<T> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut all = Vec::new();
        while !input.is_empty() {
            all.push(input.parse()?);
        }
        Ok(Self(all))
    }
}

struct Names(Vec<String>);

impl Parse for Names {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let names = Punctuated::<Ident, Token![,]>::parse_terminated(input)?;
        Ok(Self(names.iter().map(Ident::to_string).collect()))
    }
}

/// `pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(dptr: CUdeviceptr) -> CUresult;`
impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let both = |input: ParseStream<'_>| -> syn::Result<(String, Option<String>)> {
            let name = input.parse::<Ident>()?.to_string();
            let plain = match input.parse::<Option<Token![as]>>()? {
                Some(_) => Some(input.parse::<Ident>()?.to_string()),
                None => None,
            };
            Ok((name, plain))
        };
        input.parse::<Token![pub]>()?;
        input.parse::<Token![fn]>()?;
        let (name, plain) = both(input)?;
        input.parse::<Token![:]>()?;
        let pfn = both(input)?;
        if pfn != (format!("PFN_{name}"), plain.as_ref().map(|plain| format!("PFN_{plain}"))) {
            return Err(input.error(format!("{pfn:?} does not name the pointers to {name}")));
        }
        let list;
        parenthesized!(list in input);
        let list = Punctuated::<Argument, Token![,]>::parse_terminated(&list)?;
        input.parse::<Token![->]>()?;
        let result = parse_type(input)?;
        input.parse::<Token![;]>()?;
        let arguments = list.into_iter().map(|argument| (argument.0, argument.1)).collect();
        Ok(Self { name, plain, arguments, result })
    }
}

struct Argument(String, Type);

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self(name.to_string(), parse_type(input)?))
    }
}

fn parse_type(input: ParseStream<'_>) -> syn::Result<Type> {
    let ty: syn::Type = input.parse()?;
    Type::of(&ty).map_err(|error| input.error(error))
}

/// `pub enum CUresult: CUresult_values { CUDA_SUCCESS = 0, }`, or with `(c_int)` behind the name.
impl Parse for Enum {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Attribute::parse_outer(input)?;
        input.parse::<Token![pub]>()?;
        input.parse::<Token![enum]>()?;
        let name = input.parse::<Ident>()?.to_string();
        let is_signed = input.peek(syn::token::Paren);
        if is_signed {
            let repr;
            parenthesized!(repr in input);
            repr.parse::<Ident>()?;
        }
        input.parse::<Token![:]>()?;
        let module: Ident = input.parse()?;
        if module != format!("{name}_values") {
            return Err(input.error(format!("{module} does not name the values of {name}")));
        }
        let body;
        braced!(body in input);
        let values = Punctuated::<Value, Token![,]>::parse_terminated(&body)?;
        Ok(Self { name, is_signed, values: values.into_iter().map(|value| (value.0, value.1)).collect() })
    }
}

struct Value(String, i64);

impl Parse for Value {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        integer(&value).map(|value| Self(name.to_string(), value)).map_err(|error| input.error(error))
    }
}
