//! The arithmetic and logic of instructions on registers alone, for the 32 threads of a warp at a time.

mod bit_instructions;
mod comparison_instructions;
mod conversion_instructions;
mod float_instructions;
mod integer_instructions;
mod lane_values;
mod opcode;
pub mod soft_float;

pub use comparison_instructions::select_comparison;
pub use float_instructions::{atomic_add_f32, atomic_add_f64, atomic_add_halves, f64_to_half, half_to_f64};
pub use lane_values::*;
pub use opcode::*;

/// The tables of the instructions whose result depends on the operands alone.
pub const ALU_TABLES: &[&[AluRow]] = &[
    integer_instructions::INTEGER_TABLE,
    bit_instructions::BIT_TABLE,
    float_instructions::FLOAT_TABLE,
    comparison_instructions::COMPARISON_TABLE,
    conversion_instructions::CONVERSION_TABLE,
];
