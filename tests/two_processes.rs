//! Memory and semaphores that another process exports: passed over a socket, and what becomes of
//! them when that process dies.
//!
//! The test is the importer, with CUDA; it starts this program once more as the exporter.

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("two_processes: opaque file descriptors exist on Linux alone; nothing to test here");
}

#[cfg(target_os = "linux")]
#[path = "support/exportable.rs"]
mod exportable;
#[cfg(target_os = "linux")]
#[path = "support/gpu.rs"]
mod gpu;
#[cfg(target_os = "linux")]
use test_support as process;
#[cfg(target_os = "linux")]
use test_support as support;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{Read, Write};
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitCode};
    use std::ptr::null_mut;
    use std::thread::sleep;
    use std::time::Duration;

    use cuda_external_sys::*;

    use crate::exportable::{Exportable, cuda as device, free_memory, gpu_need, ok, vulkan_need};
    use crate::gpu::{assert_same, pattern};
    use crate::process::{again, open_descriptors};
    use crate::support::{self, test};
    use interop::buffer::Buffer;
    use interop::cuda::{self, import_memory, import_semaphore, map_buffer};
    use interop::pass_fd::{receive, send};
    use interop::semaphore::Semaphore;
    use interop::vulkan::Vulkan;

    pub fn main() -> ExitCode {
        match std::env::args().nth(1).as_deref() {
            Some("--vulkan-exporter") => vulkan_exporter(),
            Some("--cuda-exporter") => cuda_exporter(),
            _ => {
                let (gpu, vulkan) = (&[gpu_need()], &[vulkan_need()]);
                return support::run(
                    vec![
                        test("memory_of_cuda_in_another_process_passes_both_ways", gpu, both_ways_with_cuda),
                        test(
                            "memory_of_vulkan_in_another_process_passes_both_ways",
                            vulkan,
                            both_ways_with_vulkan,
                        ),
                        test("an_import_outlives_the_cuda_exporter", gpu, || outlives("--cuda-exporter")),
                        test("an_import_outlives_the_vulkan_exporter", vulkan, || {
                            outlives("--vulkan-exporter")
                        }),
                        test("what_a_dead_cuda_exporter_sent_is_still_imported", gpu, || {
                            imports_from_the_dead("--cuda-exporter")
                        }),
                        test("what_a_dead_vulkan_exporter_sent_is_still_imported", vulkan, || {
                            imports_from_the_dead("--vulkan-exporter")
                        }),
                        test("a_timeline_outlives_its_exporter", vulkan, timeline_outlives),
                        test(
                            "descriptors_that_are_passed_and_imported_are_not_left_open",
                            gpu,
                            none_left_open,
                        ),
                    ],
                    Some(1),
                );
            }
        }
        ExitCode::SUCCESS
    }

    const SIZE: u64 = 64 << 20;

    /// The timeline's values: the exporter has written, the importer has answered.
    const WRITTEN: u64 = 1;
    const ANSWERED: u64 = 2;

    fn question() -> Vec<u8> {
        pattern(1, SIZE as usize)
    }

    fn answer() -> Vec<u8> {
        pattern(2, SIZE as usize)
    }

    // The exporter's process. Its standard input is the socket.

    fn socket() -> UnixStream {
        std::io::stdin().as_fd().try_clone_to_owned().expect("a socket").into()
    }

    /// What the importer must know beside the descriptors.
    fn send_header(socket: &UnixStream, size: u64, dedicated: bool, fds: &[BorrowedFd]) {
        let mut header = size.to_le_bytes().to_vec();
        header.push(dedicated.into());
        send(socket, &header, fds).unwrap();
    }

    /// Vulkan alone: no CUDA in this process.
    fn vulkan_exporter() {
        let (mut socket, mut uuid) = (socket(), [0; 16]);
        socket.read_exact(&mut uuid).unwrap();
        let vulkan = Vulkan::open(&uuid).unwrap();
        let (buffer, memory) = Buffer::with_memory(&vulkan, SIZE, true).unwrap();
        let timeline = Semaphore::timeline(&vulkan, 0).unwrap();
        buffer.write(0, &question()).unwrap();
        vulkan.submit(&[], &[(timeline.raw, WRITTEN)], |_| {}).unwrap().wait().unwrap();
        let (memory_fd, timeline_fd) = (memory.export().unwrap(), timeline.export().unwrap());
        send_header(&socket, memory.size, memory.dedicated, &[memory_fd.as_fd(), timeline_fd.as_fd()]);
        // Where the test is about death, it comes here.
        timeline.wait(ANSWERED).unwrap();
        assert_same("the answer", &buffer.read(0, SIZE).unwrap(), &answer());
    }

    fn cuda_exporter() {
        let (mut socket, mut uuid) = (socket(), [0; 16]);
        socket.read_exact(&mut uuid).unwrap();
        assert_eq!(device().uuid, uuid);
        let memory = Exportable::new(device(), SIZE as usize);
        let mine = Mapped::new(memory.fd(), memory.size, false);
        cuda::write(mine.address, &question()).unwrap();
        send_header(&socket, memory.size, false, &[memory.fd().as_fd()]);
        // Where the test is about death, it comes here.
        socket.read_exact(&mut [0]).unwrap();
        assert_same("the answer", &cuda::read(mine.address, SIZE as usize).unwrap(), &answer());
    }

    // The importer's process.

    struct Exporter {
        process: Child,
        socket: UnixStream,
        size: u64,
        dedicated: bool,
        /// Of the memory, and of the timeline if there is one.
        fds: Vec<OwnedFd>,
    }

    impl Exporter {
        fn start(role: &str) -> Self {
            let (mut socket, theirs) = UnixStream::pair().expect("two sockets");
            let process =
                again(&[role]).stdin(OwnedFd::from(theirs)).spawn().expect("this program runs again");
            socket.write_all(&device().uuid).unwrap();
            let mut header = [0; 9];
            let fds = receive(&socket, &mut header).expect("the exporter sends");
            let size = u64::from_le_bytes(header[..8].try_into().unwrap());
            Self { process, socket, size, dedicated: header[8] != 0, fds }
        }

        fn memory(&mut self) -> Mapped {
            Mapped::new(self.fds.remove(0), self.size, self.dedicated)
        }

        fn timeline(&mut self) -> CUexternalSemaphore {
            let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
            import_semaphore(self.fds.pop().expect("its descriptor"), kind).unwrap()
        }

        /// Without a word to anybody, and long before its own end.
        fn kill(&mut self) {
            self.process.kill().unwrap();
            assert_eq!(self.process.wait().unwrap().signal(), Some(libc::SIGKILL));
        }

        /// It has checked what it read.
        fn finish(mut self) {
            assert!(self.process.wait().unwrap().success());
        }
    }

    /// An import and its mapping.
    struct Mapped {
        memory: CUexternalMemory,
        address: CUdeviceptr,
    }

    impl Mapped {
        fn new(fd: OwnedFd, size: u64, dedicated: bool) -> Self {
            let memory = import_memory(fd, size, dedicated).unwrap();
            Self { memory, address: map_buffer(memory, 0, SIZE).unwrap() }
        }

        #[track_caller]
        fn assert_question(&self) {
            assert_same("the question", &cuda::read(self.address, SIZE as usize).unwrap(), &question());
        }
    }

    impl Drop for Mapped {
        fn drop(&mut self) {
            // SAFETY: nothing uses the mapping.
            unsafe {
                ok(cuMemFree_v2(self.address));
                ok(cuDestroyExternalMemory(self.memory));
            }
        }
    }

    fn both_ways_with_cuda() {
        let mut exporter = Exporter::start("--cuda-exporter");
        let memory = exporter.memory();
        memory.assert_question();
        cuda::write(memory.address, &answer()).unwrap();
        exporter.socket.write_all(&[0]).unwrap();
        exporter.finish();
    }

    /// The GPU waits for the other process's timeline, and signals it.
    fn both_ways_with_vulkan() {
        let mut exporter = Exporter::start("--vulkan-exporter");
        let (timeline, memory) = (exporter.timeline(), exporter.memory());
        let (stream, mut seen, answer) = (stream(), vec![0u8; SIZE as usize], answer());
        wait(timeline, WRITTEN, stream);
        // SAFETY: both vectors live until the stream is done.
        unsafe {
            let size = SIZE as usize;
            ok(cuMemcpyDtoHAsync_v2(seen.as_mut_ptr().cast(), memory.address, size, stream));
            ok(cuMemcpyHtoDAsync_v2(memory.address, answer.as_ptr().cast(), size, stream));
        }
        signal(timeline, ANSWERED, stream);
        finish(stream);
        assert_same("the question", &seen, &question());
        // SAFETY: nothing waits for it.
        ok(unsafe { cuDestroyExternalSemaphore(timeline) });
        exporter.finish();
    }

    fn outlives(role: &str) {
        device();
        let free_before = free_memory();
        let mut exporter = Exporter::start(role);
        let memory = exporter.memory();
        exporter.kill();
        memory.assert_question();
        cuda::write(memory.address, &answer()).unwrap();
        assert_same("the answer", &cuda::read(memory.address, SIZE as usize).unwrap(), &answer());
        // What is left of the other process is its allocation, which the import holds until its end.
        assert!(free_before - free_memory() >= SIZE as usize);
        drop(memory);
        assert_eq!(free_memory(), free_before);
    }

    /// The descriptors alone hold what they stand for.
    fn imports_from_the_dead(role: &str) {
        let mut exporter = Exporter::start(role);
        exporter.kill();
        exporter.memory().assert_question();
    }

    /// Its value stays, and who is left may signal it. But what only the dead one would have
    /// signalled, nobody does: no error ends the wait.
    fn timeline_outlives() {
        device();
        let mut exporter = Exporter::start("--vulkan-exporter");
        let timeline = exporter.timeline();
        exporter.kill();
        let (held, other) = (stream(), stream());
        wait(timeline, WRITTEN, held);
        finish(held);

        let held = stream();
        wait(timeline, ANSWERED, held);
        sleep(Duration::from_millis(500));
        // SAFETY: the stream lives.
        assert_eq!(unsafe { cuStreamQuery(held) }, CUDA_ERROR_NOT_READY);
        signal(timeline, ANSWERED, other);
        finish(other);
        finish(held);
        // SAFETY: nothing waits for it.
        ok(unsafe { cuDestroyExternalSemaphore(timeline) });
    }

    fn none_left_open() {
        let round = || {
            let mut exporter = Exporter::start("--cuda-exporter");
            drop(exporter.memory());
            exporter.kill();
        };
        // The driver opens files of its own at the first import.
        round();
        let before = open_descriptors();
        (0..3).for_each(|_| round());
        assert_eq!(open_descriptors(), before);
    }

    fn stream() -> CUstream {
        let mut stream = null_mut();
        // SAFETY: the function writes a stream.
        ok(unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0) });
        stream
    }

    fn finish(stream: CUstream) {
        // SAFETY: the stream is destroyed once.
        unsafe {
            ok(cuStreamSynchronize(stream));
            ok(cuStreamDestroy_v2(stream));
        }
    }

    fn wait(timeline: CUexternalSemaphore, value: u64, stream: CUstream) {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: one semaphore, one set of parameters.
        ok(unsafe { cuWaitExternalSemaphoresAsync(&timeline, &params, 1, stream) });
    }

    fn signal(timeline: CUexternalSemaphore, value: u64, stream: CUstream) {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: as above.
        ok(unsafe { cuSignalExternalSemaphoresAsync(&timeline, &params, 1, stream) });
    }
}
