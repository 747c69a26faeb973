//! The functions that the layer exports in place of the driver's. Every other symbol is found in the driver, behind it.
//! A file uses only the files above it:
//!
//! ```text
//! wrap                                how a function is exported
//! trace, noted                        what --log and --sync add; what a successful call changed
//! family, graphs, copies, orders      the functions
//! launches, lifetimes
//! resolve                             all of them, which cuGetProcAddress hands out
//! ```

mod copies;
mod family;
mod graphs;
mod launches;
mod lifetimes;
mod noted;
mod orders;
mod resolve;
mod trace;
#[cfg(all(test, not(miri)))]
mod unwrapped;
mod wrap;

pub use resolve::wrapped;
