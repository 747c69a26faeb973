//! Concludes a search: the build gets an error, or the source of the bindings and warnings.

use super::cuda_release::CudaRelease;
use super::error_messages;
use super::search::{PassedOverToolkit, ToolkitSearch};
use crate::policy::VARIABLE as POLICY;

pub struct SearchOutcome {
    /// Where the bindings come from and why, in one line.
    pub source: String,
    pub warnings: Vec<String>,
}

impl ToolkitSearch<'_> {
    pub fn conclude_search(&self, must_generate: bool) -> Result<SearchOutcome, String> {
        let used = self.used.as_ref().map(|(toolkit, _)| toolkit);
        if let (Some(value), None, false) =
            (self.environment.own_include_directory(), used, self.lacks_libclang)
        {
            return Err(error_messages::own_variable_wrong(&value, self));
        }
        if must_generate && (used.is_none() || !self.passed_over.is_empty()) {
            return Err(match self.lacks_libclang {
                true => error_messages::libclang_missing(self),
                false => error_messages::cannot_generate(self),
            });
        }
        let name = match used {
            Some(toolkit) => format!("CUDA {}, found {}", toolkit.version, toolkit.found_by),
            None => format!("the embedded bindings of CUDA {}", CudaRelease::of_embedded_bindings()),
        };
        let mut warnings: Vec<String> = self.passed_over.iter().map(warning_text).collect();
        let source = match used {
            Some(_) => format!("generated from {name}"),
            None if warnings.is_empty() => "embedded: no toolkit was found".to_owned(),
            None => format!("embedded: {}", warnings.join("; ")),
        };
        for warning in &mut warnings {
            *warning += &format!("; using {name}");
        }
        if let Some(last) = warnings.last_mut() {
            *last += &format!(" ({POLICY}=embedded silences this warning, generate fails with details)");
        }
        warnings.extend(used.and_then(|toolkit| toolkit.disagreement.clone()));
        Ok(SearchOutcome { source, warnings })
    }
}

fn warning_text(it: &PassedOverToolkit) -> String {
    format!("passed over {}: {}", it.path_and_origin(), it.why)
}
