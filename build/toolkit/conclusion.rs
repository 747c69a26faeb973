//! The result of a search for the build: an error, or the source of the bindings, with warnings.

use super::{PassedOver, Search, Toolkit, Version, report};

/// The messages of a build that continues.
pub struct Conclusion {
    /// The origin of the bindings and the reason, in one line.
    pub source: String,
    pub warnings: Vec<String>,
}

impl Search<'_> {
    /// Concludes the search, with the toolkit that the bindings were generated from, or with none if the embedded
    /// bindings are used. Toolkits that were passed over are reported as a warning. With `must_generate`, and for a
    /// toolkit that this crate's own variable names, it is an error.
    pub fn conclude(
        &self,
        used: Option<&Toolkit>,
        must_generate: bool,
        embedded: Version,
    ) -> Result<Conclusion, String> {
        if let (Some((name, value)), None, false) =
            (self.environment.include_dir(), used, self.lacks_libclang)
        {
            return Err(report::own_variable(&name, &value, self, embedded));
        }
        if must_generate && (used.is_none() || !self.passed_over.is_empty()) {
            return Err(match self.lacks_libclang {
                true => report::no_clang(self, embedded),
                false => report::must_generate(self, used, embedded),
            });
        }
        let name = match used {
            Some(toolkit) => format!("CUDA {}, found {}", toolkit.version, toolkit.found_by),
            None => format!("the embedded bindings of CUDA {embedded}"),
        };
        let mut warnings: Vec<String> = self.passed_over.iter().map(sentence).collect();
        let source = match used {
            Some(_) => format!("generated from {name}"),
            None if warnings.is_empty() => "embedded: no toolkit was found".to_owned(),
            None => format!("embedded: {}", warnings.join("; ")),
        };
        for warning in &mut warnings {
            *warning += &format!("; using {name}");
        }
        if let Some(last) = warnings.last_mut() {
            let policy = self.environment.policy_variable;
            *last += &format!(" ({policy}=embedded silences this warning, generate fails with details)");
        }
        warnings.extend(used.and_then(|toolkit| toolkit.disagreement.clone()));
        Ok(Conclusion { source, warnings })
    }
}

fn sentence(it: &PassedOver) -> String {
    format!("passed over {}: {}", it.name(), it.why)
}
