//! What the C header declares, read from its text after the C preprocessor.
//!
//! The compiler can be asked about a name, and not for the names there are. This reader gives them,
//! so that what the bindings lack is seen as well. It shares no code with bindgen or libclang.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub struct Header {
    /// The structs and unions by typedef name, with their members.
    records: BTreeMap<String, Vec<Member>>,
    /// The enums by typedef name, with their enumerators.
    enums: BTreeMap<String, Vec<String>>,
    /// `typedef CUmemLocation_v1 CUmemLocation;`
    aliases: BTreeMap<String, String>,
    /// The functions, with the names of their parameters.
    functions: BTreeMap<String, Vec<String>>,
    /// Every other name: typedefs, tags, functions, `PFN_`s.
    words: BTreeSet<String>,
    pub macros: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub struct Member {
    /// C allows none for a struct or union within.
    pub name: Option<String>,
    /// The members of a struct or union that is defined in place.
    pub members: Vec<Member>,
}

impl Header {
    /// `text` is the preprocessor's (`-E -P`), `macros` its list of definitions (`-dM`).
    pub fn read(text: &str, macros: &str) -> Self {
        let mut header = Self::default();
        for line in macros.lines() {
            let name = line.strip_prefix("#define ").and_then(|rest| rest.split([' ', '(']).next());
            header.macros.extend(name.map(str::to_owned));
        }
        let tokens = tokens(text);
        header.words = tokens.iter().filter(|token| is_word(token)).map(|token| token.to_string()).collect();
        for declaration in declarations(&tokens) {
            header.add(declaration);
        }
        header
    }

    fn add(&mut self, declaration: &[&str]) {
        // `struct X_st {…};`, which a `typedef struct X_st X;` names.
        if let ["struct" | "union", tag, "{", body @ .., "}"] = declaration {
            self.records.insert(tag.to_string(), members(body));
            return;
        }
        let Some(("typedef", rest)) = declaration.split_first().map(|(first, rest)| (*first, rest)) else {
            self.functions.extend(function(declaration));
            return;
        };
        let open = rest.iter().position(|token| *token == "{");
        let close = rest.iter().rposition(|token| *token == "}");
        match (rest, open, close) {
            ([kind @ ("struct" | "union" | "enum"), ..], Some(open), Some(close)) => {
                let Some(name) = rest[close + 1..].iter().rfind(|token| is_word(token)) else { return };
                let body = &rest[open + 1..close];
                if *kind == "enum" {
                    self.enums.insert(name.to_string(), enumerators(body));
                } else {
                    self.records.insert(name.to_string(), members(body));
                }
            }
            ([of, name] | ["struct" | "union", of, name], None, None) => {
                self.aliases.insert(name.to_string(), of.to_string());
            }
            _ => {}
        }
    }

    /// Follows `typedef`s to the name that has a body.
    fn resolve<'a>(&'a self, mut name: &'a str) -> &'a str {
        while let Some(of) = self.aliases.get(name) {
            name = of;
        }
        name
    }

    pub fn record(&self, name: &str) -> Option<&[Member]> {
        self.records.get(self.resolve(name)).map(Vec::as_slice)
    }

    pub fn enumerators(&self, name: &str) -> Option<&[String]> {
        // `typedef enum cudaError_enum {...} CUresult;` and `..._enum {...} CUmemLocationType;` alike.
        self.enums.get(self.resolve(name)).map(Vec::as_slice)
    }

    pub fn parameters(&self, function: &str) -> Option<&[String]> {
        self.functions.get(function).map(Vec::as_slice)
    }

    /// Whether any declaration has this word: a typedef, a tag, a function, an enumerator.
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// The pointer types that cudaTypedefs.h gives a function, by release: `PFN_cuInit_v2000`.
    pub fn pointer_types(&self, function: &str) -> Vec<&str> {
        let (base, suffix) = match function.strip_suffix("_ptsz") {
            Some(base) => (base, "_ptsz"),
            None => (function, ""),
        };
        let base = base.strip_suffix("_v2").unwrap_or(base);
        let start = format!("PFN_{base}_v");
        let is_ours = |word: &&String| {
            word.strip_prefix(&start)
                .and_then(|rest| rest.strip_suffix(suffix))
                .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        self.words
            .range(start.clone()..)
            .take_while(|word| word.starts_with(&start))
            .filter(is_ours)
            .map(String::as_str)
            .collect()
    }
}

/// Finds a member by a path such as `handle.win32.name`; members without a name are stepped through.
pub fn find<'a>(members: &'a [Member], path: &str) -> Option<&'a Member> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let found = members.iter().find_map(|member| match &member.name {
        Some(name) => (name == first).then_some(member),
        None => find(&member.members, first),
    })?;
    rest.map_or(Some(found), |rest| find(&found.members, rest))
}

/// Words and marks. The preprocessor has taken comments away.
fn tokens(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length =
            if is_part(first) { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Splits at the semicolons that are outside of all brackets.
fn declarations<'a, 'b>(tokens: &'b [&'a str]) -> Vec<&'b [&'a str]> {
    let mut depth = 0;
    tokens
        .split(|token| {
            match *token {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            depth == 0 && *token == ";"
        })
        .collect()
}

/// `CUresult cuInit(unsigned int Flags)`: the name before the list, and the last word of each entry.
fn function(declaration: &[&str]) -> Option<(String, Vec<String>)> {
    let open = declaration.windows(2).position(|two| two[0].starts_with("cu") && two[1] == "(")? + 1;
    let close = declaration.iter().rposition(|token| *token == ")")?;
    let entries = declaration.get(open + 1..close)?.split(|token| *token == ",");
    let names = entries.filter_map(|entry| entry.iter().rfind(|token| is_word(token)));
    let names = names.filter(|name| **name != "void").map(|name| name.to_string()).collect();
    Some((declaration[open - 1].to_owned(), names))
}

fn members(body: &[&str]) -> Vec<Member> {
    let mut found = Vec::new();
    for declaration in declarations(body) {
        let close = declaration.iter().rposition(|token| *token == "}");
        let inner = match (declaration.iter().position(|token| *token == "{"), close) {
            (Some(open), Some(close)) => members(&declaration[open + 1..close]),
            _ => Vec::new(),
        };
        let outer = &declaration[close.map_or(0, |close| close + 1)..];
        // `unsigned int reserved[16]`: the last word before the bracket.
        let end = outer.iter().position(|token| *token == "[").unwrap_or(outer.len());
        let name = outer[..end].iter().rfind(|token| is_word(token)).map(|name| name.to_string());
        if !declaration.is_empty() {
            found.push(Member { name, members: inner });
        }
    }
    found
}

/// The first word of each entry between commas.
fn enumerators(body: &[&str]) -> Vec<String> {
    let mut depth = 0;
    let mut at_start = true;
    let mut found = Vec::new();
    for token in body {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => {
                at_start = true;
                continue;
            }
            word if at_start => found.push(word.to_string()),
            _ => {}
        }
        at_start = false;
    }
    found
}
