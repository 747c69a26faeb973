//! Calls: arguments and results are copied between the frames of two functions, which lie in local memory.

use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::warp::{At, Return, Warp, lanes, mask_of};
use crate::program::{Operation, Source};
use crate::spaces::{FUNCTIONS, WINDOW};

/// A thread has at most so many calls open.
const DEEPEST: usize = 4096;

impl Block<'_> {
    /// Calls the function of the first thread, for all threads that call the same. Others stay at the call.
    pub fn call(
        &mut self,
        warp: &mut Warp,
        at: At,
        function: Source,
        arguments: &[u32],
        [registers, frame]: [u32; 2],
    ) -> Result<(), Bad> {
        let program = &self.run.kernel.program;
        let leader = at.active.trailing_zeros() as usize;
        let address = warp.value(at, function, true, leader);
        let called =
            mask_of(lanes(at.active).filter(|lane| warp.value(at, function, true, *lane) == address));
        let number = (address & 0xffff_ffff) as usize;
        let callee = program.functions.get(number).and_then(Option::as_ref);
        let Some(callee) = callee.filter(|_| address >> WINDOW == FUNCTIONS) else {
            // No instruction has an odd address, and data is not code: two codes (measured).
            let kind = if address & 1 == 1 { FaultKind::InvalidPc } else { FaultKind::IllegalAddress };
            return bad(kind, leader, format!("a call of {address:#x}, which is not a function"));
        };
        if callee.parameters.len() != arguments.len() {
            return bad(FaultKind::InvalidPc, leader, "a call with other arguments than the function has");
        }
        warp.jump(at.active & !called, at.pc);
        let base = at.base + registers;
        warp.file.grow((base + callee.registers) as usize);
        for lane in lanes(called) {
            let (old, new) = (warp.frame[lane], warp.frame[lane] + frame);
            if (new + callee.frame) as usize > self.stride || warp.stacks[lane].len() == DEEPEST {
                return bad(FaultKind::StackOverflow, lane, "the stack is full");
            }
            for (from, (to, size)) in arguments.iter().zip(&callee.parameters) {
                self.move_local(warp, lane, [old + from, new + to], *size);
            }
            let back = Return { pc: at.pc + 1, base: at.base, frame: old, function: number as u32 };
            warp.stacks[lane].push(back);
            (warp.pc[lane], warp.base[lane], warp.frame[lane]) = (callee.start, base, new);
        }
        Ok(())
    }

    /// Returns from a function.
    pub fn leave(&mut self, warp: &mut Warp, active: u32) {
        let program = &self.run.kernel.program;
        for lane in lanes(active) {
            let back = warp.stacks[lane].pop().expect("a function has a caller");
            let callee =
                program.functions[back.function as usize].as_ref().expect("a function that was called");
            let Operation::Call { results, .. } = &program.code[back.pc as usize - 1].operation else {
                unreachable!("a function returns behind a call")
            };
            for ((from, size), to) in callee.results.iter().zip(results) {
                self.move_local(warp, lane, [warp.frame[lane] + from, back.frame + to], *size);
            }
            (warp.pc[lane], warp.base[lane], warp.frame[lane]) = (back.pc, back.base, back.frame);
        }
    }

    /// Copies bytes of a thread's local memory.
    fn move_local(&self, warp: &mut Warp, lane: usize, [from, to]: [u32; 2], size: u32) {
        let (from, to, size) = (from as usize, to as usize, size as usize);
        assert!(from + size <= self.stride && to + size <= self.stride);
        let local = warp.local.as_mut_ptr().cast::<u8>();
        // SAFETY: both are inside the thread's local memory, as was just checked.
        unsafe { local.add(lane * self.stride + to).copy_from(local.add(lane * self.stride + from), size) };
    }
}
