//! Releases of CUDA.

use std::fmt;

/// The oldest release whose cuda.h these bindings are checked against.
pub const OLDEST: Version = Version { major: 11, minor: 7 };

/// A release: `CUDA_VERSION 13050` is 13.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
