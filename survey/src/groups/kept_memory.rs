//! Device memory that stays allocated after all handles are freed, because a descriptor refers to it.

use std::io::Write as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use cuda_external_sys::*;
use interop::cuda::{free_memory, import_memory, map_buffer};
use interop::vulkan::Buffer;
use interop::{Error, Result, pass_fd};

use crate::case::{Case, Group, answer};
use crate::gpu::{allocate_with, cuda, vulkan};

/// Large enough that no allocator keeps it for later.
const SIZE: u64 = 256 << 20;

#[derive(Clone, Copy)]
enum Left {
    Nothing,
    /// An exported descriptor that nobody imported.
    Exported,
    /// A duplicate of a descriptor that was imported.
    Duplicate,
    /// A descriptor in a socket's queue.
    InSocket,
}

pub fn group() -> Group {
    let mut cases = Vec::new();
    for (what, left) in [
        ("nothing", Left::Nothing),
        ("an exported descriptor that nobody imported", Left::Exported),
        ("a duplicate of an imported descriptor", Left::Duplicate),
        ("a descriptor in a socket's queue", Left::InSocket),
    ] {
        for (whose, is_vulkans) in [("CUDA", false), ("Vulkan", true)] {
            let name = format!("{what}, memory of {whose}");
            // Free memory is the whole device's.
            cases.push(Case::new(name, move || run(left, is_vulkans)).alone());
        }
    }
    Group::new("kept-memory", cases)
}

fn run(left: Left, is_vulkans: bool) -> Result<()> {
    let cuda = cuda(0)?;
    if is_vulkans {
        vulkan(0)?; // what it takes is no part of the free memory
    }
    // The driver's own first allocations are no part either.
    use_and_free(Left::Nothing, is_vulkans, cuda)?;
    let before = free_memory()?;
    let kept = use_and_free(left, is_vulkans, cuda)?;
    say("after all is freed", before)?;
    drop(kept);
    say("after the descriptor is closed", before)
}

type Kept = (Option<OwnedFd>, Option<(UnixStream, UnixStream)>);

/// Allocates, exports, imports unless nobody shall, and frees everything but what is left.
fn use_and_free(left: Left, is_vulkans: bool, cuda: &interop::cuda::Cuda) -> Result<Kept> {
    let io = |error: std::io::Error| Error::Failed(error.to_string());
    let (fd, size, owner): (OwnedFd, u64, Box<dyn std::any::Any>) = if is_vulkans {
        let (buffer, memory) = Buffer::with_memory(vulkan(0)?, SIZE, true)?;
        (memory.export()?, memory.size, Box::new((buffer, memory)))
    } else {
        let memory = allocate_with(cuda, SIZE, CUmemAllocationProp_allocFlags::default())?;
        (memory.export()?, memory.size, Box::new(memory))
    };
    let mut kept: Kept = (None, None);
    match left {
        Left::Exported => kept.0 = Some(fd),
        Left::InSocket => {
            let (one, other) = UnixStream::pair().map_err(io)?;
            pass_fd::send(&one, b"x", &[fd.as_fd()]).map_err(io)?;
            kept.1 = Some((one, other));
        }
        Left::Nothing | Left::Duplicate => {
            if matches!(left, Left::Duplicate) {
                kept.0 = Some(fd.try_clone().map_err(io)?);
            }
            let imported = import_memory(fd, size, is_vulkans)?;
            // SAFETY: freed once; nothing uses the memory.
            unsafe {
                let address = map_buffer(imported, 0, SIZE)?;
                cuMemFree_v2(address).result()?;
                cuDestroyExternalMemory(imported).result()?;
            }
        }
    }
    drop(owner);
    Ok(kept)
}

fn say(when: &str, before: usize) -> Result<()> {
    let returned = free_memory()? + (1 << 20) >= before;
    print!("{when}: ");
    std::io::stdout().flush().map_err(|error| Error::Failed(error.to_string()))?;
    answer(if returned { "the memory is free" } else { "the memory is kept" });
    Ok(())
}
