//! The call stack of a thread: return addresses.
//!
//! The unwinder takes about 100 ns for a frame, which is too much for each call. A thread therefore remembers its last stacks,
//! with the places in memory that the return addresses were found in. Where the stack pointer is the same and each of these
//! places has the same address again, the stack is the same.

use std::arch::asm;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::sys;

/// How many return addresses are kept.
pub const DEPTH: usize = 20;

/// The return addresses of a call, the innermost first; zeros at the end.
pub type Frames = [usize; DEPTH];

/// A stack that is kept, once for all that came from there.
pub type Stack = Arc<Trace>;

#[derive(Debug)]
pub struct Trace {
    pub frames: Frames,
    /// The process whose journal has the memory map of these addresses, or 0.
    pub is_mapped_in: AtomicU32,
}

fn kept(frames: Frames) -> Stack {
    Arc::new(Trace { frames, is_mapped_in: AtomicU32::new(0) })
}

/// A stack, and where its addresses lie in memory. The first one is this module's own and lies nowhere.
#[derive(Clone, Copy)]
struct Walk {
    pointer: usize,
    stack: Frames,
    places: [usize; DEPTH],
    length: usize,
    /// Where the frame before ended.
    end: usize,
}

const NONE: Walk = Walk { pointer: 0, stack: [0; DEPTH], places: [0; DEPTH], length: 0, end: 0 };

/// Stacks are remembered in sets, by their stack pointers.
const SETS: usize = 16;
const IN_A_SET: usize = 4;

#[derive(Default)]
struct Set {
    /// First for themselves: most of the others need not be read.
    pointers: [usize; IN_A_SET],
    walks: [Option<(Walk, Stack)>; IN_A_SET],
}

#[derive(Default)]
struct Known {
    sets: [Set; SETS],
    next: usize,
}

thread_local! {
    static KNOWN: RefCell<Option<Box<Known>>> = const { RefCell::new(None) };
}

/// Returns the call stack of this thread, to be kept. The layer's own frames are left out when it is printed.
#[inline(never)]
pub fn stack() -> Stack {
    found(Stack::clone, kept)
}

/// Returns the call stack of this thread. One with a signal's frame takes no memory: the handler may have interrupted the
/// allocator.
#[inline(never)]
pub fn frames() -> Frames {
    found(|stack| stack.frames, |frames| frames)
}

/// Returns what is made of the remembered stack, or of one that cannot be remembered.
#[inline(never)]
fn found<T>(of: fn(&Stack) -> T, of_other: fn(Frames) -> T) -> T {
    let pointer: usize;
    // SAFETY: copies a register.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    let at = pointer / 16 % SETS;
    let known = KNOWN.try_with(|known| {
        let known = known.try_borrow().ok()?;
        let set = &known.as_ref()?.sets[at];
        let mut walks = (0..IN_A_SET).filter(|at| set.pointers[*at] == pointer);
        walks.find_map(|at| {
            set.walks[at].as_ref().filter(|(walk, _)| walk.is_still_there()).map(|(_, stack)| of(stack))
        })
    });
    if let Ok(Some(known)) = known {
        return known;
    }
    let mut walk = Walk { pointer, ..NONE };
    // SAFETY: the function gets back the pointer to `walk`, which is not used meanwhile.
    unsafe { sys::_Unwind_Backtrace(each, (&raw mut walk).cast()) };
    if walk.pointer == 0 {
        return of_other(walk.stack);
    }
    // A thread that ends has no memory of its own any more, and a signal handler may find it borrowed.
    let remembered = KNOWN.try_with(|known| {
        let mut known = known.try_borrow_mut().ok()?;
        let known = known.get_or_insert_default();
        known.next = (known.next + 1) % IN_A_SET;
        let (next, stack) = (known.next, kept(walk.stack));
        let result = of(&stack);
        (known.sets[at].pointers[next], known.sets[at].walks[next]) = (pointer, Some((walk, stack)));
        Some(result)
    });
    remembered.ok().flatten().unwrap_or_else(|| of_other(walk.stack))
}

extern "C" fn each(context: *mut c_void, data: *mut c_void) -> c_int {
    // SAFETY: `data` is what is passed above, and the context is the unwinder's.
    let (walk, address, end) =
        unsafe { (&mut *data.cast::<Walk>(), sys::_Unwind_GetIP(context), sys::_Unwind_GetCFA(context)) };
    // Any number but 0 ends the walk. The frame before a program's first one has no address.
    if address == 0 {
        return 1;
    }
    let at = walk.length;
    walk.stack[at] = address;
    if at > 0 {
        match place_of(address, walk.end, end) {
            Some(place) => walk.places[at] = place,
            // It is not remembered: a frame of a signal, or an address that is kept signed.
            None => walk.pointer = 0,
        }
    }
    (walk.end, walk.length) = (end, at + 1);
    (walk.length == DEPTH).into()
}

/// Where an address lies in the frame that returns to it. It is the last word on x86-64.
fn place_of(address: usize, start: usize, end: usize) -> Option<usize> {
    const LARGEST: usize = 4096;
    let start = start.max(end.saturating_sub(LARGEST));
    let mut places =
        (start..end).step_by(size_of::<usize>()).rev().filter(|_| start % size_of::<usize>() == 0);
    // SAFETY: the frame is on this thread's stack, and the address is a multiple of a word's size.
    places.find(|place| unsafe { std::ptr::read_volatile(*place as *const usize) } == address)
}

impl Walk {
    /// Compares from the innermost frame on. Each place lies in a frame that exists if those before it are the same.
    fn is_still_there(&self) -> bool {
        let mut frames = 1..self.length;
        frames.all(|at| {
            // SAFETY: it is on this thread's stack, above the stack pointer.
            unsafe { std::ptr::read_volatile(self.places[at] as *const usize) == self.stack[at] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn by_one() -> Frames {
        std::hint::black_box(frames())
    }

    #[inline(never)]
    fn by_another() -> Frames {
        let found = frames();
        std::hint::black_box(found)
    }

    /// What the unwinder says: nothing is remembered of it.
    fn walked() -> Vec<usize> {
        let mut walk = NONE;
        // SAFETY: as in `stack`.
        unsafe { sys::_Unwind_Backtrace(each, (&raw mut walk).cast()) };
        walk.stack.to_vec()
    }

    /// Two callers at the same depth, and one caller from two places.
    #[test]
    fn a_remembered_stack_is_that_of_the_call() {
        let callers: [fn() -> Frames; 2] = [by_one, by_another];
        let mut seen = Vec::new();
        for round in 0..3 {
            let found: Vec<Frames> = callers.iter().map(|caller| caller()).collect();
            assert_ne!(found[0], found[1], "round {round}");
            // Both were called, at last, by the caller of this function.
            let caller = walked()[2];
            assert!(found.iter().all(|stack| stack.contains(&caller)), "{found:x?} {caller:x}");
            seen.push(found);
        }
        assert_eq!(seen[1], seen[2]);
    }

    /// The stack pointer is the same, and one address is not.
    #[test]
    fn two_calls_at_one_depth_are_told_apart() {
        let found = [by_one(), by_one()];
        assert_ne!(found[0], found[1]);
    }

    #[test]
    fn a_remembered_stack_is_fast() {
        let least = |run: fn() -> Frames| {
            let timed = |_| {
                let began = std::time::Instant::now();
                (0..100).for_each(|_| _ = std::hint::black_box(run()));
                began.elapsed()
            };
            (0..20).map(timed).min().expect("rounds")
        };
        let unwound = least(|| walked().try_into().expect("as many"));
        let remembered = least(frames);
        println!("{unwound:?} for 100 walks, {remembered:?} for 100 that are remembered");
        assert!(remembered * 4 < unwound, "{remembered:?} {unwound:?}");
    }
}
