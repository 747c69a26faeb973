//! CUDA's first device and the same one in Vulkan, opened once for the tests of a program; and
//! imports that end with their scope, whatever the test says.

use std::cell::RefCell;
use std::sync::OnceLock;

use cuda_external_sys::*;
use libtest_mimic::Trial;

use crate::shared::buffer::Memory;
use crate::shared::cuda::{self, Cuda};
use crate::shared::vulkan::Vulkan;
use crate::support::{self, Need};

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

/// A test with that device in both.
pub fn test(name: &str, run: fn(&'static Vulkan)) -> Trial {
    support::test(name, &[Need::new("gpu", cuda()), Need::new("vulkan", vulkan())], move || {
        cuda().as_ref().unwrap().make_current().unwrap();
        run(vulkan().as_ref().unwrap());
    })
}

/// An import of Vulkan's memory, with its mappings.
pub struct Import {
    pub raw: CUexternalMemory,
    buffers: RefCell<Vec<CUdeviceptr>>,
}

impl Import {
    pub fn new(memory: &Memory) -> Self {
        let raw = cuda::import_memory(memory.export().unwrap(), memory.size, memory.dedicated).unwrap();
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
        if !std::thread::panicking() {
            assert!(codes.iter().all(|&code| code == CUDA_SUCCESS), "the teardown says {codes:?}");
        }
    }
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
