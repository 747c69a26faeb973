//! Surfaces and textures: the address of a texel, and how a sampler filters texels.

use std::any::Any;
use std::sync::Arc;

use super::address_spaces::{host_pointer_to, load_atomic};
use super::operations::{ImageDimensionality, SurfaceClampMode};
use crate::alu::{f64_to_half, half_to_f64, soft_float::F16};

/// A mip level of an image. The pitches are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct MipLevel {
    pub start: u64,
    pub row_pitch: usize,
    pub slice_pitch: usize,
    /// Columns, rows, and slices or layers. Each is at least 1.
    pub extent: [usize; 3],
}

/// The type of a channel. A channel's size is the texel's size, divided by the number of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelFormat {
    /// 32 bits.
    Float,
    /// 16 bits.
    Half,
    Unsigned,
    Signed,
    /// Integers that are read as fractions from 0 to 1.
    UnsignedNormalized,
    /// Integers that are read as fractions from -1 to 1.
    SignedNormalized,
}

/// How a texture is read at a coordinate outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// The sampler of a texture: how the texture is read.
#[derive(Clone, Debug)]
pub struct SamplerState {
    pub address_modes: [AddressMode; 3],
    /// Whether a read at coordinates that are floats returns the sum of the texels around them, weighted by distance.
    pub is_linear: bool,
    pub is_linear_between_levels: bool,
    /// Whether integers are read as they are, not as fractions.
    pub reads_integers: bool,
    /// Whether coordinates from 0 to 1 span the texture.
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
    /// The sampler, or `None` for a surface.
    pub sampling: Option<SamplerState>,
    /// The owners of the memory, which keep it alive.
    pub owners: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Image {
    /// Returns whether the image has a level, and each channel has 1, 2 or 4 bytes and is aligned to its size.
    pub(crate) fn has_aligned_channels(&self) -> bool {
        let size = self.texel_bytes / self.channel_count.max(1);
        let has_aligned_channels = |level: &MipLevel| {
            [level.start as usize, level.row_pitch, level.slice_pitch].iter().all(|number| number % size == 0)
        };
        !self.levels.is_empty() && matches!(size, 1 | 2 | 4) && self.levels.iter().all(has_aligned_channels)
    }

    /// Returns the address of a surface access of `bytes` bytes. The x coordinate in `at` is in bytes. Returns `None`
    /// if a load reads zeros and a store has no effect. Returns an error if the access is a fault.
    pub(crate) fn surface_pointer(
        &self,
        geometry: ImageDimensionality,
        at: [u32; 4],
        bytes: usize,
        outside: SurfaceClampMode,
    ) -> Result<Option<*mut u8>, String> {
        let level = &self.levels[0];
        let [width, height, depth] = level.extent;
        let [x, y, z] = geometry.layer_last_coordinates(at).map(|coordinate| coordinate as i32);
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
            // If a row is shorter than the access, no coordinate is inside.
            SurfaceClampMode::Clamp if most[0] >= 0 => nearest,
            _ => return Ok(None),
        };
        let offset = z as usize * level.slice_pitch + y as usize * level.row_pitch + x as usize;
        Ok(Some(std::ptr::with_exposed_provenance_mut(level.start as usize + offset)))
    }

    /// Returns the bits of a texel's channels, and sign-extends signed channels.
    fn read_texel(&self, level: &MipLevel, [x, y, z]: [usize; 3]) -> [u32; 4] {
        let start = level.start as usize + z * level.slice_pitch + y * level.row_pitch + x * self.texel_bytes;
        let size = self.texel_bytes / self.channel_count;
        let unused = if self.is_signed() { 32 - 8 * size as u32 } else { 0 };
        let mut out = [0; 4];
        for (channel, out) in out.iter_mut().enumerate().take(self.channel_count) {
            // SAFETY: `sample_texture` passes a texel of the level. By the contract of `DeviceMemory`, the level's
            // memory is valid. `find_image` has checked the alignment.
            let bits = unsafe { load_atomic(host_pointer_to(start as u64), size, channel * size) } as u32;
            *out = ((bits << unused) as i32 >> unused) as u32;
        }
        out
    }

    fn is_signed(&self) -> bool {
        matches!(self.format, ChannelFormat::Signed | ChannelFormat::SignedNormalized)
    }

    fn channel_number(&self, bits: u32) -> f64 {
        match self.format {
            ChannelFormat::Float => f32::from_bits(bits).into(),
            ChannelFormat::Half => half_to_f64(F16, bits as u16, false),
            _ if self.is_signed() => (bits as i32).into(),
            _ => bits.into(),
        }
    }

    fn channel_scale(&self, sampling: &SamplerState) -> ChannelScale {
        let is_integer = matches!(self.format, ChannelFormat::Unsigned | ChannelFormat::Signed);
        let size = self.texel_bytes / self.channel_count;
        match self.format {
            ChannelFormat::Float => ChannelScale::Float,
            ChannelFormat::Half => ChannelScale::Half,
            // Integers of 32 bits are never fractions.
            _ if is_integer && (sampling.reads_integers || size == 4) => ChannelScale::Integer { size },
            _ if self.is_signed() && size == 1 => {
                ChannelScale::Fraction { most: 127.0, to_16_bits: 33025.0 / 128.0 }
            }
            _ if self.is_signed() => ChannelScale::Fraction { most: 32767.0, to_16_bits: 1.0 },
            _ if size == 1 => ChannelScale::Fraction { most: 255.0, to_16_bits: 257.0 },
            _ => ChannelScale::Fraction { most: 65535.0, to_16_bits: 1.0 },
        }
    }

    /// Returns the four channels of a texture read. If the texture is layered, the first coordinate is the layer.
    pub(crate) fn sample_texture(
        &self,
        geometry: ImageDimensionality,
        at: [u32; 4],
        integers: bool,
        level: f32,
    ) -> Result<[u32; 4], String> {
        let Some(sampling) = &self.sampling else { return Err("a texture without sampling".to_owned()) };
        let at = geometry.layer_last_coordinates(at);
        let level = &self.levels[sampling.select_level(level, self.levels.len())?];
        let scale = self.channel_scale(sampling);
        let layer = if geometry.layered { (at[2] as usize).min(level.extent[2] - 1) } else { 0 };
        let mut places = [0_f32; 3];
        for (axis, place) in places.iter_mut().enumerate().take(geometry.dimensions) {
            *place = if integers { at[axis] as i32 as f32 } else { f32::from_bits(at[axis]) };
            if sampling.is_normalized && !integers {
                *place *= level.extent[axis] as f32;
            }
        }
        // Returns a texel, or `None` for the border color.
        let texel_at = |index: [i64; 3]| {
            let mut place = [0, 0, layer];
            for axis in 0..geometry.dimensions {
                place[axis] = sampling.texel_index(axis, index[axis], level.extent[axis] as i64)?;
            }
            Some(self.read_texel(level, place))
        };
        if !sampling.is_linear || integers {
            return Ok(match texel_at(places.map(|place| place.floor() as i64)) {
                Some(texel) => texel.map(|bits| scale.unfiltered_texel_bits(bits, self.channel_number(bits))),
                None if matches!(scale, ChannelScale::Integer { .. }) => [0; 4],
                None => sampling.border_color.map(f32::to_bits),
            });
        }
        let numbers_at = |index| match texel_at(index) {
            Some(texel) => texel.map(|bits| self.channel_number(bits)),
            None => sampling.border_color.map(|color| scale.border_number(color)),
        };
        Ok(filter_texels(places, geometry.dimensions, numbers_at).map(|sum| scale.filtered_bits(sum)))
    }
}

/// How a texture read converts a channel. Tests compare filtered numbers with an H100's, except those of `Float`.
#[derive(Clone, Copy)]
enum ChannelScale {
    Float,
    Half,
    Integer {
        size: usize,
    },
    /// A read converts the number `most` to 1. A filtered read multiplies the weighted sum of the texels by
    /// `to_16_bits`, and rounds the product to an integer of 16 bits.
    Fraction {
        most: f64,
        to_16_bits: f64,
    },
}

impl ChannelScale {
    fn unfiltered_texel_bits(self, bits: u32, number: f64) -> u32 {
        match self {
            Self::Float | Self::Integer { .. } => bits,
            Self::Half => (number as f32).to_bits(),
            Self::Fraction { most, .. } => ((number / most) as f32).max(-1.0).to_bits(),
        }
    }

    fn border_number(self, color: f32) -> f64 {
        match self {
            Self::Float | Self::Half => color.into(),
            Self::Integer { .. } => 0.0,
            Self::Fraction { most, .. } => f64::from(color) * most,
        }
    }

    fn filtered_bits(self, sum: f64) -> u32 {
        match self {
            Self::Float => (sum as f32).to_bits(),
            Self::Half => {
                // A sum halfway between two halves is rounded away from zero.
                let half = f64_to_half(F16, sum * (1.0 + f64::EPSILON), 0);
                (half_to_f64(F16, half, false) as f32).to_bits()
            }
            Self::Integer { size: 4 } => sum.floor() as i64 as u32,
            Self::Integer { .. } => (sum + 0.5).floor() as i64 as u32,
            Self::Fraction { most, to_16_bits } => {
                let full = (most * to_16_bits).round();
                (((sum * to_16_bits + 0.5).floor() / full) as f32).max(-1.0).to_bits()
            }
        }
    }
}

impl ImageDimensionality {
    /// Returns the column, the row and the slice or layer. In the operands, the layer comes first.
    fn layer_last_coordinates(self, at: [u32; 4]) -> [u32; 3] {
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

    /// Returns the index of the texel at a coordinate, or `None` for the border color.
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

/// Returns the weighted sum of the texels around a place.
fn filter_texels(places: [f32; 3], dimensions: usize, numbers_at: impl Fn([i64; 3]) -> [f64; 4]) -> [f64; 4] {
    let (mut first, mut fractions) = ([0_i64; 3], [0; 3]);
    for axis in 0..dimensions {
        let place = places[axis] - 0.5;
        let whole = place.floor();
        (first[axis], fractions[axis]) = (whole as i64, ((place - whole) * 256.0).round() as i32);
    }
    let mut sum = [0.0; 4];
    for (corner, weight) in corner_weights(&fractions[..dimensions]).into_iter().enumerate() {
        if weight != 0 {
            let index = [0, 1, 2].map(|axis| first[axis].saturating_add((corner >> axis & 1) as i64));
            for (sum, number) in sum.iter_mut().zip(numbers_at(index)) {
                *sum += number * f64::from(weight) / 256.0;
            }
        }
    }
    sum
}

/// Returns the weights of the texels at the corners of a cell. `fractions` is the place in the cell. Both the weights
/// and the fractions are in 256ths. Bit n of a corner's index is 1 at the far end of axis n. For one or two axes, a
/// test compares filtered texels with an H100's.
fn corner_weights(fractions: &[i32]) -> [i32; 8] {
    let mut weights = [256, 0, 0, 0, 0, 0, 0, 0];
    for (axis, fraction) in fractions.iter().enumerate() {
        let (count, mut rest) = (1 << axis, *fraction);
        for corner in (0..count).rev() {
            // The first corner takes the rest, so that the weights' sum stays 256.
            let far = if corner == 0 { rest } else { (weights[corner] * fraction + 128) >> 8 };
            rest -= far;
            weights[corner] -= far;
            weights[corner + count] = far;
        }
    }
    weights
}
