//! The environment variable `CUDA_EXTERNAL_SYS_BINDINGS`. Its value says whether the build script searches for a
//! cuda.h, and whether a missing or unusable cuda.h makes the build fail.

use std::ffi::OsStr;

/// The variable that holds the policy.
pub const VARIABLE: &str = "CUDA_EXTERNAL_SYS_BINDINGS";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingsPolicy {
    /// Generates the bindings if a cuda.h can be used, and otherwise takes the embedded ones. The default.
    Auto,
    Generate,
    Embedded,
}

impl BindingsPolicy {
    /// Reads the variable's value. An empty value counts as unset.
    pub fn parse_policy(value: Option<&OsStr>) -> Result<Self, String> {
        let value = value.unwrap_or_default();
        match value.to_str() {
            Some("" | "auto") => Ok(Self::Auto),
            Some("generate") => Ok(Self::Generate),
            Some("embedded") => Ok(Self::Embedded),
            _ => Err(format!(
                "{VARIABLE} is {value:?}. It must be one of:\n\
                 \n  auto      generate where a cuda.h and libclang are found, else embedded (the default)\
                 \n  generate  generate, or fail\
                 \n  embedded  use the bindings that come with the crate"
            )),
        }
    }
}
