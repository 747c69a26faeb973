//! What a GPU approximates. Here it is computed in doubles and rounded once, which is at most a few units of the last place off.

use super::cells::{Compute, lanes};
use super::exact::{BF16, F16};
use super::float::{finish, flush};
use super::halves::{Halves, both, halves, narrow, wide};
use super::opcode::{FTZ, Opcode, Type};

fn upper(bits: u64, flags: u32) -> u64 {
    let is_subnormal = flags & FTZ != 0 && bits & 0x7ff0 << 48 == 0;
    bits & if is_subnormal { 1 << 63 } else { !0xffff_ffff }
}

macro_rules! approximation {
    ($($name:ident: |$x:ident| $result:expr;)*) => {
        $(pub fn $name(opcode: &mut Opcode, kind: Type, _: u32) -> Option<Compute> {
            opcode.take("approx");
            Some(match kind {
                Type::F32 => lanes!(|flags; a: f32| {
                    let $x = f64::from(flush(a, flags));
                    finish(($result) as f32, flags)
                }),
                // A GPU reads and writes the upper 32 bits.
                Type::F64 => lanes!(|flags; a: u64| {
                    let $x = f64::from_bits(upper(a, flags));
                    upper(($result).to_bits(), flags)
                }),
                _ => {
                    let halves = Halves::of(kind)?;
                    halves!(halves, |flags; $x| $result)
                }
            })
        })*
    };
}

approximation! {
    quick_reciprocal: |x| 1.0 / x;
    quick_square_root: |x| x.sqrt();
    reciprocal_root: |x| 1.0 / x.sqrt();
    sine: |x| x.sin();
    cosine: |x| x.cos();
    logarithm: |x| x.log2();
    exponential: |x| x.exp2();
    tangent: |x| x.tanh();
}
