//! The kind of an object, and how the program described the object. Both are numbers, and become text in findings.

use std::fmt;

use cuda_external_sys::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Memory,
    Semaphore,
    Buffer,
    Array,
}

impl ObjectKind {
    /// Each kind, with its name in findings and the function that makes such an object.
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Memory, "external memory", "cuImportExternalMemory"),
        (Self::Semaphore, "external semaphore", "cuImportExternalSemaphore"),
        (Self::Buffer, "mapped buffer", "cuExternalMemoryGetMappedBuffer"),
        (Self::Array, "mipmapped array", "cuExternalMemoryGetMappedMipmappedArray"),
    ];

    pub fn kind_name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    pub fn creating_function(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectDescription(pub [u64; 8]);

const NO_DESCRIPTOR: u64 = u64::MAX;

impl ObjectDescription {
    pub fn from_import(
        kind: ObjectKind,
        handle_type: u32,
        fd: Option<i32>,
        size: u64,
        is_dedicated: bool,
    ) -> Self {
        let fd = fd.map_or(NO_DESCRIPTOR, |fd| u64::from(fd as u32));
        Self([kind as u64, size, 0, handle_type.into(), fd, is_dedicated.into(), 0, 0])
    }

    pub fn from_buffer_desc(desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> Self {
        Self([ObjectKind::Buffer as u64, desc.size, desc.offset, 0, 0, 0, 0, 0])
    }

    pub fn from_array_desc(desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> Self {
        let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Format, NumChannels, .. } = desc.arrayDesc;
        let [width, height, depth] = [Width, Height, Depth].map(|extent| extent as u64);
        let texel = u64::from(Format.0) << 32 | u64::from(NumChannels);
        Self([ObjectKind::Array as u64, 0, desc.offset, width, height, depth, texel, desc.numLevels.into()])
    }

    pub fn object_kind(&self) -> ObjectKind {
        ObjectKind::ALL.get(self.0[0] as usize).map_or(ObjectKind::Memory, |(kind, ..)| *kind)
    }

    pub fn with_described_size(mut self, size: u64) -> Self {
        self.0[1] = size;
        self
    }

    /// Returns the size in bytes, or 0 for an array or a semaphore.
    pub fn described_size(&self) -> u64 {
        self.0[1]
    }

    pub fn described_offset(&self) -> u64 {
        self.0[2]
    }

    pub fn handle_type(&self) -> u32 {
        self.0[3] as u32
    }

    /// Returns the descriptor's number, if the object is an import of a descriptor.
    pub fn imported_fd(&self) -> Option<i32> {
        let is_import = matches!(self.object_kind(), ObjectKind::Memory | ObjectKind::Semaphore);
        (is_import && self.0[4] != NO_DESCRIPTOR).then_some(self.0[4] as i32)
    }

    pub fn is_dedicated(&self) -> bool {
        self.0[5] != 0
    }
}

impl fmt::Display for ObjectDescription {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, [_, size, offset, a, b, c, texel, levels]) = (self.object_kind(), self.0);
        match kind {
            ObjectKind::Memory | ObjectKind::Semaphore => {
                to.write_str(&handle_type_name(kind, self.handle_type()))?;
                if let Some(fd) = self.imported_fd() {
                    write!(to, " {fd}")?;
                }
                if kind == ObjectKind::Memory {
                    write!(to, ", {size} bytes")?;
                }
                to.write_str(if self.is_dedicated() { ", dedicated" } else { "" })
            }
            ObjectKind::Buffer => write!(to, "{size} bytes from {offset}"),
            ObjectKind::Array => {
                let (format, channels) = (CUarray_format((texel >> 32) as u32), texel as u32);
                write!(to, "{a} × {b} × {c} of {channels} {format:?}, {levels} levels, from {offset}")
            }
        }
    }
}

/// Returns the line of a finding with an object's number, the object's description, and the function that made it.
pub fn object_origin_line(number: u32, about: &ObjectDescription, call: &str) -> String {
    format!("The {} #{number}, {about}, was made by {call}:", about.object_kind().kind_name())
}

/// Returns the name of a handle type without the part up to `_HANDLE_TYPE_`.
pub fn handle_type_name(kind: ObjectKind, handle_type: u32) -> String {
    let name = match kind {
        ObjectKind::Semaphore => format!("{:?}", CUexternalSemaphoreHandleType(handle_type)),
        _ => format!("{:?}", CUexternalMemoryHandleType(handle_type)),
    };
    name.split_once("_HANDLE_TYPE_").map_or(name.as_str(), |(_, short)| short).to_owned()
}
