//! `printf` and `assert` of a kernel.

use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::format::{Conversion, Part, parse};
use super::step::Next;
use super::warp::{At, Warp, lanes};
use crate::program::Space;
use crate::spaces::{LOCAL, WINDOW, pointer, store_one};

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
                let place = list.wrapping_add(size as u64 - 1) & !(size as u64 - 1);
                (list, count) = (place.wrapping_add(size as u64), count + 1);
                block.read(warp, lane, place, size)
            };
            for part in parse(&self.text(warp, lane, format)?) {
                let mut conversion: Conversion = match part {
                    Part::Text(text) => {
                        out += &text;
                        continue;
                    }
                    Part::Value(conversion) => conversion,
                };
                let stars = conversion.stars;
                for star in [0, 1].into_iter().filter(|star| stars[*star]) {
                    conversion.fill(star, next(self, warp, 4)? as u32 as i32);
                }
                let value = next(self, warp, conversion.size())?;
                out += &match conversion.kind {
                    's' => conversion.text(&self.text(warp, lane, value)?),
                    _ => conversion.number(value),
                };
            }
            self.run.memory.print(&out);
            let place = u64::from(warp.frame[lane] + result);
            let to = self.place(warp, lane, (Space::Local, place), 4, true)?;
            // SAFETY: `place` has checked it.
            unsafe { store_one(pointer(to), 4, 0, count) };
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
