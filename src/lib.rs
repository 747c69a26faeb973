#![cfg_attr(all(doc, feature = "load", feature = "bindgen"), doc = include_str!(concat!(env!("OUT_DIR"), "/docs/README.md")))]
#![cfg_attr(
    not(all(doc, feature = "load", feature = "bindgen")),
    doc = "Bindings of CUDA's external resource interoperability. Its pages are in the documentation of a build with the default features."
)]
#![no_std]
#![deny(missing_docs, clippy::undocumented_unsafe_blocks)]
// The pages are written for `load` and the newest release; links to absent items would break.
#![cfg_attr(not(feature = "load"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "load")]
extern crate std;

/// A page of docs/ as build/rustdoc_pages.rs writes it for rustdoc: the compiler alone does not read it. The code on
/// the pages is for `load`.
#[cfg(all(doc, feature = "load", feature = "bindgen"))]
macro_rules! page {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/docs/", $file))
    };
}
#[cfg(not(all(doc, feature = "load", feature = "bindgen")))]
macro_rules! page {
    ($file:literal) => {
        "This page is in the documentation of a build with the default features."
    };
}

#[macro_use]
mod macros;
// Before the bindings, so that the methods come first on the types' pages.
mod result;
mod uuid;

#[macro_use]
mod bindings;
mod bindings_origin;
#[cfg(feature = "load")]
mod loader;
#[cfg(any(feature = "load", feature = "link"))]
mod versioned_symbols;

// The exported macros name these.
#[doc(hidden)]
pub use macros::assert_layout as __layout;
#[cfg(any(feature = "load", feature = "link"))]
#[doc(hidden)]
pub use macros::symbols as __symbols;

/// Types of function pointers, for programs that load the driver themselves: `PFN_` and the function's name.
///
/// They exist with and without the features `load` and `link`. [`Driver::symbol`] and `cuGetProcAddress` return such
/// pointers.
pub use bindings::pfn;

pub mod constants;
pub mod guide;
mod topics;

pub use bindings_origin::{BINDINGS, BINDINGS_SOURCE, Bindings};
pub use topics::*;
#[doc(no_inline)]
pub use {constants::*, pfn::*};

#[cfg(feature = "load")]
pub use loader::{Attempt, AttemptError, Driver, LoadError, load, load_from, load_with};

#[cfg(not(any(feature = "load", feature = "link")))]
functions_of_the_modes!();

/// The README's code compiles, in the mode that it is for.
#[cfg(all(doctest, feature = "load"))]
#[doc = include_str!("../README.md")]
struct Readme;
