//! Parses types, arguments and fields (`name: type`), and sequences.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Bracket;
use syn::{
    Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Meta, MetaNameValue, Token, bracketed,
    parenthesized,
};

use super::CType;

/// Parses `extern "C"`, the only ABI that the bindings have.
pub fn parse_abi(input: ParseStream<'_>) -> syn::Result<()> {
    input.parse::<Token![extern]>()?;
    let abi: LitStr = input.parse()?;
    match abi.value().as_str() {
        "C" => Ok(()),
        other => Err(syn::Error::new(abi.span(), format!("a function has the calling convention {other}"))),
    }
}

pub fn parse_identifier(input: ParseStream<'_>) -> syn::Result<String> {
    Ok(input.parse::<Ident>()?.to_string())
}

/// Parses `name: type`, a field of a record or an argument.
pub fn parse_field(input: ParseStream<'_>) -> syn::Result<(String, CType)> {
    parse_documented_field(input).map(|(_, field)| field)
}

/// Parses a field that follows its documentation, and returns the documentation too.
pub fn parse_documented_field(input: ParseStream<'_>) -> syn::Result<(String, (String, CType))> {
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

pub fn parse_repeated<T>(
    input: ParseStream<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let mut all = Vec::new();
    while !input.is_empty() {
        all.push(parse(input)?);
    }
    Ok(all)
}

pub fn parse_separated<T>(
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

pub fn parse_declared_arguments(input: ParseStream<'_>) -> syn::Result<Vec<(String, CType)>> {
    let list;
    parenthesized!(list in input);
    parse_separated(&list, parse_field)
}
