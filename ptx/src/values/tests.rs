//! Exact floats beside the processor's.

use super::exact::{F16, F32, F64, Rounding};
use super::float::{narrow, odd, wide};

fn numbers() -> impl Iterator<Item = (u64, u64, u64)> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..200_000).map(move |i| {
        let mut one = |i: u32| match i % 4 {
            0 => next(),
            // Exponents close together, so that digits cancel.
            1 => 0x3ff0_0000_0000_0000 | next() >> 12,
            2 => (next() % 2100) << 52 | next() >> 60,
            _ => [0, 1, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0x3ff0 << 48, 1 << 52]
                [next() as usize % 8],
        };
        (one(i), one(i / 4), one(i / 16))
    })
}

#[test]
fn nearest_is_the_processors() {
    let is_same = |mine: u64, processors: f64| {
        assert!(
            mine == processors.to_bits() || (processors.is_nan() && mine == F64.nan()),
            "{mine:x} {processors:?}"
        );
    };
    let is_same_32 = |mine: u64, processors: f32| {
        assert!(
            mine == u64::from(processors.to_bits()) || (processors.is_nan() && mine == F32.nan()),
            "{mine:x} {processors:?}"
        );
    };
    for (a, b, c) in numbers() {
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        is_same(F64.add(a, b, Rounding::Nearest), x + y);
        is_same(F64.mul(a, b, Rounding::Nearest), x * y);
        is_same(F64.div(a, b, Rounding::Nearest), x / y);
        is_same(F64.sqrt(a, Rounding::Nearest), x.sqrt());
        is_same(F64.fma(a, b, c, Rounding::Nearest), x.mul_add(y, z));
        is_same_32(F32.pack(F64.unpack(a), Rounding::Nearest), x as f32);
        let (a, b, c) = (a >> 32, b >> 32, c >> 32);
        let (x, y, z) = (f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
        is_same_32(F32.add(a, b, Rounding::Nearest), x + y);
        is_same_32(F32.mul(a, b, Rounding::Nearest), x * y);
        is_same_32(F32.div(a, b, Rounding::Nearest), x / y);
        is_same_32(F32.sqrt(a, Rounding::Nearest), x.sqrt());
        is_same_32(F32.fma(a, b, c, Rounding::Nearest), x.mul_add(y, z));
        is_same_32(F32.fma(a, b, c, Rounding::Nearest), odd(f64::from(x) * f64::from(y), z.into()) as f32);
        is_same_32(
            F32.of_int((a as i64 - (1 << 31)).into(), Rounding::Nearest),
            (a as i64 - (1 << 31)) as f32,
        );
    }
}

#[test]
fn directions_are_around_the_exact_number() {
    for (a, b, c) in numbers() {
        let [nearest, zero, down, up] =
            [0, 1, 2, 3].map(|bits| f64::from_bits(F64.fma(a, b, c, Rounding::from_bits(bits))));
        if nearest.is_nan() {
            continue;
        }
        assert!(down <= up && (nearest == down || nearest == up) && (zero == down || zero == up));
        assert!(zero.abs() <= nearest.abs());
        assert!(up == down || up == down.next_up(), "{a:x} {b:x} {c:x}");
    }
}

#[test]
fn every_half() {
    for bits in 0..=u16::MAX {
        let value = wide(F16, bits, false);
        assert!(value.is_nan() || narrow(F16, value, 0) == bits, "{bits:x}");
        assert!(value.is_nan() || F16.pack(F64.unpack(value.to_bits()), Rounding::Zero) == bits.into());
    }
    assert_eq!(wide(F16, 0x3c01, false), 1.0009765625);
    assert_eq!(narrow(F16, 65520.0, 0), 0x7c00);
}
