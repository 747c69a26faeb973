//! Puts patterns into arguments and into what they point to, and reads back what a call gave out.

use std::any::{TypeId, type_name};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::MaybeUninit;

use cuda_external_sys::*;

/// The size of a field and its offset in an element.
#[derive(Clone, Copy)]
pub struct Field {
    pub offset: usize,
    pub size: usize,
}

/// The fields of the element type with this name, each by the path that C has for it. A test that does not know them
/// compares elements as a whole.
pub type Fields = fn(&str) -> Vec<(&'static str, Field)>;

/// The values of one call: what C must see, and what the call left.
pub struct Values {
    fields: Fields,
    next: u64,
    /// By C's expression, the bytes as hexadecimal digits: `memHandleDesc[0].type`.
    pub expected: BTreeMap<String, String>,
    /// What the call left in what its mutable pointers point to.
    pub received: BTreeMap<String, String>,
}

impl Values {
    pub fn new(seed: usize, fields: Fields) -> Self {
        Self { fields, next: seed as u64 + 1, expected: BTreeMap::new(), received: BTreeMap::new() }
    }

    /// No two words are the same (SplitMix64).
    fn fill(&mut self, bytes: &mut [u8]) {
        for eight in bytes.chunks_mut(8) {
            self.next = self.next.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.next;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            eight.copy_from_slice(&(word ^ (word >> 31)).to_le_bytes()[..eight.len()]);
        }
    }

    fn expect(&mut self, name: String, bytes: &[u8]) {
        self.expected.insert(name, hexadecimal(bytes));
    }

    /// Elements filled with a pattern, which C must see as a whole and field by field.
    fn elements<T>(&mut self, name: &str, count: usize) -> Vec<MaybeUninit<T>> {
        let mut elements: Vec<_> = (0..count).map(|_| MaybeUninit::zeroed()).collect();
        for (at, element) in elements.iter_mut().enumerate() {
            let bytes = bytes(element);
            self.fill(bytes);
            self.expect(format!("{name}[{at}]"), bytes);
            for (path, Field { offset, size }) in
                (self.fields)(type_name::<T>().rsplit("::").next().unwrap_or_default())
            {
                self.expect(format!("{name}[{at}]{path}"), &bytes[offset..offset + size]);
            }
        }
        elements
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes<T>(value: &mut MaybeUninit<T>) -> &mut [u8] {
    // SAFETY: values are made by `MaybeUninit::zeroed`, which leaves no byte uninitialized.
    unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) }
}

/// An argument of a call.
pub trait Argument: Sized {
    /// What the call's pointer points to.
    type Target;

    fn make(values: &mut Values, name: &str) -> (Self, Self::Target);

    /// Reads what the call gave out.
    fn receive(_target: &mut Self::Target, _values: &mut Values, _name: &str) {}
}

/// A value of whatever bits.
macro_rules! plain {
    ($($name:ty),* $(,)?) => {$(
        impl Argument for $name {
            type Target = ();

            fn make(values: &mut Values, name: &str) -> (Self, ()) {
                (any_bits(values, name), ())
            }
        }
    )*};
}

plain! {
    i32, u8, u16, u32, u64, usize,
    CUresult, CUdevice_attribute, CUmemAllocationHandleType, CUmemAllocationGranularity_flags,
    CUmemRangeHandleType,
}

/// For integers, transparent structs of one, and pointers that nobody follows.
fn any_bits<T: Copy>(values: &mut Values, name: &str) -> T {
    let mut value = MaybeUninit::<T>::zeroed();
    values.fill(bytes(&mut value));
    values.expect(name.to_owned(), bytes(&mut value));
    // SAFETY: any bytes are a value of these types.
    unsafe { value.assume_init() }
}

/// Neither side looks at what a pointer to it points to.
fn is_opaque<T: 'static>() -> bool {
    size_of::<T>() == 0 || TypeId::of::<T>() == TypeId::of::<c_void>()
}

/// The mock driver reads one element and replaces it.
impl<T: 'static> Argument for *mut T {
    type Target = Vec<MaybeUninit<T>>;

    fn make(values: &mut Values, name: &str) -> (Self, Self::Target) {
        if is_opaque::<T>() {
            return (any_bits(values, name), Vec::new());
        }
        let mut target = values.elements::<T>(name, 1);
        let pointer: Self = target.as_mut_ptr().cast();
        values.expect(name.to_owned(), &(pointer as usize).to_ne_bytes());
        (pointer, target)
    }

    fn receive(target: &mut Self::Target, values: &mut Values, name: &str) {
        for element in target {
            let bytes = hexadecimal(bytes(element));
            values.received.insert(format!("{name}[0]"), bytes);
        }
    }
}

/// The mock driver reads two elements: the second one shows the stride.
impl<T: 'static> Argument for *const T {
    type Target = Vec<MaybeUninit<T>>;

    fn make(values: &mut Values, name: &str) -> (Self, Self::Target) {
        if is_opaque::<T>() {
            return (any_bits(values, name), Vec::new());
        }
        let target = values.elements::<T>(name, 2);
        let pointer: Self = target.as_ptr().cast();
        values.expect(name.to_owned(), &(pointer as usize).to_ne_bytes());
        (pointer, target)
    }
}
