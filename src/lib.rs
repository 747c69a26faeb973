#![cfg_attr(
    all(doc, feature = "load"),
    doc = include_str!(concat!(env!("OUT_DIR"), "/docs/README.md"))
)]
#![cfg_attr(
    not(all(doc, feature = "load")),
    doc = "Bindings of CUDA's external resource interoperability. A build with the feature `load` has the guide."
)]
#![no_std]
#![deny(missing_docs, clippy::undocumented_unsafe_blocks)]
// The documentation links to items of the feature `load`. Without this feature the links lead nowhere.
#![cfg_attr(not(feature = "load"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "load")]
extern crate std;

/// Includes a page of docs/, in the form that build/rustdoc_pages.rs writes for rustdoc. Only rustdoc reads the pages,
/// and their examples need the feature `load`.
#[cfg(all(doc, feature = "load"))]
macro_rules! page {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/docs/", $file))
    };
}
#[cfg(not(all(doc, feature = "load")))]
macro_rules! page {
    ($file:literal) => {
        "This page is in the documentation of a build with the feature `load`."
    };
}

#[macro_use]
mod macros;
// These modules precede the bindings, so that a type's page shows the methods of these modules first.
mod result;
mod uuid;

#[macro_use]
mod bindings;
mod bindings_origin;
#[cfg(feature = "load")]
mod loader;
#[cfg(any(feature = "load", feature = "link"))]
mod versioned_symbols;

// The exported macros expand, in other crates, to code that uses these paths.
#[doc(hidden)]
pub use macros::assert_layout as __layout;
#[cfg(any(feature = "load", feature = "link"))]
#[doc(hidden)]
pub use macros::symbols as __symbols;

/// Types of function pointers, for programs that look up the driver's functions themselves. A type's name is
/// `PFN_` and the function's name: the type for `cuInit` is `PFN_cuInit`.
///
/// The types exist with and without the features `load` and `link`. An address that [`Driver::symbol`] returns can be
/// transmuted to the function's type. `cuGetProcAddress` may return the address of another version, with another type.
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
gated_function_exports!();

/// Compiles the README's code as a documentation test.
#[cfg(all(doctest, feature = "load"))]
#[doc = include_str!("../README.md")]
struct Readme;
