//! Releases of CUDA, and version numbers in names: 12.10 comes after 12.9.

use std::fmt;

use crate::embedded_bindings;

/// The oldest release whose cuda.h these bindings are checked against.
pub const OLDEST: CudaRelease = CudaRelease { major: 11, minor: 7 };

/// A release: `CUDA_VERSION 13050` is 13.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaRelease {
    pub major: u32,
    pub minor: u32,
}

impl CudaRelease {
    pub fn of_embedded_bindings() -> Self {
        let (major, minor) = embedded_bindings::embedded_version();
        Self { major, minor }
    }
}

impl fmt::Display for CudaRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Returns the names that have a number, the greatest number first, and for equal numbers the shorter name first.
pub fn newest_version_first(names: Vec<String>, number: &dyn Fn(&str) -> Option<Vec<u32>>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if let Some(number) = number(&name) {
            found.push((number, name));
        }
    }
    found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, name)| name).collect()
}

pub fn parse_version_numbers(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split('.') {
        numbers.push(part.parse().ok()?);
    }
    Some(numbers)
}
