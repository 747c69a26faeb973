//! Calls every function of the bindings with a pattern in each argument and in each element that an argument points to,
//! and compares what the mock driver saw, gave out and returned.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::fmt;

use cuda_external_sys::CUresult;

use super::pattern::{Fields, Values};

/// The mock driver's functions for tests.
pub struct Control {
    pub record: unsafe extern "C" fn(c_int),
    pub return_: unsafe extern "C" fn(c_int),
    pub text: unsafe extern "C" fn() -> *const c_char,
}

#[derive(Debug, Default)]
pub struct Counts {
    pub functions: usize,
    pub calls: usize,
    /// Arguments, elements and fields that were compared, each function's once.
    pub values: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { functions, calls, values } = self;
        write!(f, "{functions} functions, {calls} calls, {values} arguments and fields")
    }
}

type Call = fn(&mut Values) -> CUresult;

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
                        // SAFETY: a mock driver looks no further than at what `make` made.
                        let result: $ret = unsafe { $name($($arg.0),*) };
                        $(<$ty as Argument>::receive(&mut $arg.1, values, stringify!($arg));)*
                        result
                    },
                )),*];
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

/// Codes that no header knows: those of a newer driver.
const UNKNOWN_CODES: &[u32] = &[9140, 0x7fff_ffff];

#[cfg(target_os = "linux")] // for the tests of the loader
pub fn names() -> impl Iterator<Item = &'static str> {
    listed::calls::ALL.iter().map(|(name, ..)| *name)
}

/// Calls each function, whatever the driver is, and returns what came back.
#[cfg(target_os = "linux")]
pub fn results() -> impl Iterator<Item = (&'static str, CUresult)> {
    let call = |call: Call| call(&mut Values::new(0, |_| Vec::new()));
    listed::calls::ALL.iter().map(move |(name, _, function)| (*name, call(*function)))
}

/// Calls each function with each code, and returns the counts or the first difference. `declared` are the functions that
/// the mock driver's header declares.
pub fn all(control: &Control, declared: Option<&[&str]>, fields: Fields) -> Result<Counts, String> {
    let mut counts = once(control, 0, 0, declared, fields)?;
    for code in listed::CUresult_values.iter().chain(UNKNOWN_CODES) {
        counts.calls += once(control, 1, *code, declared, fields)?.calls;
    }
    Ok(counts)
}

/// Calls each function once, where this code is returned.
pub fn once(
    control: &Control,
    seed: usize,
    code: u32,
    declared: Option<&[&str]>,
    fields: Fields,
) -> Result<Counts, String> {
    // SAFETY: they are the mock driver's.
    unsafe {
        (control.return_)(code as c_int);
        (control.record)(1);
    }
    let mut counts = Counts::default();
    for (name, arguments, call) in listed::calls::ALL {
        if declared.is_some_and(|declared| !declared.contains(name)) {
            continue;
        }
        let compared = one(control, name, *arguments, *call, Values::new(seed, fields), code);
        counts.values += compared.map_err(|text| format!("{name}: {text}"))?;
        counts.functions += 1;
        counts.calls += 1;
    }
    Ok(counts)
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
    let result = u32::from(call(&mut values));
    // SAFETY: a text of this thread's, which stays until its next call.
    let text = unsafe { CStr::from_ptr((control.text)()) }.to_str().expect("hexadecimal digits");
    let record = Record::read(text);
    if record.function != name {
        return Err(format!("the mock driver recorded a call of {}", record.function));
    }
    if record.arguments != arguments {
        return Err(format!("{} arguments arrived of {arguments}", record.arguments));
    }
    if result != code {
        return Err(format!("the driver returned {code}, and {result} came back"));
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

/// What the mock driver kept of a call.
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
