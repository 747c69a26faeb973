//! Atomic operations, one thread after the other.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::program::Atomic;
use crate::values::{Type, add_f32, add_f64, add_halves};

/// Returns what an operation makes of a value.
pub fn changed(operation: Atomic, kind: Type, old: u64, [b, c]: [u64; 2], is_shared: bool) -> u64 {
    macro_rules! integers {
        ($($type:ident $rust:ident),*) => {
            match kind {
                $(Type::$type => {
                    let (old, b, c) = (old as $rust, b as $rust, c as $rust);
                    (match operation {
                        Atomic::Add => old.wrapping_add(b),
                        Atomic::Min => old.min(b),
                        Atomic::Max => old.max(b),
                        Atomic::Inc => if old >= b { 0 } else { old + 1 },
                        Atomic::Dec => if old == 0 || old > b { b } else { old - 1 },
                        Atomic::Exchange => b,
                        Atomic::Compare => if old == b { c } else { old },
                        Atomic::And => old & b,
                        Atomic::Or => old | b,
                        Atomic::Xor => old ^ b,
                    }) as u64
                })*
                Type::F32 => add_f32(old as u32, b as u32, !is_shared).into(),
                Type::F64 => add_f64(old, b, is_shared),
                _ => add_halves(kind, old, b),
            }
        };
    }
    integers!(U32 u32, S32 i32, U64 u64, S64 i64, B16 u16, B32 u32, B64 u64)
}

/// Does an operation, and returns the value before it.
///
/// # Safety
///
/// `pointer` is aligned memory of the type's size that lives.
pub unsafe fn atomic(
    pointer: *mut u8,
    operation: Atomic,
    kind: Type,
    operands: [u64; 2],
    is_shared: bool,
) -> u64 {
    let order = Ordering::SeqCst;
    macro_rules! update {
        ($atomic:ident $int:ident) => {{
            // SAFETY: the caller guarantees it.
            let atomic = unsafe { $atomic::from_ptr(pointer.cast()) };
            let change = |old: $int| Some(changed(operation, kind, old.into(), operands, is_shared) as $int);
            let (Ok(old) | Err(old)) = atomic.fetch_update(order, order, change);
            old.into()
        }};
    }
    match kind.bits() {
        16 => update!(AtomicU16 u16),
        32 => update!(AtomicU32 u32),
        _ => update!(AtomicU64 u64),
    }
}
