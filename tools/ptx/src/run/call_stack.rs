//! Calls and returns. A call copies the arguments from the caller's frame to the callee's, and a return copies the
//! results back. Frames are in local memory.

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::{CallerFrame, RunningWarp};
use crate::alu::{lanes_in, mask_of_lanes};
use crate::program::address_spaces::{FUNCTIONS, WINDOW};
use crate::program::operations::{Operation, Register};

const MAX_CALL_DEPTH: usize = 4096;

impl RunningWarp<'_, '_> {
    /// Calls the first active thread's callee, in all active threads with the same callee. The other active threads
    /// stay at the call instruction. `sizes` are the fields `registers` and `frame` of `Operation::Call`.
    pub fn call_function(&mut self, function: Register, arguments: &[u32], sizes: [u32; 2]) -> FaultResult {
        let (program, at, [registers, frame]) = (&self.block.run.kernel.program, self.warp.at, sizes);
        let leader = at.active.trailing_zeros() as usize;
        let addresses = self.warp.register_longs((function, true));
        let address = addresses[leader];
        let called = mask_of_lanes(lanes_in(at.active).filter(|lane| addresses[*lane] == address));
        let number = (address & 0xffff_ffff) as usize;
        let callee = program.functions.get(&number);
        let Some(callee) = callee.filter(|_| address >> WINDOW == FUNCTIONS) else {
            // A call of an odd address and a call of data are different faults (measured).
            let kind = if address & 1 == 1 { FaultKind::InvalidPc } else { FaultKind::IllegalAddress };
            return thread_fault(kind, leader, format!("a call of {address:#x}, which is not a function"));
        };
        if callee.parameters.len() != arguments.len() {
            let what = "a call with other arguments than the function has";
            return thread_fault(FaultKind::InvalidPc, leader, what);
        }
        self.warp.jump_to(at.active & !called, at.pc);
        let base = at.base + registers;
        self.warp.file.grow_registers((base + callee.registers) as usize);
        for lane in lanes_in(called) {
            let (old, new) = (self.warp.frame[lane], self.warp.frame[lane] + frame);
            let is_full = self.warp.stacks[lane].len() == MAX_CALL_DEPTH;
            if (new + callee.frame) as usize > self.block.stride || is_full {
                return thread_fault(FaultKind::StackOverflow, lane, "the stack is full");
            }
            for (from, (to, size)) in arguments.iter().zip(&callee.parameters) {
                self.copy_between_frames(lane, [old + from, new + to], *size);
            }
            let warp = &mut self.warp;
            let caller = CallerFrame {
                pc: at.pc + 1,
                base: at.base,
                read_only: at.read_only,
                frame: old,
                function: number,
            };
            warp.stacks[lane].push(caller);
            (warp.pc[lane], warp.base[lane], warp.frame[lane]) = (callee.start, base, new);
            warp.read_only[lane] = callee.read_only;
        }
        Ok(())
    }

    pub fn return_from_call(&mut self) {
        let program = &self.block.run.kernel.program;
        for lane in lanes_in(self.warp.at.active) {
            let back = self.warp.stacks[lane].pop().expect("a function has a caller");
            let callee = &program.functions[&back.function];
            let Operation::Call { results, .. } = &program.code[back.pc as usize - 1].operation else {
                unreachable!("a function returns behind a call")
            };
            for ((from, size), to) in callee.results.iter().zip(results) {
                self.copy_between_frames(lane, [self.warp.frame[lane] + from, back.frame + to], *size);
            }
            let warp = &mut self.warp;
            (warp.pc[lane], warp.base[lane], warp.frame[lane]) = (back.pc, back.base, back.frame);
            warp.read_only[lane] = back.read_only;
        }
    }

    fn copy_between_frames(&mut self, lane: usize, places: [u32; 2], size: u32) {
        let ([from, to], size, stride) =
            (places.map(|place| place as usize), size as usize, self.block.stride);
        assert!(from + size <= stride && to + size <= stride);
        let local = self.warp.local.as_mut_ptr().cast::<u8>();
        // SAFETY: by the assertion above, both ranges are inside this thread's part of `local`.
        unsafe { local.add(lane * stride + to).copy_from(local.add(lane * stride + from), size) };
    }
}
