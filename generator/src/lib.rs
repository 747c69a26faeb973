//! The part of cuda-external-sys's build script that needs no bindgen: [`toolkit`] finds a cuda.h, and [`bindings`] makes
//! the bindings of the code that bindgen makes of it.
//!
//! It is a crate so that it compiles while bindgen does, and so that the tests use it as the build script does. It is made
//! for that crate alone, and each version for the same version of it.

pub mod allowlist;
#[cfg(feature = "generate")]
mod check;
#[cfg(feature = "generate")]
mod compare;
#[cfg(feature = "generate")]
mod field_docs;
#[cfg(feature = "generate")]
pub mod layout;
#[cfg(feature = "generate")]
mod merge;
#[cfg(feature = "generate")]
pub mod model;
#[cfg(feature = "generate")]
mod names;
#[cfg(feature = "generate")]
mod surface;
#[cfg(feature = "generate")]
pub mod toolkit;

#[cfg(feature = "generate")]
pub use surface::{Surface, surface};

#[cfg(feature = "generate")]
use model::Model;
#[cfg(feature = "generate")]
use toolkit::Version;

/// Reads bindgen's code. An item or an attribute of an unknown kind is an error: it may change a layout.
#[cfg(feature = "generate")]
fn read(code: &str, version: Version) -> Result<Model, String> {
    let mut header = Model::read(code).map_err(|error| format!("unexpected code from bindgen: {error}"))?;
    header.normalize();
    let read = header.macros.iter().find(|(name, _)| name == "CUDA_VERSION").map(|(_, value)| *value);
    let located = i64::from(version.major * 1000 + version.minor * 10);
    if read != Some(located) {
        return Err(format!(
            "clang read another cuda.h: CUDA_VERSION is {located} in this one and {} in what was read",
            read.map_or("not defined".to_owned(), |read| read.to_string())
        ));
    }
    Ok(header)
}

/// The text of bindings, with their first line.
#[cfg(feature = "generate")]
fn text(model: &Model, version: Version) -> String {
    let header = format!(
        "// Generated from the cuda.h of CUDA {version}; not to be edited. \
         The copy in the repository: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings embedded\n\n"
    );
    header + &model.text(&field_docs::read(), allowlist::DEBUG_BY_HAND)
}
