//! What an object is and how the program described it: numbers, which are put into words only for a finding.

use std::fmt;

use cuda_external_sys::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Memory,
    Semaphore,
    Buffer,
    Array,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Memory, Self::Semaphore, Self::Buffer, Self::Array];

    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "external memory",
            Self::Semaphore => "external semaphore",
            Self::Buffer => "mapped buffer",
            Self::Array => "mipmapped array",
        }
    }

    /// The name of an object of this kind.
    pub fn numbered(self, number: u32) -> String {
        format!("{} #{number}", self.name())
    }
}

/// How the program described an object. It lies in the journal, where any numbers may be found.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct About {
    kind: u64,
    numbers: [u64; 7],
}

const NO_DESCRIPTOR: u64 = u64::MAX;

impl About {
    pub fn import(kind: Kind, handle_type: u32, fd: Option<i32>, size: u64, is_dedicated: bool) -> Self {
        let fd = fd.map_or(NO_DESCRIPTOR, |fd| u64::from(fd as u32));
        Self { kind: kind as u64, numbers: [handle_type.into(), fd, size, is_dedicated.into(), 0, 0, 0] }
    }

    pub fn buffer(desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> Self {
        Self { kind: Kind::Buffer as u64, numbers: [desc.size, desc.offset, 0, 0, 0, 0, 0] }
    }

    pub fn array(desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> Self {
        let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Format, NumChannels, .. } = desc.arrayDesc;
        let [width, height, depth] = [Width, Height, Depth].map(|extent| extent as u64);
        let (channels, levels) = (NumChannels.into(), desc.numLevels.into());
        let numbers = [width, height, depth, channels, Format.0.into(), levels, desc.offset];
        Self { kind: Kind::Array as u64, numbers }
    }

    pub fn kind(&self) -> Kind {
        let kinds = Kind::ALL.into_iter();
        kinds.into_iter().find(|kind| *kind as u64 == self.kind).unwrap_or(Kind::Memory)
    }
}

impl fmt::Display for About {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        match (kind, self.numbers) {
            (Kind::Memory | Kind::Semaphore, [handle_type, fd, size, is_dedicated, ..]) => {
                to.write_str(&type_name(kind, handle_type as u32))?;
                if fd != NO_DESCRIPTOR {
                    write!(to, " {}", fd as i32)?;
                }
                if kind == Kind::Memory {
                    write!(to, ", {size} bytes")?;
                }
                to.write_str(if is_dedicated != 0 { ", dedicated" } else { "" })
            }
            (Kind::Buffer, [size, offset, ..]) => write!(to, "{size} bytes from {offset}"),
            (Kind::Array, [width, height, depth, channels, format, levels, offset]) => {
                let format = CUarray_format(format as u32);
                write!(to, "{width} × {height} × {depth} of {channels} {format:?}, ")?;
                write!(to, "{levels} levels, from {offset}")
            }
        }
    }
}

/// The type of a handle without what the names of all types begin with.
pub fn type_name(kind: Kind, handle_type: u32) -> String {
    let (name, prefix) = match kind {
        Kind::Semaphore => (
            format!("{:?}", CUexternalSemaphoreHandleType(handle_type)),
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_",
        ),
        _ => (format!("{:?}", CUexternalMemoryHandleType(handle_type)), "CU_EXTERNAL_MEMORY_HANDLE_TYPE_"),
    };
    name.strip_prefix(prefix).map(str::to_owned).unwrap_or(name)
}
