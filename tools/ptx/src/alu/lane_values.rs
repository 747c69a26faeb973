//! The registers of a warp, and macros that make a function on registers from a function on one thread's values.

pub const WARP_SIZE: usize = 32;
pub type LaneArray<T> = [T; WARP_SIZE];
pub type LaneWords = LaneArray<u32>;
pub type LaneLongs = LaneArray<u64>;

/// The registers of a warp. Each register number names three registers: one of 32 bits, one of 64 bits, and a
/// predicate.
#[derive(Default)]
pub struct RegisterFile {
    pub words: Vec<LaneWords>,
    pub longs: Vec<LaneLongs>,
    pub predicates: Vec<u32>,
}

impl RegisterFile {
    pub fn grow_registers(&mut self, count: usize) {
        let count = count.max(self.predicates.len());
        self.words.resize(count, [0; WARP_SIZE]);
        self.longs.resize(count, [0; WARP_SIZE]);
        self.predicates.resize(count, 0);
    }
}

pub struct OperandPlaces {
    pub from: [usize; 4],
    pub to: usize,
    pub active: u32,
    pub flags: u32,
}

#[derive(Clone, Copy)]
pub struct AluOp {
    /// Computes a register for the active threads, and returns the width of the result in bits.
    pub function: fn(&mut RegisterFile, &OperandPlaces) -> u32,
    pub flags: u32,
    pub operand_bits: &'static [u32],
}

impl AluOp {
    pub fn with_flags(self, flags: u32) -> Self {
        Self { flags: self.flags | flags, ..self }
    }

    pub fn result_bit_width(&self) -> u32 {
        let mut file = RegisterFile::default();
        file.grow_registers(1);
        (self.function)(&mut file, &OperandPlaces { from: [0; 4], to: 0, active: 0, flags: self.flags })
    }
}

/// The type of one thread's value in a register.
pub trait LaneValue: Copy + Default {
    const BITS: u32;
    /// A register with the values of all threads.
    type Row;
    fn register_row(file: &RegisterFile, at: usize) -> &Self::Row;
    fn lane_of_row(row: &Self::Row, thread: usize) -> Self;
    /// Writes the active threads' values to the register `call.to`, and returns the width of a value in bits.
    fn write_register(values: &LaneArray<Self>, file: &mut RegisterFile, call: &OperandPlaces) -> u32;
}

/// Applies a function to each thread's value, in a loop: the compiler does not inline the `map` of arrays.
#[inline(always)]
pub fn map_lanes<T: Copy, U: Copy + Default>(values: &LaneArray<T>, one: impl Fn(T) -> U) -> LaneArray<U> {
    let mut out = [U::default(); WARP_SIZE];
    for (out, value) in out.iter_mut().zip(values) {
        *out = one(*value);
    }
    out
}

#[inline(always)]
pub fn write_active_lanes<T: Copy>(to: &mut LaneArray<T>, values: &LaneArray<T>, active: u32) {
    if active == !0 {
        *to = *values;
    } else {
        write_some_lanes(to, values, active);
    }
}

/// Writes the active threads' values. The loop is in a separate function, so that `write_active_lanes` stays short: the
/// compiler inlines `write_active_lanes` at each call.
#[inline(never)]
fn write_some_lanes<T: Copy>(to: &mut LaneArray<T>, values: &LaneArray<T>, active: u32) {
    lanes_in(active).for_each(|lane| to[lane] = values[lane]);
}

/// Returns the threads in a mask: the numbers of the set bits.
#[inline]
pub fn lanes_in(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

pub fn mask_of_lanes(lanes: impl Iterator<Item = usize>) -> u32 {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}

macro_rules! lane_values {
    ($($rows:ident: $word:ident {
        $($type:ident $bits:literal |$in:ident| $get:expr, |$value:ident| $put:expr;)*
    })*) => {
        $($(impl LaneValue for $type {
            const BITS: u32 = $bits;
            type Row = LaneArray<$word>;
            #[inline(always)]
            fn register_row(file: &RegisterFile, at: usize) -> &Self::Row { &file.$rows[at] }
            #[inline(always)]
            fn lane_of_row(row: &Self::Row, thread: usize) -> Self { let $in = row[thread]; $get }
            #[inline(always)]
            fn write_register(values: &LaneArray<Self>, file: &mut RegisterFile, call: &OperandPlaces) -> u32 {
                let row = map_lanes(values, |$value: Self| -> $word { $put });
                write_active_lanes(&mut file.$rows[call.to], &row, call.active);
                $bits
            }
        })*)*
    };
}
lane_values! {
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

impl LaneValue for bool {
    const BITS: u32 = 1;
    type Row = u32;
    #[inline(always)]
    fn register_row(file: &RegisterFile, at: usize) -> &u32 {
        &file.predicates[at]
    }
    #[inline(always)]
    fn lane_of_row(row: &u32, thread: usize) -> Self {
        row >> thread & 1 == 1
    }
    #[inline(always)]
    fn write_register(values: &LaneArray<Self>, file: &mut RegisterFile, call: &OperandPlaces) -> u32 {
        let mask = map_lanes(values, u8::from).chunks_exact(8).rev().fold(0, |mask, bytes| {
            let bytes = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            // The product moves the bit of each byte to the upper byte.
            mask << 8 | (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
        });
        let to = &mut file.predicates[call.to];
        *to = *to & !call.active | mask & call.active;
        1
    }
}

#[inline(always)]
pub fn compute_each_lane<T: LaneValue>(one: impl Fn(usize) -> T) -> LaneArray<T> {
    let mut out = [T::default(); WARP_SIZE];
    for (thread, out) in out.iter_mut().enumerate() {
        *out = one(thread);
    }
    out
}

/// Makes an [`AluOp`] from a function on one thread's values: `alu_op!(|a: u32, b: u32| a & b)`. The function may also
/// take the flags: `alu_op!(|flags; a: u32| a & flags)`.
macro_rules! alu_op {
    (|$($name:ident: $type:ty),*| $result:expr) => { alu_op!(|_flags; $($name: $type),*| $result) };
    (|$flags:ident; $($name:ident: $type:ty),*| $result:expr) => {{
        use $crate::alu::{AluOp, LaneValue, OperandPlaces, RegisterFile, compute_each_lane};
        fn compute_register(file: &mut RegisterFile, call: &OperandPlaces) -> u32 {
            let $flags = call.flags;
            let mut places = call.from.iter();
            $(let $name = <$type as LaneValue>::register_row(file, *places.next().expect("at most four"));)*
            let results = compute_each_lane(|thread| {
                $(let $name = <$type as LaneValue>::lane_of_row($name, thread);)*
                $result
            });
            LaneValue::write_register(&results, file, call)
        }
        AluOp { function: compute_register, flags: 0, operand_bits: &[$(<$type as LaneValue>::BITS),*] }
    }};
}

/// Makes an [`AluOp`] from `$function`, in which `T` is the type listed for `$chosen`. A parameter without a type has
/// the type `T`.
macro_rules! op_by_type {
    ($chosen:expr, [$($kind:pat => $rust:ident),*], $function:tt) => {
        match $chosen {
            $($kind => op_by_type!(@function $rust $function),)*
            other => unreachable!("a row without a function of {other:?}"),
        }
    };
    (@function $rust:ident (|$($name:ident $(: $type:ty)?),*| $result:expr)) => {{
        #[allow(dead_code)]
        type T = $rust;
        alu_op!(|$($name: op_by_type!(@type $($type)?)),*| $result)
    }};
    (@type $type:ty) => { $type };
    (@type) => { T };
}
macro_rules! int_op {
    ($opcode:expr, $($function:tt)*) => {
        op_by_type!($opcode.last_type(), [PtxType::U16 => u16, PtxType::U32 => u32, PtxType::U64 => u64,
            PtxType::S16 => i16, PtxType::S32 => i32, PtxType::S64 => i64], ($($function)*))
    };
}
macro_rules! signed_op {
    ($opcode:expr, $($function:tt)*) => {
        op_by_type!(
            $opcode.last_type(),
            [PtxType::S16 => i16, PtxType::S32 => i32, PtxType::S64 => i64],
            ($($function)*)
        )
    };
}
macro_rules! bits_op {
    ($opcode:expr, $($function:tt)*) => {
        op_by_type!($opcode.last_type().bits(), [16 => u16, 32 => u32, 64 => u64], ($($function)*))
    };
}

pub(crate) use {alu_op, bits_op, int_op, op_by_type, signed_op};
