//! The surface: the items that the crate has on every machine, src/bindings/embedded.rs. A header gives them its
//! values.

mod c_names;
pub mod compare_items;
pub mod from_newest_header;
pub mod merge_header;
pub mod model;
pub mod type_layout;
mod validate;

use std::collections::BTreeSet;

use crate::toolkit::Version;
use crate::{allowlist, embedded_bindings};
use model::Model;

/// The bindings that come with the crate.
pub struct Surface {
    model: Model,
    version: Version,
}

impl Surface {
    pub fn read_embedded() -> Result<Self, String> {
        let model = Model::read(embedded_bindings::embedded_text())?;
        Ok(Self { model, version: Version::of_embedded_bindings() })
    }

    /// The names of the constants whose values come from the header.
    pub fn constants(&self) -> BTreeSet<&str> {
        let names = self.model.constants().map(|(name, _)| name.as_str());
        names.chain(allowlist::MACROS.iter().copied()).collect()
    }

    /// The names of the types that are compared, by which a header may have them.
    pub fn types(&self) -> BTreeSet<&str> {
        let names = self.model.type_names().chain(self.model.versions.values());
        names.map(String::as_str).chain(allowlist::TYPES.iter().copied()).collect()
    }
}
