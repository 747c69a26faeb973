//! Memory and a timeline semaphore between two processes: Vulkan exports in one, CUDA imports in
//! the other, and the descriptors travel over a Unix socket.
//!
//! Look at: the importer, which says first which GPU it has, so that the exporter allocates there;
//! what travels beside the descriptors (the allocation's size, and whether it is dedicated), since
//! a descriptor does not tell; whose the descriptors are (sending makes new ones for the receiver,
//! and the sender closes its own); the GPUs' queues, which wait for each other across processes.
//!
//! The program starts itself a second time, as the importer.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(linux::IMPORTER) => interop::example::end(linux::importer()),
        _ => interop::example::main(include_str!("two_processes.rs"), linux::exporter),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This example shares opaque file descriptors, which exist on Linux alone.");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{self, Read, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};
    use std::ptr::null_mut;

    use ash::vk;
    use cuda_external_sys::*;

    use interop::cuda::{Cuda, import_memory, import_semaphore, map_buffer};
    use interop::pass_fd::{receive, send};
    use interop::vulkan::{Buffer, HostBuffer, Semaphore, Uuid, Vulkan};
    use interop::{Error, Result};

    /// What this program starts itself with.
    pub const IMPORTER: &str = "--as-importer";

    const SIZE: u64 = 16 << 20;

    /// The timeline: Vulkan has written, CUDA has written.
    const WRITTEN: u64 = 1;
    const ANSWERED: u64 = 2;

    const QUESTION: u8 = 0x5a;
    const ANSWER: u8 = 0xc3;

    pub fn exporter() -> Result<()> {
        let (mut socket, theirs) = UnixStream::pair().map_err(failed("socketpair"))?;
        let program = std::env::current_exe().map_err(failed("the program's path"))?;
        let mut importer = Command::new(program)
            .arg(IMPORTER)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .spawn()
            .map_err(failed("starting the importer"))?;
        let shared = share(&mut socket);
        // Where the importer still waits for a message, it sees that none will come.
        drop(socket);
        let status = importer.wait().map_err(failed("waiting for the importer"))?;
        // An importer that was left without an exporter ends well: its failure is one of its own, and
        // its words are above.
        if !status.success() {
            return Err(Error::Failed(format!("the importer: {status}")));
        }
        shared
    }

    fn share(socket: &mut UnixStream) -> Result<()> {
        let mut uuid = [0; 16];
        socket.read_exact(&mut uuid).map_err(|_| Error::Missing("The importer has no GPU.".into()))?;
        let vulkan = Vulkan::open(&uuid)?;
        say("exporter", format_args!("the GPU of the importer is {} here: {}", vulkan.name, Uuid(&uuid)));

        let (buffer, memory) = Buffer::with_memory(&vulkan, SIZE, true)?;
        let timeline = Semaphore::timeline(&vulkan, 0)?;
        let (memory_fd, timeline_fd) = (memory.export()?, timeline.export()?);
        let mut header = memory.size.to_le_bytes().to_vec();
        header.push(memory.dedicated.into());
        send(socket, &header, &[memory_fd.as_fd(), timeline_fd.as_fd()]).map_err(failed("sendmsg"))?;
        say("exporter", format_args!("sent {memory_fd:?} and {timeline_fd:?}, and closes its own"));
        drop((memory_fd, timeline_fd));

        // The importer may wait for the fill before it is queued, and its answer is waited for here
        // before that is. The timeline is all that keeps the order.
        let seen = HostBuffer::new(&vulkan, SIZE)?;
        let question = vulkan.submit(&[], &[(timeline.raw, WRITTEN)], |commands| {
            let word = u32::from_ne_bytes([QUESTION; 4]);
            // SAFETY: the buffers outlive the submissions, here and below.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, word) };
            buffer.release(commands);
        })?;
        let answer = vulkan.submit(&[(timeline.raw, ANSWERED)], &[], |commands| {
            buffer.acquire(commands);
            let region = vk::BufferCopy::default().size(SIZE);
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, seen.raw, &[region]) };
            vulkan.barrier(commands);
        })?;
        question.wait()?;
        answer.wait()?;
        check("exporter", seen.bytes(), ANSWER)
    }

    pub fn importer() -> Result<()> {
        let socket = io::stdin().as_fd().try_clone_to_owned().map_err(failed("the socket"))?;
        let mut socket = UnixStream::from(socket);
        let cuda = Cuda::open(0)?;
        socket.write_all(&cuda.uuid).map_err(failed("the socket"))?;

        let mut header = [0; 9];
        let fds = receive(&socket, &mut header)
            .map_err(|_| Error::Missing("The exporter has nothing to share.".into()))?;
        let Ok([memory_fd, timeline_fd]) = <[OwnedFd; 2]>::try_from(fds) else {
            return Err(Error::Failed("a message without its descriptors".into()));
        };
        let allocation = u64::from_le_bytes(header[..8].try_into().expect("eight bytes"));
        say("importer", format_args!("received {memory_fd:?} and {timeline_fd:?}, for {allocation} bytes"));

        let memory = import_memory(memory_fd, allocation, header[8] != 0)?;
        let address = map_buffer(memory, 0, SIZE)?;
        let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        let timeline = import_semaphore(timeline_fd, kind)?;

        let mut seen = vec![0u8; SIZE as usize];
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        wait.params.fence.value = WRITTEN;
        signal.params.fence.value = ANSWERED;
        let mut stream = null_mut();
        // SAFETY: the arrays have one element each; `seen` outlives the copy into it, which is over
        // when the stream is synchronized. Then each object is destroyed once.
        unsafe {
            cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0).result()?;
            cuWaitExternalSemaphoresAsync(&timeline, &wait, 1, stream).result()?;
            cuMemcpyDtoHAsync_v2(seen.as_mut_ptr().cast(), address, seen.len(), stream).result()?;
            cuMemsetD8Async(address, ANSWER, seen.len(), stream).result()?;
            cuSignalExternalSemaphoresAsync(&timeline, &signal, 1, stream).result()?;
            cuStreamSynchronize(stream).result()?;

            cuStreamDestroy_v2(stream).result()?;
            cuDestroyExternalSemaphore(timeline).result()?;
            cuMemFree_v2(address).result()?;
            cuDestroyExternalMemory(memory).result()?;
        }
        check("importer", &seen, QUESTION)
    }

    fn check(who: &str, seen: &[u8], expected: u8) -> Result<()> {
        let wrong = seen.iter().filter(|&&byte| byte != expected).count();
        say(
            who,
            format_args!("read {} bytes of {expected:#04x} from the other one, {wrong} wrong", seen.len()),
        );
        if wrong == 0 { Ok(()) } else { Err(Error::Failed("bytes differ".into())) }
    }

    fn say(who: &str, what: std::fmt::Arguments) {
        println!("{who} {:<6} {what}", std::process::id());
    }

    fn failed(what: &str) -> impl Fn(io::Error) -> Error {
        move |error| Error::Failed(format!("{what}: {error}"))
    }
}
