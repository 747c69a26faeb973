//! Two processes share memory and a timeline semaphore. Vulkan exports them in one process, the exporter. CUDA imports
//! them in the other process, the importer. The exporter also shares memory that it allocated by cuMemCreate. The
//! descriptors are sent over a Unix socket. The exporter starts the program a second time, as the importer.
//!
//! What to look at:
//!
//! - the importer, which first sends the UUID of its GPU, so that the exporter allocates there;
//! - the data sent with the descriptors: the allocations' sizes, and whether Vulkan's allocation is dedicated;
//! - who owns the descriptors: sending creates new descriptors for the receiver, and the sender closes its own;
//! - the order: each side sends a message on the socket after its signal is submitted, and the other side enqueues the
//!   wait only after that message;
//! - the second try of an import (`import_with_retry`);
//! - the two imports of CUDA's memory (`import_by_both_functions`).
//!
//! For memory of cuMemCreate use cuMemImportFromShareableHandle, which leaves the descriptor to the caller.
//! cuImportExternalMemory takes the descriptor over, and on a host with two H200s the function crashed if cuMemCreate
//! had allocated 512 MiB or more (docs/memory.md). For Vulkan's memory use cuImportExternalMemory.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(linux::IMPORTER) => example_support::example_main::exit_code_of(linux::run_importer()),
        _ => {
            example_support::example_main::run_example(include_str!("two_processes.rs"), linux::run_exporter)
        }
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
    use std::thread::sleep;
    use std::time::Duration;

    use cuda_external_sys::*;

    use example_support::cuda::{
        self, CuMemAllocation, Cuda, DeviceMemory, ImportedMemory, ImportedSemaphore, Stream, import_memory,
    };
    use example_support::fd_after_failed_import::import_or_close_fd;
    use example_support::pass_fd::{receive_fds, send_fds};
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::vulkan::{ExportableBuffer, ExportableSemaphore, HostBuffer, Vulkan};
    use example_support::{Error, Result};

    /// Prints a line that begins with the role and the id of this process.
    macro_rules! say {
        ($who:expr, $($what:tt)*) => { println!("{} {:<6} {}", $who, std::process::id(), format_args!($($what)*)) };
    }

    /// The argument with which this program starts itself as the importer.
    pub const IMPORTER: &str = "--as-importer";

    const SIZE: u64 = 16 << 20;

    /// The timeline's values: Vulkan has written, CUDA has written.
    const WRITTEN: u64 = 1;
    const ANSWERED: u64 = 2;

    /// The size that the exporter allocates by cuMemCreate. From 512 MiB on, cuImportExternalMemory may crash.
    const OWN_SIZE: usize = 4 << 20;

    const SUBMITTED: u8 = b's';
    const DONE: u8 = b'd';

    const QUESTION: u8 = 0x5a;
    const ANSWER: u8 = 0xc3;

    pub fn run_exporter() -> Result<()> {
        let (mut socket, theirs) = UnixStream::pair()?;
        let program = std::env::current_exe()?;
        let mut importer =
            Command::new(program).arg(IMPORTER).stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
        let shared = share_memory(&mut socket);
        // Closing the socket ends an importer that still waits for a message.
        drop(socket);
        let status = importer.wait()?;
        // An importer that fails has printed why. If the importer succeeds, the exporter's result counts.
        if !status.success() {
            return Err(Error::Failed(format!("the importer: {status}")));
        }
        shared
    }

    fn share_memory(socket: &mut UnixStream) -> Result<()> {
        let mut uuid = [0; 16];
        socket.read_exact(&mut uuid).map_err(|_| Error::Missing("The importer has no GPU.".into()))?;
        let vulkan = Vulkan::open_by_uuid(&uuid)?;
        say!("exporter", "the GPU of the importer is {} here: {}", vulkan.name, CUuuid::from(uuid));

        let (buffer, memory) = ExportableBuffer::new_with_memory(&vulkan, SIZE, true)?;
        let timeline = ExportableSemaphore::new_timeline(&vulkan, 0)?;
        // Vulkan fills the buffer and signals. The importer, which waits for the signal, gets the semaphore only later.
        let question = vulkan.submit(&[], &[(&timeline, WRITTEN)], |commands| {
            let word = u32::from_ne_bytes([QUESTION; 4]);
            // SAFETY: the buffer outlives the submission.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, word) };
            buffer.release_to_cuda(commands);
        })?;

        // CUDA allocates memory on the same GPU.
        let cuda = find_cuda_device(&uuid)?;
        let own = CuMemAllocation::new(&cuda, OWN_SIZE)?;
        let mapped = own.map_allocation()?;
        cuda::write(mapped.address, &test_pattern(1, OWN_SIZE))?;

        let fds = [memory.export_fd()?, timeline.export_fd()?, own.export_allocation_fd()?];
        let mut header = [memory.size.to_le_bytes(), own.size.to_le_bytes()].concat();
        header.push(memory.dedicated.into());
        send_fds(socket, &header, &fds.each_ref().map(AsFd::as_fd))?;
        say!("exporter", "sent {fds:?}, and closes its own");
        drop(fds);

        // The importer enqueues its signal and sends `SUBMITTED`. Only then does the exporter submit the wait.
        expect_message(socket, SUBMITTED)?;
        let seen = HostBuffer::new(&vulkan, SIZE)?;
        let answer = vulkan.submit(&[(&timeline, ANSWERED)], &[], |commands| {
            buffer.record_read(commands, 0, &seen);
        })?;
        question.wait()?;
        answer.wait()?;
        compare_bytes("the answer", seen.bytes(), &vec![ANSWER; SIZE as usize])?;
        say!("exporter", "read {SIZE} bytes of {ANSWER:#04x} from the other one");

        expect_message(socket, DONE)?;
        compare_bytes(
            "CUDA's own memory",
            &cuda::read(mapped.address, OWN_SIZE)?,
            &test_pattern(2, OWN_SIZE),
        )?;
        say!("exporter", "read {OWN_SIZE} bytes of its own memory as the other one wrote them");
        Ok(())
    }

    pub fn run_importer() -> Result<()> {
        let socket = io::stdin().as_fd().try_clone_to_owned()?;
        let mut socket = UnixStream::from(socket);
        let cuda = Cuda::retain_primary(0)?;
        socket.write_all(&cuda.uuid)?;

        let mut header = [0; 17];
        let fds = receive_fds(&socket, &mut header)
            .map_err(|_| Error::Missing("The exporter has nothing to share.".into()))?;
        let Ok([memory_fd, timeline_fd, own_fd]) = <[OwnedFd; 3]>::try_from(fds) else {
            return Err(Error::Failed("a message without its descriptors".into()));
        };
        let size = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        let (allocation, own_size, dedicated) = (size(0), size(8), header[16] != 0);
        say!("importer", "received {memory_fd:?} and {timeline_fd:?}, for {allocation} bytes");

        let memory = import_with_retry(memory_fd, allocation, dedicated)?;
        let address = memory.map_buffer(0, SIZE)?;
        let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        let timeline = ImportedSemaphore::from_fd(timeline_fd, kind)?;
        let stream = Stream::new()?;

        let seen = DeviceMemory::new(SIZE as usize)?;
        stream.wait(&[(&timeline, WRITTEN)])?;
        stream.copy_async(seen.address, address, SIZE as usize)?;
        stream.fill_async(address, ANSWER, SIZE as usize)?;
        stream.signal(&[(&timeline, ANSWERED)])?;
        socket.write_all(&[SUBMITTED])?;
        stream.synchronize()?;
        let seen = cuda::read(seen.address, SIZE as usize)?;
        compare_bytes("the question", &seen, &vec![QUESTION; SIZE as usize])?;
        say!("importer", "read {SIZE} bytes of {QUESTION:#04x} from the other one");
        import_by_both_functions(&cuda, own_fd, own_size)?;
        Ok(socket.write_all(&[DONE])?)
    }

    /// Imports Vulkan's memory. If the import returns `CUDA_ERROR_OUT_OF_MEMORY`, tries once more after a second, with
    /// the duplicate descriptor that `import_or_close_fd` returned.
    fn import_with_retry(fd: OwnedFd, size: u64, dedicated: bool) -> Result<ImportedMemory> {
        let import = |fd| import_memory(fd, size, dedicated);
        let memory = match import_or_close_fd(fd, import)? {
            Err((CUDA_ERROR_OUT_OF_MEMORY, kept)) => {
                say!("importer", "no memory; it tries again in a second");
                sleep(Duration::from_secs(1));
                import(kept)?
            }
            other => other.map_err(|(code, _)| code)?,
        };
        // SAFETY: no other code has the handle.
        Ok(unsafe { ImportedMemory::from_raw(memory) })
    }

    /// Imports the exporter's memory of cuMemCreate twice: by cuImportExternalMemory, and then by
    /// cuMemImportFromShareableHandle. Checks that both mappings show the exporter's bytes. Then writes through the
    /// second mapping, and checks that the first mapping shows the new bytes.
    fn import_by_both_functions(cuda: &Cuda, fd: OwnedFd, size: u64) -> Result<()> {
        let same = fd.try_clone()?;
        let external = ImportedMemory::from_fd(same, size, false)?; // takes this descriptor
        let external_address = external.map_buffer(0, size)?;

        let allocation = CuMemAllocation::import_fd(cuda, &fd, size)?;
        drop(fd); // which `import_fd` did not take over
        let mapped = allocation.map_allocation()?;

        compare_bytes(
            "as external memory",
            &cuda::read(external_address, OWN_SIZE)?,
            &test_pattern(1, OWN_SIZE),
        )?;
        compare_bytes(
            "by CUDA's own import",
            &cuda::read(mapped.address, OWN_SIZE)?,
            &test_pattern(1, OWN_SIZE),
        )?;
        cuda::write(mapped.address, &test_pattern(2, OWN_SIZE))?;
        compare_bytes("after a write", &cuda::read(external_address, OWN_SIZE)?, &test_pattern(2, OWN_SIZE))?;
        say!("importer", "imported {size} bytes of CUDA's own in both ways");
        Ok(())
    }

    fn find_cuda_device(uuid: &[u8; 16]) -> Result<Cuda> {
        for ordinal in 0..cuda::device_count()? {
            let cuda = Cuda::retain_primary(ordinal)?;
            if cuda.uuid == *uuid {
                return Ok(cuda);
            }
        }
        Err(Error::Failed("the importer's GPU is not a CUDA device of the exporter".into()))
    }

    fn expect_message(socket: &mut UnixStream, word: u8) -> Result<()> {
        let mut byte = [0];
        socket.read_exact(&mut byte)?;
        if byte == [word] { Ok(()) } else { Err(Error::Failed(format!("the importer said {byte:?}"))) }
    }
}
