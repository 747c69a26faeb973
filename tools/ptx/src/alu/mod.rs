//! The arithmetic and logic of instructions on registers alone, for the 32 threads of a warp at a time.

mod bit_instructions;
mod comparison_instructions;
mod conversion_instructions;
mod float_instructions;
mod integer_instructions;
pub mod lane_values;
mod opcode;
pub mod soft_float;

pub use comparison_instructions::select_comparison;
pub use float_instructions::{atomic_add_f32, atomic_add_f64, atomic_add_halves, f64_to_half, half_to_f64};
pub(crate) use lane_values::alu_op;
pub use lane_values::{
    AluOp, LaneLongs, LaneWords, OperandPlaces, RegisterFile, WARP_SIZE, lanes_in, map_lanes, mask_of_lanes,
    write_active_lanes,
};
pub(crate) use opcode::modifier_enum;
pub use opcode::{
    AluRow, EXPECT_B32, EXPECT_B64, ModifierPatterns, NumberClass, Opcode, OperandClass, PtxType,
};

/// The tables of instructions whose result depends on their operands alone.
pub const ALU_TABLES: &[&[AluRow]] = &[
    integer_instructions::INTEGER_TABLE,
    bit_instructions::BIT_TABLE,
    float_instructions::FLOAT_TABLE,
    comparison_instructions::COMPARISON_TABLE,
    conversion_instructions::CONVERSION_TABLE,
];
