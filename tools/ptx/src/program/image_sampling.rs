//! Surfaces and textures: where a texel is, and what a sampler makes of several.

use std::any::Any;
use std::sync::Arc;

use super::address_spaces::{load_atomic, pointer_to};
use super::operations::{ImageGeometry, SurfaceClampMode};
use crate::alu::{soft_float::F16, widen_half};

/// A level of an image: rows and slices of texels at an address, whose distances are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct MipLevel {
    pub start: u64,
    pub row_pitch: usize,
    pub slice_pitch: usize,
    /// Columns, rows, and slices or layers. Each is at least 1.
    pub extent: [usize; 3],
}

/// The type of a channel. Its size is the texel's, divided by the number of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelFormat {
    /// 32 bits.
    Float,
    /// 16 bits.
    Half,
    Unsigned,
    Signed,
    /// From 0 to 1, and from -1 to 1.
    UnsignedNormalized,
    SignedNormalized,
}

/// The meaning of a coordinate outside of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// How a texture is read.
#[derive(Clone, Debug)]
pub struct SamplerState {
    pub address_modes: [AddressMode; 3],
    /// Texels are weighted by their distance.
    pub is_linear: bool,
    pub is_linear_between_levels: bool,
    /// Integers are read as they are, not as fractions.
    pub reads_integers: bool,
    /// Coordinates are from 0 to 1.
    pub is_normalized: bool,
    pub level_bias: f32,
    pub level_range: [f32; 2],
    pub border_color: [f32; 4],
}

/// An image that kernels read and write.
pub struct Image {
    pub levels: Vec<MipLevel>,
    pub format: ChannelFormat,
    pub channel_count: usize,
    /// The bytes of a texel.
    pub texel_bytes: usize,
    /// `None` for a surface.
    pub sampling: Option<SamplerState>,
    /// The owner of the memory, which keeps it alive.
    pub owners: Vec<Arc<dyn Any + Send + Sync>>,
}

type Texel = [u32; 4];

impl Image {
    /// Whether there is a level, and each channel of each texel lies at a multiple of its size.
    pub(crate) fn is_aligned(&self) -> bool {
        let size = self.texel_bytes / self.channel_count.max(1);
        let is_aligned = |level: &MipLevel| {
            [level.start as usize, level.row_pitch, level.slice_pitch].iter().all(|number| number % size == 0)
        };
        !self.levels.is_empty() && size.is_power_of_two() && self.levels.iter().all(is_aligned)
    }

    pub(crate) fn first_extent(&self) -> [usize; 3] {
        self.levels[0].extent
    }

    /// Returns where a surface's bytes are, or `None` for what reads as zero. x counts bytes.
    pub(crate) fn surface_pointer(
        &self,
        geometry: ImageGeometry,
        at: [u32; 4],
        bytes: usize,
        outside: SurfaceClampMode,
    ) -> Result<Option<*mut u8>, String> {
        let level = &self.levels[0];
        let [width, height, depth] = level.extent;
        let [x, y, z] = geometry.texel_coordinates(at).map(|coordinate| coordinate as i32);
        if x as usize % bytes != 0 {
            return Err(format!("x = {x} bytes is not a multiple of {bytes}"));
        }
        let most = [(width * self.texel_bytes) as i64 - bytes as i64, height as i64 - 1, depth as i64 - 1];
        let at = [x, y, z].map(i64::from);
        let nearest = [0, 1, 2].map(|axis| at[axis].max(0).min(most[axis]));
        let [x, y, z] = match outside {
            _ if nearest == at => at,
            SurfaceClampMode::Trap => {
                let what = format!("({x} bytes, {y}, {z}) is outside of {width} × {height} × {depth} texels");
                return Err(what);
            }
            // A row that is shorter than the access has nothing to read.
            SurfaceClampMode::Clamp if most[0] >= 0 => nearest,
            _ => return Ok(None),
        };
        let offset = z as usize * level.slice_pitch + y as usize * level.row_pitch + x as usize;
        Ok(Some(std::ptr::with_exposed_provenance_mut(level.start as usize + offset)))
    }

    /// Returns a texel as registers hold it: as integers, or as the bits of floats.
    fn read_texel(&self, level: &MipLevel, [x, y, z]: [usize; 3], floats: bool) -> Texel {
        let start = level.start as usize + z * level.slice_pitch + y * level.row_pitch + x * self.texel_bytes;
        let size = self.texel_bytes / self.channel_count;
        let (unused, most) = (32 - 8 * size as u32, (1_u64 << (8 * size)) - 1);
        let mut out = [0; 4];
        for (channel, out) in out.iter_mut().enumerate().take(self.channel_count) {
            // SAFETY: `texel_index` keeps the texel inside the level, which `owners` keeps. `is_aligned` was true.
            let bits = unsafe { load_atomic(pointer_to(start as u64), size, channel * size) } as u32;
            let signed = (bits << unused) as i32 >> unused;
            let fraction = (bits as f32 / most as f32).to_bits();
            let signed_fraction = (signed as f32 / (most / 2) as f32).max(-1.0).to_bits();
            *out = match self.format {
                ChannelFormat::Float => bits,
                ChannelFormat::Half => (widen_half(F16, bits as u16, false) as f32).to_bits(),
                ChannelFormat::Unsigned if !floats => bits,
                ChannelFormat::Signed if !floats => signed as u32,
                ChannelFormat::Unsigned | ChannelFormat::UnsignedNormalized => fraction,
                ChannelFormat::Signed | ChannelFormat::SignedNormalized => signed_fraction,
            };
        }
        out
    }

    /// Reads a texture. A layer is the first of the coordinates.
    pub(crate) fn sample_texture(
        &self,
        geometry: ImageGeometry,
        at: [u32; 4],
        integers: bool,
        level: f32,
    ) -> Result<Texel, String> {
        let Some(sampling) = &self.sampling else { return Err("a texture without sampling".to_owned()) };
        let at = geometry.texel_coordinates(at);
        let level = &self.levels[sampling.select_level(level, self.levels.len())?];
        let is_integer = matches!(self.format, ChannelFormat::Unsigned | ChannelFormat::Signed);
        let floats = !(is_integer && sampling.reads_integers);
        let layer = if geometry.layered { (at[2] as usize).min(level.extent[2] - 1) } else { 0 };
        let mut places = [0_f32; 3];
        for (axis, place) in places.iter_mut().enumerate().take(geometry.dimensions) {
            *place = if integers { at[axis] as i32 as f32 } else { f32::from_bits(at[axis]) };
            if sampling.is_normalized && !integers {
                *place *= level.extent[axis] as f32;
            }
        }
        let texel_at = |index: [i64; 3]| -> Texel {
            let mut place = [0, 0, layer];
            for axis in 0..geometry.dimensions {
                let size = level.extent[axis] as i64;
                match sampling.texel_index(axis, index[axis], size) {
                    Some(at) => place[axis] = at,
                    None => return if floats { sampling.border_color.map(f32::to_bits) } else { [0; 4] },
                }
            }
            self.read_texel(level, place, floats)
        };
        if !sampling.is_linear || integers {
            return Ok(texel_at(places.map(|place| place.floor() as i64)));
        }
        if floats {
            return Ok(filter_texels(places, geometry.dimensions, texel_at));
        }
        if self.format != ChannelFormat::Unsigned || self.texel_bytes / self.channel_count > 2 {
            return Err("signed integers, or integers of 32 bits, that are filtered".to_owned());
        }
        // Measured on an H100: the sum is rounded, halves upwards.
        let as_floats = |index| texel_at(index).map(|value| (value as f32).to_bits());
        let sum = filter_texels(places, geometry.dimensions, as_floats);
        Ok(sum.map(|value| (f32::from_bits(value) + 0.5) as u32))
    }
}

impl ImageGeometry {
    /// Returns the column, the row and the slice or layer. Among the operands the layer is first.
    fn texel_coordinates(self, at: [u32; 4]) -> [u32; 3] {
        let (first, mut out) = (usize::from(self.layered), [0; 3]);
        out[..self.dimensions].copy_from_slice(&at[first..first + self.dimensions]);
        if self.layered {
            out[2] = at[0];
        }
        out
    }
}

impl SamplerState {
    fn select_level(&self, level: f32, count: usize) -> Result<usize, String> {
        let [least, most] = self.level_range;
        let level = (level + self.level_bias).max(least).min(most.max(least));
        let level = level.clamp(0.0, count as f32 - 1.0);
        if self.is_linear_between_levels && level.fract() != 0.0 {
            return Err("a level between two".to_owned());
        }
        Ok(level.round() as usize)
    }

    /// Returns the texel of a coordinate, or `None` for the border.
    fn texel_index(&self, axis: usize, index: i64, size: i64) -> Option<usize> {
        Some(match self.address_modes[axis] {
            AddressMode::Wrap if self.is_normalized => index.rem_euclid(size),
            AddressMode::Mirror if self.is_normalized => {
                let twice = index.rem_euclid(2 * size);
                twice.min(2 * size - 1 - twice)
            }
            AddressMode::Border if !(0..size).contains(&index) => return None,
            _ => index.clamp(0, size - 1),
        } as usize)
    }
}

/// The weighted sum of the texels around a place. A GPU's weights have eight bits after the point.
fn filter_texels(places: [f32; 3], dimensions: usize, texel_at: impl Fn([i64; 3]) -> Texel) -> Texel {
    let (mut first, mut weights) = ([0_i64; 3], [0_f32; 3]);
    for axis in 0..dimensions {
        let place = places[axis] - 0.5;
        let whole = place.floor();
        (first[axis], weights[axis]) = (whole as i64, ((place - whole) * 256.0).round() / 256.0);
    }
    let mut sum = [0_f32; 4];
    for corner in 0..1_usize << dimensions {
        let (mut index, mut weight) = (first, 1.0);
        for axis in 0..dimensions {
            let up = corner >> axis & 1;
            index[axis] = index[axis].saturating_add(up as i64);
            weight *= if up == 1 { weights[axis] } else { 1.0 - weights[axis] };
        }
        if weight != 0.0 {
            for (sum, value) in sum.iter_mut().zip(texel_at(index)) {
                *sum += weight * f32::from_bits(value);
            }
        }
    }
    sum.map(f32::to_bits)
}
