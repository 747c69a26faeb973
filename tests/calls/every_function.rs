//! Calls the crate's functions with patterns of bytes, which must pass unchanged from Rust to the mock driver and back.

use std::any::{TypeId, type_name};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Range;
use std::slice;

use cuda_external_sys::*;

/// The type of the mock driver's function `mock_start_recording`.
pub type MockRecordFunction = unsafe extern "C" fn(code: c_int, report: MockReportFunction);
pub type MockReportFunction = extern "C" fn(what: *const c_char, bytes: *const u8, size: usize);

thread_local! {
    static RECORDED: RefCell<RecordedBytes> = const { RefCell::new(RecordedBytes::new()) };
}

extern "C" fn record_reported_bytes(what: *const c_char, bytes: *const u8, size: usize) {
    // SAFETY: the mock driver passes a C string, and the address of `size` bytes.
    let (what, bytes) = unsafe { (CStr::from_ptr(what), slice::from_raw_parts(bytes, size)) };
    let pair = (what.to_string_lossy().into_owned(), bytes.to_owned());
    RECORDED.with_borrow_mut(|recorded| recorded.insert(pair));
}

pub type NamedCall = (&'static str, fn(&mut CallArguments) -> CUresult);

/// Includes the bindings' text with another definition of `driver_functions!`, which lists the functions.
#[allow(dead_code, unused_imports, unused_variables)]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#[allow(clippy::all)]
mod listed {
    use core::ffi::*;
    use cuda_external_sys::*;

    macro_rules! ignored {
        ($($any:tt)*) => {};
    }
    use {ignored as c_enum, ignored as opaque, ignored as zeroed_default};

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
        ($(
            pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)?
                ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
        )*) => {
            pub mod calls {
                use super::super::{CallArguments, NamedCall, PatternFilledArgument};
                use core::ffi::*;
                use cuda_external_sys::*;

                pub const ALL: &[NamedCall] = &[$((
                    stringify!($name),
                    // SAFETY: the mock driver accesses only memory that `make_argument` made. Tests without the mock
                    // driver call only functions that the loaded driver lacks, or call functions while no driver is
                    // loaded.
                    |values: &mut CallArguments| unsafe {
                        $name($(<$ty as PatternFilledArgument>::make_argument(values, stringify!($arg))),*)
                    },
                )),*];
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

pub use listed::calls::ALL;

/// Calls each function while the mock driver returns each code that the bindings name, and two codes of a newer driver.
pub fn compare_all_calls(
    record: MockRecordFunction,
    calls: &[NamedCall],
    fields: Option<ElementFieldsFunction>,
) {
    const NEWER: [u32; 2] = [9140, 0x7fff_ffff];
    let known = (0..NEWER[0]).filter(|code| CUresult::from(*code).name().is_some());
    for (seed, code) in known.chain(NEWER).enumerate() {
        compare_calls_with_code(record, calls, fields, seed, code);
    }
}

/// Calls each function once while the mock driver returns `code`. Asserts that Rust and C saw the same bytes.
pub fn compare_calls_with_code(
    record: MockRecordFunction,
    calls: &[NamedCall],
    fields: Option<ElementFieldsFunction>,
    seed: usize,
    code: u32,
) {
    // SAFETY: `record` is the mock driver's function, and `record_reported_bytes` has the type that mock.h declares.
    unsafe { record(code as c_int, record_reported_bytes) };
    for (name, call) in calls {
        let mut values = CallArguments::new(seed, fields);
        let result = call(&mut values);
        assert_eq!(u32::from(result), code, "the code that {name} returned");
        let mut recorded = RECORDED.take();
        assert!(recorded.remove(&(name.to_string(), Vec::new())), "{name} is not the one that was called");
        recorded.retain(|(what, _)| fields.is_some() || !what.contains("]."));
        let expected = values.expected_recording();
        let differ: Vec<_> = recorded.symmetric_difference(&expected).collect();
        assert!(differ.is_empty(), "{name}: Rust and C differ in {differ:?}");
    }
}

/// A function that returns the fields of the type with this name: each field's path in C, and its range of bytes.
pub type ElementFieldsFunction = fn(&str) -> Vec<(&'static str, Range<usize>)>;

/// Names in C with bytes: those that C read (`memHandleDesc[0].type`), and those that C wrote (`> extMem_out[0]`).
pub type RecordedBytes = BTreeSet<(String, Vec<u8>)>;

pub struct CallArguments {
    /// Returns the fields to compare. If `None`, the tests compare whole elements only.
    fields: Option<ElementFieldsFunction>,
    seed: u64,
    recorded: RecordedBytes,
    /// The targets of pointers: the argument's name, the number of elements, an element's size, and aligned memory.
    targets: Vec<(String, usize, usize, Vec<u128>)>,
}

impl CallArguments {
    pub fn new(seed: usize, fields: Option<ElementFieldsFunction>) -> Self {
        Self { fields, seed: seed as u64, recorded: RecordedBytes::new(), targets: Vec::new() }
    }

    /// Returns the bytes that C must have read and written. C reads the element of a mutable pointer, and replaces it.
    pub fn expected_recording(mut self) -> RecordedBytes {
        for (name, _, size, words) in self.targets.iter().filter(|(_, count, ..)| *count == 1) {
            let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).take(*size).collect();
            self.recorded.insert((format!("> {name}[0]"), bytes));
        }
        self.recorded
    }

    /// Makes bytes by a linear congruential generator, and expects C to report them under this name.
    fn random_bytes(&mut self, name: &str, size: usize) -> Vec<u8> {
        let next = |_| {
            self.seed = self.seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.seed >> 56) as u8
        };
        let bytes: Vec<u8> = (0..size).map(next).collect();
        self.recorded.insert((name.to_owned(), bytes.clone()));
        bytes
    }

    /// Makes a value of pattern bytes: an integer, a struct of integers, or a pointer that neither side follows.
    fn pattern_value<T>(&mut self, name: &str) -> T {
        let bytes = self.random_bytes(name, size_of::<T>());
        // SAFETY: any bytes are a value of these types.
        unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
    }

    /// Returns a pointer to `count` elements. For an element type that is opaque or void, the pointer is a pattern.
    fn pointer_to_elements<T: 'static>(&mut self, name: &str, count: usize) -> *mut T {
        let size = size_of::<T>();
        if size == 0 || TypeId::of::<T>() == TypeId::of::<c_void>() {
            return self.pattern_value(name);
        }
        let mut words = vec![0_u128; (count * size).div_ceil(size_of::<u128>())];
        let pointer = words.as_mut_ptr().cast::<T>();
        let fields =
            self.fields.map(|fields| fields(type_name::<T>().rsplit("::").next().unwrap_or_default()));
        for at in 0..count {
            let what = format!("{name}[{at}]");
            let bytes = self.random_bytes(&what, size);
            for (path, range) in fields.iter().flatten() {
                self.recorded.insert((format!("{what}{path}"), bytes[range.clone()].to_vec()));
            }
            // SAFETY: `words` has room for all elements.
            unsafe { pointer.add(at).cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), size) };
        }
        self.recorded.insert((name.to_owned(), pointer.addr().to_ne_bytes().to_vec()));
        self.targets.push((name.to_owned(), count, size, words));
        pointer
    }
}

pub trait PatternFilledArgument {
    fn make_argument(values: &mut CallArguments, name: &str) -> Self;
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {$(
        impl PatternFilledArgument for $name {
            fn make_argument(values: &mut CallArguments, name: &str) -> Self {
                values.pattern_value(name)
            }
        }
    )*};
}

plain! {
    i32, u8, u16, u32, u64, usize,
    CUresult, CUdevice_attribute, CUmemAllocationHandleType, CUmemAllocationGranularity_flags,
    CUd3d11DeviceList, CUhostFn, CUipcMemHandle, CUmemRangeHandleType, CUstreamCaptureMode,
}

impl<T: 'static> PatternFilledArgument for *mut T {
    fn make_argument(values: &mut CallArguments, name: &str) -> Self {
        values.pointer_to_elements(name, 1)
    }
}

/// The mock driver reads two elements, and the second one checks the stride.
impl<T: 'static> PatternFilledArgument for *const T {
    fn make_argument(values: &mut CallArguments, name: &str) -> Self {
        values.pointer_to_elements::<T>(name, 2).cast_const()
    }
}
