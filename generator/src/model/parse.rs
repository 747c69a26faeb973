//! Parses the bindings' text, in the embedded file's form and in bindgen's.
//!
//! It is a grammar of its own on syn's tokens rather than syn's items: strict about what may change a layout, and the same
//! with both versions of syn that bindgen accepts.

use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::token::{Brace, Paren};
use syn::{Attribute, Ident, LitInt, LitStr, Token, braced, parenthesized};

use super::parse_type::{arguments, field, identifier, separated};
use super::{Enum, Function, Record, Type};

/// An item of either form.
pub enum Item {
    Alias(String, Type),
    Opaque(Vec<String>),
    Record(Record),
    Enum(Enum),
    /// bindgen's form of an enumerator: the enum, the name and the value.
    Value(String, String, i64),
    Macro(String, i64),
    Functions(Vec<Function>),
    /// `zeroed_default!` and `union_debug!` list records.
    ListsAgain,
}

/// Parses the bindings' text.
pub fn items(text: &str) -> syn::Result<Vec<Item>> {
    (|input: ParseStream<'_>| repeated(input, item)).parse_str(text)
}

/// As many as there are.
fn repeated<T>(input: ParseStream<'_>, parse: fn(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<Vec<T>> {
    let mut all = Vec::new();
    while !input.is_empty() {
        all.push(parse(input)?);
    }
    Ok(all)
}

fn item(input: ParseStream<'_>) -> syn::Result<Item> {
    let attributes = Attribute::parse_outer(input)?;
    let is_public = input.parse::<Option<Token![pub]>>()?.is_some();
    if input.peek(Token![unsafe]) {
        return foreign(input);
    }
    if !is_public {
        return macro_call(input);
    }
    let keyword = Ident::parse_any(input)?.to_string();
    match keyword.as_str() {
        "type" => alias(input),
        "const" => constant(input),
        "use" => renaming(input),
        "struct" | "union" => {
            check_representation(&attributes)?;
            record(input, keyword == "union")
        }
        _ => Err(input.error(format!("an item of an unknown kind: {keyword}"))),
    }
}

/// Refuses `packed` and `align(…)`, which cuda.h uses for no type of the surface.
fn check_representation(attributes: &[Attribute]) -> syn::Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let representation: Ident = attribute.parse_args()?;
        if representation != "C" && representation != "transparent" {
            let error = format!("a type is represented as {representation}");
            return Err(syn::Error::new(representation.span(), error));
        }
    }
    Ok(())
}

/// `pub type CUdevice = c_int;`
fn alias(input: ParseStream<'_>) -> syn::Result<Item> {
    let name = identifier(input)?;
    input.parse::<Token![=]>()?;
    let ty = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(Item::Alias(name, ty))
}

/// `pub use self::CUstream_flags_enum as CUstream_flags;`
fn renaming(input: ParseStream<'_>) -> syn::Result<Item> {
    input.parse::<Token![self]>()?;
    input.parse::<Token![::]>()?;
    let of = identifier(input)?;
    input.parse::<Token![as]>()?;
    let name = identifier(input)?;
    input.parse::<Token![;]>()?;
    Ok(Item::Alias(name, Type::Named(of)))
}

/// `pub const CUDA_VERSION: u32 = 13050;`, or in bindgen's form `pub const CUDA_SUCCESS: CUresult = CUresult(0);`
fn constant(input: ParseStream<'_>) -> syn::Result<Item> {
    let name = identifier(input)?;
    input.parse::<Token![:]>()?;
    input.parse::<Type>()?;
    input.parse::<Token![=]>()?;
    let of: Option<Ident> = input.parse()?;
    let item = match of {
        Some(of) => {
            let value;
            parenthesized!(value in input);
            Item::Value(of.to_string(), name, integer(&value)?)
        }
        None => Item::Macro(name, integer(input)?),
    };
    input.parse::<Token![;]>()?;
    Ok(item)
}

fn integer(input: ParseStream<'_>) -> syn::Result<i64> {
    let is_negative = input.parse::<Option<Token![-]>>()?.is_some();
    let value: i64 = input.parse::<LitInt>()?.base10_parse()?;
    Ok(if is_negative { -value } else { value })
}

fn record(input: ParseStream<'_>, is_union: bool) -> syn::Result<Item> {
    let name = identifier(input)?;
    // bindgen's form of an enum: `pub struct CUresult(pub c_uint);`
    if input.peek(Paren) {
        let of;
        parenthesized!(of in input);
        of.parse::<Token![pub]>()?;
        let of: Type = of.parse()?;
        input.parse::<Token![;]>()?;
        return match &of {
            Type::Named(int) if int == "c_int" || int == "c_uint" => {
                Ok(Item::Enum(Enum { name, is_signed: false, values: Vec::new() }))
            }
            _ => Err(input.error(format!("the enum {name} is a {of} and not an int"))),
        };
    }
    let fields;
    braced!(fields in input);
    let fields = separated(&fields, field)?;
    if fields.iter().any(|(field, _)| field == "_unused") {
        return Ok(Item::Opaque(vec![name]));
    }
    Ok(Item::Record(Record { name, is_union, fields }))
}

/// `unsafe extern "C" { pub fn cuInit(Flags: c_uint) -> CUresult; }`
fn foreign(input: ParseStream<'_>) -> syn::Result<Item> {
    input.parse::<Token![unsafe]>()?;
    input.parse::<Token![extern]>()?;
    input.parse::<LitStr>()?;
    let block;
    braced!(block in input);
    repeated(&block, function).map(Item::Functions)
}

/// A function in either form; the embedded file's has the names of the pointers to it:
/// `pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(dptr: CUdeviceptr) -> CUresult;`
fn function(input: ParseStream<'_>) -> syn::Result<Function> {
    Attribute::parse_outer(input)?;
    input.parse::<Token![pub]>()?;
    input.parse::<Token![fn]>()?;
    let (name, plain) = names(input)?;
    if input.parse::<Option<Token![:]>>()?.is_some() {
        let pointers = names(input)?;
        let plain = plain.as_ref().map(|plain| format!("PFN_{plain}"));
        if pointers != (format!("PFN_{name}"), plain) {
            return Err(input.error(format!("{pointers:?} does not name the pointers to {name}")));
        }
    }
    let arguments = arguments(input)?;
    input.parse::<Token![->]>()?;
    let result = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(Function { name, plain, arguments, result })
}

/// `cuMemFree_v2 as cuMemFree`, or one name.
fn names(input: ParseStream<'_>) -> syn::Result<(String, Option<String>)> {
    let name = identifier(input)?;
    let plain = match input.parse::<Option<Token![as]>>()? {
        Some(_) => Some(identifier(input)?),
        None => None,
    };
    Ok((name, plain))
}

/// The embedded file's forms.
fn macro_call(input: ParseStream<'_>) -> syn::Result<Item> {
    let of: Ident = input.parse()?;
    input.parse::<Token![!]>()?;
    if !input.peek(Brace) {
        return Err(input.error("a macro without braces"));
    }
    let body;
    braced!(body in input);
    match of.to_string().as_str() {
        "c_enum" => an_enum(&body).map(Item::Enum),
        "driver_functions" => repeated(&body, function).map(Item::Functions),
        "opaque" => separated(&body, identifier).map(Item::Opaque),
        "zeroed_default" | "union_debug" => separated(&body, identifier).map(|_| Item::ListsAgain),
        _ => Err(syn::Error::new(of.span(), format!("an unknown macro: {of}"))),
    }
}

/// `pub enum CUresult: CUresult_values { CUDA_SUCCESS = 0, }`, with `(c_int)` behind the name of one that is signed.
fn an_enum(input: ParseStream<'_>) -> syn::Result<Enum> {
    Attribute::parse_outer(input)?;
    input.parse::<Token![pub]>()?;
    input.parse::<Token![enum]>()?;
    let name = identifier(input)?;
    let is_signed = input.peek(Paren);
    if is_signed {
        let representation;
        parenthesized!(representation in input);
        representation.parse::<Ident>()?;
    }
    input.parse::<Token![:]>()?;
    let module: Ident = input.parse()?;
    if module != format!("{name}_values") {
        return Err(input.error(format!("{module} does not name the values of {name}")));
    }
    let body;
    braced!(body in input);
    Ok(Enum { name, is_signed, values: separated(&body, value)? })
}

/// `CUDA_SUCCESS = 0`
fn value(input: ParseStream<'_>) -> syn::Result<(String, i64)> {
    let name = identifier(input)?;
    input.parse::<Token![=]>()?;
    Ok((name, integer(input)?))
}
