//! The surface as the newest header has it: what the generator writes to src/bindings/embedded.rs.

use std::collections::BTreeMap;

use super::merge_header::{read_header, text_with_release_line};
use super::rename_c_types::name_types_by_typedefs;
use super::validate_bindings::validate_bindings;
use crate::allowlist;
use crate::toolkit::CudaRelease;

/// Makes the text of the surface from the newest header and from the documentation of fields, by `type.field`.
/// Everything in the allowlist must be in that header.
pub fn make_embedded_text(
    code: &str,
    version: CudaRelease,
    documentation: &BTreeMap<String, String>,
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
    for record in &mut model.records {
        for ((field, _), text) in record.fields.iter().zip(&mut record.documentation) {
            let text_of = |of: &str, field: &str| documentation.get(&format!("{of}.{field}")).cloned();
            let of_type = || text_of(&record.name, "*").map(|_| String::new());
            let found = text_of(&record.name, field).or_else(of_type).or_else(|| text_of("*", field));
            *text = found.ok_or_else(|| format!("{}.{field} has no text", record.name))?;
        }
    }
    validate_bindings(&model)?;
    Ok(text_with_release_line(&model, version))
}
