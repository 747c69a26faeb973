//! Memory and semaphores that another process exports, passed over a socket. What becomes of them when that process ends, the
//! survey asks (passed-descriptors).
//!
//! The test is the importer, with CUDA; it starts this program once more as the exporter.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;

use cuda_external_sys::*;

use libtest_mimic::Trial;
use test_support::this_program;

use crate::machine::{cuda as device, cuda_test, vulkan_test};
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedMemory, ImportedSemaphore, Stream};
use interop::pass_fd::{receive, send};
use interop::vulkan::{Buffer, Semaphore, Vulkan};

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        cuda_test => memory_of_cuda_passes_both_ways;
        vulkan_test => memory_of_vulkan_passes_both_ways;
    }
}

const CUDA_EXPORTER: &str = "cuda";
const VULKAN_EXPORTER: &str = "vulkan";

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

/// In an exporter's process: the socket to the importer, which is standard input, and the device's UUID.
pub fn importer() -> (UnixStream, [u8; 16]) {
    let mut socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().expect("a socket"));
    let mut uuid = [0; 16];
    socket.read_exact(&mut uuid).unwrap();
    (socket, uuid)
}

/// The exporter's process.
pub fn exporter(kind: &str) {
    let (mut socket, uuid) = importer();
    match kind {
        CUDA_EXPORTER => cuda_exporter(&mut socket),
        VULKAN_EXPORTER => vulkan_exporter(&socket, &uuid),
        _ => panic!("no such exporter: {kind}"),
    }
}

/// Vulkan alone: no CUDA in this process.
fn vulkan_exporter(socket: &UnixStream, uuid: &[u8; 16]) {
    let vulkan = Vulkan::open(uuid).unwrap();
    let (buffer, memory) = Buffer::with_memory(&vulkan, SIZE, true).unwrap(); // dedicated
    let timeline = Semaphore::timeline(&vulkan, 0).unwrap();
    buffer.write(0, &question()).unwrap();
    vulkan.submit(&[], &[(&timeline, WRITTEN)], |_| {}).unwrap().wait().unwrap();
    let (memory_fd, timeline_fd) = (memory.export().unwrap(), timeline.export().unwrap());
    send(socket, &memory.size.to_le_bytes(), &[memory_fd.as_fd(), timeline_fd.as_fd()]).unwrap();
    timeline.wait(ANSWERED).unwrap();
    assert_same("the answer", &buffer.read(0, SIZE).unwrap(), &answer());
}

fn cuda_exporter(socket: &mut UnixStream) {
    let memory = Allocation::new(device(), SIZE as usize).unwrap();
    let mapped = memory.map().unwrap();
    cuda::write(mapped.address, &question()).unwrap();
    send(socket, &memory.size.to_le_bytes(), &[memory.export().unwrap().as_fd()]).unwrap();
    socket.read_exact(&mut [0]).unwrap();
    assert_same("the answer", &cuda::read(mapped.address, SIZE as usize).unwrap(), &answer());
}

/// Starts the exporter of this kind, which learns the device's UUID. Returns its process and the socket to it.
pub fn start(kind: &str) -> (Child, UnixStream) {
    let (mut socket, theirs) = UnixStream::pair().expect("two sockets");
    let mut program = this_program();
    program.args(["--exporter", kind]).stdin(OwnedFd::from(theirs));
    let process = program.spawn().expect("this program runs again");
    socket.write_all(&device().uuid).unwrap();
    (process, socket)
}

/// The exporter, as the importer's process has it.
struct Exporter {
    process: Child,
    socket: UnixStream,
    /// Where CUDA has mapped the memory.
    address: CUdeviceptr,
    _import: ImportedMemory,
    /// The descriptor of the timeline, if there is one.
    timeline: Option<OwnedFd>,
}

impl Exporter {
    fn start(kind: &str) -> Self {
        let (process, socket) = start(kind);
        let mut size = [0; 8];
        let mut fds = receive(&socket, &mut size).expect("the exporter sends").into_iter();
        let fd = fds.next().expect("the memory's descriptor");
        let dedicated = kind == VULKAN_EXPORTER;
        let import = ImportedMemory::from_fd(fd, u64::from_le_bytes(size), dedicated).unwrap();
        let address = import.map_buffer(0, SIZE).unwrap();
        Self { process, socket, address, _import: import, timeline: fds.next() }
    }

    /// Reads the question, and writes the answer.
    fn answer(&self) {
        let seen = cuda::read(self.address, SIZE as usize).unwrap();
        assert_same("the question", &seen, &question());
        cuda::write(self.address, &answer()).unwrap();
    }

    /// Waits for the exporter's end. Its exit status says whether it read the right bytes.
    fn finish(mut self) {
        assert!(self.process.wait().unwrap().success());
    }
}

fn memory_of_cuda_passes_both_ways() {
    let mut exporter = Exporter::start(CUDA_EXPORTER);
    exporter.answer();
    exporter.socket.write_all(&[0]).unwrap();
    exporter.finish();
}

/// The GPU waits for the other process's timeline, and signals it.
fn memory_of_vulkan_passes_both_ways(_: &Vulkan) {
    let mut exporter = Exporter::start(VULKAN_EXPORTER);
    let fd = exporter.timeline.take().expect("the timeline's descriptor");
    let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let timeline = ImportedSemaphore::from_fd(fd, kind).unwrap();
    let stream = Stream::new().unwrap();
    stream.wait(&[(&timeline, WRITTEN)]).unwrap();
    stream.finish().unwrap();
    exporter.answer();
    stream.signal(&[(&timeline, ANSWERED)]).unwrap();
    stream.finish().unwrap();
    exporter.finish();
}
