//! What the driver and the Vulkan layer share, such as the page of a semaphore and the header of exported memory.

use std::array;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

mod memory_files;
mod semaphore_page;

pub(crate) use memory_files::{
    MmapRegion, borrow_fd_as_file, is_open_fd, map_file, memory_file, page_size, seal_against_shrinking,
};
pub use semaphore_page::SemaphorePage;

/// The name of every device, in CUDA and in Vulkan.
pub(crate) const DEVICE_NAME: &str = "CPU (cuda-external-cpu)";

pub(crate) const fn device_uuid(ordinal: u8) -> [u8; 16] {
    let mut uuid = *b"cuda-external-cp";
    uuid[15] = b'0' + ordinal;
    uuid
}

/// The header of a file of exported memory, in lavapipe's format. At most [`TRAILER`] bytes follow the data.
#[derive(Clone, Copy)]
pub(crate) struct MemoryFileHeader {
    pub file_size: u64,
    pub offset: u64,
    /// [`TAG`] in a file of this driver. Each build of Mesa has a different tag, and imports only files with that tag.
    pub tag: [u8; 16],
}

pub(crate) const TAG: [u8; 16] = *b"cuda-external-cp";

const LENGTH: u64 = 32;
const TRAILER: u64 = 40;

impl MemoryFileHeader {
    pub fn new(size: u64, offset: u64) -> Self {
        Self { file_size: offset + size + TRAILER, offset, tag: TAG }
    }

    pub fn data_size(&self) -> u64 {
        self.file_size - self.offset - TRAILER
    }

    pub fn read_header(file: &File) -> Option<Self> {
        let mut bytes = [0; LENGTH as usize];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let [file_size, offset] =
            [0, 8].map(|at| u64::from_ne_bytes(array::from_fn(|index| bytes[at + index])));
        let header = Self { file_size, offset, tag: array::from_fn(|index| bytes[16 + index]) };
        let end = header.offset.checked_add(TRAILER)?;
        let is_valid = header.offset >= LENGTH && end < header.file_size && seal_against_shrinking(file);
        (is_valid && file.metadata().ok()?.len() == header.file_size).then_some(header)
    }

    /// Writes the header, and the offset once more in the 8 bytes before the data, as Mesa does.
    pub fn write_to_memory_file(&self, file: &File) -> io::Result<()> {
        let [file_size, offset] = [self.file_size, self.offset].map(u64::to_ne_bytes);
        file.write_all_at(&[&file_size[..], &offset, &self.tag].concat(), 0)?;
        file.write_all_at(&offset, self.offset - 8)
    }
}
