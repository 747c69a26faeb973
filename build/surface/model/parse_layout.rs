//! Parses what bindgen's tests of layouts say: the numbers are clang's.

use syn::parse::ParseStream;
use syn::{LitInt, LitStr, Token, braced, bracketed, parenthesized};

use super::ClangLayout;
use super::parse_type::repeated;

/// bindgen's form of a layout, with the name of its record: `const _: () = { ["Size of X"][size_of::<X>() - 16usize]; … };`
pub fn layout(input: ParseStream<'_>) -> syn::Result<(String, ClangLayout)> {
    input.parse::<Token![const]>()?;
    input.parse::<Token![_]>()?;
    input.parse::<Token![:]>()?;
    let (unit, facts);
    parenthesized!(unit in input);
    let _ = unit;
    input.parse::<Token![=]>()?;
    braced!(facts in input);
    input.parse::<Token![;]>()?;
    let (mut of, mut layout) = (String::new(), ClangLayout::default());
    for (fact, number) in repeated(&facts, layout_fact)? {
        if let Some(name) = fact.strip_prefix("Size of ") {
            (of, layout.size) = (name.to_owned(), number);
        } else if fact.starts_with("Alignment of ") {
            layout.align = number;
        } else if let Some((_, field)) = fact.rsplit_once("::") {
            layout.offsets.push((field.to_owned(), number));
        }
    }
    Ok((of, layout))
}

/// `["Size of X"][… - 16usize];`
fn layout_fact(input: ParseStream<'_>) -> syn::Result<(String, usize)> {
    let (fact, number);
    bracketed!(fact in input);
    bracketed!(number in input);
    input.parse::<Token![;]>()?;
    let fact = fact.parse::<LitStr>()?.value();
    let mut last = None;
    while !number.is_empty() {
        last = number.parse::<Option<LitInt>>()?;
        if last.is_none() {
            number.step(|cursor| Ok(cursor.token_tree().map_or(((), *cursor), |(_, rest)| ((), rest))))?;
        }
    }
    let last = last.ok_or_else(|| number.error("a layout without its number"))?;
    // syn takes the minus with it.
    Ok((fact, last.base10_digits().trim_start_matches('-').parse().map_err(|error| number.error(error))?))
}
