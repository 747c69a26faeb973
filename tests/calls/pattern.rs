//! Puts patterns into arguments and into what they point to, and reads back what a call gave out.

use std::any::{TypeId, type_name};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ops::Range;

use cuda_external_sys::*;

/// The fields of the element type with this name, each by the path that C has for it, and its bytes in the element.
pub type Fields = fn(&str) -> Vec<(&'static str, Range<usize>)>;

/// What C saw and gave out: `memHandleDesc[0].type` and `> extMem_out[0]`, each with its bytes.
pub type Recorded = BTreeSet<(String, Vec<u8>)>;

/// The values of one call.
pub struct Values {
    /// `None` compares elements as a whole.
    fields: Option<Fields>,
    seed: u64,
    recorded: Recorded,
    /// What pointers point to, aligned for every type: the argument's name, the number of elements, and one's size.
    targets: Vec<(String, usize, usize, Vec<u128>)>,
}

impl Values {
    pub fn new(seed: usize, fields: Option<Fields>) -> Self {
        Self { fields, seed: seed as u64, recorded: Recorded::new(), targets: Vec::new() }
    }

    /// What C must have seen and given out. It reads one element of a mutable pointer, and replaces it.
    pub fn recorded(mut self) -> Recorded {
        for (name, _, size, words) in self.targets.iter().filter(|(_, count, ..)| *count == 1) {
            let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).take(*size).collect();
            self.recorded.insert((format!("> {name}[0]"), bytes));
        }
        self.recorded
    }

    /// Bytes that C must see under this name: those of a linear congruential generator.
    fn bytes(&mut self, name: &str, size: usize) -> Vec<u8> {
        let next = |_| {
            self.seed = self.seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.seed >> 56) as u8
        };
        let bytes: Vec<u8> = (0..size).map(next).collect();
        self.recorded.insert((name.to_owned(), bytes.clone()));
        bytes
    }

    /// For integers, transparent structs of one, and pointers that nobody follows.
    fn any_bits<T>(&mut self, name: &str) -> T {
        let bytes = self.bytes(name, size_of::<T>());
        // SAFETY: any bytes are a value of these types.
        unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
    }

    /// A pointer to some elements, or of any bits where neither side looks at what it points to.
    fn pointer<T: 'static>(&mut self, name: &str, count: usize) -> *mut T {
        let size = size_of::<T>();
        if size == 0 || TypeId::of::<T>() == TypeId::of::<c_void>() {
            return self.any_bits(name);
        }
        let mut words = vec![0_u128; (count * size).div_ceil(size_of::<u128>())];
        let pointer = words.as_mut_ptr().cast::<T>();
        let fields =
            self.fields.map(|fields| fields(type_name::<T>().rsplit("::").next().unwrap_or_default()));
        for at in 0..count {
            let what = format!("{name}[{at}]");
            let bytes = self.bytes(&what, size);
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

/// An argument of a call.
pub trait Argument {
    fn make(values: &mut Values, name: &str) -> Self;
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {$(
        impl Argument for $name {
            fn make(values: &mut Values, name: &str) -> Self {
                values.any_bits(name)
            }
        }
    )*};
}

plain! {
    i32, u8, u16, u32, u64, usize,
    CUresult, CUdevice_attribute, CUmemAllocationHandleType, CUmemAllocationGranularity_flags,
    CUmemRangeHandleType,
}

impl<T: 'static> Argument for *mut T {
    fn make(values: &mut Values, name: &str) -> Self {
        values.pointer(name, 1)
    }
}

/// The mock driver reads two elements: the second one shows the stride.
impl<T: 'static> Argument for *const T {
    fn make(values: &mut Values, name: &str) -> Self {
        values.pointer::<T>(name, 2).cast_const()
    }
}
