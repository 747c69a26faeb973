//! Tries one header after the other until the bindings can be generated.

use std::path::PathBuf;

use super::environment::BINDINGS;
use super::{Environment, PassedOver, Search, Toolkit, Version, report};

/// Why the bindings could not be generated from one header.
pub enum GenerateError {
    /// libclang is missing or reads nothing, so neither this header nor another can be used.
    Clang { why: String, output: String },
    /// This header cannot be used: why, in one line, and the output that shows it.
    Header { why: String, output: String },
}

/// What the bindings are made from.
pub struct Choice {
    /// The header and the bindings generated from it; none where the embedded bindings are used.
    pub generated: Option<(Toolkit, String)>,
    /// What was decided and why, in one line.
    pub source: String,
    pub warnings: Vec<String>,
    /// Every cuda.h that was read.
    pub headers: Vec<PathBuf>,
}

/// Uses the first header from which the bindings can be generated, else the embedded bindings. What was passed over is
/// a warning; with `must_generate`, and where this crate's own variable names it, an error.
pub fn choose(
    must_generate: bool,
    environment: &Environment,
    embedded: Version,
    generate: &mut dyn FnMut(&Toolkit) -> Result<String, GenerateError>,
) -> Result<Choice, String> {
    let mut search = Search::new(environment);
    let mut generated = None;
    let mut no_clang = false;
    while let Some(toolkit) = search.next() {
        match generate(&toolkit) {
            Ok(text) => {
                generated = Some((toolkit, text));
                break;
            }
            Err(GenerateError::Header { why, output }) => search.pass_over(&toolkit, why, output),
            Err(GenerateError::Clang { why, output }) => {
                search.pass_over(&toolkit, why, output);
                no_clang = true;
                break;
            }
        }
    }
    if let (Some((name, value)), None, false) = (environment.include_dir(), &generated, no_clang) {
        return Err(report::own_variable(&name, &value, &search, embedded));
    }
    if must_generate && (generated.is_none() || !search.passed_over.is_empty()) {
        let used = generated.as_ref().map(|(toolkit, _)| toolkit);
        return Err(match no_clang {
            true => report::no_clang(environment, &search, embedded),
            false => report::must_generate(environment, &search, used, embedded),
        });
    }
    let used = match &generated {
        Some((toolkit, _)) => format!("CUDA {}, found {}", toolkit.version, toolkit.found),
        None => format!("the embedded bindings of CUDA {embedded}"),
    };
    let source = match &generated {
        Some(_) => format!("generated from {used}"),
        None if search.passed_over.is_empty() => "embedded: no toolkit was found".to_owned(),
        None => format!("embedded: {}", sentences(&search.passed_over).join("; ")),
    };
    let mut warnings = sentences(&search.passed_over);
    for warning in &mut warnings {
        *warning += &format!("; using {used}");
    }
    if let Some(last) = warnings.last_mut() {
        *last += &format!(" ({BINDINGS}=embedded silences this warning, generate fails with details)");
    }
    warnings.extend(generated.as_ref().and_then(|(toolkit, _)| toolkit.disagreement.clone()));
    Ok(Choice { generated, source, warnings, headers: search.headers })
}

fn sentences(passed_over: &[PassedOver]) -> Vec<String> {
    passed_over.iter().map(|it| format!("passed over {}: {}", it.name(), it.why)).collect()
}
