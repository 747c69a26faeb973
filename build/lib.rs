//! The list of the build script's modules, which build.rs compiles. The package build-script (tests/build-script) also
//! compiles these modules as a library, for tests and for the generator. With that package's feature `read-bindings`,
//! the modules `surface`, `toolkit` and `type_exceptions` do not need the feature `bindgen`.

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
#[cfg(feature = "bindgen")]
pub mod rustdoc_pages;
#[cfg(feature = "link")]
pub mod stub_library;
#[cfg(any(feature = "bindgen", feature = "read-bindings"))]
pub mod surface;
#[cfg(any(feature = "bindgen", feature = "read-bindings"))]
pub mod toolkit;
#[cfg(any(feature = "bindgen", feature = "read-bindings"))]
pub mod type_exceptions;
