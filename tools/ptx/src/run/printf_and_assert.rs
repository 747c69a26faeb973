//! `printf` and `assert` of a kernel, and the arguments of functions that the driver supplies.

use std::ffi::CString;

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::printf_format::{FormatPart, parse_format};
use super::thread_block::ThreadBlock;
use super::warp_execution::StepResult;
use super::warp_state::{ThreadGroup, Warp, lanes_in};
use crate::program::address_spaces::{LOCAL, WINDOW, pointer_to, store_one};
use crate::program::operations::AddressSpace;

/// A string without a zero in so many bytes is not one.
const MAX_STRING_BYTES: u64 = 1 << 16;

impl ThreadBlock<'_> {
    /// Reads a text up to its zero.
    fn read_string(&mut self, warp: &mut Warp, lane: usize, address: u64) -> FaultResult<CString> {
        let mut bytes = Vec::new();
        for at in address..address.saturating_add(MAX_STRING_BYTES) {
            match self.read_generic(warp, lane, at, 1)? {
                0 => break,
                byte => bytes.push(byte as u8),
            }
        }
        Ok(CString::new(bytes).expect("the zero ends it"))
    }

    /// Reads an argument of a call, which is in the frame.
    pub fn read_argument(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        offset: u32,
        size: usize,
    ) -> FaultResult<u64> {
        let address = LOCAL << WINDOW | u64::from(warp.frame[lane] + offset);
        self.read_generic(warp, lane, address, size)
    }

    /// Writes a result of a call, whose place is in the frame.
    pub fn write_result(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        offset: u32,
        (value, size): (u64, usize),
    ) -> FaultResult {
        let place = u64::from(warp.frame[lane] + offset);
        let to = self.find_lane_address(warp, lane, (AddressSpace::Local, place), size, true)?;
        // SAFETY: `find_lane_address` has checked it.
        unsafe { store_one(pointer_to(to), size, 0, value) };
        Ok(())
    }

    /// `vprintf`: the values lie one after the other, as C passes them.
    pub fn run_printf(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        arguments: [u32; 2],
        result: u32,
    ) -> FaultResult {
        for lane in lanes_in(at.active) {
            let format = self.read_argument(warp, lane, arguments[0], 8)?;
            let mut list = self.read_argument(warp, lane, arguments[1], 8)?;
            let (mut output, mut count) = (Vec::new(), 0_u64);
            let mut read_next = |block: &mut Self, warp: &mut Warp, size: usize| {
                let place = list.wrapping_add(size as u64 - 1) & !(size as u64 - 1);
                (list, count) = (place.wrapping_add(size as u64), count + 1);
                block.read_generic(warp, lane, place, size)
            };
            let format = self.read_string(warp, lane, format)?;
            for part in parse_format(&format.to_string_lossy()) {
                let spec = match part {
                    FormatPart::Text(text) => {
                        output.extend_from_slice(text.as_bytes());
                        continue;
                    }
                    FormatPart::Spec(spec) => spec,
                };
                let mut stars = Vec::new();
                for _ in 0..spec.star_count() {
                    stars.push(read_next(self, warp, 4)? as i32);
                }
                let value = read_next(self, warp, spec.argument_bytes())?;
                let text =
                    if spec.kind == 's' { self.read_string(warp, lane, value)? } else { c"".to_owned() };
                output.extend(spec.format_argument(&stars, value, &text));
            }
            self.run.memory.print_output(&output);
            self.write_result(warp, lane, result, (count, 4))?;
        }
        Ok(())
    }

    /// `__assertfail`
    pub fn run_assert(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        arguments: [u32; 3],
    ) -> FaultResult<StepResult> {
        let lane = at.active.trailing_zeros() as usize;
        let message = self.read_argument(warp, lane, arguments[0], 8)?;
        let file = self.read_argument(warp, lane, arguments[1], 8)?;
        let line = self.read_argument(warp, lane, arguments[2], 4)?;
        let [message, file] = [self.read_string(warp, lane, message)?, self.read_string(warp, lane, file)?]
            .map(|text| text.to_string_lossy().into_owned());
        thread_fault(FaultKind::Assert, lane, format!("{file}:{line}: the assertion `{message}` failed"))
    }
}
