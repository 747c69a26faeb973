//! The symbol that a declaration of `extern_driver!` means.

use core::ffi::CStr;
use core::str;

use crate::renamed::versioned;

/// The symbol of a function by the name that it is declared with, `stringify!`ed, with a zero at the end.
pub const fn of_name(name: &'static str) -> &'static CStr {
    let name = match name.as_bytes() {
        [b'r', b'#', rest @ ..] => rest,
        name => name,
    };
    let (plain, _) = name.split_at(name.len() - 1);
    if let Some(versioned) = versioned(plain) {
        let (versioned, _) = versioned.as_bytes().split_at(versioned.len() - 1);
        let text = Text::new()
            .with(b"cuda.h makes a macro of ")
            .with(plain)
            .with(b", which stands for ")
            .with(versioned);
        let text = text.with(
            b": use this crate's function of that name where there is one, declare that name, or write ",
        );
        panic!("{}", text.with(b"#[link_name = \"").with(versioned).with(b"\"] above").as_str());
    }
    c_str(name)
}

/// A message that is put together while the program is compiled.
struct Text {
    bytes: [u8; 400],
    length: usize,
}

impl Text {
    const fn new() -> Self {
        Self { bytes: [0; 400], length: 0 }
    }

    const fn with(mut self, part: &[u8]) -> Self {
        let mut at = 0;
        while at < part.len() {
            self.bytes[self.length] = part[at];
            self.length += 1;
            at += 1;
        }
        self
    }

    const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "not UTF-8",
        }
    }
}

/// The symbol of one of this crate's functions.
#[cfg(feature = "load")]
pub(crate) use exact as own;

/// The symbol that `#[link_name]` has, with a zero at the end.
pub const fn exact(symbol: &'static str) -> &'static CStr {
    c_str(symbol.as_bytes())
}

const fn c_str(name: &'static [u8]) -> &'static CStr {
    match CStr::from_bytes_with_nul(name) {
        Ok(name) => name,
        Err(_) => panic!("the name of a function has a zero in it"),
    }
}
