//! Surfaces and textures, which the caller knows by their objects.

use std::ptr::null_mut;

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::ThreadBlock;
use super::warp_state::{ThreadGroup, Warp, lanes_in};
use crate::alu::{WARP_SIZE, map_lanes};
use crate::program::address_spaces::{load_one, store_one};
use crate::program::operations::{ImageOp, Operation};

impl ThreadBlock<'_> {
    /// Returns the number of an object's image in the list of those that were used.
    fn find_image(&mut self, lane: usize, object: u64, is_surface: bool) -> FaultResult<usize> {
        let mut images = self.images.iter();
        if let Some(known) = images.position(|(known, surface, _)| *known == object && *surface == is_surface)
        {
            return Ok(known);
        }
        let memory = self.run.memory;
        let found = if is_surface { memory.surface_image(object) } else { memory.texture_image(object) };
        let kind = if is_surface { "a surface" } else { "a texture" };
        let Some(image) = found.filter(|image| image.is_aligned()) else {
            return thread_fault(FaultKind::InvalidImage, lane, format!("{object:#x} is not {kind}"));
        };
        self.images.push((object, is_surface, image));
        Ok(self.images.len() - 1)
    }

    /// Does what an instruction does with an image, one thread after the other.
    pub fn run_image_op(&mut self, warp: &mut Warp, at: ThreadGroup, operation: &Operation) -> FaultResult {
        let Operation::Image { op, object, geometry, at: places, texel: registers } = operation else {
            unreachable!("called for images")
        };
        let is_surface = !matches!(op, ImageOp::Sample { .. } | ImageOp::Query { is_surface: false, .. });
        let mut values = [[0; WARP_SIZE]; 4];
        for lane in lanes_in(at.active) {
            let number = self.find_image(lane, warp.lane_value(at, *object, true, lane), is_surface)?;
            let image = &self.images[number].2;
            let place = places.map(|source| warp.register_words(at, source)[lane]);
            match *op {
                ImageOp::Load(bytes, outside) | ImageOp::Store(bytes, outside) => {
                    let all = bytes * registers.len();
                    let found = image.surface_pointer(*geometry, place.map(|word| word as i32), all, outside);
                    let pointer = match found {
                        Ok(pointer) => pointer.unwrap_or(null_mut()),
                        Err(what) => return thread_fault(FaultKind::ImageRange, lane, what),
                    };
                    for (index, (register, is_long)) in
                        registers.iter().enumerate().filter(|_| !pointer.is_null())
                    {
                        // SAFETY: `place` has found these texels within the image.
                        unsafe {
                            if matches!(op, ImageOp::Load(..)) {
                                values[index][lane] = load_one(pointer, bytes, index * bytes);
                            } else {
                                let value = warp.lane_value(at, *register, *is_long, lane);
                                store_one(pointer, bytes, index * bytes, value);
                            }
                        }
                    }
                }
                ImageOp::Sample { integers, level } => {
                    let level = level.map_or(0, |source| warp.register_words(at, source)[lane]);
                    let level = if integers { level as i32 as f32 } else { f32::from_bits(level) };
                    match image.sample_texture(*geometry, place, integers, level) {
                        Ok(texel) => (0..4).for_each(|channel| values[channel][lane] = texel[channel].into()),
                        Err(what) => {
                            return thread_fault(
                                FaultKind::Unsupported,
                                lane,
                                format!("{what}: not supported"),
                            );
                        }
                    }
                }
                ImageOp::Query { axis, .. } => values[0][lane] = image.first_extent()[axis] as u64,
            }
        }
        if matches!(op, ImageOp::Store(..)) {
            return Ok(());
        }
        for (values, (register, is_long)) in values.iter().zip(registers) {
            if *is_long {
                warp.set_longs(at, *register, values);
            } else {
                warp.set_words(at, *register, &map_lanes(values, |value| value as u32));
            }
        }
        Ok(())
    }
}
