//! Finds the symbol of a function, while the program is compiled.

use core::ffi::CStr;
use core::str;

use crate::versioned_symbols::versioned_symbol;

/// Returns the NUL-terminated symbol of a function. `name` is the text of `stringify!`, with a NUL. If a macro of
/// cuda.h replaces the name by another one, such as `cuMemAlloc` by `cuMemAlloc_v2`, the declaration does not compile.
pub const fn of_name(name: &'static str) -> &'static CStr {
    let name = match name.as_bytes() {
        [b'r', b'#', rest @ ..] => rest,
        name => name,
    };
    let (plain, _) = name.split_at(name.len() - 1);
    if let Some(versioned) = versioned_symbol(plain) {
        let (versioned, _) = versioned.as_bytes().split_at(versioned.len() - 1);
        let parts: [&[u8]; 7] = [
            b"cuda.h makes a macro of ",
            plain,
            b", which stands for ",
            versioned,
            b": use this crate's function of that name if it has one, declare that name, or write #[link_name = \"",
            versioned,
            b"\"] above",
        ];
        let (text, length) = join_parts(&parts);
        match str::from_utf8(text.split_at(length).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("cuda.h makes a macro of this name"),
        }
    }
    symbol_as_c_str(name)
}

/// Returns the parts as one text, and the text's length.
const fn join_parts(parts: &[&[u8]]) -> ([u8; 400], usize) {
    let (mut text, mut length, mut part) = ([0; 400], 0, 0);
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            text[length] = parts[part][at];
            (length, at) = (length + 1, at + 1);
        }
        part += 1;
    }
    (text, length)
}

/// Returns a symbol as a C string. `symbol` is the text of `#[link_name]` or the name of one of this crate's functions,
/// with a NUL.
pub const fn exact(symbol: &'static str) -> &'static CStr {
    symbol_as_c_str(symbol.as_bytes())
}

const fn symbol_as_c_str(name: &'static [u8]) -> &'static CStr {
    match CStr::from_bytes_with_nul(name) {
        Ok(text) if name.len() > 1 => text,
        _ => panic!("the name of a function is empty or has a zero in it"),
    }
}
