//! Finds the PTX in fat binaries of nvcc and clang. The format of fat binaries is undocumented.

use std::ffi::CStr;
use std::io::Read;

use ruzstd::decoding::StreamingDecoder;

use crate::driver::base::prelude::*;

/// The first bytes of a fat binary, and of a wrapper, which points to a fat binary.
pub const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
pub const WRAPPER_MAGIC: [u8; 4] = 0x4662_43b1_u32.to_le_bytes();

/// The kind of a fat binary's entry that holds PTX. This driver does not use other kinds, such as cubins.
const PTX: u16 = 1;
/// The flags of an entry that is compressed with LZ4, or with zstd, which is the default of CUDA 13.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
/// The compute capability of this driver's devices, 9.0. They do not run PTX for newer devices.
const NEWEST: u32 = 90;

/// Returns the bytes of an image in memory: those of a fat binary, or else those before the first NUL.
///
/// # Safety
///
/// The image is NUL-terminated PTX, a cubin, a fat binary with as many bytes as its header says, or a wrapper. A
/// wrapper is 8 bytes, and then a null pointer or, if `follows_wrapper`, a pointer to PTX, a cubin or a fat binary.
pub unsafe fn image_bytes<'a>(image: *const u8, follows_wrapper: bool) -> &'a [u8] {
    // SAFETY: no magic has a NUL, so `begins_with` reads no byte behind the NUL of PTX that has fewer than four bytes.
    unsafe {
        let begins_with = |image: *const u8, magic: [u8; 4]| (0..4).all(|at| *image.add(at) == magic[at]);
        let is_wrapper = follows_wrapper && begins_with(image, WRAPPER_MAGIC);
        let binary = if is_wrapper { image.add(8).cast::<*const u8>().read_unaligned() } else { image };
        if binary.is_null() || !begins_with(binary, MAGIC) {
            return CStr::from_ptr(image.cast()).to_bytes();
        }
        let header = u16::from_le_bytes(binary.add(6).cast::<[u8; 2]>().read());
        let size = u64::from_le_bytes(binary.add(8).cast::<[u8; 8]>().read());
        let length = usize::try_from(size).ok().and_then(|size| size.checked_add(header.into()));
        // A fat binary of an impossible size counts as one without entries.
        length.and_then(|length| read_array(binary, length).ok()).unwrap_or(&MAGIC)
    }
}

fn byte_array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

pub fn find_newest_ptx(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.get(usize::from(u16::from_le_bytes(byte_array_at(bytes, 6)?))..)?;
    let mut found: Option<(u32, &[u8])> = None;
    while let (Some(header), Some(size)) = (byte_array_at(rest, 4), byte_array_at(rest, 8)) {
        let header = u32::from_le_bytes(header) as usize;
        let end = header.checked_add(u64::from_le_bytes(size).try_into().ok()?)?;
        let (entry, behind) = (rest.get(..end)?, rest.get(end..).filter(|behind| behind.len() < rest.len())?);
        let (kind, architecture) =
            (u16::from_le_bytes(byte_array_at(entry, 0)?), u32::from_le_bytes(byte_array_at(entry, 28)?));
        if kind == PTX && architecture <= NEWEST && found.is_none_or(|(known, _)| known < architecture) {
            found = Some((architecture, entry));
        }
        rest = behind;
    }
    let (_, entry) = found?;
    let text = entry.get(u32::from_le_bytes(byte_array_at(entry, 4)?) as usize..)?;
    let flags = u64::from_le_bytes(byte_array_at(entry, 40)?);
    if flags & (LZ4 | ZSTD) == 0 {
        return Some(text.to_vec());
    }
    let compressed = text.get(..u32::from_le_bytes(byte_array_at(entry, 16)?) as usize)?;
    let size = usize::try_from(u64::from_le_bytes(byte_array_at(entry, 56)?)).ok()?;
    let text =
        if flags & LZ4 != 0 { decompress_lz4(compressed, size) } else { decompress_zstd(compressed, size) };
    text.filter(|text| text.len() == size)
}

fn decompress_zstd(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    StreamingDecoder::new(bytes).ok()?.take((size as u64).saturating_add(1)).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Decompresses a block into `size` bytes, or fewer. LZ4 makes at most 255 bytes of one: no larger size is allocated.
fn decompress_lz4(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    (size / 255 <= bytes.len()).then(|| lz4_flex::block::decompress(bytes, size).ok()).flatten()
}
