//! The surface: the items that the crate has on every machine, src/bindings/embedded.rs. A header gives them its values.

mod check;
mod compare;
pub mod layout;
mod merge;
pub mod model;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use crate::allowlist;
use crate::toolkit::Version;
use model::Model;

/// The bindings that come with the crate.
pub struct Surface {
    model: Model,
    version: Version,
}

impl Surface {
    pub fn read(text: &str, version: Version) -> Result<Self, String> {
        Ok(Self { model: Model::read(text)?, version })
    }

    /// The names of the constants whose values are the header's.
    pub fn constants(&self) -> BTreeSet<&str> {
        let names = self.model.constants().map(|(name, _)| name.as_str());
        names.chain(allowlist::MACROS.iter().copied()).collect()
    }

    /// The names of the types that are compared, by which a header may have them.
    pub fn types(&self) -> BTreeSet<&str> {
        let names = self.model.type_names().chain(self.model.versions.values());
        names.map(String::as_str).chain(allowlist::TYPES.iter().copied()).collect()
    }

    /// Makes the text of the bindings: the surface's items with the values of `code`, which build/run_bindgen.rs made
    /// of the cuda.h of `version`. The error says why the header cannot be used.
    pub fn bindings(&self, code: &str, version: Version) -> Result<String, String> {
        let merged = merge::merge(read(code, version)?, self.model.clone(), version > self.version)?;
        Ok(text(&merged, version))
    }
}

/// Makes the text of the surface from the newest header and from the documentation of fields, by `type.field`.
/// Everything in the allowlist must be in that header.
pub fn from_newest(
    code: &str,
    version: Version,
    documentation: &BTreeMap<String, String>,
) -> Result<String, String> {
    let mut model = read(code, version)?;
    names::name(&mut model);
    let values = std::mem::take(&mut model.macros);
    for name in allowlist::MACROS {
        let value = values.iter().find(|(other, _)| other == name);
        model.macros.push(value.ok_or_else(|| format!("the header has no {name}"))?.clone());
    }
    for (symbol, macro_name) in allowlist::FUNCTIONS {
        let function = model.functions.iter_mut().find(|function| function.name == *symbol);
        function.ok_or_else(|| format!("the header has no {symbol}"))?.macro_name =
            macro_name.map(str::to_owned);
    }
    if let Some(missing) = allowlist::TYPES.iter().find(|name| !model.has_type(name)) {
        return Err(format!("the header has no {missing}"));
    }
    for record in &mut model.records {
        for ((field, _), text) in record.fields.iter().zip(&mut record.documentation) {
            let name = format!("{}.{field}", record.name);
            *text = documentation.get(&name).cloned().ok_or_else(|| format!("{name} has no text"))?;
        }
    }
    check::check(&model)?;
    Ok(text(&model, version))
}

/// Reads bindgen's code. An item or an attribute of an unknown kind is an error: it may change a layout.
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
fn text(model: &Model, version: Version) -> String {
    let header = format!(
        "// Generated from the cuda.h of CUDA {version}; not to be edited. \
         The copy in the repository: cargo run -p generator\n\n"
    );
    header + &model.text(allowlist::DEBUG_BY_HAND)
}
