//! What instructions compute from registers alone, for the 32 threads of a warp at a time.

mod approximate;
mod arithmetic;
mod bits;
mod cells;
mod compare;
mod convert;
pub mod exact;
mod float;
mod halves;
mod moves;
mod opcode;
#[cfg(test)]
mod tests;

pub use approximate::{
    cosine, exponential, logarithm, quick_reciprocal, quick_square_root, reciprocal_root, sine, tangent,
};
pub use arithmetic::{
    absolute, add, divide, dot_products, extreme, multiply, multiply_24, multiply_add, negate, remainder,
    subtract, sum_of_differences,
};
pub use bits::{
    and, byte_permute, count_leading, count_ones, exclusive_or, extract_field, find_leading, funnel,
    insert_field, is_zero, mask, not, or, reverse, shift_left, shift_right, sign_extend, table_of_three,
};
pub use cells::{Compute, Lanes};
pub use compare::{choose_by_sign, comparison, select, test};
pub use convert::convert;
pub use float::{
    add_f32, add_f64, copy_sign, float_absolute, float_add, float_divide, float_extreme, float_fused,
    float_multiply, float_negate, float_subtract, reciprocal, square_root,
};
pub use halves::{add_halves, f16_to_f32};
pub use moves::{carry, copy, inverted, join, part, value_if, window_is};
pub use opcode::{Choose, Opcode, Type, find};
