//! The part of cuda-external-sys's build script that needs no bindgen: [`toolkit`] finds a cuda.h, and [`Surface`] merges
//! its values into the crate's bindings.
//!
//! It is a crate so that it compiles while bindgen does, and so that the tests use it as the build script does. It is made
//! for that crate alone, and each version for the same version of it.

pub mod allowlist;
#[cfg(feature = "bindings")]
mod check;
#[cfg(feature = "bindings")]
mod compare;
#[cfg(feature = "bindings")]
pub mod layout;
#[cfg(feature = "bindings")]
mod merge;
#[cfg(feature = "bindings")]
pub mod model;
#[cfg(feature = "bindings")]
mod names;
#[cfg(feature = "bindings")]
mod surface;
#[cfg(feature = "bindings")]
pub mod toolkit;

#[cfg(feature = "bindings")]
pub use surface::{Surface, surface};

#[cfg(feature = "bindings")]
use model::Model;
#[cfg(feature = "bindings")]
use toolkit::Version;

/// Reads bindgen's code. An item or an attribute of an unknown kind is an error: it may change a layout.
#[cfg(feature = "bindings")]
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
#[cfg(feature = "bindings")]
fn text(model: &Model, version: Version) -> String {
    let header = format!(
        "// Generated from the cuda.h of CUDA {version}; not to be edited. \
         The copy in the repository: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings embedded\n\n"
    );
    header + &model.text(allowlist::DEBUG_BY_HAND)
}
