//! The reasons why a kernel ended early.

use std::fmt;

/// A fault, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFault {
    pub kind: FaultKind,
    pub kernel: String,
    /// The line of the module's text.
    pub line: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    /// What the thread did, with the address of an access.
    pub what: String,
}

/// The kinds of faults. A CUDA driver has a code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    IllegalAddress,
    MisalignedAddress,
    IllegalInstruction,
    /// A call of an address that is not a function's.
    InvalidPc,
    StackOverflow,
    Trap,
    Assert,
    /// Threads wait for others that do not come. A GPU waits forever.
    Deadlock,
    /// The object is not a surface or a texture.
    InvalidImage,
    /// An access outside of a surface, or not at the start of a texel.
    ImageRange,
    /// A GPU runs this, but this interpreter does not.
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

/// A fault before its block and line are filled in.
pub struct ThreadFault {
    pub kind: FaultKind,
    pub lane: usize,
    pub what: String,
}

pub fn thread_fault<T>(kind: FaultKind, lane: usize, what: impl Into<String>) -> FaultResult<T> {
    Err(Box::new(ThreadFault { kind, lane, what: what.into() }))
}
