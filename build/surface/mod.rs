//! The surface: the items that the crate has on every machine (src/bindings/embedded.rs). Their values come from a
//! header.

pub mod compare_items;
pub mod make_embedded_text;
pub mod merge_header;
pub mod model;
mod rename_c_types;
pub mod type_layout;
mod validate_bindings;

use std::collections::BTreeSet;

use crate::toolkit::CudaRelease;
use crate::{allowlist, embedded_bindings};
use model::BindingsModel;

/// The bindings that come with the crate.
pub struct EmbeddedSurface {
    model: BindingsModel,
    version: CudaRelease,
}

impl EmbeddedSurface {
    pub fn read_embedded() -> Result<Self, String> {
        let model = BindingsModel::read(embedded_bindings::embedded_text())?;
        Ok(Self { model, version: CudaRelease::of_embedded_bindings() })
    }

    /// The names of the constants whose values come from the header.
    pub fn constant_names(&self) -> BTreeSet<&str> {
        let names = self.model.constants_with_values().map(|(name, _)| name.as_str());
        names.chain(allowlist::MACROS.iter().copied()).collect()
    }

    /// The names that the compared types may have in a header.
    pub fn names_in_headers(&self) -> BTreeSet<&str> {
        let names = self.model.type_names().chain(self.model.versions.values());
        names.map(String::as_str).chain(allowlist::TYPES.iter().copied()).collect()
    }
}
