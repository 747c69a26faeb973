//! Arithmetic on floats, computed with integers only. Each result that is a NaN is the canonical NaN.

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FloatFormat {
    pub fraction_bits: u32,
    exponent_bits: u32,
}

pub const F16: FloatFormat = FloatFormat { fraction_bits: 10, exponent_bits: 5 };
pub const BF16: FloatFormat = FloatFormat { fraction_bits: 7, exponent_bits: 8 };
pub const F32: FloatFormat = FloatFormat { fraction_bits: 23, exponent_bits: 8 };
pub const F64: FloatFormat = FloatFormat { fraction_bits: 52, exponent_bits: 11 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundingMode {
    Nearest = 0,
    Zero = 1,
    Down = 2,
    Up = 3,
}

impl RoundingMode {
    pub fn mode_of_flags(bits: u32) -> Self {
        [Self::Nearest, Self::Zero, Self::Down, Self::Up][bits as usize & 3]
    }

    fn direction_away_from_zero(negative: bool) -> Self {
        if negative { Self::Down } else { Self::Up }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExactNumber {
    Nan,
    Infinite(bool),
    /// Whether the number is negative, its digits, and the exponent of the power of two that multiplies the digits.
    Finite(bool, u128, i32),
}
use ExactNumber::{Finite, Infinite, Nan};

impl FloatFormat {
    /// Returns the exponent of the last digit of subnormal numbers.
    fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits as i32
    }

    pub fn sign_bit(self, negative: bool) -> u64 {
        u64::from(negative) << (self.fraction_bits + self.exponent_bits)
    }

    pub fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    pub fn bits_of_one(self) -> u64 {
        ((1 << (self.exponent_bits - 1)) - 1) << self.fraction_bits
    }

    pub fn negate(self, bits: u64) -> u64 {
        bits ^ self.sign_bit(true)
    }

    /// Returns the NaN that a GPU returns for an invalid operation.
    pub fn canonical_nan(self) -> u64 {
        match self {
            F64 => 0xfff8_0000_0000_0000,
            _ => (1 << (self.fraction_bits + self.exponent_bits)) - 1,
        }
    }

    pub fn unpack_float(self, bits: u64) -> ExactNumber {
        let negative = bits >> (self.fraction_bits + self.exponent_bits) & 1 == 1;
        let fraction = u128::from(bits & ((1 << self.fraction_bits) - 1));
        match (bits >> self.fraction_bits) as u32 & ((1 << self.exponent_bits) - 1) {
            0 => Finite(negative, fraction, self.least_exponent()),
            most if most == (1 << self.exponent_bits) - 1 && fraction == 0 => Infinite(negative),
            most if most == (1 << self.exponent_bits) - 1 => Nan,
            exponent => Finite(
                negative,
                fraction | 1 << self.fraction_bits,
                exponent as i32 - 1 + self.least_exponent(),
            ),
        }
    }

    /// Rounds a number to this format, and returns the result's bits. The number is `digits` × 2^`power`, negated if
    /// `negative` is true. `more` is true if nonzero digits follow `digits`.
    pub fn round_digits(
        self,
        negative: bool,
        digits: u128,
        power: i32,
        more: bool,
        rounding: RoundingMode,
    ) -> u64 {
        if digits == 0 && !more {
            return self.sign_bit(negative);
        }
        let length = 128 - digits.leading_zeros() as i32;
        let last = (power + length - 1 - self.fraction_bits as i32).max(self.least_exponent());
        let kept = drop_digits(negative, digits, last - power, more, rounding) as u64;
        // The leading digit of a normal number adds 1 to the exponent.
        let bits = (((last - self.least_exponent()) as u64) << self.fraction_bits) + kept;
        if bits < self.infinity() {
            return self.sign_bit(negative) | bits;
        }
        let to_infinity =
            rounding == RoundingMode::Nearest || rounding == RoundingMode::direction_away_from_zero(negative);
        self.sign_bit(negative) | (self.infinity() - u64::from(!to_infinity))
    }

    pub fn pack_float(self, number: ExactNumber, rounding: RoundingMode) -> u64 {
        match number {
            Nan => self.canonical_nan(),
            Infinite(negative) => self.sign_bit(negative) | self.infinity(),
            Finite(negative, digits, power) => self.round_digits(negative, digits, power, false, rounding),
        }
    }

    pub fn soft_fma(self, a: u64, b: u64, c: u64, rounding: RoundingMode) -> u64 {
        let (a, b, c) = (self.unpack_float(a), self.unpack_float(b), self.unpack_float(c));
        let product = match (a, b) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(_), Finite(_, 0, _)) | (Finite(_, 0, _), Infinite(_)) => Nan,
            (Infinite(n), Infinite(m) | Finite(m, ..)) | (Finite(n, ..), Infinite(m)) => Infinite(n != m),
            (Finite(n, x, p), Finite(m, y, q)) => Finite(n != m, x * y, p + q),
        };
        let (n, x, p, m, y, q) = match (product, c) {
            (Nan, _) | (_, Nan) => return self.canonical_nan(),
            (Infinite(n), Infinite(m)) if n != m => return self.canonical_nan(),
            (infinite @ Infinite(_), _) | (_, infinite @ Infinite(_)) => {
                return self.pack_float(infinite, rounding);
            }
            (Finite(n, 0, _), Finite(m, 0, _)) => {
                return self.sign_bit(if n == m { n } else { rounding == RoundingMode::Down });
            }
            (Finite(_, 0, _), sum) | (sum, Finite(_, 0, _)) => return self.pack_float(sum, rounding),
            (Finite(n, x, p), Finite(m, y, q)) => (n, x, p, m, y, q),
        };
        // `start` moves the highest digit of a number to bit 125. Then the smaller number moves right by `far` digits.
        let start = |digits: u128, power: i32| {
            (digits << (digits.leading_zeros() - 2), power - digits.leading_zeros() as i32 + 2)
        };
        let ((x, p), (y, q)) = (start(x, p), start(y, q));
        let ((n, x, p), (m, y, q)) =
            if (p, x) >= (q, y) { ((n, x, p), (m, y, q)) } else { ((m, y, q), (n, x, p)) };
        let far = (p - q).min(127);
        let (small, more) = (y >> far, y & ((1 << far) - 1) != 0);
        let sum = if n == m { x + small } else { x - small - u128::from(more) };
        if sum == 0 && !more {
            return self.sign_bit(rounding == RoundingMode::Down);
        }
        self.round_digits(n, sum, p, more, rounding)
    }

    pub fn soft_add(self, a: u64, b: u64, rounding: RoundingMode) -> u64 {
        self.soft_fma(a, self.bits_of_one(), b, rounding)
    }

    pub fn soft_mul(self, a: u64, b: u64, rounding: RoundingMode) -> u64 {
        // Adds a zero with the product's sign, so that a product of zero keeps its sign.
        self.soft_fma(a, b, (a ^ b) & self.sign_bit(true), rounding)
    }

    pub fn soft_div(self, a: u64, b: u64, rounding: RoundingMode) -> u64 {
        let quotient = match (self.unpack_float(a), self.unpack_float(b)) {
            (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Finite(_, 0, _), Finite(_, 0, _)) => Nan,
            (Infinite(n), Finite(m, ..)) | (Finite(n, ..), Finite(m, 0, _)) => Infinite(n != m),
            (Finite(n, ..), Infinite(m)) | (Finite(n, 0, _), Finite(m, ..)) => Finite(n != m, 0, 0),
            (Finite(n, x, p), Finite(m, y, q)) => {
                let shift = x.leading_zeros();
                let x = x << shift;
                return self.round_digits(n != m, x / y, p - shift as i32 - q, x % y != 0, rounding);
            }
        };
        self.pack_float(quotient, rounding)
    }

    pub fn soft_sqrt(self, a: u64, rounding: RoundingMode) -> u64 {
        match self.unpack_float(a) {
            Finite(_, 0, _) | Infinite(false) => a,
            Finite(false, digits, power) => {
                let shift = (digits.leading_zeros() - 2) as i32;
                let shift = shift + ((power - shift) & 1);
                let digits = digits << shift;
                let root = digits.isqrt();
                self.round_digits(false, root, (power - shift) / 2, root * root != digits, rounding)
            }
            _ => self.canonical_nan(),
        }
    }

    pub fn pack_integer(self, value: i128, rounding: RoundingMode) -> u64 {
        self.round_digits(value < 0, value.unsigned_abs(), 0, false, rounding)
    }
}

/// Returns `digits` without the last `drop` binary digits, rounded. If `drop` is negative, appends zeros instead.
/// `negative` is true if the digits are a negative number's: the modes `Down` and `Up` depend on the sign. `more` is
/// true if nonzero digits follow `digits`.
fn drop_digits(negative: bool, digits: u128, drop: i32, more: bool, rounding: RoundingMode) -> u128 {
    let (kept, rest) = match drop {
        ..=0 => (digits << -drop, 0),
        1..=127 => (digits >> drop, digits << (128 - drop)),
        _ => (0, u128::from(digits != 0)),
    };
    let half = 1_u128 << 127;
    let up = match rounding {
        RoundingMode::Nearest => rest > half || (rest == half && (more || kept & 1 == 1)),
        other => other == RoundingMode::direction_away_from_zero(negative) && (rest != 0 || more),
    };
    kept + u128::from(up)
}

/// Rounds a number to an integer, and limits it to a range. Returns `None` for a NaN.
pub fn to_integer(number: ExactNumber, rounding: RoundingMode, least: i128, most: i128) -> Option<i128> {
    Some(match number {
        Nan => return None,
        Infinite(true) => least,
        Infinite(false) => most,
        Finite(negative, digits, power) => {
            // For a number of 2^100 or more, the shift in `drop_digits` could overflow.
            let large = 128 - digits.leading_zeros() as i32 + power > 100;
            if digits != 0 && large {
                return Some(if negative { least } else { most });
            }
            let whole = drop_digits(negative, digits, -power, false, rounding) as i128;
            (if negative { -whole } else { whole }).clamp(least, most)
        }
    })
}
