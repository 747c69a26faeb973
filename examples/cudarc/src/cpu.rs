//! The same computation on the CPU.

use crate::TEXEL;

/// All levels, from the first one's texels on.
pub fn mip_chain(first: Vec<u8>, size: (u32, u32), levels: u32) -> Vec<Vec<u8>> {
    let mut chain = vec![first];
    let (mut width, mut height) = (size.0 as usize, size.1 as usize);
    for _ in 1..levels {
        let level = halve_level(&chain[chain.len() - 1], width, height);
        (width, height) = ((width / 2).max(1), (height / 2).max(1));
        chain.push(level);
    }
    chain
}

/// The rounded mean of two by two texels, for each channel.
fn halve_level(above: &[u8], above_width: usize, above_height: usize) -> Vec<u8> {
    let (width, height) = ((above_width / 2).max(1), (above_height / 2).max(1));
    let mut level = Vec::with_capacity(width * height * TEXEL);
    for y in 0..height {
        for x in 0..width {
            let columns = [2 * x, 2 * x + 1].map(|x| x.min(above_width - 1));
            let rows = [2 * y, 2 * y + 1].map(|y| y.min(above_height - 1));
            for channel in 0..TEXEL {
                let at = |x: usize, y: usize| u32::from(above[(y * above_width + x) * TEXEL + channel]);
                let sum: u32 = rows.iter().flat_map(|&y| columns.map(|x| at(x, y))).sum();
                level.push(((sum + 2) / 4) as u8);
            }
        }
    }
    level
}
