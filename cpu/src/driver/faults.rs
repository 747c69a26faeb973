//! Faults on demand: a call of a function fails, is slow, or loses the device.

use std::fmt;
use std::str::FromStr;

use super::due::{EVERY_THREAD, SYNTAX, is_named, this_thread};
use super::{copies, table};

pub use super::due::{Effect, Fault};

impl FromStr for Fault {
    /// Says what is wrong.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = Self::read(text.trim()).ok_or(format!("{text}: {SYNTAX}"))?;
        check(&fault.function).map(|()| fault)
    }
}

/// As [`FromStr`] reads it.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = self.call.map(|call| format!(":{call}")).unwrap_or_default();
        write!(f, "{}{call}=", self.function)?;
        match self.effect {
            Effect::Fail(code) => write!(f, "{}", code.0),
            Effect::Delay(time) => write!(f, "delay:{}", time.as_millis()),
            Effect::LoseDevice => f.write_str("lost"),
        }
    }
}

impl Fault {
    /// Adds the fault until the result is dropped, for the calls of every thread.
    ///
    /// # Panics
    ///
    /// Panics where the driver has no such function.
    #[must_use = "the fault ends when this is dropped"]
    pub fn scoped(self) -> FaultScope {
        FaultScope(add(self, EVERY_THREAD))
    }

    /// Adds the fault until the result is dropped, for the calls of this thread: tests run beside one another.
    ///
    /// # Panics
    ///
    /// Panics where the driver has no such function.
    #[must_use = "the fault ends when this is dropped"]
    pub fn in_this_thread(self) -> FaultScope {
        FaultScope(add(self, this_thread()))
    }
}

/// Adds a fault to both copies, if the driver has its function.
fn add(fault: Fault, thread: u64) -> copies::Numbers {
    check(&fault.function).unwrap_or_else(|error| panic!("{error}"));
    copies::add(fault, thread)
}

/// Refuses a function that the driver does not have: its fault would never come.
fn check(name: &str) -> Result<(), String> {
    if name == "*" || table::names().any(|known| is_named(known, name)) {
        return Ok(());
    }
    let nearest = table::names().min_by_key(|known| distance(known, name)).unwrap_or_default();
    Err(format!("{name}: the driver has no such function; the nearest name is {nearest}"))
}

/// Refuses the variable where it names such a function. The command does so too.
#[cfg(feature = "load")]
pub fn check_variable() {
    for name in super::due::functions() {
        if let Err(error) = check(&name) {
            eprintln!("cuda-external-cpu: {}: {error}", super::due::VARIABLE);
            std::process::abort();
        }
    }
}

/// A fault that ends when this is dropped. [`Fault::scoped`] and [`Fault::in_this_thread`] return it.
#[derive(Debug)]
pub struct FaultScope(copies::Numbers);

impl Drop for FaultScope {
    fn drop(&mut self) {
        copies::remove(self.0);
    }
}

/// Adds a fault for the whole process, until [`clear`].
///
/// # Panics
///
/// Panics where the driver has no such function.
pub fn inject(fault: Fault) {
    add(fault, EVERY_THREAD);
}

/// Removes all faults of the process. A lost device comes back with a new context.
pub fn clear() {
    copies::remove(copies::Numbers::ALL);
}

/// Returns how many letters one name must change to become the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row = Vec::from_iter(0..=other.len());
    for (line, letter) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, same) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(letter != same);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
