//! Surfaces and textures, which the caller knows by their objects.

use std::sync::Arc;

use super::access::{load_one, store_one};
use super::block::Block;
use super::fault::{Bad, FaultKind, bad};
use super::lanes;
use super::warp::{At, Warp};
use crate::image::Image;
use crate::program::{Operation, Source, Texels};

impl Block<'_> {
    pub fn image(&mut self, lane: usize, object: u64, is_surface: bool) -> Result<Arc<Image>, Bad> {
        let known = self.images.iter().find(|(known, surface, _)| *known == object && *surface == is_surface);
        if let Some((.., image)) = known {
            return Ok(image.clone());
        }
        let memory = self.run.memory;
        let found = if is_surface { memory.surface(object) } else { memory.texture(object) };
        let kind = if is_surface { "a surface" } else { "a texture" };
        let Some(image) = found.filter(|image| !image.levels.is_empty()) else {
            return bad(FaultKind::InvalidImage, lane, format!("{object:#x} is not {kind}"));
        };
        self.images.push((object, is_surface, image.clone()));
        Ok(image)
    }

    /// Returns where each thread accesses a surface: null for what is outside.
    fn texels(&mut self, warp: &Warp, at: At, texels: &Texels, count: usize) -> Result<[*mut u8; 32], Bad> {
        let objects = *self.get(warp, at, texels.surface);
        let places = texels.at.map(|source| *self.get(warp, at, source));
        let mut pointers = [std::ptr::null_mut(); 32];
        for lane in lanes(at.active) {
            let image = self.image(lane, objects[lane], true)?;
            let place = places.map(|place| place[lane] as u32 as i32);
            match image.place(texels.geometry, place, texels.bytes * count, texels.outside) {
                Ok(pointer) => pointers[lane] = pointer.unwrap_or(std::ptr::null_mut()),
                Err(what) => return bad(FaultKind::ImageRange, lane, what),
            }
        }
        Ok(pointers)
    }

    pub fn surface_load(&mut self, warp: &mut Warp, at: At, texels: &Texels, to: &[u32]) -> Result<(), Bad> {
        let pointers = self.texels(warp, at, texels, to.len())?;
        for (index, to) in to.iter().enumerate() {
            let mut values = [0; 32];
            for lane in lanes(at.active).filter(|lane| !pointers[*lane].is_null()) {
                // SAFETY: `texels` has found these texels within the image.
                values[lane] = unsafe { load_one(pointers[lane], texels.bytes, index * texels.bytes) };
            }
            warp.set(at, *to, &values);
        }
        Ok(())
    }

    pub fn surface_store(
        &mut self,
        warp: &mut Warp,
        at: At,
        texels: &Texels,
        from: &[Source],
    ) -> Result<(), Bad> {
        let pointers = self.texels(warp, at, texels, from.len())?;
        for (index, from) in from.iter().enumerate() {
            let values = self.get(warp, at, *from);
            for lane in lanes(at.active).filter(|lane| !pointers[*lane].is_null()) {
                // SAFETY: `texels` has found these texels within the image.
                unsafe { store_one(pointers[lane], texels.bytes, index * texels.bytes, values[lane]) };
            }
        }
        Ok(())
    }

    pub fn texture(&mut self, warp: &mut Warp, at: At, operation: &Operation) -> Result<(), Bad> {
        let Operation::Texture { texture, geometry, at: places, integers, level, to } = operation else {
            unreachable!("called for textures")
        };
        let (objects, places) =
            (*self.get(warp, at, *texture), places.map(|source| *self.get(warp, at, source)));
        let levels = level.map(|source| *self.get(warp, at, source));
        let mut values = [[0; 32]; 4];
        for lane in lanes(at.active) {
            let image = self.image(lane, objects[lane], false)?;
            let level = levels.map_or(0.0, |level| f32::from_bits(level[lane] as u32));
            let place = places.map(|place| place[lane] as u32);
            match image.sample(*geometry, place, *integers, level) {
                Ok(texel) => (0..4).for_each(|channel| values[channel][lane] = texel[channel].into()),
                Err(what) => return bad(FaultKind::Unsupported, lane, format!("{what}: not supported")),
            }
        }
        for (to, values) in to.iter().zip(values) {
            warp.set(at, *to, &values);
        }
        Ok(())
    }
}
