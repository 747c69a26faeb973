//! `printf` and `assert` of a kernel, and the arguments and results of functions that a CUDA driver supplies.

use std::ffi::CString;

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::memory_access::MemoryAccess;
use super::printf_format::parse_printf_format;
use super::thread_block::RunningWarp;
use super::warp_execution::WarpStepResult;
use crate::alu::lanes_in;
use crate::program::address_spaces::{LOCAL, WINDOW, host_pointer_to, store_atomic};
use crate::program::operations::AddressSpace;

/// The number of bytes after which a string without a NUL ends.
const MAX_STRING_BYTES: u64 = 1 << 16;

impl RunningWarp<'_, '_> {
    fn read_device_string(&mut self, lane: usize, address: u64) -> FaultResult<CString> {
        let mut bytes = Vec::new();
        for at in address..address.saturating_add(MAX_STRING_BYTES) {
            match self.read_generic(lane, at, 1)? {
                0 => break,
                byte => bytes.push(byte as u8),
            }
        }
        Ok(CString::new(bytes).expect("the zero ends it"))
    }

    pub fn read_call_argument(&mut self, lane: usize, offset: u32, bytes: usize) -> FaultResult<u64> {
        let place = u64::from(self.warp.frame[lane] + offset);
        self.read_generic(lane, LOCAL << WINDOW | place, bytes)
    }

    pub fn write_call_result(&mut self, lane: usize, offset: u32, value: u64, bytes: usize) -> FaultResult {
        let place = u64::from(self.warp.frame[lane] + offset);
        let access = MemoryAccess { space: AddressSpace::Local, bytes, writes: true };
        let to = self.find_lane_address(lane, place, access)?;
        // SAFETY: `find_lane_address` has checked that these bytes are writable and aligned.
        unsafe { store_atomic(host_pointer_to(to), bytes, 0, value) };
        Ok(())
    }

    /// Runs `vprintf`. The second argument is the address of the values, each of which is aligned to its size.
    pub fn run_printf(&mut self, arguments: [u32; 2], result: u32) -> FaultResult {
        for lane in lanes_in(self.warp.at.active) {
            let format = self.read_call_argument(lane, arguments[0], 8)?;
            let mut list = self.read_call_argument(lane, arguments[1], 8)?;
            let (mut output, mut count) = (Vec::new(), 0_u64);
            let mut read_next = |warp: &mut Self, bytes: usize| {
                let place = list.wrapping_add(bytes as u64 - 1) & !(bytes as u64 - 1);
                (list, count) = (place.wrapping_add(bytes as u64), count + 1);
                warp.read_generic(lane, place, bytes)
            };
            let format = self.read_device_string(lane, format)?;
            for (before, spec) in parse_printf_format(&format.to_string_lossy()) {
                output.extend_from_slice(before.as_bytes());
                let Some(spec) = spec else { continue };
                let mut stars = Vec::new();
                for _ in 0..spec.star_count() {
                    stars.push(read_next(self, 4)? as i32);
                }
                let value = read_next(self, spec.argument_bytes())?;
                let text =
                    if spec.kind == 's' { self.read_device_string(lane, value)? } else { c"".to_owned() };
                output.extend(spec.format_argument(&stars, value, &text));
            }
            self.block.run.memory.print_output(&output);
            self.write_call_result(lane, result, count, 4)?;
        }
        Ok(())
    }

    pub fn run_assert(&mut self, arguments: [u32; 3]) -> FaultResult<WarpStepResult> {
        let lane = self.warp.at.active.trailing_zeros() as usize;
        let line = self.read_call_argument(lane, arguments[2], 4)?;
        let mut read = |argument: u32| {
            let address = self.read_call_argument(lane, argument, 8)?;
            self.read_device_string(lane, address)
        };
        let [message, file] = [read(arguments[0])?, read(arguments[1])?];
        let [message, file] = [message.to_string_lossy(), file.to_string_lossy()];
        thread_fault(FaultKind::Assert, lane, format!("{file}:{line}: the assertion `{message}` failed"))
    }
}
