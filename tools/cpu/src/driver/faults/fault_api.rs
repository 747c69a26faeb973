//! Faults on demand: a call of a function fails, is slow, or loses the device.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::two_drivers;
use crate::driver::base::active_faults::{EVERY_THREAD, SYNTAX, is_named, this_thread};
use crate::driver::symbol_table;

pub use crate::driver::base::active_faults::{Effect, Fault};

impl FromStr for Fault {
    /// Says what is wrong.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = Self::read(text.trim()).ok_or(format!("{text}: {SYNTAX}"))?;
        check(&fault.function).map(|()| fault)
    }
}

/// Prints the form that [`FromStr`] reads.
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
fn add(fault: Fault, thread: u64) -> two_drivers::Numbers {
    check(&fault.function).unwrap_or_else(|error| panic!("{error}"));
    two_drivers::add(fault, thread)
}

/// Refuses a function that the driver does not have: its fault would never come.
fn check(name: &str) -> Result<(), String> {
    if name == "*" || symbol_table::names().any(|known| is_named(known, name)) {
        return Ok(());
    }
    let nearest = symbol_table::names().max_by_key(|known| likeness(known, name)).unwrap_or_default();
    Err(format!("{name}: the driver has no such function; the nearest name is {nearest}"))
}

/// Refuses the variable where it names such a function. The command does so too.
#[cfg(feature = "load")]
pub fn check_variable() {
    for name in crate::driver::base::active_faults::functions() {
        if let Err(error) = check(&name) {
            eprintln!("cuda-external-cpu: {}: {error}", crate::driver::base::active_faults::VARIABLE);
            std::process::abort();
        }
    }
}

/// A fault that ends when this is dropped. [`Fault::scoped`] and [`Fault::in_this_thread`] return it.
#[derive(Debug)]
pub struct FaultScope(two_drivers::Numbers);

impl Drop for FaultScope {
    fn drop(&mut self) {
        two_drivers::remove(self.0);
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
    two_drivers::remove(two_drivers::Numbers::ALL);
}

/// How much of a known name's beginning and end another name has, and how near their lengths are.
fn likeness(known: &str, name: &str) -> (usize, Reverse<usize>) {
    let start = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let end = known.bytes().rev().zip(name.bytes().rev()).take_while(|(a, b)| a == b).count();
    (start + end, Reverse(known.len().abs_diff(name.len())))
}
