//! The error with which this crate refuses a text or a kernel.

use std::fmt;

/// The reason why this crate refuses a text or one of its kernels, and the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    pub kind: LoadErrorKind,
    /// The line of the text, from 1 on.
    pub line: u32,
    /// What is refused and why, as text.
    pub what: String,
}

/// The kinds of refusals. A CUDA driver has an error code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The text does not begin as PTX does, or has no `.version`.
    NotPtx,
    /// The text is PTX that breaks a rule of the language.
    Invalid,
    /// The text has something that this interpreter does not support, but that a GPU may support: an instruction, an
    /// operand, a directive or a variable, for example.
    Unsupported,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for LoadError {}

pub(crate) type Result<T = ()> = std::result::Result<T, LoadError>;

pub(crate) fn invalid_at_line<T>(line: u32, what: impl Into<String>) -> Result<T> {
    Err(LoadError { kind: LoadErrorKind::Invalid, line, what: what.into() })
}

pub(crate) fn unsupported_at_line<T>(line: u32, name: impl fmt::Display) -> Result<T> {
    Err(LoadError { kind: LoadErrorKind::Unsupported, line, what: format!("{name}: not supported") })
}
