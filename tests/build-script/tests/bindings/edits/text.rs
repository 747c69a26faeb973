//! A header's text in parts, as random edits need it.

use std::ops::Range;

use cuda_external_sys_build::allowlist;

/// A `typedef struct TAG { … } NAME;`, an enum's or a union's.
pub struct Block {
    pub whole: Range<usize>,
    pub body: Range<usize>,
    pub tag: String,
    pub name: String,
}

/// Reads the block whose `typedef` begins at `start` and whose tag begins at `tag`.
pub fn block(text: &str, start: usize, tag: usize) -> Option<Block> {
    let open = tag + text[tag..].find(['{', ';', '('])?;
    let name = text[tag..open].trim().to_owned();
    let mut depth = 0;
    let is_end = |byte: u8| {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        depth == 0
    };
    if !text[open..].starts_with('{') {
        return None;
    }
    let close = open + text[open..].bytes().position(is_end)?;
    let end = close + text[close..].find(';')? + 1;
    let typedef = text[close + 1..end - 1].trim().to_owned();
    Some(Block { whole: start..end, body: open + 1..close, tag: name, name: typedef })
}

/// The declarations of bound functions, with their names.
pub fn declarations(text: &str) -> Vec<(Range<usize>, String)> {
    let is_bound = |name: &str| {
        allowlist::FUNCTIONS.iter().any(|(symbol, plain)| *symbol == name || *plain == Some(name))
    };
    let starts = text.match_indices("CUresult CUDAAPI ");
    let all = starts.filter_map(|(start, prefix)| {
        let name = text[start + prefix.len()..].split('(').next()?.to_owned();
        let end = start + text[start..].find(';')? + 1;
        is_bound(&name).then_some((start..end, name))
    });
    all.collect()
}

/// The parts between marks that are outside of all brackets.
pub fn split(text: &str, mark: char) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        depth += i32::from("{([".contains(c)) - i32::from("})]".contains(c));
        if c == mark && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("there is one").push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    if parts.is_empty() { vec![String::new()] } else { parts }
}

/// A name without its version.
pub fn unversioned(name: &str) -> &str {
    let end = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if end.len() < name.len() { end.strip_suffix("_v").unwrap_or(name) } else { name }
}

/// The name that a declaration declares.
pub fn last_word(declaration: &str) -> String {
    let mut words = declaration.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words
        .rfind(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        .unwrap_or("edited")
        .to_owned()
}

/// Replaces a whole word.
pub fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut put, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(word) {
        let is_whole = !rest[..at].ends_with(is_part) && !rest[at + word.len()..].starts_with(is_part);
        put += &rest[..at];
        put += if is_whole { by } else { word };
        rest = &rest[at + word.len()..];
    }
    put + rest
}
