//! Surfaces and textures, which the caller knows by their objects.

use std::ptr::null_mut;

use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::warp::{At, Warp, lanes};
use crate::program::{Operation, Texels};
use crate::spaces::{load_one, store_one};
use crate::values::{WARP, map};

impl Block<'_> {
    /// Returns the number of an object's image in the list of those that were used.
    fn image(&mut self, lane: usize, object: u64, is_surface: bool) -> Result<usize, Bad> {
        let mut images = self.images.iter();
        if let Some(known) = images.position(|(known, surface, _)| *known == object && *surface == is_surface)
        {
            return Ok(known);
        }
        let memory = self.run.memory;
        let found = if is_surface { memory.surface(object) } else { memory.texture(object) };
        let kind = if is_surface { "a surface" } else { "a texture" };
        let Some(image) = found.filter(|image| !image.levels.is_empty()) else {
            return bad(FaultKind::InvalidImage, lane, format!("{object:#x} is not {kind}"));
        };
        self.images.push((object, is_surface, image));
        Ok(self.images.len() - 1)
    }

    /// Does what an instruction does with an image, one thread after the other.
    pub fn access_image(&mut self, warp: &mut Warp, at: At, operation: &Operation) -> Result<(), Bad> {
        let Operation::Image { what, object, geometry, at: places, registers } = operation else {
            unreachable!("called for images")
        };
        let is_surface = !matches!(what, Texels::Sample { .. } | Texels::Query { is_surface: false, .. });
        let mut values = [[0; WARP]; 4];
        for lane in lanes(at.active) {
            let number = self.image(lane, warp.value(at, *object, true, lane), is_surface)?;
            let image = &self.images[number].2;
            let place = places.map(|source| warp.get(at, source)[lane]);
            match *what {
                Texels::Load(bytes, outside) | Texels::Store(bytes, outside) => {
                    let all = bytes * registers.len();
                    let found = image.place(*geometry, place.map(|word| word as i32), all, outside);
                    let pointer = match found {
                        Ok(pointer) => pointer.unwrap_or(null_mut()),
                        Err(what) => return bad(FaultKind::ImageRange, lane, what),
                    };
                    for (index, register) in registers.iter().enumerate().filter(|_| !pointer.is_null()) {
                        // SAFETY: `place` has found these texels within the image.
                        unsafe {
                            if matches!(what, Texels::Load(..)) {
                                values[index][lane] = load_one(pointer, bytes, index * bytes);
                            } else {
                                let value = warp.value(at, *register, bytes == 8, lane);
                                store_one(pointer, bytes, index * bytes, value);
                            }
                        }
                    }
                }
                Texels::Sample { integers, level } => {
                    let level = level.map_or(0, |source| warp.get(at, source)[lane]);
                    let level = if integers { level as i32 as f32 } else { f32::from_bits(level) };
                    match image.sample(*geometry, place, integers, level) {
                        Ok(texel) => (0..4).for_each(|channel| values[channel][lane] = texel[channel].into()),
                        Err(what) => {
                            return bad(FaultKind::Unsupported, lane, format!("{what}: not supported"));
                        }
                    }
                }
                Texels::Query { axis, .. } => values[0][lane] = image.extent()[axis] as u64,
            }
        }
        if matches!(what, Texels::Store(..)) {
            return Ok(());
        }
        for (index, register) in registers.iter().enumerate() {
            match what {
                Texels::Load(8, _) => warp.set_long(at, *register, &values[index]),
                _ => warp.set(at, *register, &map(&values[index], |value| value as u32)),
            }
        }
        Ok(())
    }
}
