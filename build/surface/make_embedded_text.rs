//! Makes the text of src/bindings/embedded.rs from the newest header, for the generator.

use std::collections::BTreeMap;

use super::merge_header::{parse_bindgen_code, text_with_release_line};
use super::model::{BindingsModel, CFunction};
use super::rename_c_types::name_types_by_typedefs;
use super::validate_bindings::validate_bindings;
use crate::toolkit::CudaRelease;

/// The placeholder for the documentation of a field that is new in the header. A person replaces the placeholder.
pub const UNDOCUMENTED: &str = "TODO";

/// Returns the text of a new embedded.rs, from bindgen's `code` for the header of `version`.
///
/// `embedded` is the model of the old embedded.rs. The choice of macros, the functions' macro names, and the
/// documentation of known fields come from `embedded`. The documentation of a new field is [`UNDOCUMENTED`]. If the
/// header lacks a macro, a function or a type of `embedded`, returns an error.
pub fn make_embedded_text(
    code: &str,
    version: CudaRelease,
    embedded: &BindingsModel,
) -> Result<String, String> {
    let mut model = parse_bindgen_code(code, version)?;
    name_types_by_typedefs(&mut model);
    let values = std::mem::take(&mut model.macros);
    for (name, _) in &embedded.macros {
        let value = values.iter().find(|(other, _)| other == name);
        model.macros.push(value.ok_or_else(|| format!("the header has no {name}"))?.clone());
    }
    for CFunction { name, macro_name, .. } in &embedded.functions {
        let function = model.functions.iter_mut().find(|function| function.name == *name);
        function.ok_or_else(|| format!("the header has no {name}"))?.macro_name.clone_from(macro_name);
    }
    if let Some(missing) = embedded.type_names().find(|name| !model.has_type(name)) {
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
