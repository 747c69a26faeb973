//! A function of one thread's values as a function of a warp's.

/// A register of each thread of a warp. Of narrower types, the lower bits count.
pub type Lanes = [u64; 32];
/// The operands, the result, and the instruction's flags.
pub type Function = fn(&[&Lanes; 4], &mut Lanes, u32);

#[derive(Clone, Copy)]
pub struct Compute {
    pub function: Function,
    pub flags: u32,
    /// How many operands it has.
    pub takes: usize,
    /// Decimal numbers among them are singles.
    pub single: bool,
}

/// A value of a type in a register.
pub trait Cell: Copy {
    fn get(bits: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! cells {
    ($($type:ty)*) => { $(impl Cell for $type {
        #[inline(always)]
        fn get(bits: u64) -> Self { bits as Self }
        #[inline(always)]
        fn put(self) -> u64 { self as i64 as u64 }
    })* };
}
cells!(u8 u16 u32 u64 i8 i16 i32 i64);

impl Cell for bool {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        bits & 1 != 0
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.into()
    }
}

impl Cell for f32 {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.to_bits().into()
    }
}

impl Cell for f64 {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.to_bits()
    }
}

/// A [`Compute`] of a function of one thread: `lanes!(|a: u32, b: u32| a & b)`, or with the flags first.
macro_rules! lanes {
    (|$($name:ident: $type:ty),*| $result:expr) => { lanes!(|_flags; $($name: $type),*| $result) };
    (|$flags:ident; $a:ident: $ta:ty| $result:expr) => { lanes!(@ $flags 1 (0 $a $ta) $result) };
    (|$flags:ident; $a:ident: $ta:ty, $b:ident: $tb:ty| $result:expr) => {
        lanes!(@ $flags 2 (0 $a $ta 1 $b $tb) $result)
    };
    (|$flags:ident; $a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| $result:expr) => {
        lanes!(@ $flags 3 (0 $a $ta 1 $b $tb 2 $c $tc) $result)
    };
    (|$flags:ident; $a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty| $result:expr) => {
        lanes!(@ $flags 4 (0 $a $ta 1 $b $tb 2 $c $tc 3 $d $td) $result)
    };
    (@ $flags:ident $count:literal ($($place:literal $name:ident $type:ty)*) $result:expr) => {{
        fn all(
            operands: &[&$crate::values::cells::Lanes; 4],
            to: &mut $crate::values::cells::Lanes,
            $flags: u32,
        ) {
            for lane in 0..32 {
                $(let $name = <$type as $crate::values::cells::Cell>::get(operands[$place][lane]);)*
                to[lane] = $crate::values::cells::Cell::put($result);
            }
        }
        $crate::values::cells::Compute { function: all, flags: 0, takes: $count, single: false }
    }};
}

/// The same for several types, of which `$kind` is one and which the function calls `T`. Without a list: for all integers.
macro_rules! ints {
    ($kind:expr, $types:tt, |$($name:ident),*| $result:expr) => {
        ints!(@all $kind, $types, [$($name)*], $result)
    };
    ($kind:expr, |$($name:ident),*| $result:expr) => {
        ints!(
            @all $kind,
            (U16 u16, U32 u32, U64 u64, S16 i16, S32 i32, S64 i64, B16 u16, B32 u32, B64 u64),
            [$($name)*], $result
        )
    };
    (@all $kind:expr, ($($types:ident $rust:ident),*), $names:tt, $result:expr) => {
        match $kind {
            $(crate::values::opcode::Type::$types => {
                #[allow(dead_code)]
                type T = $rust;
                ints!(@ $names $result)
            })*
            _ => return None,
        }
    };
    (@ [$a:ident] $result:expr) => { lanes!(|$a: T| $result) };
    (@ [$a:ident $b:ident] $result:expr) => { lanes!(|$a: T, $b: T| $result) };
    (@ [$a:ident $b:ident $c:ident] $result:expr) => { lanes!(|$a: T, $b: T, $c: T| $result) };
}

pub(crate) use {ints, lanes};
