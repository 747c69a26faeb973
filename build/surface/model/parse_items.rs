//! Parses the bindings' text, in the embedded file's form and in bindgen's.
//!
//! The parser reads syn's tokens, not syn's items, so that it works with both versions of syn that bindgen accepts. It
//! refuses every attribute and form that it does not know, since it may change a layout or a call.

use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::token::{Brace, Paren};
use syn::{Attribute, Ident, LitInt, LitStr, Token, braced, parenthesized};

use super::parse_type::{
    parse_abi, parse_declared_arguments, parse_documented_field, parse_field, parse_identifier,
    parse_repeated, parse_separated,
};
use super::{BindingsModel, CEnum, CFunction, CType, StructOrUnion};

enum ParsedItem {
    Alias(String, CType),
    /// The versioned name of an item: `CUdeviceptr` and `CUdeviceptr_v2`.
    Versioned(String, String),
    Opaque(Vec<String>),
    Record(StructOrUnion),
    Enum(CEnum),
    /// bindgen's form of an enumerator: the enum, the name and the value.
    Value(String, String, i64),
    Macro(String, i64),
    Functions(Vec<CFunction>),
    /// `zeroed_default!` and `union_debug!` list records again.
    Ignored,
}

impl BindingsModel {
    /// Reads bindings in the embedded file's form or in bindgen's. An item of any other form is an error.
    pub fn parse_bindings(text: &str) -> Result<Self, String> {
        let parser = |input: ParseStream<'_>| parse_repeated(input, parse_item);
        let items = parser.parse_str(text).map_err(|error| error.to_string())?;
        let mut model = Self::default();
        let mut values = Vec::new();
        for item in items.into_iter().flatten() {
            match item {
                ParsedItem::Alias(name, ty) => model.aliases.push((name, ty)),
                ParsedItem::Opaque(names) => model.opaque.extend(names),
                ParsedItem::Record(record) => model.records.push(record),
                ParsedItem::Enum(an_enum) => model.enums.push(an_enum),
                ParsedItem::Value(of, name, value) => values.push((of, name, value)),
                ParsedItem::Macro(name, value) => model.macros.push((name, value)),
                ParsedItem::Functions(functions) => model.functions.extend(functions),
                ParsedItem::Versioned(name, versioned) => drop(model.versions.insert(name, versioned)),
                ParsedItem::Ignored => {}
            }
        }
        for (of, name, value) in values {
            let an_enum = model.enums.iter_mut().find(|an_enum| an_enum.name == of);
            an_enum.ok_or_else(|| format!("{name} is of the unknown type {of}"))?.values.push((name, value));
        }
        model.remove_compiler_differences();
        Ok(model)
    }
}

fn parse_item(input: ParseStream<'_>) -> syn::Result<Vec<ParsedItem>> {
    let versioned = check_attributes(&Attribute::parse_outer(input)?)?;
    let is_public = input.parse::<Option<Token![pub]>>()?.is_some();
    if input.peek(Token![unsafe]) {
        return Ok(vec![parse_foreign_block(input)?]);
    }
    if !is_public {
        return parse_macro_call(input);
    }
    let keyword = Ident::parse_any(input)?.to_string();
    let (name, item) = match keyword.as_str() {
        "type" => parse_alias(input)?,
        "const" => return Ok(vec![parse_constant(input)?]),
        "use" => return Ok(vec![parse_use(input)?]),
        "struct" | "union" => parse_record(input, keyword == "union")?,
        _ => return Err(input.error(format!("an item of an unknown kind: {keyword}"))),
    };
    let versioned = versioned.map(|versioned| ParsedItem::Versioned(name, versioned));
    Ok([item].into_iter().chain(versioned).collect())
}

/// Refuses attributes that may change a layout or a call: `link_name`, and `packed` and `align(…)`, which cuda.h uses
/// for no type of the surface. Returns the versioned name that the embedded file keeps as an alias.
fn check_attributes(attributes: &[Attribute]) -> syn::Result<Option<String>> {
    let mut versioned = None;
    for attribute in attributes {
        let Some(name) = attribute.path().get_ident().map(Ident::to_string) else {
            return Err(attribute_error(attribute, "an unknown attribute".to_owned()));
        };
        match name.as_str() {
            // Documentation. `parse_documented_field` reads that of fields.
            "doc" => {
                let alias = |input: ParseStream<'_>| {
                    input.parse::<Ident>()?;
                    input.parse::<Token![=]>()?;
                    Ok(input.parse::<LitStr>()?.value())
                };
                versioned = Some(attribute.parse_args_with(alias)?);
            }
            "repr" => {
                let representation = attribute.parse_args::<Ident>().map(|ident| ident.to_string());
                if !matches!(representation.as_deref(), Ok("C" | "transparent")) {
                    return Err(attribute_error(
                        attribute,
                        "a type is packed, or aligned otherwise than C does".to_owned(),
                    ));
                }
            }
            "allow" | "derive" | "must_use" => {}
            _ => return Err(attribute_error(attribute, format!("an unknown attribute: {name}"))),
        }
    }
    Ok(versioned)
}

fn attribute_error(attribute: &Attribute, why: String) -> syn::Error {
    syn::Error::new(attribute.pound_token.spans[0], why)
}

/// `pub type CUdevice = c_int;`
fn parse_alias(input: ParseStream<'_>) -> syn::Result<(String, ParsedItem)> {
    let name = parse_identifier(input)?;
    input.parse::<Token![=]>()?;
    let ty = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok((name.clone(), ParsedItem::Alias(name, ty)))
}

/// `pub use self::CUstream_flags_enum as CUstream_flags;`
fn parse_use(input: ParseStream<'_>) -> syn::Result<ParsedItem> {
    input.parse::<Token![self]>()?;
    input.parse::<Token![::]>()?;
    let of = parse_identifier(input)?;
    input.parse::<Token![as]>()?;
    let name = parse_identifier(input)?;
    input.parse::<Token![;]>()?;
    Ok(ParsedItem::Alias(name, CType::Named(of)))
}

/// `pub const CUDA_VERSION: u32 = 13050;`, or in bindgen's form `pub const CUDA_SUCCESS: CUresult = CUresult(0);`
fn parse_constant(input: ParseStream<'_>) -> syn::Result<ParsedItem> {
    let name = parse_identifier(input)?;
    input.parse::<Token![:]>()?;
    input.parse::<CType>()?;
    input.parse::<Token![=]>()?;
    let of: Option<Ident> = input.parse()?;
    let item = match of {
        Some(of) => {
            let value;
            parenthesized!(value in input);
            ParsedItem::Value(of.to_string(), name, parse_integer(&value)?)
        }
        None => ParsedItem::Macro(name, parse_integer(input)?),
    };
    input.parse::<Token![;]>()?;
    Ok(item)
}

fn parse_integer(input: ParseStream<'_>) -> syn::Result<i64> {
    let is_negative = input.parse::<Option<Token![-]>>()?.is_some();
    let value: i64 = input.parse::<LitInt>()?.base10_parse()?;
    Ok(if is_negative { -value } else { value })
}

fn parse_record(input: ParseStream<'_>, is_union: bool) -> syn::Result<(String, ParsedItem)> {
    let name = parse_identifier(input)?;
    // bindgen's form of an enum: `pub struct CUresult(pub c_uint);`
    if input.peek(Paren) {
        let of;
        parenthesized!(of in input);
        of.parse::<Token![pub]>()?;
        let of: CType = of.parse()?;
        input.parse::<Token![;]>()?;
        return match &of {
            CType::Named(int) if int == "c_int" || int == "c_uint" => Ok((
                name.clone(),
                ParsedItem::Enum(CEnum { name, is_signed: int == "c_int", values: Vec::new() }),
            )),
            _ => Err(input.error(format!("the enum {name} is a {of} and not an int"))),
        };
    }
    let fields;
    braced!(fields in input);
    // bindgen's form of a struct that is only declared has one private field. The fields of other structs are public.
    if fields.peek(Ident) {
        let (field, _) = parse_field(&fields)?;
        if field != "_unused" {
            return Err(fields.error(format!("bindgen has no form for the first field of {name}")));
        }
        fields.parse::<Option<Token![,]>>()?;
        return Ok((name.clone(), ParsedItem::Opaque(vec![name])));
    }
    let (documentation, fields) = parse_separated(&fields, parse_documented_field)?.into_iter().unzip();
    Ok((name.clone(), ParsedItem::Record(StructOrUnion { name, is_union, fields, documentation })))
}

/// `unsafe extern "C" { pub fn cuInit(Flags: c_uint) -> CUresult; }`
fn parse_foreign_block(input: ParseStream<'_>) -> syn::Result<ParsedItem> {
    input.parse::<Token![unsafe]>()?;
    parse_abi(input)?;
    let block;
    braced!(block in input);
    parse_repeated(&block, parse_function).map(ParsedItem::Functions)
}

/// Parses a function in either form. In the embedded file it also has the names of the pointers to it: `pub fn
/// cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(dptr: CUdeviceptr) -> CUresult;`
fn parse_function(input: ParseStream<'_>) -> syn::Result<CFunction> {
    check_attributes(&Attribute::parse_outer(input)?)?;
    input.parse::<Token![pub]>()?;
    input.parse::<Token![fn]>()?;
    let (name, macro_name) = parse_symbol_and_macro_name(input)?;
    if input.parse::<Option<Token![:]>>()?.is_some() {
        let pointers = parse_symbol_and_macro_name(input)?;
        let macro_name = macro_name.as_ref().map(|macro_name| format!("PFN_{macro_name}"));
        if pointers != (format!("PFN_{name}"), macro_name) {
            return Err(input.error(format!("{pointers:?} does not name the pointers to {name}")));
        }
    }
    let arguments = parse_declared_arguments(input)?;
    if !input.peek(Token![->]) {
        return Err(input.error(format!("{name} returns nothing")));
    }
    input.parse::<Token![->]>()?;
    let result = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(CFunction { name, macro_name, arguments, result })
}

/// `cuMemFree_v2 as cuMemFree`, or one name.
fn parse_symbol_and_macro_name(input: ParseStream<'_>) -> syn::Result<(String, Option<String>)> {
    let name = parse_identifier(input)?;
    let macro_name = match input.parse::<Option<Token![as]>>()? {
        Some(_) => Some(parse_identifier(input)?),
        None => None,
    };
    Ok((name, macro_name))
}

/// The embedded file's forms.
fn parse_macro_call(input: ParseStream<'_>) -> syn::Result<Vec<ParsedItem>> {
    let of: Ident = input.parse()?;
    input.parse::<Token![!]>()?;
    if !input.peek(Brace) {
        return Err(input.error("a macro without braces"));
    }
    let body;
    braced!(body in input);
    let item = match of.to_string().as_str() {
        "c_enum" => ParsedItem::Enum(parse_enum(&body)?),
        "driver_functions" => ParsedItem::Functions(parse_repeated(&body, parse_function)?),
        "opaque" => ParsedItem::Opaque(parse_separated(&body, parse_identifier)?),
        "zeroed_default" | "union_debug" => {
            parse_separated(&body, parse_identifier)?;
            ParsedItem::Ignored
        }
        _ => return Err(syn::Error::new(of.span(), format!("an unknown macro: {of}"))),
    };
    Ok(vec![item])
}

/// `pub enum CUresult: CUresult_values { CUDA_SUCCESS = 0, }`, with `(c_int)` after the name of a signed one.
fn parse_enum(input: ParseStream<'_>) -> syn::Result<CEnum> {
    check_attributes(&Attribute::parse_outer(input)?)?;
    input.parse::<Token![pub]>()?;
    input.parse::<Token![enum]>()?;
    let name = parse_identifier(input)?;
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
    Ok(CEnum { name, is_signed, values: parse_separated(&body, parse_enumerator)? })
}

/// `CUDA_SUCCESS = 0`
fn parse_enumerator(input: ParseStream<'_>) -> syn::Result<(String, i64)> {
    let name = parse_identifier(input)?;
    input.parse::<Token![=]>()?;
    Ok((name, parse_integer(input)?))
}
