//! Faults on demand: a call of a function fails, is slow, or loses the device.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::two_drivers::{add_to_both_drivers, remove_from_both_drivers};
use crate::driver::base::active_faults::{self, EVERY_THREAD, SYNTAX_ERROR};
use crate::driver::symbol_table::symbol_names;

pub use super::two_drivers::FaultScope;
pub use crate::driver::base::active_faults::{Fault, FaultEffect};

impl FromStr for Fault {
    /// What is wrong with the text.
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
            FaultEffect::Fail(code) => write!(f, "{}", code.0),
            FaultEffect::Delay(time) => write!(f, "delay:{}", time.as_millis()),
            FaultEffect::LoseDevice => f.write_str("lost"),
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
        add_checked_fault(self, EVERY_THREAD)
    }

    /// Adds the fault until the result is dropped, for the calls of this thread: tests run beside one another.
    ///
    /// # Panics
    ///
    /// Panics where the driver has no such function.
    #[must_use = "the fault ends when this is dropped"]
    pub fn in_this_thread(self) -> FaultScope {
        add_checked_fault(self, active_faults::current_thread_number())
    }
}

fn add_checked_fault(fault: Fault, thread: u64) -> FaultScope {
    check_function_name(&fault.function).unwrap_or_else(|error| panic!("{error}"));
    add_to_both_drivers(fault, thread)
}

/// Refuses a function that the driver does not have: no call would have the fault.
fn check_function_name(name: &str) -> Result<(), String> {
    if name == "*" || symbol_names().any(|known| active_faults::is_function_named(known, name)) {
        return Ok(());
    }
    let nearest = symbol_names().max_by_key(|known| name_similarity(known, name)).unwrap_or_default();
    Err(format!("{name}: the driver has no such function; the nearest name is {nearest}"))
}

/// Aborts where the variable names a function that the driver does not have. The command checks the variable too.
#[cfg(feature = "load")]
pub fn abort_on_unknown_function() {
    for name in active_faults::faulty_function_names() {
        if let Err(error) = check_function_name(&name) {
            let variable = active_faults::FAULTS_VARIABLE;
            crate::driver::base::results::abort_with_notice(&format!("{variable}: {error}"));
        }
    }
}

/// Adds a fault for the whole process, until [`clear_faults`].
///
/// # Panics
///
/// Panics where the driver has no such function.
pub fn inject_fault(fault: Fault) {
    std::mem::forget(add_checked_fault(fault, EVERY_THREAD));
}

/// Removes all faults of the process. A lost device can be used again in a new context.
pub fn clear_faults() {
    remove_from_both_drivers(0, Some(0));
}

/// Returns how many first and last letters two names share, and then how near their lengths are.
fn name_similarity(known: &str, name: &str) -> (usize, Reverse<usize>) {
    let start = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let end = known.bytes().rev().zip(name.bytes().rev()).take_while(|(a, b)| a == b).count();
    (start + end, Reverse(known.len().abs_diff(name.len())))
}
