//! A case: one question to the driver.

#![cfg_attr(not(target_os = "linux"), expect(dead_code))] // the groups of Linux use the rest

use std::fmt::Display;
use std::io::Write as _;
use std::time::Duration;

use cuda_external_sys::CUresult;
use example_support::Result;

/// Cases that belong together: one table in the documentation, one object in the results.
pub struct Group {
    /// The key in the results, and the name in the comment above the documentation's table.
    pub name: &'static str,
    /// Whether two measurements on one machine give the same answers. Times differ.
    pub repeatable: bool,
    pub cases: Vec<Case>,
}

impl Group {
    pub fn new(name: &'static str, cases: impl IntoIterator<Item = Case>) -> Self {
        Self { name, repeatable: true, cases: cases.into_iter().collect() }
    }

    /// Creates a group whose answers are times. Its cases run alone, and their answers are not compared.
    pub fn of_times(name: &'static str, cases: impl IntoIterator<Item = Case>) -> Self {
        Self { repeatable: false, ..Self::new(name, cases.into_iter().map(Case::alone)) }
    }
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

    /// A case that takes these steps, on what `open` creates.
    pub fn of_steps<T>(
        name: &str,
        open: impl Fn() -> Result<T> + Send + Sync + 'static,
        steps: Steps<T>,
    ) -> Self {
        Self::new(name, move || {
            let mut opened = open()?;
            for Step(name, take) in steps {
                begin(name)?;
                answer(take(&mut opened)?);
            }
            // Dropping the rest would be a further step.
            std::mem::forget(opened);
            Ok(())
        })
    }

    pub fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    pub fn limit(self, seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), ..self }
    }
}

/// A step: what the table calls it, and what it does. It returns its result.
pub struct Step<T>(pub &'static str, pub fn(&mut T) -> Result<String>);

pub type Steps<T> = &'static [Step<T>];

/// Writes the name of a call before it is made, so that an unfinished line names the call that crashed. The call's
/// code follows.
pub fn begin(name: &str) -> Result<()> {
    print!("{name}: ");
    Ok(std::io::stdout().flush()?)
}

/// Writes a code as a part of the answer.
pub fn answer_code(code: CUresult) {
    answer(format!("{code:?}"));
}

/// Writes a part of the answer. A part that was written before a crash counts.
pub fn answer(part: impl Display) {
    println!("{part}");
}

/// Returns the value. Where the driver refused it, the code is a part of the answer.
pub fn or_answer<T>(result: std::result::Result<T, CUresult>) -> Option<T> {
    result.inspect_err(|code| answer_code(*code)).ok()
}
