//! Makes a function of the values of a whole warp from a function of one thread's values.

/// The threads of a warp.
pub const WARP: usize = 32;
/// A word of each thread of a warp, or 64 bits.
pub type Words = [u32; WARP];
pub type Longs = [u64; WARP];

/// The registers of a warp. Each number has a register of 32 bits, one of 64 bits and a predicate, which has a bit for
/// each thread.
#[derive(Default)]
pub struct File {
    pub words: Vec<Words>,
    pub longs: Vec<Longs>,
    pub masks: Vec<u32>,
}

impl File {
    /// Adds registers until there are so many.
    pub fn grow(&mut self, count: usize) {
        let count = count.max(self.masks.len());
        self.words.resize(count, [0; WARP]);
        self.longs.resize(count, [0; WARP]);
        self.masks.resize(count, 0);
    }
}

/// The registers that an instruction reads and writes.
pub struct Call {
    pub from: [usize; 4],
    pub to: usize,
    /// The threads that write.
    pub active: u32,
    pub flags: u32,
}

/// Computes one register. Returns the result's bits.
pub type Function = fn(&mut File, &Call) -> u32;

#[derive(Clone, Copy)]
pub struct Compute {
    pub function: Function,
    pub flags: u32,
    /// The bits of each operand.
    pub takes: &'static [u32],
}

impl Compute {
    pub fn with(self, flags: u32) -> Self {
        Self { flags: self.flags | flags, ..self }
    }

    /// Returns the bits of the result.
    pub fn gives(&self) -> u32 {
        let mut file = File::default();
        file.grow(1);
        (self.function)(&mut file, &Call { from: [0; 4], to: 0, active: 0, flags: self.flags })
    }
}

/// A value of a type in a register.
pub trait Cell: Copy {
    const BITS: u32;
    type Row;
    type Out;
    const EMPTY: Self::Out;
    fn row(file: &File, at: usize) -> &Self::Row;
    fn get(row: &Self::Row, thread: usize) -> Self;
    fn put(self, out: &mut Self::Out, thread: usize);
    fn write(out: &Self::Out, file: &mut File, at: usize, active: u32);
}

/// A function of each thread's value. The compiler does not inline the method of arrays.
#[inline(always)]
pub fn map<T: Copy, U: Copy + Default>(values: &[T; WARP], one: impl Fn(T) -> U) -> [U; WARP] {
    let mut out = [U::default(); WARP];
    for (out, value) in out.iter_mut().zip(values) {
        *out = one(*value);
    }
    out
}

/// Writes the values of the active threads.
#[inline(always)]
pub fn write<T: Copy>(to: &mut [T; WARP], values: &[T; WARP], active: u32) {
    if active == !0 {
        *to = *values;
    } else {
        write_some(to, values, active);
    }
}

/// Apart, so that nothing is prepared for it where all threads are active.
#[inline(never)]
fn write_some<T: Copy>(to: &mut [T; WARP], values: &[T; WARP], active: u32) {
    for thread in 0..WARP {
        if active >> thread & 1 == 1 {
            to[thread] = values[thread];
        }
    }
}

macro_rules! cells {
    ($($rows:ident: $word:ident { $($type:ident $bits:literal |$in:ident| $get:expr, |$value:ident| $put:expr;)* })*) => {
        $($(impl Cell for $type {
            const BITS: u32 = $bits;
            type Row = [$word; WARP];
            type Out = [$word; WARP];
            const EMPTY: Self::Out = [0; WARP];
            #[inline(always)]
            fn row(file: &File, at: usize) -> &Self::Row { &file.$rows[at] }
            #[inline(always)]
            fn get(row: &Self::Row, thread: usize) -> Self { let $in = row[thread]; $get }
            #[inline(always)]
            fn put(self, out: &mut Self::Out, thread: usize) { let $value = self; out[thread] = $put; }
            #[inline(always)]
            fn write(out: &Self::Out, file: &mut File, at: usize, active: u32) { write(&mut file.$rows[at], out, active); }
        })*)*
    };
}
cells! {
    words: u32 {
        u8 8 |word| word as u8, |value| value.into();
        i8 8 |word| word as i8, |value| value as u32;
        u16 16 |word| word as u16, |value| value.into();
        i16 16 |word| word as i16, |value| value as u32;
        u32 32 |word| word, |value| value;
        i32 32 |word| word as i32, |value| value as u32;
        f32 32 |word| f32::from_bits(word), |value| value.to_bits();
    }
    longs: u64 {
        u64 64 |bits| bits, |value| value;
        i64 64 |bits| bits as i64, |value| value as u64;
        f64 64 |bits| f64::from_bits(bits), |value| value.to_bits();
    }
}

impl Cell for bool {
    const BITS: u32 = 1;
    type Row = u32;
    type Out = [u8; WARP];
    const EMPTY: Self::Out = [0; WARP];
    #[inline(always)]
    fn row(file: &File, at: usize) -> &u32 {
        &file.masks[at]
    }
    #[inline(always)]
    fn get(row: &u32, thread: usize) -> Self {
        row >> thread & 1 == 1
    }
    #[inline(always)]
    fn put(self, out: &mut Self::Out, thread: usize) {
        out[thread] = self.into();
    }
    #[inline(always)]
    fn write(out: &Self::Out, file: &mut File, at: usize, active: u32) {
        let mask = out.chunks_exact(8).rev().fold(0, |mask, bytes| {
            let bytes = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            // The product moves the bit of each byte to the upper byte.
            mask << 8 | (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
        });
        file.masks[at] = file.masks[at] & !active | mask & active;
    }
}

/// The results of each thread.
pub struct Results<R: Cell>(R::Out);

impl<R: Cell> Results<R> {
    #[inline(always)]
    pub fn of(each: impl Fn(usize) -> R) -> Self {
        let mut out = R::EMPTY;
        for thread in 0..WARP {
            each(thread).put(&mut out, thread);
        }
        Self(out)
    }

    #[inline(always)]
    pub fn write(&self, file: &mut File, call: &Call) -> u32 {
        R::write(&self.0, file, call.to, call.active);
        R::BITS
    }
}

/// A [`Compute`] of a function of one thread: `lanes!(|a: u32, b: u32| a & b)`, or with the flags first.
macro_rules! lanes {
    (|$($name:ident: $type:ty),*| $result:expr) => { lanes!(|_flags; $($name: $type),*| $result) };
    (|$flags:ident; $($name:ident: $type:ty),*| $result:expr) => {{
        use $crate::values::cells::{Call, Cell, Compute, File, Results};
        fn all(file: &mut File, call: &Call) -> u32 {
            let $flags = call.flags;
            let mut places = call.from.iter();
            $(let $name = <$type as Cell>::row(file, *places.next().expect("at most four"));)*
            let results = Results::of(|thread| {
                $(let $name = <$type as Cell>::get($name, thread);)*
                $result
            });
            results.write(file, call)
        }
        Compute { function: all, flags: 0, takes: &[$(<$type as Cell>::BITS),*] }
    }};
}

/// The same for the type of a form, which the function calls `T`: of integers, of signed ones, or of bits of a width.
macro_rules! by_type {
    ($chosen:expr, [$($kind:pat => $rust:ident),*], $function:tt) => {
        match $chosen {
            $($kind => Some(by_type!(@function $rust $function)),)*
            _ => None,
        }
    };
    (@function $rust:ident (|$($name:ident $(: $type:ty)?),*| $result:expr)) => {{
        #[allow(dead_code)]
        type T = $rust;
        lanes!(|$($name: by_type!(@type $($type)?)),*| $result)
    }};
    (@type $type:ty) => { $type };
    (@type) => { T };
}
macro_rules! ints {
    ($form:expr, $($function:tt)*) => {
        by_type!($form.kind(), [Type::U16 => u16, Type::U32 => u32, Type::U64 => u64,
            Type::S16 => i16, Type::S32 => i32, Type::S64 => i64], ($($function)*))
    };
}
macro_rules! signed {
    ($form:expr, $($function:tt)*) => {
        by_type!($form.kind(), [Type::S16 => i16, Type::S32 => i32, Type::S64 => i64], ($($function)*))
    };
}
macro_rules! bits {
    ($form:expr, $($function:tt)*) => {
        by_type!($form.kind().bits(), [16 => u16, 32 => u32, 64 => u64], ($($function)*))
    };
}

pub(crate) use {bits, by_type, ints, lanes, signed};
