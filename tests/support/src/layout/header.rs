//! Reads the declarations of a C header from the output of the C preprocessor.
//!
//! libclang is not needed: the tokens of these headers are also tokens of Rust, so proc-macro2 splits the text.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::facts::join_paths;

#[derive(Default)]
pub struct ParsedHeader {
    /// The fields of the structs and unions, each by its path: `handle`, `handle.win32`, `handle.win32.name`.
    records: BTreeMap<String, Vec<String>>,
    enums: BTreeMap<String, Vec<String>>,
    /// The typedefs: `typedef CUmemLocation_v1 CUmemLocation;`.
    aliases: BTreeMap<String, String>,
    /// The functions with the names of their parameters: `dptr, bytesize`.
    functions: BTreeMap<String, String>,
    /// Every identifier outside the preprocessor's directives.
    pub identifiers: BTreeSet<String>,
    pub macros: BTreeSet<String>,
}

impl ParsedHeader {
    /// Reads the output of the preprocessor with the macros' definitions (`-E -P -dD`).
    pub fn parse_preprocessed(text: &str) -> Self {
        let (directives, text): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        let text = text.join("\n");
        let macros =
            directives.iter().filter_map(|line| line.strip_prefix("#define ")?.split([' ', '(']).next());
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut header = Self {
            // Each word occurs often, so the set of the words is copied, not each word.
            identifiers: words.collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect(),
            macros: macros.map(str::to_owned).collect(),
            ..Self::default()
        };
        let tokens = text.parse().unwrap_or_else(|error| panic!("the header has an unknown token: {error}"));
        split_at_marks(tokens, ';').iter().for_each(|declaration| header.add_declaration(declaration));
        header
    }

    fn add_declaration(&mut self, declaration: &[TokenTree]) {
        let words = outer_identifiers(declaration);
        let Some(name) = words.last().cloned() else { return };
        // The name of `struct X_st {…};` is its tag. `typedef struct X_st X;` adds an alias of the tag.
        if let Some(body) = last_bracket_group(declaration, Delimiter::Brace) {
            if words.iter().any(|word| word == "enum") {
                self.enums.insert(name, first_identifiers(body));
            } else {
                self.records.insert(name, field_paths(body, ""));
            }
        } else if let Some(parameters) = last_bracket_group(declaration, Delimiter::Parenthesis) {
            let names = split_at_marks(parameters, ',')
                .into_iter()
                .filter_map(|entry| outer_identifiers(&entry).pop());
            let names: Vec<String> = names.filter(|name| name != "void").collect();
            self.functions.insert(name, names.join(", "));
        } else if let ["typedef", .., of, _] = *words.iter().map(String::as_str).collect::<Vec<_>>() {
            self.aliases.insert(name, of.to_owned());
        }
    }

    /// Adds the functions with these names from another reading of the header.
    pub fn add_functions_from(&mut self, other: Self, names: &[&str]) {
        let functions = other.functions.into_iter();
        self.functions.extend(functions.filter(|(name, _)| names.contains(&name.as_str())));
    }

    fn resolve_typedef<'a>(&'a self, mut name: &'a str) -> &'a str {
        while let Some(of) = self.aliases.get(name) {
            name = of;
        }
        name
    }

    /// Returns the paths of the fields of a struct or union, including those of types that are defined within it.
    pub fn fields_of(&self, record: &str) -> &[String] {
        self.records.get(self.resolve_typedef(record)).map_or(&[], Vec::as_slice)
    }

    pub fn enumerators_of(&self, name: &str) -> &[String] {
        self.enums.get(self.resolve_typedef(name)).map_or(&[], Vec::as_slice)
    }

    pub fn parameters_of(&self, function: &str) -> Option<&str> {
        self.functions.get(function).map(String::as_str)
    }

    /// Returns the names of the types of pointers to a function, such as `PFN_cuInit_v2000` for `cuInit`. If the
    /// function has several versions, the result has the types of all versions that the headers have.
    pub fn pointer_typedefs_of(&self, function: &str) -> Vec<&str> {
        let (base, suffix) = function.strip_suffix("_ptsz").map_or((function, ""), |base| (base, "_ptsz"));
        let start = format!("PFN_{}_v", base.strip_suffix("_v2").unwrap_or(base));
        let is_ours = |word: &&str| {
            let release = word[start.len()..].strip_suffix(suffix);
            release.is_some_and(|release| release.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let words = self.identifiers.range(start.clone()..).map(String::as_str);
        words.take_while(|word| word.starts_with(&start)).filter(is_ours).collect()
    }
}

/// Splits tokens at each `mark` that is outside of all brackets.
fn split_at_marks(tokens: TokenStream, mark: char) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_mark = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    tokens.split(is_mark).map(<[TokenTree]>::to_vec).collect()
}

/// Returns the identifiers that are outside of all brackets.
fn outer_identifiers(tokens: &[TokenTree]) -> Vec<String> {
    let words = tokens.iter().filter(|token| matches!(token, TokenTree::Ident(_)));
    words.map(ToString::to_string).collect()
}

/// Returns the tokens within the last brackets of this kind.
fn last_bracket_group(tokens: &[TokenTree], delimiter: Delimiter) -> Option<TokenStream> {
    tokens.iter().rev().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    })
}

/// Returns the first identifier of each comma-separated entry.
fn first_identifiers(body: TokenStream) -> Vec<String> {
    split_at_marks(body, ',').iter().filter_map(|entry| outer_identifiers(entry).into_iter().next()).collect()
}

/// Returns the paths of the fields of a struct or union, whose own path is `path`.
fn field_paths(body: TokenStream, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    for declaration in split_at_marks(body, ';') {
        let last = declaration.len().saturating_sub(1);
        let is_unnamed = last_bracket_group(&declaration[last..], Delimiter::Brace).is_some();
        let mut path = path.to_owned();
        // The fields of an unnamed struct or union belong to the outer type.
        if let (false, Some(name)) = (is_unnamed, outer_identifiers(&declaration).pop()) {
            path = join_paths(&path, &name);
            found.push(path.clone());
        }
        let inner = last_bracket_group(&declaration, Delimiter::Brace);
        found.extend(inner.into_iter().flat_map(|inner| field_paths(inner, &path)));
    }
    found
}
