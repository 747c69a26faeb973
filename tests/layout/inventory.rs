//! What the bindings declare, read from their text: every type, field, constant and function.
//!
//! Completeness rests on this: a kind of item that is not known here is an error, not passed over.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, Ident, Item, Token, parenthesized};

#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// `pub type CUdevice = c_int;`
    pub aliases: Vec<(String, Type)>,
    /// What handles point to, which C never defines.
    pub opaque: Vec<String>,
    pub records: Vec<Record>,
    /// The newtypes, with the integer inside.
    pub enums: Vec<(String, Type)>,
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
}

/// A struct or a union with fields.
#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub fields: Vec<(String, Type)>,
}

/// A macro's value, or an enumerator with its enum.
#[derive(Clone, Debug)]
pub struct Constant {
    pub name: String,
    pub of: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
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
}

impl Inventory {
    /// Reads the generated text, and what src/ adds to it by hand.
    pub fn read(bindings: &str, by_hand: &[String]) -> Result<Self, String> {
        let mut inventory = Self::default();
        let mut listed = Vec::new();
        for item in parse(bindings)? {
            match item {
                // Default; Debug is c_enum's.
                Item::Impl(_) => {}
                Item::Macro(item) if item.mac.path.is_ident("driver_functions") => {
                    let functions: Functions = item.mac.parse_body().map_err(|error| error.to_string())?;
                    inventory.functions.extend(functions.0);
                }
                Item::Macro(item) if item.mac.path.is_ident("c_enum") => {
                    listed.push(item.mac.parse_body::<Values>().map_err(|error| error.to_string())?);
                }
                item => inventory.add(item)?,
            }
        }
        for text in by_hand {
            for item in parse(text)? {
                if let Item::Struct(item) = item
                    && is_repr_c(&item.attrs)
                {
                    inventory.add(Item::Struct(item))?;
                }
            }
        }
        for (name, _) in &inventory.enums {
            let constants = inventory.constants.iter().filter(|constant| constant.of.as_ref() == Some(name));
            let constants: Vec<_> = constants.map(|constant| &constant.name).collect();
            let values = listed.iter().find(|values| values.name == *name);
            if values.is_none_or(|values| values.constants.iter().ne(constants)) {
                return Err(format!("c_enum! does not list the constants of {name}"));
            }
        }
        Ok(inventory)
    }

    fn add(&mut self, item: Item) -> Result<(), String> {
        match item {
            Item::Type(item) => self.aliases.push((item.ident.to_string(), Type::of(&item.ty)?)),
            Item::Const(item) => {
                let of = match Type::of(&item.ty)? {
                    Type::Named(name) if name == "u32" || name == "u64" => None,
                    Type::Named(name) => Some(name),
                    other => return Err(format!("{}: {other:?} is no constant's type", item.ident)),
                };
                self.constants.push(Constant { name: item.ident.to_string(), of });
            }
            Item::Union(item) => {
                let fields = named(item.fields.named.iter())?;
                self.records.push(Record { name: item.ident.to_string(), fields });
            }
            Item::Struct(item) => {
                let name = item.ident.to_string();
                match &item.fields {
                    Fields::Unnamed(fields) => {
                        self.enums.push((name, Type::of(&fields.unnamed[0].ty)?));
                    }
                    Fields::Named(fields) => {
                        let fields = named(fields.named.iter())?;
                        if fields.iter().any(|(name, _)| name == "_unused") {
                            self.opaque.push(name);
                        } else {
                            self.records.push(Record { name, fields });
                        }
                    }
                    other => return Err(format!("{name}: no such struct is known: {other:?}")),
                }
            }
            other => return Err(format!("an item of a kind that is not known here: {other:?}")),
        }
        Ok(())
    }

    /// The record and the field that this record is the type of, where C gives it no name.
    pub fn owner(&self, record: &str) -> Option<(&Record, &str)> {
        self.records.iter().find_map(|owner| {
            let field = record.strip_prefix(&owner.name)?.strip_prefix('_')?;
            let (field, _) = owner.fields.iter().find(|(name, _)| name == field)?;
            Some((owner, field.as_str()))
        })
    }
}

fn parse(text: &str) -> Result<Vec<Item>, String> {
    syn::parse_file(text).map(|file| file.items).map_err(|error| error.to_string())
}

fn is_repr_c(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("repr") && attribute.parse_args::<Ident>().is_ok_and(|word| word == "C")
    })
}

fn named<'a>(fields: impl Iterator<Item = &'a syn::Field>) -> Result<Vec<(String, Type)>, String> {
    fields
        .map(|field| {
            let name = field.ident.as_ref().ok_or("a field without a name")?.to_string();
            Ok((name, Type::of(&field.ty)?))
        })
        .collect()
}

impl Type {
    fn of(ty: &syn::Type) -> Result<Self, String> {
        match ty {
            syn::Type::Path(path) => {
                let last = path.path.segments.last().ok_or("a type without a name")?;
                Ok(Self::Named(last.ident.to_string()))
            }
            syn::Type::Ptr(pointer) => Ok(Self::Pointer {
                to: Box::new(Self::of(&pointer.elem)?),
                mutable: pointer.mutability.is_some(),
            }),
            syn::Type::Array(array) => match &array.len {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => {
                    let length = length.base10_parse().map_err(|error| error.to_string())?;
                    Ok(Self::Array(Box::new(Self::of(&array.elem)?), length))
                }
                other => Err(format!("no plain length: {other:?}")),
            },
            other => Err(format!("a type of a kind that is not known here: {other:?}")),
        }
    }
}

/// The body of `driver_functions!`: `pub fn name: PFN_name(argument: type) -> type;` each.
struct Functions(Vec<Function>);

impl Parse for Functions {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut functions = Vec::new();
        while !input.is_empty() {
            Attribute::parse_outer(input)?;
            input.parse::<Token![pub]>()?;
            input.parse::<Token![fn]>()?;
            let name: Ident = input.parse()?;
            input.parse::<Token![:]>()?;
            let pfn: Ident = input.parse()?;
            if pfn != format!("PFN_{name}") {
                return Err(syn::Error::new(pfn.span(), format!("{pfn} is no name for {name}'s type")));
            }
            let list;
            parenthesized!(list in input);
            let list = Punctuated::<Argument, Token![,]>::parse_terminated(&list)?;
            input.parse::<Token![->]>()?;
            let result = c_type(&input.parse()?)?;
            input.parse::<Token![;]>()?;
            let arguments = list.into_iter().map(|argument| (argument.0, argument.1)).collect();
            functions.push(Function { name: name.to_string(), arguments, result });
        }
        Ok(Self(functions))
    }
}

struct Argument(String, Type);

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self(name.to_string(), c_type(&input.parse()?)?))
    }
}

fn c_type(ty: &syn::Type) -> syn::Result<Type> {
    use syn::spanned::Spanned as _;
    Type::of(ty).map_err(|words| syn::Error::new(ty.span(), words))
}

/// The body of `c_enum!`: `name, module: constant, ...`.
struct Values {
    name: String,
    constants: Vec<String>,
}

impl Parse for Values {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<Token![,]>()?;
        input.parse::<Ident>()?;
        input.parse::<Token![:]>()?;
        let constants = Punctuated::<Ident, Token![,]>::parse_terminated(input)?;
        Ok(Self { name: name.to_string(), constants: constants.iter().map(Ident::to_string).collect() })
    }
}
