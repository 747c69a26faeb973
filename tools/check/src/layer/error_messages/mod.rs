//! Findings, and what the codes of the driver mean.

pub mod finding;
pub mod sticky_codes;
