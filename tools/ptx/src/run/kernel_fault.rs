//! The reasons why a kernel ends early.

use std::fmt;

/// A fault of a kernel: its kind, and the line, the block and the thread in which it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFault {
    pub kind: FaultKind,
    pub kernel: String,
    /// The line in the module's text.
    pub line: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    /// What the thread did, with the address of an access.
    pub what: String,
}

/// The kinds of faults. A CUDA driver has an error code for each, except for `Deadlock` and `Unsupported`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    IllegalAddress,
    MisalignedAddress,
    IllegalInstruction,
    /// A call of an odd address, or of a function that has more or fewer parameters than the call has arguments.
    InvalidPc,
    StackOverflow,
    Trap,
    Assert,
    /// Threads wait for other threads, which never arrive. On a GPU, such a kernel does not end.
    Deadlock,
    /// `DeviceMemory` returns no image for the instruction's object, or the channels of the image are not aligned.
    InvalidImage,
    /// A surface access without `.clamp` and without `.zero` is outside of the surface, or the x coordinate of a
    /// surface access, in bytes, is not a multiple of the access's size.
    ImageRange,
    /// The kernel does something that a GPU runs and this interpreter does not.
    Unsupported,
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { kernel, line, block, thread, what, .. } = self;
        write!(f, "the kernel {kernel}, line {line} of its PTX, block {block:?}, thread {thread:?}: {what}")
    }
}

impl std::error::Error for KernelFault {}

pub type FaultResult<T = ()> = Result<T, Box<ThreadFault>>;

/// A fault of a thread, to which `locate_fault` adds the kernel, the line and the block.
pub struct ThreadFault {
    pub kind: FaultKind,
    pub lane: usize,
    pub what: String,
}

pub fn thread_fault<T>(kind: FaultKind, lane: usize, what: impl Into<String>) -> FaultResult<T> {
    Err(Box::new(ThreadFault { kind, lane, what: what.into() }))
}
