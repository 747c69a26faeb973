//! Calls every function of the bindings with a pattern in each argument and in each field that an
//! argument points to, and compares what the stand-in saw, gave out and answered.
//!
//! The list of functions is the bindings' own text.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::fmt;

use super::pattern::{Fields, Values};

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

type Call = fn(&mut Values) -> u32;

/// The bindings' text again, for its list of functions and of result codes alone.
#[allow(dead_code, unused_imports, unused_variables)]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#[allow(clippy::all)]
mod listed {
    use core::ffi::*;
    use cuda_external_sys::*;

    macro_rules! c_enum {
        ($(#[$attribute:meta])* pub enum $name:ident $(($repr:ty))?: $values:ident { $($constant:ident = $value:expr,)* }) => {
            pub const $values: &[u32] = &[$($constant.0 as u32),*];
        };
    }

    macro_rules! opaque {
        ($($name:ident,)*) => {};
    }

    macro_rules! zeroed_default {
        ($($name:ident,)*) => {};
    }

    macro_rules! union_debug {
        ($($name:ident,)*) => {$(
            impl ::core::fmt::Debug for $name {
                fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    unreachable!("nothing is printed")
                }
            }
        )*};
    }

    macro_rules! driver_functions {
        ($(pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)? ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            pub mod calls {
                use super::super::super::pattern::{Argument, Values};
                use core::ffi::*;
                use cuda_external_sys::*;

                pub const ALL: &[(&str, usize, super::super::Call)] = &[$((
                    stringify!($name),
                    <[&str]>::len(&[$(stringify!($arg)),*]),
                    |values: &mut Values| {
                        $(let mut $arg = <$ty as Argument>::make(values, stringify!($arg));)*
                        // SAFETY: the stand-in looks no further than at what `make` made.
                        let result: $ret = unsafe { $name($($arg.0),*) };
                        $(<$ty as Argument>::receive(&mut $arg.1, values, stringify!($arg));)*
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

/// Calls all, and returns the counts or the first difference.
pub fn all(control: &Control, fields: Fields) -> Result<Counts, String> {
    control.start(0);
    let mut counts = once(control, 0, 0, fields)?;
    for code in listed::CUresult_values.iter().chain(UNKNOWN_CODES) {
        control.start(*code);
        counts.calls += once(control, 1, *code, fields)?.calls;
    }
    control.stop();
    Ok(counts)
}

/// Calls all once, where this code is the answer.
pub fn once(control: &Control, seed: usize, code: u32, fields: Fields) -> Result<Counts, String> {
    let mut counts = Counts::default();
    for (name, arguments, call) in listed::calls::ALL {
        let values = Values::new(seed, fields);
        let compared = one(control, name, *arguments, *call, values, code);
        counts.values += compared.map_err(|text| format!("{name}: {text}"))?;
        counts.functions += 1;
        counts.calls += 1;
    }
    Ok(counts)
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

/// One call. Returns how many values were compared.
fn one(
    control: &Control,
    name: &str,
    arguments: usize,
    call: Call,
    mut values: Values,
    code: u32,
) -> Result<usize, String> {
    let answer = call(&mut values);
    // SAFETY: a text of this thread's, which stays until its next call.
    let text = unsafe { CStr::from_ptr((control.text)()) }.to_str().expect("hexadecimal digits");
    let record = Record::read(text);
    if record.function != name {
        return Err(format!("the stand-in recorded a call of {}", record.function));
    }
    if record.arguments != arguments {
        return Err(format!("{} arguments arrived of {arguments}", record.arguments));
    }
    if answer != code {
        return Err(format!("{code} was answered and {answer} came back"));
    }
    for (path, bytes) in &values.expected {
        match record.arrived.get(path) {
            Some(arrived) if arrived == bytes => {}
            arrived => return Err(format!("{path} was {bytes}, and {arrived:?} arrived")),
        }
    }
    if record.given != values.received {
        return Err(format!("{:?} was given out, and {:?} came back", record.given, values.received));
    }
    Ok(values.expected.len() + values.received.len())
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
