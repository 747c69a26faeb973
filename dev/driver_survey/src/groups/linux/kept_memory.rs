//! Device memory that stays allocated after all handles are freed, because a descriptor refers to it.

use std::any::Any;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use cuda_external_sys::*;
use example_support::cuda::{free_memory, import_memory};
use example_support::{Result, pass_fd};

use super::shared::{Exporter, map};
use crate::case::{Case, Group, answer, begin};
use crate::gpu::{cuda, vulkan};

/// Large enough that no allocator keeps it for later.
const SIZE: u64 = 256 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
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
        for (whose, exporter) in [("CUDA", Exporter::CUDA), ("Vulkan", Exporter::DEDICATED)] {
            let name = format!("{what}, memory of {whose}");
            // Free memory is the whole device's.
            cases.push(Case::new(name, move || run(left, exporter)).alone());
        }
    }
    Group::new("kept-memory", cases)
}

fn run(left: Left, exporter: Exporter) -> Result<()> {
    cuda(0)?;
    if matches!(exporter, Exporter::Vulkan { .. }) {
        vulkan(0)?; // what it takes is no part of the free memory
    }
    // The driver's own first allocations are no part either.
    use_and_free(Left::Nothing, exporter)?;
    let before = free_memory()?;
    let say = |when| {
        let returned = free_memory()? + (1 << 20) >= before;
        begin(when)?;
        answer(if returned { "the memory is free" } else { "the memory is kept" });
        Ok(())
    };
    let kept = use_and_free(left, exporter)?;
    say("after all is freed")?;
    drop(kept);
    say("after the descriptor is closed")
}

/// Allocates, exports, imports if the case says so, and frees everything but what is left over, which it returns.
fn use_and_free(left: Left, exporter: Exporter) -> Result<Box<dyn Any>> {
    let exported = exporter.allocate(SIZE)?;
    let fd = exported.fd()?;
    Ok(match left {
        Left::Exported => Box::new(fd),
        Left::InSocket => {
            let (one, other) = UnixStream::pair()?;
            pass_fd::send(&one, b"x", &[fd.as_fd()])?;
            Box::new((one, other))
        }
        Left::Nothing | Left::Duplicate => {
            let duplicate = if left == Left::Duplicate { Some(fd.try_clone()?) } else { None };
            let dedicated = matches!(exporter, Exporter::Vulkan { .. });
            let imported = import_memory(fd, exported.size(), dedicated)?;
            unsafe {
                cuMemFree_v2(map(imported, SIZE)?).result()?;
                cuDestroyExternalMemory(imported).result()?;
            }
            Box::new(duplicate)
        }
    })
}
