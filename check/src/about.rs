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

    /// The function that makes it.
    pub fn made_by(self) -> &'static str {
        match self {
            Self::Memory => "cuImportExternalMemory",
            Self::Semaphore => "cuImportExternalSemaphore",
            Self::Buffer => "cuExternalMemoryGetMappedBuffer",
            Self::Array => "cuExternalMemoryGetMappedMipmappedArray",
        }
    }
}

/// How the program described an object. Other processes read it as plain numbers.
#[derive(Clone, Copy, Debug)]
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

    pub fn words(&self) -> [u64; 8] {
        let [a, b, c, d, e, f, g] = self.numbers;
        [self.kind, a, b, c, d, e, f, g]
    }

    pub fn of_words([kind, numbers @ ..]: [u64; 8]) -> Self {
        Self { kind, numbers }
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
                write!(to, "{}", TypeName(kind, handle_type as u32))?;
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

/// The type of a handle, without what the names of all types begin with.
pub struct TypeName(pub Kind, pub u32);

impl fmt::Display for TypeName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut to = WithoutPrefix(to);
        match self.0 {
            Kind::Semaphore => {
                fmt::write(&mut to, format_args!("{:?}", CUexternalSemaphoreHandleType(self.1)))
            }
            _ => fmt::write(&mut to, format_args!("{:?}", CUexternalMemoryHandleType(self.1))),
        }
    }
}

/// Leaves out the prefix of an enumerator, which is written in one piece.
struct WithoutPrefix<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for WithoutPrefix<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text.split_once("_HANDLE_TYPE_").map_or(text, |(_, name)| name))
    }
}

#[test]
fn a_description_names_the_type_shortly() {
    let about = About::import(Kind::Memory, 1, Some(7), 4096, true);
    assert_eq!(About::of_words(about.words()).to_string(), "OPAQUE_FD 7, 4096 bytes, dedicated");
    assert_eq!(About::import(Kind::Semaphore, 9, None, 0, false).to_string(), "TIMELINE_SEMAPHORE_FD");
    assert_eq!(TypeName(Kind::Memory, 77).to_string(), format!("{:?}", CUexternalMemoryHandleType(77)));
}
