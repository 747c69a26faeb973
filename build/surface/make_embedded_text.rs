//! The surface as the newest header has it: what the generator writes to src/bindings/embedded.rs.

use std::collections::BTreeMap;

use super::merge_header::{read_header, text_with_release_line};
use super::model::BindingsModel;
use super::rename_c_types::name_types_by_typedefs;
use super::validate_bindings::validate_bindings;
use crate::allowlist;
use crate::toolkit::CudaRelease;

/// The documentation of a field that the embedded bindings do not have yet. A person replaces it.
pub const UNDOCUMENTED: &str = "TODO";

/// Makes the text of the surface from the newest header. The documentation of the fields is written by hand in the
/// embedded bindings, and is taken from there. Everything in the allowlist must be in the header.
pub fn make_embedded_text(
    code: &str,
    version: CudaRelease,
    embedded: &BindingsModel,
) -> Result<String, String> {
    let mut model = read_header(code, version)?;
    name_types_by_typedefs(&mut model);
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
    let fields = embedded.records.iter().flat_map(|record| {
        let texts = record.fields.iter().zip(&record.documentation);
        texts.map(|((field, _), text)| ((&record.name, field), text))
    });
    let documentation = BTreeMap::from_iter(fields);
    for record in &mut model.records {
        for ((field, _), text) in record.fields.iter().zip(&mut record.documentation) {
            let known = documentation.get(&(&record.name, field));
            *text = known.map_or_else(|| UNDOCUMENTED.to_owned(), |text| (*text).clone());
        }
    }
    validate_bindings(&model)?;
    Ok(text_with_release_line(&model, version))
}
