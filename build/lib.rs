//! The modules of the build script, which the package build-script (tests/build-script) also compiles as a library.

#[cfg(feature = "bindgen")]
pub mod ask_pkg_config;
pub mod cargo_directives;
pub mod driver_exports;
pub mod embedded_bindings;
#[cfg(feature = "bindgen")]
pub mod from_toolkit;
#[cfg(feature = "link")]
pub mod link_driver;
pub mod policy;
#[cfg(feature = "bindgen")]
pub mod run_bindgen;
pub mod rustdoc_pages;
#[cfg(feature = "link")]
pub mod stub_library;
#[cfg(any(feature = "bindgen", feature = "read-bindings"))]
pub mod surface;
#[cfg(any(feature = "bindgen", feature = "read-bindings"))]
pub mod toolkit;
#[cfg(any(feature = "bindgen", feature = "read-bindings"))]
pub mod type_exceptions;
