//! A case: one question to the driver.

use std::fmt::Display;
use std::time::Duration;

use cuda_external_sys::CUresult;
use interop::Result;

/// A page of the documentation that this program writes.
pub struct Document {
    /// From the repository's root.
    pub path: &'static str,
    pub groups: Vec<Group>,
}

/// Cases that belong together: one table in the documentation, one object in the results.
pub struct Group {
    /// The key in the results.
    pub name: &'static str,
    /// The heading in the document.
    pub title: &'static str,
    /// The text between the heading and the table: what is measured, and how to read it.
    pub note: &'static str,
    /// The headings of the table. The first is the case's; an answer has a part for each of the others.
    pub columns: &'static [&'static str],
    /// Whether two measurements on one machine give the same answers: times do not.
    pub repeatable: bool,
    pub cases: Vec<Case>,
}

pub struct Case {
    pub name: String,
    /// Whether no other case may run at the same time: it measures times or the device's free memory.
    pub alone: bool,
    /// How long the case may take before it counts as a hang.
    pub limit: Duration,
    /// An environment variable of the case's process.
    pub variable: Option<(&'static str, &'static str)>,
    pub run: Box<dyn Fn() -> Result<()> + Send + Sync>,
}

impl Case {
    pub fn new(name: impl Into<String>, run: impl Fn() -> Result<()> + Send + Sync + 'static) -> Self {
        let limit = Duration::from_secs(20);
        Self { name: name.into(), alone: false, limit, variable: None, run: Box::new(run) }
    }

    pub fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    pub fn limit(self, seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), ..self }
    }

    pub fn variable(self, name: &'static str, value: &'static str) -> Self {
        Self { variable: Some((name, value)), ..self }
    }
}

/// Writes a code as a part of the answer.
pub fn answer_code(code: CUresult) {
    answer(format!("{code:?}"));
}

/// Writes a part of the answer. What was written before a crash is part of the answer too.
pub fn answer(part: impl Display) {
    println!("{part}");
}
