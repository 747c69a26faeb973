//! Memory and semaphores that another process exports: passed over a socket, and what becomes of
//! them when that process ends.
//!
//! The test is the importer, with CUDA; it starts this program once more as the exporter.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use cuda_external_sys::*;

use libtest_mimic::Trial;
use test_support::{test, this_program};

use crate::machine::{cuda as device, cuda_test, gpu_need, vulkan_need, vulkan_test};
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, Allocation, ImportedMemory, ImportedSemaphore, Stream, free_memory};
use interop::pass_fd::{receive, send};
use interop::vulkan::{Buffer, Semaphore, Vulkan};

pub fn trials() -> Vec<Trial> {
    let mut trials = test_support::tests! {
        cuda_test => memory_of_cuda_passes_both_ways;
        vulkan_test => memory_of_vulkan_passes_both_ways, a_timeline_outlives_its_exporter;
    };
    for (kind, need) in [(CUDA_EXPORTER, gpu_need()), (VULKAN_EXPORTER, vulkan_need())] {
        let name = format!("processes::an_import_outlives_the_{kind}_exporter");
        trials.push(test(&name, &[need], || import_outlives(kind)));
    }
    trials
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

/// The exporter's process. A test that kills it does so after the descriptors are sent.
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
    size: u64,
    dedicated: bool,
    /// The descriptors of the memory, and of the timeline if there is one.
    fds: Vec<OwnedFd>,
}

impl Exporter {
    fn start(kind: &str) -> Self {
        let (process, socket) = start(kind);
        let mut size = [0; 8];
        let fds = receive(&socket, &mut size).expect("the exporter sends");
        Self { process, socket, size: u64::from_le_bytes(size), dedicated: kind == VULKAN_EXPORTER, fds }
    }

    fn memory(&mut self) -> Mapped {
        let import = ImportedMemory::from_fd(self.fds.remove(0), self.size, self.dedicated).unwrap();
        Mapped { address: import.map_buffer(0, SIZE).unwrap(), _import: import }
    }

    fn timeline(&mut self) -> ImportedSemaphore {
        let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        ImportedSemaphore::from_fd(self.fds.pop().expect("its descriptor"), kind).unwrap()
    }

    /// Kills the exporter before it has finished.
    fn kill(&mut self) {
        self.process.kill().unwrap();
        assert_eq!(self.process.wait().unwrap().signal(), Some(libc::SIGKILL));
    }

    /// Waits for the exporter's end. Its exit status says whether it read the right bytes.
    fn finish(mut self) {
        assert!(self.process.wait().unwrap().success());
    }
}

/// An import and its mapping.
struct Mapped {
    address: CUdeviceptr,
    _import: ImportedMemory,
}

impl Mapped {
    #[track_caller]
    fn assert_holds(&self, bytes: &[u8]) {
        assert_same("the memory", &cuda::read(self.address, bytes.len()).unwrap(), bytes);
    }
}

fn memory_of_cuda_passes_both_ways() {
    let mut exporter = Exporter::start(CUDA_EXPORTER);
    let memory = exporter.memory();
    memory.assert_holds(&question());
    cuda::write(memory.address, &answer()).unwrap();
    exporter.socket.write_all(&[0]).unwrap();
    exporter.finish();
}

/// The GPU waits for the other process's timeline, and signals it.
fn memory_of_vulkan_passes_both_ways(_: &Vulkan) {
    let mut exporter = Exporter::start(VULKAN_EXPORTER);
    let (timeline, memory) = (exporter.timeline(), exporter.memory());
    let stream = Stream::new().unwrap();
    stream.wait(&[(&timeline, WRITTEN)]).unwrap();
    stream.finish().unwrap();
    memory.assert_holds(&question());
    cuda::write(memory.address, &answer()).unwrap();
    stream.signal(&[(&timeline, ANSWERED)]).unwrap();
    stream.finish().unwrap();
    exporter.finish();
}

/// Whether it was imported before the exporter's end or after it: the descriptors alone keep the objects alive.
fn import_outlives(kind: &str) {
    device();
    // What is free changes once for good while a process makes its first import.
    let mut first = Exporter::start(kind);
    drop(first.memory());
    first.kill();
    drop(first);
    for imports_before in [true, false] {
        let free_before = free_memory().unwrap();
        let mut exporter = Exporter::start(kind);
        let early = imports_before.then(|| exporter.memory());
        exporter.kill();
        let memory = early.unwrap_or_else(|| exporter.memory());
        memory.assert_holds(&question());
        cuda::write(memory.address, &answer()).unwrap();
        memory.assert_holds(&answer());
        drop(exporter);
        // The other process's allocation stays until the import is destroyed.
        assert!(free_before - free_memory().unwrap() >= SIZE as usize);
        drop(memory);
        assert_eq!(free_memory().unwrap(), free_before);
    }
}

/// The value stays, and the remaining process may signal it. But a value that only the dead process would have
/// signaled never comes: no error ends the wait.
fn a_timeline_outlives_its_exporter(_: &Vulkan) {
    let mut exporter = Exporter::start(VULKAN_EXPORTER);
    let timeline = exporter.timeline();
    exporter.kill();
    let (held, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    held.wait(&[(&timeline, WRITTEN)]).unwrap();
    held.finish().unwrap();
    held.wait(&[(&timeline, ANSWERED)]).unwrap();
    sleep(Duration::from_millis(500));
    assert!(!held.is_done().unwrap());
    other.signal(&[(&timeline, ANSWERED)]).unwrap();
    other.finish().unwrap();
    held.finish().unwrap();
}
