//! The part of cuda-external-sys's build script that needs no bindgen: [`toolkit`] finds a cuda.h, and [`bindings`] makes
//! the bindings of the code that bindgen makes of it.
//!
//! It is a crate so that it compiles while bindgen does, and so that the tests use it as the build script does. It is made
//! for that crate alone, and each version for the same version of it.

pub mod allowlist;
#[cfg(feature = "generate")]
mod complete;
#[cfg(feature = "generate")]
mod field_docs;
#[cfg(feature = "generate")]
mod from_bindgen;
#[cfg(feature = "generate")]
pub mod layout;
#[cfg(feature = "generate")]
pub mod model;
#[cfg(feature = "generate")]
pub mod toolkit;

#[cfg(feature = "generate")]
use toolkit::Version;

/// Makes the bindings' text of `code`, which bindgen made of the cuda.h of `version`. Everything in it has the name that C
/// programs write, and what the header lacks is added from `newest`, the bindings that come with the crate.
///
/// The error says why the header cannot be used.
#[cfg(feature = "generate")]
pub fn bindings(code: &str, version: Version, newest: (&str, Version)) -> Result<String, String> {
    let bindings = from_bindgen::read(code)?;
    let read = bindings.macros.iter().find(|(name, _)| name == "CUDA_VERSION").map(|(_, value)| *value);
    let located = i64::from(version.major * 1000 + version.minor * 10);
    if read != Some(located) {
        return Err(format!(
            "clang read another cuda.h: CUDA_VERSION is {located} in this one and {} in what was read",
            read.map_or("not defined".to_owned(), |read| read.to_string())
        ));
    }
    let (newest, newest_version) = newest;
    let newest = model::Bindings::read(newest)?;
    let bindings = complete::complete(bindings, newest, version < newest_version)?;
    // The first line.
    let header = format!(
        "// Generated from the cuda.h of CUDA {version}; not to be edited. \
         The copy in the repository: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings embedded\n\n"
    );
    Ok(header + &bindings.text(&field_docs::read(), allowlist::DEBUG_BY_HAND))
}
