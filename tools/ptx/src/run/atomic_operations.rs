//! Atomic operations on memory, for one thread at a time.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::alu::{PtxType, atomic_add_f32, atomic_add_f64, atomic_add_halves};
use crate::program::operations::AtomicOp;

pub fn atomic_result(operation: AtomicOp, kind: PtxType, old: u64, [b, c]: [u64; 2], is_shared: bool) -> u64 {
    macro_rules! integers {
        ($($type:ident $rust:ident),*) => {
            match kind {
                $(PtxType::$type => {
                    let (old, b, c) = (old as $rust, b as $rust, c as $rust);
                    (match operation {
                        AtomicOp::Add => old.wrapping_add(b),
                        AtomicOp::Min => old.min(b),
                        AtomicOp::Max => old.max(b),
                        AtomicOp::Inc => if old >= b { 0 } else { old + 1 },
                        AtomicOp::Dec => if old == 0 || old > b { b } else { old - 1 },
                        AtomicOp::Exchange => b,
                        AtomicOp::Compare => if old == b { c } else { old },
                        AtomicOp::And => old & b,
                        AtomicOp::Or => old | b,
                        AtomicOp::Xor => old ^ b,
                    }) as u64
                })*
                PtxType::F32 => atomic_add_f32(old as u32, b as u32, !is_shared).into(),
                PtxType::F64 => atomic_add_f64(old, b, is_shared),
                _ => atomic_add_halves(kind, old, b),
            }
        };
    }
    integers!(U32 u32, S32 i32, U64 u64, S64 i64, B16 u16, B32 u32, B64 u64)
}

/// Atomically replaces a value in memory by the result of `change` for this value, and returns the old value.
///
/// # Safety
///
/// `bits` is 16, 32 or 64. `pointer` is aligned to `bits` bits, and valid for reads and writes of `bits` bits. Other
/// threads access this memory only atomically.
pub unsafe fn update_atomic(pointer: *mut u8, bits: u32, change: impl Fn(u64) -> u64) -> u64 {
    let order = Ordering::SeqCst;
    macro_rules! update {
        ($atomic:ident $int:ident) => {{
            // SAFETY: as the function's contract says, `pointer` is aligned and valid for this type, and other threads
            // access the memory only atomically.
            let atomic = unsafe { $atomic::from_ptr(pointer.cast()) };
            let (Ok(old) | Err(old)) =
                atomic.fetch_update(order, order, |old| Some(change(old.into()) as $int));
            old.into()
        }};
    }
    match bits {
        16 => update!(AtomicU16 u16),
        32 => update!(AtomicU32 u32),
        _ => update!(AtomicU64 u64),
    }
}
