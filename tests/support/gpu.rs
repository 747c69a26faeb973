//! CUDA's first device and the same one in Vulkan, opened once for the tests of a program; and
//! imports that end with their scope, whatever the test says.

#![allow(dead_code)] // each test program uses its part

use std::cell::RefCell;
use std::process::{Child, Command, Stdio};
use std::ptr;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use crate::support::{self, Need};
use interop::Error;
use interop::buffer::Memory;
use interop::cuda::{self, Cuda, call};
use interop::matching::Instance;
use interop::semaphore::Semaphore;
use interop::vulkan::Vulkan;

type Found<T> = Result<T, String>;

/// The need `gpu`: a device of CUDA's.
pub fn cuda() -> &'static Found<Cuda> {
    static CUDA: OnceLock<Found<Cuda>> = OnceLock::new();
    CUDA.get_or_init(|| Cuda::open(0).map_err(|error| error.to_string()))
}

/// The need `vulkan`: that device in Vulkan, with memory and semaphores that it exports.
pub fn vulkan() -> &'static Found<Vulkan> {
    static VULKAN: OnceLock<Found<Vulkan>> = OnceLock::new();
    VULKAN.get_or_init(|| {
        let cuda = cuda().as_ref()?;
        Vulkan::open(&cuda.uuid).map_err(|error| error.to_string())
    })
}

/// As [`vulkan`], for tests of memory alone: where CUDA's driver is the stand-in, a CPU's Vulkan.
pub fn memory_vulkan() -> &'static Found<Vulkan> {
    static CPU: OnceLock<Found<Vulkan>> = OnceLock::new();
    match cuda() {
        Ok(cuda) if cuda.name.starts_with("stand-in") => CPU.get_or_init(cpu_vulkan),
        _ => vulkan(),
    }
}

/// A test of memory with that device in both.
pub fn memory_test(name: &str, run: impl FnOnce(&'static Vulkan) + Send + 'static) -> Trial {
    support::test(name, &[Need::new("gpu", cuda()), Need::new("vulkan", memory_vulkan())], move || {
        cuda().as_ref().unwrap().make_current().unwrap();
        run(memory_vulkan().as_ref().unwrap());
    })
}

/// A test with that device in both.
pub fn test(name: &str, run: impl FnOnce(&'static Vulkan) + Send + 'static) -> Trial {
    support::test(name, &[Need::new("gpu", cuda()), Need::new("vulkan", vulkan())], move || {
        cuda().as_ref().unwrap().make_current().unwrap();
        run(vulkan().as_ref().unwrap());
    })
}

/// The need `cpu-vulkan`: a Vulkan device that is a CPU, for what needs Vulkan and no CUDA.
pub fn cpu_vulkan() -> Found<Vulkan> {
    let open = || {
        let instance = Instance::open()?;
        let candidates = instance.candidates()?;
        let candidate = candidates
            .iter()
            .find(|candidate| candidate.kind == vk::PhysicalDeviceType::CPU)
            .ok_or_else(|| Error::Missing("Vulkan has no CPU device here".to_owned()))?;
        Vulkan::open_candidate(instance, candidate)
    };
    open().map_err(|error: Error| error.to_string())
}

/// An import of Vulkan's memory, with its mappings.
pub struct Import {
    pub raw: CUexternalMemory,
    buffers: RefCell<Vec<CUdeviceptr>>,
}

impl Import {
    pub fn new(memory: &Memory) -> Self {
        Self::of(cuda::import_memory(memory.export().unwrap(), memory.size, memory.dedicated).unwrap())
    }

    pub fn of(raw: CUexternalMemory) -> Self {
        Self { raw, buffers: RefCell::default() }
    }

    pub fn map(&self, offset: u64, size: u64) -> CUdeviceptr {
        let address = cuda::map_buffer(self.raw, offset, size).unwrap();
        self.buffers.borrow_mut().push(address);
        address
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        // SAFETY: nothing uses the mappings after the import's scope.
        let codes = unsafe {
            let mut codes = vec![cuCtxSynchronize()];
            codes.extend(self.buffers.borrow().iter().map(|&address| cuMemFree_v2(address)));
            codes.push(cuDestroyExternalMemory(self.raw));
            codes
        };
        // A failed test has already said what it has to say.
        if !thread::panicking() {
            assert!(codes.iter().all(|&code| code == CUDA_SUCCESS), "the teardown says {codes:?}");
        }
    }
}

/// An import of a semaphore.
pub struct SemaphoreImport(pub CUexternalSemaphore);

impl SemaphoreImport {
    pub fn binary(semaphore: &Semaphore) -> Self {
        Self::new(semaphore, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD)
    }

    pub fn timeline(semaphore: &Semaphore) -> Self {
        Self::new(semaphore, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
    }

    pub fn new(semaphore: &Semaphore, kind: CUexternalSemaphoreHandleType) -> Self {
        Self(cuda::import_semaphore(semaphore.export().unwrap(), kind).unwrap())
    }
}

impl Drop for SemaphoreImport {
    fn drop(&mut self) {
        // SAFETY: each test drains its stream first, so that no signal and no wait is outstanding.
        let code = unsafe { cuDestroyExternalSemaphore(self.0) };
        assert!(thread::panicking() || code == CUDA_SUCCESS, "the teardown says {code:?}");
    }
}

/// A stream that waits for no other, in which semaphores are signalled and waited for.
pub struct Stream(pub CUstream);

impl Stream {
    pub fn new() -> Self {
        let mut stream = ptr::null_mut();
        // SAFETY: the pointer is to a variable here.
        unsafe { call!(cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0 as _)) }.unwrap();
        Self(stream)
    }

    pub fn signal(&self, semaphores: &[(&SemaphoreImport, u64)]) {
        let raw: Vec<CUexternalSemaphore> = semaphores.iter().map(|(semaphore, _)| semaphore.0).collect();
        let mut params = vec![CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default(); raw.len()];
        for (params, (_, value)) in params.iter_mut().zip(semaphores) {
            params.params.fence.value = *value;
        }
        let (raw, params, count) = (raw.as_ptr(), params.as_ptr(), semaphores.len() as u32);
        // SAFETY: both lists have `count` elements, and the driver copies them.
        unsafe { call!(cuSignalExternalSemaphoresAsync(raw, params, count, self.0)) }.unwrap();
    }

    pub fn wait(&self, semaphores: &[(&SemaphoreImport, u64)]) {
        let raw: Vec<CUexternalSemaphore> = semaphores.iter().map(|(semaphore, _)| semaphore.0).collect();
        let mut params = vec![CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default(); raw.len()];
        for (params, (_, value)) in params.iter_mut().zip(semaphores) {
            params.params.fence.value = *value;
        }
        let (raw, params, count) = (raw.as_ptr(), params.as_ptr(), semaphores.len() as u32);
        // SAFETY: as above.
        unsafe { call!(cuWaitExternalSemaphoresAsync(raw, params, count, self.0)) }.unwrap();
    }

    pub fn copy(&self, to: CUdeviceptr, from: CUdeviceptr, length: usize) {
        // SAFETY: both ranges are the tests' own.
        unsafe { call!(cuMemcpyDtoDAsync_v2(to, from, length, self.0)) }.unwrap();
    }

    pub fn is_done(&self) -> bool {
        // SAFETY: the stream lives.
        match unsafe { cuStreamQuery(self.0) } {
            CUDA_SUCCESS => true,
            CUDA_ERROR_NOT_READY => false,
            code => panic!("cuStreamQuery says {code:?}"),
        }
    }

    /// Waits for all of it, but not for ever.
    pub fn finish(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.is_done() {
            assert!(Instant::now() < end, "the stream does not come to its end");
            thread::sleep(Duration::from_micros(200));
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: not used after. Work left in it goes on.
        let code = unsafe { cuStreamDestroy_v2(self.0) };
        assert!(thread::panicking() || code == CUDA_SUCCESS, "the teardown says {code:?}");
    }
}

/// CUDA's own memory.
pub struct Scratch(pub CUdeviceptr);

impl Scratch {
    pub fn new(size: usize) -> Self {
        let mut address = 0;
        // SAFETY: the pointer is to a variable here.
        unsafe { call!(cuMemAlloc_v2(&mut address, size)) }.unwrap();
        Self(address)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: freed once.
        let code = unsafe { cuMemFree_v2(self.0) };
        assert!(thread::panicking() || code == CUDA_SUCCESS, "the teardown says {code:?}");
    }
}

/// Names a case to a child process: for what may break the driver's state, or its heap.
const CASE: &str = "CUDA_EXTERNAL_SYS_TEST_CASE";

/// The case, in such a child.
pub fn case() -> Option<String> {
    std::env::var(CASE).ok()
}

/// This program once more, for the case alone.
pub fn start(case: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.env(CASE, case).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What the child said, and how it ended, if not well.
pub fn answer(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() {
        return said;
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let error = error.lines().find(|line| !line.is_empty()).unwrap_or_default().to_owned();
    format!("{said} and then {}: {error}", output.status).trim().to_owned()
}

/// Bytes that say where they are: no two positions nearby look alike, and another seed's bytes differ.
pub fn pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Every byte, and where the first wrong one is.
#[track_caller]
pub fn assert_same(what: &str, seen: &[u8], expected: &[u8]) {
    assert_eq!(seen.len(), expected.len(), "{what}: the length");
    if seen == expected {
        return;
    }
    let wrong: Vec<usize> = (0..seen.len()).filter(|&i| seen[i] != expected[i]).collect();
    panic!(
        "{what}: {} of {} bytes are wrong, the first at {}: {:02x} instead of {:02x}",
        wrong.len(),
        seen.len(),
        wrong[0],
        seen[wrong[0]],
        expected[wrong[0]]
    );
}
