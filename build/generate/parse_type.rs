//! Parses types, and what is written `name: type`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Bracket;
use syn::{Attribute, Ident, LitInt, LitStr, Token, bracketed, parenthesized};

use super::super::Type;

/// `name: type`, of a record or of an argument list.
pub struct Field(pub String, pub Type);

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Attribute::parse_outer(input)?;
        input.parse::<Option<Token![pub]>>()?;
        let name = input.parse::<Ident>()?.to_string();
        input.parse::<Token![:]>()?;
        Ok(Self(name, input.parse()?))
    }
}

impl Parse for Type {
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
        input.parse::<Token![extern]>()?;
        input.parse::<LitStr>()?;
        input.parse::<Token![fn]>()?;
        let arguments = arguments(input)?;
        input.parse::<Option<Token![,]>>()?;
        input.parse::<Token![>]>()?;
        Ok(Self::Function(arguments))
    }
}

pub fn arguments(input: ParseStream<'_>) -> syn::Result<Vec<(String, Type)>> {
    let list;
    parenthesized!(list in input);
    let list = Punctuated::<Field, Token![,]>::parse_terminated(&list)?;
    Ok(list.into_iter().map(|argument| (argument.0, argument.1)).collect())
}
