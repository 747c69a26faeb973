//! Puts patterns into arguments and into what they point to, and reads back what a call gave out.

use std::any::{TypeId, type_name};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::Range;

use cuda_external_sys::*;

/// The fields of the element type with this name, each by the path that C has for it, and its bytes in the element.
pub type Fields = fn(&str) -> Vec<(&'static str, Range<usize>)>;

/// The values of one call.
pub struct Values {
    /// `None` compares elements as a whole.
    pub fields: Option<Fields>,
    seed: u64,
    /// What C must have seen and given out, in the form of the mock driver's record.
    pub lines: BTreeSet<String>,
}

impl Values {
    pub fn new(seed: usize, fields: Option<Fields>) -> Self {
        Self { fields, seed: seed as u64 + 1, lines: BTreeSet::new() }
    }

    /// No two words are the same (SplitMix64).
    fn fill(&mut self, bytes: &mut [u8]) {
        for eight in bytes.chunks_mut(8) {
            self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.seed;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            eight.copy_from_slice(&(word ^ (word >> 31)).to_le_bytes()[..eight.len()]);
        }
    }

    fn line(&mut self, what: &str, mark: char, bytes: &[u8]) {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.lines.insert(format!("{what}{mark}{digits}"));
    }

    /// An element filled with a pattern, which C must see as a whole and field by field.
    fn element<T>(&mut self, name: &str) -> MaybeUninit<T> {
        let mut element = MaybeUninit::zeroed();
        let bytes = bytes(&mut element);
        self.fill(bytes);
        self.line(name, '=', bytes);
        let ty = type_name::<T>().rsplit("::").next().unwrap_or_default();
        for (path, range) in self.fields.map(|fields| fields(ty)).unwrap_or_default() {
            self.line(&format!("{name}{path}"), '=', &bytes[range]);
        }
        element
    }

    /// A pointer to some elements, or of any bits where neither side looks at what it points to.
    fn pointer<T: 'static>(&mut self, name: &str, count: usize) -> (*mut T, Vec<MaybeUninit<T>>) {
        if size_of::<T>() == 0 || TypeId::of::<T>() == TypeId::of::<c_void>() {
            return (any_bits(self, name), Vec::new());
        }
        let mut elements: Vec<_> = (0..count).map(|at| self.element::<T>(&format!("{name}[{at}]"))).collect();
        let pointer = elements.as_mut_ptr().cast::<T>();
        self.line(name, '=', &pointer.addr().to_ne_bytes());
        (pointer, elements)
    }
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
    fn receive(_target: Self::Target, _values: &mut Values, _name: &str) {}
}

/// For integers, transparent structs of one, and pointers that nobody follows.
fn any_bits<T>(values: &mut Values, name: &str) -> T {
    let value = values.element::<T>(name);
    // SAFETY: any bytes are a value of these types.
    unsafe { value.assume_init() }
}

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

/// The mock driver reads one element and replaces it.
impl<T: 'static> Argument for *mut T {
    type Target = Vec<MaybeUninit<T>>;

    fn make(values: &mut Values, name: &str) -> (Self, Self::Target) {
        values.pointer(name, 1)
    }

    fn receive(target: Self::Target, values: &mut Values, name: &str) {
        for mut element in target {
            values.line(&format!("{name}[0]"), '>', bytes(&mut element));
        }
    }
}

/// The mock driver reads two elements: the second one shows the stride.
impl<T: 'static> Argument for *const T {
    type Target = Vec<MaybeUninit<T>>;

    fn make(values: &mut Values, name: &str) -> (Self, Self::Target) {
        let (pointer, target) = values.pointer::<T>(name, 2);
        (pointer.cast_const(), target)
    }
}
