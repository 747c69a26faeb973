//! Parses the bindings' text, in the embedded file's form and in bindgen's.
//!
//! The parser reads syn's tokens, not syn's items, to work with both versions of syn that bindgen accepts.

use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::token::{Bracket, Paren};
use syn::{
    Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Meta, MetaNameValue, Token, braced, bracketed,
    parenthesized,
};

use super::{BindingsModel, CEnum, CFunction, CType, StructOrUnion};

/// Parses items, and keeps those that were parsed so far.
#[derive(Default)]
struct ItemReader {
    model: BindingsModel,
    /// The enumerators in bindgen's form, which may precede their enum: the enum, the name and the value.
    enumerators: Vec<(String, String, i64)>,
}

impl BindingsModel {
    /// Reads bindings in the embedded file's form or in bindgen's. An item of any other form is an error.
    pub fn parse_bindings(text: &str) -> Result<Self, String> {
        let parser = |input: ParseStream<'_>| {
            let mut reader = ItemReader::default();
            while !input.is_empty() {
                reader.parse_item(input)?;
            }
            Ok(reader)
        };
        let ItemReader { mut model, enumerators } =
            parser.parse_str(text).map_err(|error| error.to_string())?;
        for (of, name, value) in enumerators {
            let an_enum = model.enums.iter_mut().find(|an_enum| an_enum.name == of);
            an_enum.ok_or_else(|| format!("{name} is of the unknown type {of}"))?.values.push((name, value));
        }
        model.remove_compiler_differences();
        Ok(model)
    }
}

impl ItemReader {
    fn parse_item(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let versioned = check_attributes(&Attribute::parse_outer(input)?)?;
        let is_public = input.parse::<Option<Token![pub]>>()?.is_some();
        if input.peek(Token![unsafe]) {
            return self.parse_foreign_block(input);
        }
        if !is_public {
            return self.parse_macro_call(input);
        }
        let keyword = Ident::parse_any(input)?.to_string();
        if keyword == "use" {
            return self.parse_use(input);
        }
        let name = parse_identifier(input)?;
        match keyword.as_str() {
            "type" => self.parse_alias(input, name.clone())?,
            "const" => self.parse_constant(input, name.clone())?,
            "struct" | "union" => self.parse_record(input, name.clone(), keyword == "union")?,
            _ => return Err(input.error(format!("an item of an unknown kind: {keyword}"))),
        }
        // The versioned name: `CUdeviceptr_v2` of `CUdeviceptr`.
        self.model.versions.extend(versioned.map(|versioned| (name, versioned)));
        Ok(())
    }

    /// Parses `pub type CUdevice = c_int;` after the name.
    fn parse_alias(&mut self, input: ParseStream<'_>, name: String) -> syn::Result<()> {
        input.parse::<Token![=]>()?;
        self.model.aliases.push((name, input.parse()?));
        input.parse::<Token![;]>().map(drop)
    }

    /// Parses `pub use self::CUstream_flags_enum as CUstream_flags;` after `use`.
    fn parse_use(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        input.parse::<Token![self]>()?;
        input.parse::<Token![::]>()?;
        let of = parse_identifier(input)?;
        input.parse::<Token![as]>()?;
        self.model.aliases.push((parse_identifier(input)?, CType::Named(of)));
        input.parse::<Token![;]>().map(drop)
    }

    /// Parses `const CUDA_VERSION: u32 = 13050;` or `const CUDA_SUCCESS: CUresult = CUresult(0);` after the name.
    fn parse_constant(&mut self, input: ParseStream<'_>, name: String) -> syn::Result<()> {
        input.parse::<Token![:]>()?;
        input.parse::<CType>()?;
        input.parse::<Token![=]>()?;
        match input.parse::<Option<Ident>>()? {
            Some(of) => {
                let value;
                parenthesized!(value in input);
                self.enumerators.push((of.to_string(), name, parse_integer(&value)?));
            }
            None => self.model.macros.push((name, parse_integer(input)?)),
        }
        input.parse::<Token![;]>().map(drop)
    }

    fn parse_record(&mut self, input: ParseStream<'_>, name: String, is_union: bool) -> syn::Result<()> {
        // bindgen's form of an enum: `pub struct CUresult(pub c_uint);`
        if input.peek(Paren) {
            let of;
            parenthesized!(of in input);
            of.parse::<Token![pub]>()?;
            let of = of.parse::<CType>()?.to_string();
            input.parse::<Token![;]>()?;
            if of != "c_int" && of != "c_uint" {
                return Err(input.error(format!("the enum {name} is a {of} and not an int")));
            }
            self.model.enums.push(CEnum { name, is_signed: of == "c_int", values: Vec::new() });
            return Ok(());
        }
        let fields;
        braced!(fields in input);
        // In bindgen's form a struct that is only declared has one private field. Other structs' fields are public.
        if fields.peek(Ident) {
            let (field, _) = parse_field(&fields)?;
            if field != "_unused" {
                return Err(fields.error(format!("bindgen has no form for the first field of {name}")));
            }
            fields.parse::<Option<Token![,]>>()?;
            self.model.opaque.push(name);
            return Ok(());
        }
        let (documentation, fields) = parse_separated(&fields, parse_documented_field)?.into_iter().unzip();
        self.model.records.push(StructOrUnion { name, is_union, fields, documentation });
        Ok(())
    }

    /// Parses `unsafe extern "C" { pub fn cuInit(Flags: c_uint) -> CUresult; }`.
    fn parse_foreign_block(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        input.parse::<Token![unsafe]>()?;
        parse_abi(input)?;
        let block;
        braced!(block in input);
        self.model.functions.extend(parse_repeated(&block, parse_function)?);
        Ok(())
    }

    /// Parses a macro call of the embedded file, and drops the lists of types in `zeroed_default!` and `union_debug!`.
    fn parse_macro_call(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let of: Ident = input.parse()?;
        input.parse::<Token![!]>()?;
        let body;
        braced!(body in input);
        match of.to_string().as_str() {
            "c_enum" => self.model.enums.push(parse_enum(&body)?),
            "driver_functions" => self.model.functions.extend(parse_repeated(&body, parse_function)?),
            "opaque" => self.model.opaque.extend(parse_separated(&body, parse_identifier)?),
            "zeroed_default" | "union_debug" => drop(parse_separated(&body, parse_identifier)?),
            _ => return Err(syn::Error::new(of.span(), format!("an unknown macro: {of}"))),
        }
        Ok(())
    }
}

/// Refuses unknown attributes, which may change a layout or a call. Returns the versioned name in `doc(alias = "…")`.
fn check_attributes(attributes: &[Attribute]) -> syn::Result<Option<String>> {
    let mut versioned = None;
    for attribute in attributes {
        let Some(name) = attribute.path().get_ident().map(Ident::to_string) else {
            return Err(attribute_error(attribute, "an unknown attribute".to_owned()));
        };
        match name.as_str() {
            // An item's `doc` is an alias. `parse_documented_field` reads the documentation of fields.
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

fn parse_integer(input: ParseStream<'_>) -> syn::Result<i64> {
    let is_negative = input.parse::<Option<Token![-]>>()?.is_some();
    let value: i64 = input.parse::<LitInt>()?.base10_parse()?;
    Ok(if is_negative { -value } else { value })
}

/// Parses a function in bindgen's form or in embedded.rs's form. An example of embedded.rs's form:
/// `pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(dptr: CUdeviceptr) -> CUresult;`
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

/// Parses `cuMemFree_v2 as cuMemFree`, or one name.
fn parse_symbol_and_macro_name(input: ParseStream<'_>) -> syn::Result<(String, Option<String>)> {
    let name = parse_identifier(input)?;
    let macro_name = match input.parse::<Option<Token![as]>>()? {
        Some(_) => Some(parse_identifier(input)?),
        None => None,
    };
    Ok((name, macro_name))
}

/// Parses `pub enum CUresult: CUresult_values { CUDA_SUCCESS = 0, }`, with `(c_int)` after the name of a signed enum.
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

/// Parses `CUDA_SUCCESS = 0`.
fn parse_enumerator(input: ParseStream<'_>) -> syn::Result<(String, i64)> {
    let name = parse_identifier(input)?;
    input.parse::<Token![=]>()?;
    Ok((name, parse_integer(input)?))
}

/// Parses `extern "C"`, the only ABI that the bindings have.
fn parse_abi(input: ParseStream<'_>) -> syn::Result<()> {
    input.parse::<Token![extern]>()?;
    let abi: LitStr = input.parse()?;
    match abi.value().as_str() {
        "C" => Ok(()),
        other => Err(syn::Error::new(abi.span(), format!("a function has the calling convention {other}"))),
    }
}

fn parse_identifier(input: ParseStream<'_>) -> syn::Result<String> {
    Ok(input.parse::<Ident>()?.to_string())
}

/// Parses `name: type`, a field of a record or an argument.
fn parse_field(input: ParseStream<'_>) -> syn::Result<(String, CType)> {
    parse_documented_field(input).map(|(_, field)| field)
}

/// Parses a field, and the documentation that may precede it. Returns the documentation, then the field.
fn parse_documented_field(input: ParseStream<'_>) -> syn::Result<(String, (String, CType))> {
    let mut documentation = String::new();
    for attribute in Attribute::parse_outer(input)? {
        match &attribute.meta {
            Meta::NameValue(MetaNameValue {
                path,
                value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }),
                ..
            }) if path.is_ident("doc") => documentation += text.value().trim(),
            _ => return Err(input.error("a field has an attribute")),
        }
    }
    input.parse::<Option<Token![pub]>>()?;
    let name = parse_identifier(input)?;
    input.parse::<Token![:]>()?;
    Ok((documentation, (name, input.parse()?)))
}

fn parse_repeated<T>(
    input: ParseStream<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let mut all = Vec::new();
    while !input.is_empty() {
        all.push(parse(input)?);
    }
    Ok(all)
}

fn parse_separated<T>(
    input: ParseStream<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    Ok(Punctuated::<T, Token![,]>::parse_terminated_with(input, parse)?.into_iter().collect())
}

impl Parse for CType {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.parse::<Option<Token![*]>>()?.is_some() {
            let mutable = input.parse::<Option<Token![mut]>>()?.is_some();
            if !mutable {
                input.parse::<Token![const]>()?;
            }
            return Ok(Self::Pointer { to: Box::new(input.parse()?), mutable });
        }
        if input.peek(Bracket) {
            let array;
            bracketed!(array in input);
            let of = array.parse()?;
            array.parse::<Token![;]>()?;
            return Ok(Self::Array(Box::new(of), array.parse::<LitInt>()?.base10_parse()?));
        }
        input.parse::<Option<Token![::]>>()?;
        let mut name: Ident = input.parse()?;
        while input.parse::<Option<Token![::]>>()?.is_some() {
            name = input.parse()?;
        }
        if name != "Option" {
            return Ok(Self::Named(name.to_string()));
        }
        input.parse::<Token![<]>()?;
        input.parse::<Token![unsafe]>()?;
        parse_abi(input)?;
        input.parse::<Token![fn]>()?;
        let arguments = parse_declared_arguments(input)?;
        if input.peek(Token![->]) {
            return Err(input.error("a callback that returns a value"));
        }
        input.parse::<Token![>]>()?;
        Ok(Self::Function(arguments))
    }
}

fn parse_declared_arguments(input: ParseStream<'_>) -> syn::Result<Vec<(String, CType)>> {
    let list;
    parenthesized!(list in input);
    parse_separated(&list, parse_field)
}
