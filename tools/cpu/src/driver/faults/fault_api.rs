//! Faults on demand: a call of a function fails, is slow, or loses the device.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::two_drivers;
use crate::driver::base::active_faults::{
    EVERY_THREAD, SYNTAX_ERROR, current_thread_number, is_function_named,
};
use crate::driver::symbol_table;

pub use crate::driver::base::active_faults::{Effect, Fault};

impl FromStr for Fault {
    /// Says what is wrong.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = Self::parse_fault(text.trim()).ok_or(format!("{text}: {SYNTAX_ERROR}"))?;
        check_function_name(&fault.function).map(|()| fault)
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
        FaultScope(add_checked_fault(self, EVERY_THREAD))
    }

    /// Adds the fault until the result is dropped, for the calls of this thread: tests run beside one another.
    ///
    /// # Panics
    ///
    /// Panics where the driver has no such function.
    #[must_use = "the fault ends when this is dropped"]
    pub fn in_this_thread(self) -> FaultScope {
        FaultScope(add_checked_fault(self, current_thread_number()))
    }
}

fn add_checked_fault(fault: Fault, thread: u64) -> two_drivers::FaultInBothDrivers {
    check_function_name(&fault.function).unwrap_or_else(|error| panic!("{error}"));
    two_drivers::add_to_both_drivers(fault, thread)
}

/// Refuses a function that the driver does not have: its fault would never come.
fn check_function_name(name: &str) -> Result<(), String> {
    if name == "*" || symbol_table::symbol_names().any(|known| is_function_named(known, name)) {
        return Ok(());
    }
    let nearest =
        symbol_table::symbol_names().max_by_key(|known| name_similarity(known, name)).unwrap_or_default();
    Err(format!("{name}: the driver has no such function; the nearest name is {nearest}"))
}

/// Refuses the variable where it names such a function. The command does so too.
#[cfg(feature = "load")]
pub fn abort_on_unknown_function() {
    for name in crate::driver::base::active_faults::faulty_function_names() {
        if let Err(error) = check_function_name(&name) {
            let variable = crate::driver::base::active_faults::FAULTS_VARIABLE;
            crate::driver::base::results::abort_with_notice(&format!("{variable}: {error}"));
        }
    }
}

/// A fault that ends when this is dropped. [`Fault::scoped`] and [`Fault::in_this_thread`] return it.
#[derive(Debug)]
pub struct FaultScope(two_drivers::FaultInBothDrivers);

impl Drop for FaultScope {
    fn drop(&mut self) {
        two_drivers::remove_from_both_drivers(self.0);
    }
}

/// Adds a fault for the whole process, until [`clear_faults`].
///
/// # Panics
///
/// Panics where the driver has no such function.
pub fn inject_fault(fault: Fault) {
    add_checked_fault(fault, EVERY_THREAD);
}

/// Removes all faults of the process. A lost device comes back with a new context.
pub fn clear_faults() {
    two_drivers::remove_from_both_drivers(two_drivers::FaultInBothDrivers::ALL);
}

/// How much of a known name's beginning and end another name has, and how near their lengths are.
fn name_similarity(known: &str, name: &str) -> (usize, Reverse<usize>) {
    let start = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let end = known.bytes().rev().zip(name.bytes().rev()).take_while(|(a, b)| a == b).count();
    (start + end, Reverse(known.len().abs_diff(name.len())))
}
