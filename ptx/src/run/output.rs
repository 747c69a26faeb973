//! `printf` and `assert` of a kernel.

use super::access::store_one;
use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::format::{Conversion, Part, parse};
use super::lanes;
use super::step::Next;
use super::warp::{At, Warp};
use crate::spaces::{LOCAL, WINDOW};

/// A string without a zero in so many bytes is not one.
const LONGEST: u64 = 1 << 16;

impl Block<'_> {
    /// Reads a text up to its zero.
    fn text(&mut self, warp: &mut Warp, lane: usize, address: u64) -> Result<String, Bad> {
        let mut bytes = Vec::new();
        for at in address..address.saturating_add(LONGEST) {
            match self.read(warp, lane, at, 1)? {
                0 => break,
                byte => bytes.push(byte as u8),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads an argument of a call, which is in the frame.
    fn argument(&mut self, warp: &mut Warp, lane: usize, offset: u32, size: usize) -> Result<u64, Bad> {
        let address = LOCAL << WINDOW | u64::from(warp.frame[lane] + offset);
        self.read(warp, lane, address, size)
    }

    /// `vprintf`: the values lie one after the other, as C passes them.
    pub fn print(&mut self, warp: &mut Warp, at: At, arguments: [u32; 2], result: u32) -> Result<(), Bad> {
        for lane in lanes(at.active) {
            let format = self.argument(warp, lane, arguments[0], 8)?;
            let mut list = self.argument(warp, lane, arguments[1], 8)?;
            let (mut out, mut count) = (String::new(), 0_u64);
            let mut next = |block: &mut Self, warp: &mut Warp, size: usize| {
                list = list.next_multiple_of(size as u64);
                list += size as u64;
                count += 1;
                block.read(warp, lane, list - size as u64, size)
            };
            for part in parse(&self.text(warp, lane, format)?) {
                let mut conversion: Conversion = match part {
                    Part::Text(text) => {
                        out += &text;
                        continue;
                    }
                    Part::Value(conversion) => conversion,
                };
                for star in conversion.stars() {
                    let value = next(self, warp, 4)? as u32 as i32;
                    conversion.fill(star, value);
                }
                let value = next(self, warp, conversion.size())?;
                out += &match conversion.kind {
                    's' => conversion.text(&self.text(warp, lane, value)?),
                    _ => conversion.number(value),
                };
            }
            self.run.memory.print(&out);
            // The frame is aligned, and the result is an integer in it.
            let place = lane * self.stride + (warp.frame[lane] + result) as usize;
            assert!(place + 4 <= warp.local.len() * 8);
            let to = warp.local.as_mut_ptr().cast::<u8>().wrapping_add(place);
            // SAFETY: within the memory of the warp, as asserted.
            unsafe { store_one(to, 4, 0, count) };
        }
        Ok(())
    }

    /// `__assertfail`
    pub fn assert(&mut self, warp: &mut Warp, at: At, arguments: [u32; 3]) -> Result<Next, Bad> {
        let lane = at.active.trailing_zeros() as usize;
        let message = self.argument(warp, lane, arguments[0], 8)?;
        let file = self.argument(warp, lane, arguments[1], 8)?;
        let line = self.argument(warp, lane, arguments[2], 4)?;
        let (message, file) = (self.text(warp, lane, message)?, self.text(warp, lane, file)?);
        bad(FaultKind::Assert, lane, format!("{file}:{line}: the assertion `{message}` failed"))
    }
}
