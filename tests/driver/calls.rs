//! Calls every function of the bindings with a pattern in each argument and in each field that an
//! argument points to, and compares what the stand-in saw, gave out and answered.
//!
//! The list of functions is the bindings' own text. That all fields take part is the compiler's
//! business (structs are taken apart whole) and, for the arms of unions, the record's.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_int};
use std::fmt;

use super::pattern::Pen;

/// The stand-in's functions for tests.
pub struct Control {
    pub record: unsafe extern "C" fn(c_int),
    pub answer: unsafe extern "C" fn(c_int),
    pub text: unsafe extern "C" fn() -> *const c_char,
}

#[derive(Debug, Default)]
pub struct Counts {
    pub functions: usize,
    pub calls: usize,
    /// Arguments and fields that were compared, each function's once.
    pub values: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { functions, calls, values } = self;
        write!(f, "{functions} functions, {calls} calls, {values} arguments and fields")
    }
}

type Call = fn(&mut Pen) -> u32;

/// The bindings' text again, for its list of functions and of result codes alone.
#[allow(dead_code, unused_imports, unused_variables)]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#[allow(clippy::all)]
mod listed {
    use cuda_external_sys::CUmemLocation;

    macro_rules! c_enum {
        ($name:ident, $values:ident: $($constant:ident,)*) => {
            impl ::core::fmt::Debug for $name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    write!(f, "{}", self.0)
                }
            }
            pub const $values: &[u32] = &[$(cuda_external_sys::$constant.0 as u32),*];
        };
    }

    macro_rules! driver_functions {
        ($($(#[$attribute:meta])* pub fn $name:ident: $pfn:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            pub mod calls {
                use super::super::super::pattern::{Argument, Pen};
                use cuda_external_sys::*;

                pub const ALL: &[(&str, usize, super::super::Call)] = &[$((
                    stringify!($name),
                    <[&str]>::len(&[$(stringify!($arg)),*]),
                    |pen: &mut Pen| {
                        $(let mut $arg = <$ty as Argument>::make(pen, stringify!($arg));)*
                        // SAFETY: the stand-in looks no further than at what `make` made.
                        let result: $ret = unsafe { $name($($arg.0),*) };
                        $(<$ty as Argument>::given(&mut $arg.1, pen, stringify!($arg));)*
                        result.0 as u32
                    },
                )),*];
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

/// Codes that no header knows: a newer driver's.
const UNKNOWN_CODES: &[u32] = &[9140, 0x7fff_ffff];

/// Enough that each arm of every union, and of the unions within, has its turn.
const ROUNDS: usize = 12;

/// Calls all, and gives the counts or the first difference.
pub fn all(control: &Control) -> Result<Counts, String> {
    let mut counts = Counts::default();
    control.start(0);
    for (name, arguments, call) in listed::calls::ALL {
        counts.functions += 1;
        let wrong = |words: String| format!("{name}: {words}");
        let mut seen = BTreeSet::new();
        let mut recorded = BTreeSet::new();
        for round in 0..ROUNDS {
            let (pen, record) = one(control, name, *call, round, 0).map_err(wrong)?;
            counts.calls += 1;
            if record.arguments != *arguments {
                return Err(wrong(format!("{} arguments arrived of {arguments}", record.arguments)));
            }
            seen.extend(pen.expected.into_keys());
            seen.extend(pen.received.into_keys());
            recorded.extend(record.arrived.into_keys());
            recorded.extend(record.given.into_keys());
        }
        if let Some(path) = recorded.symmetric_difference(&seen).next() {
            return Err(wrong(format!("{path} is on one side only")));
        }
        counts.values += seen.len();
    }
    for code in listed::CUresult_values.iter().chain(UNKNOWN_CODES) {
        control.start(*code);
        counts.calls += once(control, 0, *code)?;
    }
    control.stop();
    Ok(counts)
}

/// Calls all once, where this code is the answer.
pub fn once(control: &Control, round: usize, code: u32) -> Result<usize, String> {
    for (name, _, call) in listed::calls::ALL {
        one(control, name, *call, round, code).map_err(|words| format!("{name}: {words}"))?;
    }
    Ok(listed::calls::ALL.len())
}

impl Control {
    /// From now on calls are recorded, and this is the answer.
    pub fn start(&self, code: u32) {
        // SAFETY: the stand-in's own functions.
        unsafe {
            (self.answer)(code as c_int);
            (self.record)(1);
        }
    }

    /// From now on calls are performed.
    pub fn stop(&self) {
        // SAFETY: as above.
        unsafe { (self.record)(0) };
    }
}

/// One call, compared.
fn one(control: &Control, name: &str, call: Call, round: usize, code: u32) -> Result<(Pen, Record), String> {
    let mut pen = Pen::new(round);
    let answer = call(&mut pen);
    // SAFETY: a text of this thread's, which stays until its next call.
    let text = unsafe { CStr::from_ptr((control.text)()) }.to_str().expect("hexadecimal digits");
    let record = Record::read(text);
    if record.function != name {
        return Err(format!("the stand-in recorded a call of {}", record.function));
    }
    if answer != code {
        return Err(format!("{code} was answered and {answer} came back"));
    }
    for (path, bytes) in &pen.expected {
        match record.arrived.get(path) {
            Some(arrived) if arrived == bytes => {}
            arrived => return Err(format!("{path} was {bytes}, and {arrived:?} arrived")),
        }
    }
    if record.given != pen.received {
        return Err(format!("{:?} was given out, and {:?} came back", record.given, pen.received));
    }
    Ok((pen, record))
}

/// What the stand-in kept of a call.
struct Record {
    function: String,
    arguments: usize,
    arrived: BTreeMap<String, String>,
    given: BTreeMap<String, String>,
}

impl Record {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let function = lines.next().unwrap_or_default().to_owned();
        let (mut arguments, mut arrived, mut given) = (0, BTreeMap::new(), BTreeMap::new());
        for line in lines {
            if let Some((path, bytes)) = line.split_once('=') {
                arguments += usize::from(!path.contains('['));
                arrived.insert(path.to_owned(), bytes.to_owned());
            } else if let Some((path, bytes)) = line.split_once('>') {
                given.insert(path.to_owned(), bytes.to_owned());
            }
        }
        Self { function, arguments, arrived, given }
    }
}
