//! Instructions on surfaces and textures. [`DeviceMemory`](super::DeviceMemory) returns the image of each object.

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::{RunningWarp, ThreadBlock};
use crate::alu::{WARP_SIZE, lanes_in};
use crate::program::address_spaces::{load_atomic, store_atomic};
use crate::program::operations::{ImageInstruction, ImageOp};

impl ThreadBlock<'_> {
    /// Returns the index of an object's image in `images`. At the first use of an object, adds its image.
    fn find_image(&mut self, lane: usize, object: u64, is_surface: bool) -> FaultResult<usize> {
        let mut images = self.images.iter();
        let known = images.position(|(known, surface, _)| (*known, *surface) == (object, is_surface));
        if let Some(known) = known {
            return Ok(known);
        }
        let memory = self.run.memory;
        let (found, kind) = match is_surface {
            true => (memory.find_surface_image(object), "a surface"),
            false => (memory.find_texture_image(object), "a texture"),
        };
        let Some(image) = found.filter(|image| image.has_aligned_channels()) else {
            return thread_fault(FaultKind::InvalidImage, lane, format!("{object:#x} is not {kind}"));
        };
        self.images.push((object, is_surface, image));
        Ok(self.images.len() - 1)
    }
}

impl RunningWarp<'_, '_> {
    pub fn run_image_op(&mut self, instruction: &ImageInstruction) -> FaultResult {
        let ImageInstruction { op, object, geometry, at, texel: registers } = instruction;
        let (warp, block) = (&mut self.warp, &mut self.block);
        let is_surface = !matches!(op, ImageOp::Sample { .. } | ImageOp::Query { is_surface: false, .. });
        let mut values = [[0; WARP_SIZE]; 4];
        for lane in lanes_in(warp.at.active) {
            let number = block.find_image(lane, warp.lane_value((*object, true), lane), is_surface)?;
            let image = &block.images[number].2;
            let place = at.map(|source| warp.register_words(source)[lane]);
            match *op {
                ImageOp::Load(bytes, outside) | ImageOp::Store(bytes, outside) => {
                    let all = bytes * registers.len();
                    let pointer = match image.surface_pointer(*geometry, place, all, outside) {
                        Ok(Some(pointer)) => pointer,
                        Ok(None) => continue,
                        Err(what) => return thread_fault(FaultKind::ImageRange, lane, what),
                    };
                    // A row may begin at any multiple of a channel's size, so `pointer` may not be a multiple of
                    // `bytes`. The loop below splits an access into aligned accesses of `unit` bytes.
                    let unit = 1 << (pointer as usize | bytes).trailing_zeros();
                    for (index, register) in registers.iter().enumerate() {
                        for at in (0..bytes).step_by(unit) {
                            let (offset, shift) = (index * bytes + at, 8 * at);
                            // SAFETY: `surface_pointer` has checked that the `all` bytes at `pointer` are in the level.
                            // By the contract of `DeviceMemory`, the level's memory is valid. `unit` divides `pointer`
                            // and `offset`.
                            unsafe {
                                if matches!(op, ImageOp::Load(..)) {
                                    values[index][lane] |= load_atomic(pointer, unit, offset) << shift;
                                } else {
                                    store_atomic(
                                        pointer,
                                        unit,
                                        offset,
                                        warp.lane_value(*register, lane) >> shift,
                                    );
                                }
                            }
                        }
                    }
                }
                ImageOp::Sample { integers, level } => {
                    let level = level.map_or(0, |source| warp.register_words(source)[lane]);
                    let level = if integers { level as i32 as f32 } else { f32::from_bits(level) };
                    match image.sample_texture(*geometry, place, integers, level) {
                        Ok(texel) => (0..4).for_each(|channel| values[channel][lane] = texel[channel].into()),
                        Err(what) => {
                            let what = format!("{what}: not supported");
                            return thread_fault(FaultKind::Unsupported, lane, what);
                        }
                    }
                }
                ImageOp::Query { axis, .. } => values[0][lane] = image.levels[0].extent[axis] as u64,
            }
        }
        if !matches!(op, ImageOp::Store(..)) {
            values.iter().zip(registers).for_each(|(values, register)| warp.set_sized(*register, values));
        }
        Ok(())
    }
}
