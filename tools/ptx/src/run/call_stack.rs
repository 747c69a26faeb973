//! Calls: arguments and results are copied between the frames of two functions, which lie in local memory.

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::ThreadBlock;
use super::warp_state::{ReturnPlace, ThreadGroup, Warp, lanes_in, mask_of_lanes};
use crate::program::address_spaces::{FUNCTIONS, WINDOW};
use crate::program::operations::{Operation, Register};

/// A thread has at most so many calls open.
const MAX_CALL_DEPTH: usize = 4096;

impl ThreadBlock<'_> {
    /// Calls the function of the first thread, for all threads that call the same. Others stay at the call.
    pub fn call_function(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        function: Register,
        arguments: &[u32],
        [registers, frame]: [u32; 2],
    ) -> FaultResult {
        let program = &self.run.kernel.program;
        let leader = at.active.trailing_zeros() as usize;
        let address = warp.lane_value(at, function, true, leader);
        let called = mask_of_lanes(
            lanes_in(at.active).filter(|lane| warp.lane_value(at, function, true, *lane) == address),
        );
        let number = (address & 0xffff_ffff) as usize;
        let callee = program.functions.get(number).and_then(Option::as_ref);
        let Some(callee) = callee.filter(|_| address >> WINDOW == FUNCTIONS) else {
            // No instruction has an odd address, and data is not code: two codes (measured).
            let kind = if address & 1 == 1 { FaultKind::InvalidPc } else { FaultKind::IllegalAddress };
            return thread_fault(kind, leader, format!("a call of {address:#x}, which is not a function"));
        };
        if callee.parameters.len() != arguments.len() {
            return thread_fault(
                FaultKind::InvalidPc,
                leader,
                "a call with other arguments than the function has",
            );
        }
        warp.jump_to(at.active & !called, at.pc);
        let base = at.base + registers;
        warp.file.grow_to((base + callee.registers) as usize);
        for lane in lanes_in(called) {
            let (old, new) = (warp.frame[lane], warp.frame[lane] + frame);
            if (new + callee.frame) as usize > self.stride || warp.stacks[lane].len() == MAX_CALL_DEPTH {
                return thread_fault(FaultKind::StackOverflow, lane, "the stack is full");
            }
            for (from, (to, size)) in arguments.iter().zip(&callee.parameters) {
                self.copy_between_frames(warp, lane, [old + from, new + to], *size);
            }
            let back = ReturnPlace { pc: at.pc + 1, base: at.base, frame: old, function: number as u32 };
            warp.stacks[lane].push(back);
            (warp.pc[lane], warp.base[lane], warp.frame[lane]) = (callee.start, base, new);
        }
        Ok(())
    }

    /// Returns from a function.
    pub fn return_from_call(&mut self, warp: &mut Warp, active: u32) {
        let program = &self.run.kernel.program;
        for lane in lanes_in(active) {
            let back = warp.stacks[lane].pop().expect("a function has a caller");
            let callee =
                program.functions[back.function as usize].as_ref().expect("a function that was called");
            let Operation::Call { results, .. } = &program.code[back.pc as usize - 1].operation else {
                unreachable!("a function returns behind a call")
            };
            for ((from, size), to) in callee.results.iter().zip(results) {
                self.copy_between_frames(warp, lane, [warp.frame[lane] + from, back.frame + to], *size);
            }
            (warp.pc[lane], warp.base[lane], warp.frame[lane]) = (back.pc, back.base, back.frame);
        }
    }

    /// Copies bytes of a thread's local memory.
    fn copy_between_frames(&self, warp: &mut Warp, lane: usize, [from, to]: [u32; 2], size: u32) {
        let (from, to, size) = (from as usize, to as usize, size as usize);
        assert!(from + size <= self.stride && to + size <= self.stride);
        let local = warp.local.as_mut_ptr().cast::<u8>();
        // SAFETY: both are inside the thread's local memory, as was just checked.
        unsafe { local.add(lane * self.stride + to).copy_from(local.add(lane * self.stride + from), size) };
    }
}
