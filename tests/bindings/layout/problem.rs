//! What a comparison finds: problems, and how much was compared.

use std::fmt;

use super::facts::{About, Kind};

/// What is wrong with the bindings.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The header has it and the bindings do not: a member, an enumerator, or a name on the allowlist.
    Missing {
        what: &'static str,
        item: String,
    },
    /// It has another number in C than in Rust. A type or a signature counts as 1 where it is the C compiler's.
    Differs(Difference),
    /// Types do not distinguish a copy's source from its target.
    ArgumentNames {
        function: String,
        c: Vec<String>,
        rust: Vec<String>,
    },
    /// The bindings' text has an item of an unknown form.
    Unknown(String),
    Rustc(String),
    CCompiler(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub kind: Kind,
    pub item: String,
    pub about: About,
    pub c: u64,
    pub rust: u64,
}

impl Problem {
    pub fn missing(what: &'static str, item: impl Into<String>) -> Self {
        Self::Missing { what, item: item.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { what, item } => write!(f, "missing {what}: {item}"),
            Self::Differs(Difference { kind, item, c, rust, .. }) => match kind {
                Kind::Type | Kind::Signature | Kind::Typedef | Kind::PlainName => {
                    write!(f, "{kind}: that of {item} is another")
                }
                _ => write!(f, "{kind}: that of {item} is {c} in C and {rust} in Rust"),
            },
            Self::ArgumentNames { function, c, rust } => {
                write!(f, "argument names: {function} has {c:?} in C and {rust:?} in Rust")
            }
            Self::Unknown(error) => write!(f, "unknown item: {error}"),
            Self::Rustc(error) => write!(f, "rustc refuses: {error}"),
            Self::CCompiler(error) => write!(f, "the C compiler refuses: {error}"),
        }
    }
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub types: usize,
    pub fields: usize,
    pub constants: usize,
    pub signatures: usize,
    /// Signatures that cudaTypedefs.h was asked about as well.
    pub typedefs: usize,
    pub numbers: usize,
}

impl Counts {
    pub fn are_whole(&self) -> bool {
        let Self { types, fields, constants, signatures, .. } = *self;
        [types, fields, constants, signatures].iter().all(|count| *count > 0)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { types, fields, constants, signatures, typedefs, numbers } = self;
        write!(
            f,
            "{types} types, {fields} fields, {constants} constants, {signatures} signatures \
             ({typedefs} also by cudaTypedefs.h): {numbers} numbers"
        )
    }
}
