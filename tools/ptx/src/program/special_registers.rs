//! The special registers, and their values for each thread of a block.

/// What a special register's value depends on, besides the thread's number in its block.
pub struct SpecialRegisterInputs {
    pub block: [u32; 3],
    pub grid: [u32; 3],
    pub index: [u32; 3],
    /// The bytes of shared memory: those that the launch adds, and all of the block's.
    pub shared: [u32; 2],
}

pub type SpecialRegister = (&'static str, fn(&SpecialRegisterInputs, u32) -> u32);

pub fn grid_coordinates(number: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(u64::from);
    [number % x, number / x % y, number / x / y].map(|index| index as u32)
}

/// The supported special registers except `CLOCKS`, each with the function that computes the value.
#[rustfmt::skip]
pub const SPECIAL_REGISTERS: &[SpecialRegister] = &[
    ("%tid.x", |place, thread| grid_coordinates(thread.into(), place.block)[0]),
    ("%tid.y", |place, thread| grid_coordinates(thread.into(), place.block)[1]),
    ("%tid.z", |place, thread| grid_coordinates(thread.into(), place.block)[2]),
    ("%ntid.x", |place, _| place.block[0]),
    ("%ntid.y", |place, _| place.block[1]),
    ("%ntid.z", |place, _| place.block[2]),
    ("%ctaid.x", |place, _| place.index[0]),
    ("%ctaid.y", |place, _| place.index[1]),
    ("%ctaid.z", |place, _| place.index[2]),
    ("%nctaid.x", |place, _| place.grid[0]),
    ("%nctaid.y", |place, _| place.grid[1]),
    ("%nctaid.z", |place, _| place.grid[2]),
    ("%laneid", |_, thread| thread % 32),
    ("%warpid", |_, thread| thread / 32),
    ("%nwarpid", |place, _| place.block.iter().product::<u32>().div_ceil(32)),
    // The values are those of a GPU with one multiprocessor, which runs one grid.
    ("%smid", |_, _| 0),
    ("%gridid", |_, _| 0),
    ("%nsmid", |_, _| 1),
    ("%lanemask_eq", |_, thread| 1 << (thread % 32)),
    ("%lanemask_lt", |_, thread| (1 << (thread % 32)) - 1),
    ("%lanemask_le", |_, thread| !0 >> (31 - thread % 32)),
    ("%lanemask_gt", |_, thread| !(!0 >> (31 - thread % 32))),
    ("%lanemask_ge", |_, thread| !0 << (thread % 32)),
    ("%dynamic_smem_size", |place, _| place.shared[0]),
    ("%total_smem_size", |place, _| place.shared[1]),
    ("WARP_SZ", |_, _| 32),
];
