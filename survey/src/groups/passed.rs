//! Descriptors from another process, by SCM_RIGHTS and by `pidfd_getfd`, after that process has ended.

use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use cuda_external_sys::CUmemAllocationProp_allocFlags;
use interop::cuda::{import_memory, import_semaphore, map_buffer, read, write};
use interop::vulkan::{Buffer, Semaphore};
use interop::{Error, Result, pass_fd};

use crate::case::{Case, Group, answer, or_answer};
use crate::gpu::{allocate_with, cuda, idle, stream, vulkan};

const SIZE: u64 = 2 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    CudasMemory,
    VulkansMemory,
    Timeline,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Message,
    PidfdGetfd,
}

pub fn group() -> Group {
    let mut cases = Vec::new();
    for (what, object) in [
        ("memory of CUDA", Object::CudasMemory),
        ("memory of Vulkan", Object::VulkansMemory),
        ("timeline semaphore", Object::Timeline),
    ] {
        for (by, how) in [("SCM_RIGHTS", How::Message), ("pidfd_getfd", How::PidfdGetfd)] {
            for (end, is_killed) in [("has ended", false), ("was killed", true)] {
                let name = format!("{what}, {by}, exporter {end}");
                cases.push(Case::new(name, move || run(object, how, is_killed)));
            }
        }
    }
    Group::new("passed-descriptors", cases)
}

fn io(error: std::io::Error) -> Error {
    Error::Failed(error.to_string())
}

/// Neither process has used CUDA before the fork.
fn run(object: Object, how: How, is_killed: bool) -> Result<()> {
    let (mut here, there) = UnixStream::pair().map_err(io)?;
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(here);
        let code = i32::from(export(object, there).inspect_err(|error| eprintln!("{error}")).is_err());
        // SAFETY: ends the child, without a teardown.
        unsafe { libc::_exit(code) };
    }
    drop(there);
    let mut message = [0; 12];
    let fds = pass_fd::receive(&here, &mut message).map_err(io);
    let Ok(mut fds) = fds else {
        return Err(Error::Missing("the other process cannot export it".to_owned()));
    };
    let [a, b, c, d, ref size @ ..] = message;
    let mut fd = fds.pop().ok_or_else(|| Error::Failed("no descriptor came".to_owned()))?;
    if how == How::PidfdGetfd {
        fd = taken(child, i32::from_le_bytes([a, b, c, d]))?;
    }
    // SAFETY: the child is ours.
    unsafe {
        match is_killed {
            true => drop(libc::kill(child, libc::SIGKILL)),
            false => here.write_all(b"x").map_err(io)?,
        }
        libc::waitpid(child, &mut 0, 0);
    }
    import(object, fd, u64::from_le_bytes(*size))
}

fn taken(process: i32, number: i32) -> Result<OwnedFd> {
    // SAFETY: the functions return new descriptors or -1.
    unsafe {
        let pidfd = libc::syscall(libc::SYS_pidfd_open, process, 0);
        match libc::syscall(libc::SYS_pidfd_getfd, pidfd, number, 0) {
            -1 => Err(Error::Missing(format!("pidfd_getfd: {}", std::io::Error::last_os_error()))),
            fd => Ok(OwnedFd::from_raw_fd(fd as i32)),
        }
    }
}

/// In the exporter: sends a descriptor with its number and the memory's size, and waits.
fn export(object: Object, mut socket: UnixStream) -> Result<()> {
    let (fd, size, _owner): (OwnedFd, u64, Box<dyn std::any::Any>) = match object {
        Object::CudasMemory => {
            let memory = allocate_with(cuda(0)?, SIZE, CUmemAllocationProp_allocFlags::default())?;
            let imported = import_memory(memory.export()?, memory.size, false)?;
            // SAFETY: the import lives.
            write(unsafe { map_buffer(imported, 0, SIZE) }?, &pattern(1))?;
            (memory.export()?, memory.size, Box::new(memory))
        }
        Object::VulkansMemory => {
            let (buffer, memory) = Buffer::with_memory(vulkan(0)?, SIZE, true)?;
            buffer.write(0, &pattern(1))?;
            (memory.export()?, memory.size, Box::new((buffer, memory)))
        }
        Object::Timeline => {
            let semaphore = Semaphore::timeline(vulkan(0)?, 0)?;
            semaphore.signal(1)?;
            (semaphore.export()?, 0, Box::new(semaphore))
        }
    };
    let mut message = fd.as_raw_fd().to_le_bytes().to_vec();
    message.extend(size.to_le_bytes());
    pass_fd::send(&socket, &message, &[fd.as_fd()]).map_err(io)?;
    socket.read_exact(&mut [0]).map_err(io)
}

fn import(object: Object, fd: OwnedFd, size: u64) -> Result<()> {
    cuda(0)?;
    if object == Object::Timeline {
        let type_ = cuda_external_sys::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        let semaphore = import_semaphore(fd, type_)?;
        let mut params = cuda_external_sys::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = 1;
        let stream = stream()?;
        // SAFETY: one semaphore and its parameters.
        unsafe { cuda_external_sys::cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream) }
            .result()?;
        answer(format!("its value: {:?}", idle(stream)));
        return Ok(());
    }
    let Some(memory) = or_answer(import_memory(fd, size, object == Object::VulkansMemory)) else {
        return Ok(());
    };
    // SAFETY: the import lives.
    let address = unsafe { map_buffer(memory, 0, SIZE) }?;
    let is_right = read(address, SIZE as usize)? == pattern(1);
    write(address, &pattern(2))?;
    let is_writable = read(address, SIZE as usize)? == pattern(2);
    answer(if is_right { "its bytes are there" } else { "other bytes" });
    answer(if is_writable { "it is writable" } else { "what is written is lost" });
    Ok(())
}

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|at| (at % 251) as u8 ^ seed).collect()
}
