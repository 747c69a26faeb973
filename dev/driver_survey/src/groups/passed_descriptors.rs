//! Descriptors from another process, by SCM_RIGHTS and by `pidfd_getfd`, after that process has ended.

use std::any::Any;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use example_support::cuda::{import_memory, import_semaphore, read, write};
use example_support::test_bytes::test_pattern;
use example_support::vulkan::Semaphore;
use example_support::{Error, Result, pass_fd};

use super::fixtures::exported_memory::{Exporter, SIZE, code_at_stream_end, create_stream, map_bytes, wait};
use super::fixtures::opened_devices::{cuda, vulkan};
use super::fixtures::question::{Question, QuestionGroup, answer, value_or_answer};

/// The passed object: memory, or a timeline semaphore.
type PassedObject = Option<Exporter>;

pub fn group() -> QuestionGroup {
    let mut questions = Vec::new();
    for (what, object) in [
        ("memory of CUDA", Some(Exporter::CUDA)),
        ("memory of Vulkan", Some(Exporter::DEDICATED)),
        ("timeline semaphore", None),
    ] {
        for (by, by_pidfd) in [("SCM_RIGHTS", false), ("pidfd_getfd", true)] {
            for (end, is_killed) in [("has ended", false), ("was killed", true)] {
                let name = format!("{what}, {by}, exporter {end}");
                questions.push(Question::new(name, move || ask_driver(object, by_pidfd, is_killed)));
            }
        }
    }
    QuestionGroup::new("passed-descriptors", questions)
}

/// Neither process has used CUDA before the fork.
fn ask_driver(object: PassedObject, by_pidfd: bool, is_killed: bool) -> Result<()> {
    let (mut here, there) = UnixStream::pair()?;
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(here);
        let code =
            i32::from(export_and_send(object, there).inspect_err(|error| eprintln!("{error}")).is_err());
        // SAFETY: the call ends the child without a teardown.
        unsafe { libc::_exit(code) };
    }
    drop(there);
    let mut message = [0; 12];
    let Ok(mut fds) = pass_fd::receive(&here, &mut message) else {
        return Err(Error::Missing("the other process cannot export it".to_owned()));
    };
    let [a, b, c, d, ref size @ ..] = message;
    let mut fd = fds.pop().ok_or_else(|| Error::Failed("no descriptor came".to_owned()))?;
    if by_pidfd {
        fd = fd_by_pidfd(child, i32::from_le_bytes([a, b, c, d]))?;
    }
    unsafe {
        match is_killed {
            true => drop(libc::kill(child, libc::SIGKILL)),
            false => here.write_all(b"x")?,
        }
        libc::waitpid(child, &mut 0, 0);
    }
    import_and_verify(object, fd, u64::from_le_bytes(*size))
}

fn fd_by_pidfd(process: i32, number: i32) -> Result<OwnedFd> {
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
fn export_and_send(object: PassedObject, mut socket: UnixStream) -> Result<()> {
    let (fd, size, _owner): (OwnedFd, u64, Box<dyn Any>) = if let Some(exporter) = object {
        let memory = exporter.allocate(SIZE)?;
        memory.write(&test_pattern(1, SIZE as usize))?;
        (memory.fd()?, memory.size(), Box::new(memory))
    } else {
        let semaphore = Semaphore::timeline(vulkan(0)?, 0)?;
        semaphore.signal(1)?;
        (semaphore.export()?, 0, Box::new(semaphore))
    };
    let mut message = fd.as_raw_fd().to_le_bytes().to_vec();
    message.extend(size.to_le_bytes());
    pass_fd::send(&socket, &message, &[fd.as_fd()])?;
    Ok(socket.read_exact(&mut [0])?)
}

fn import_and_verify(object: PassedObject, fd: OwnedFd, size: u64) -> Result<()> {
    cuda(0)?;
    let Some(exporter) = object else {
        let type_ = cuda_external_sys::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        let (semaphore, stream) = (import_semaphore(fd, type_)?, create_stream()?);
        wait(semaphore, 1, stream).result()?;
        answer(format!("its value: {:?}", code_at_stream_end(stream)));
        return Ok(());
    };
    let dedicated = matches!(exporter, Exporter::Vulkan { .. });
    let Some(memory) = value_or_answer(import_memory(fd, size, dedicated)) else { return Ok(()) };
    let (address, length) = (map_bytes(memory, SIZE)?, SIZE as usize);
    let is_right = read(address, length)? == test_pattern(1, length);
    write(address, &test_pattern(2, length))?;
    let is_writable = read(address, length)? == test_pattern(2, length);
    answer(if is_right { "its bytes are there" } else { "other bytes" });
    answer(if is_writable { "it is writable" } else { "what is written is lost" });
    Ok(())
}
