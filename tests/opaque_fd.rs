//! The smoke test: memory through an opaque FD, from CUDA and from Vulkan, both ways, every byte.
//!
//! tests/vulkan_memory.rs and its neighbours go into what this one touches.

#[cfg(unix)]
#[path = "support/exportable.rs"]
mod exportable;
#[cfg(unix)]
#[path = "support/gpu.rs"]
mod gpu;
use test_support as support;

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    let trials = trials::all();
    #[cfg(not(unix))]
    let trials = Vec::new(); // file descriptors are Unix's
    support::run(trials, Some(1))
}

#[cfg(unix)]
mod trials {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    use cuda_external_sys::*;
    use libtest_mimic::Trial;

    use crate::exportable::{self, Exportable};
    use crate::gpu::{self, Import, assert_same, pattern};
    use crate::support::{self, Need};
    use interop::buffer::Buffer;
    use interop::cuda::{self, call};
    use interop::vulkan::Vulkan;

    const SIZE: u64 = 4 << 20;
    /// What Vulkan and CUDA both accept as an offset.
    const OFFSET: u64 = 1 << 16;

    pub fn all() -> Vec<Trial> {
        let of_cuda = |name, run: fn()| {
            support::test(name, &[Need::new("gpu", gpu::cuda())], move || {
                gpu::cuda().as_ref().unwrap().make_current().unwrap();
                run();
            })
        };
        vec![
            of_cuda("cuda_to_cuda_both_ways", || cuda_to_cuda(0)),
            of_cuda("cuda_to_cuda_at_an_offset", || cuda_to_cuda(OFFSET)),
            of_cuda("an_imported_descriptor_is_closed", an_imported_descriptor_is_closed),
            gpu::memory_test("vulkan_to_cuda_both_ways", |vulkan| vulkan_to_cuda(vulkan, false, 0)),
            gpu::memory_test("vulkan_to_cuda_both_ways_dedicated", |vulkan| vulkan_to_cuda(vulkan, true, 0)),
            gpu::memory_test("vulkan_to_cuda_at_an_offset", |vulkan| vulkan_to_cuda(vulkan, false, OFFSET)),
            gpu::memory_test("a_dedicated_import_is_mapped_from_its_start", dedicated_at_an_offset),
        ]
    }

    /// Memory that CUDA exports, and maps for itself too.
    struct Exporter {
        memory: Exportable,
        address: CUdeviceptr,
    }

    impl Exporter {
        fn new() -> Self {
            let cuda = exportable::cuda();
            let memory = Exportable::new(cuda, SIZE as usize);
            let location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda.device };
            let access = CUmemAccessDesc { location, flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
            let (mut address, size) = (0, memory.size as usize);
            // SAFETY: the memory is live, and the range that is mapped is the one that is reserved.
            unsafe {
                call!(cuMemAddressReserve(&mut address, size, 0, 0, 0)).unwrap();
                call!(cuMemMap(address, size, 0, memory.handle, 0)).unwrap();
                call!(cuMemSetAccess(address, size, &access, 1)).unwrap();
            }
            Self { memory, address }
        }
    }

    impl Drop for Exporter {
        fn drop(&mut self) {
            let size = self.memory.size as usize;
            // SAFETY: nobody uses the mapping any more.
            let codes = unsafe { [cuMemUnmap(self.address, size), cuMemAddressFree(self.address, size)] };
            if !std::thread::panicking() {
                assert_eq!(codes, [CUDA_SUCCESS; 2]);
            }
        }
    }

    fn cuda_to_cuda(offset: u64) {
        let exporter = Exporter::new();
        let size = exporter.memory.size;
        let memory = cuda::import_memory(exporter.memory.fd(), size, false).unwrap();
        let length = size - offset;
        let address = cuda::map_buffer(memory, offset, length).unwrap();
        let sent = pattern(1, length as usize);
        cuda::write(exporter.address + offset, &sent).unwrap();
        let seen = cuda::read(address, length as usize).unwrap();
        assert_same("from the exporter to the importer", &seen, &sent);
        let sent = pattern(2, length as usize);
        cuda::write(address, &sent).unwrap();
        let seen = cuda::read(exporter.address + offset, length as usize).unwrap();
        assert_same("from the importer to the exporter", &seen, &sent);
        // SAFETY: each is freed once.
        unsafe {
            call!(cuCtxSynchronize()).unwrap();
            call!(cuMemFree_v2(address)).unwrap();
            call!(cuDestroyExternalMemory(memory)).unwrap();
        }
    }

    fn an_imported_descriptor_is_closed() {
        let exporter = Exporter::new();
        let fd = exporter.memory.fd();
        // Higher than any number that the driver opens meanwhile, so that nothing else gets it.
        // SAFETY: the new descriptor is nobody else's.
        let fd = unsafe { OwnedFd::from_raw_fd(libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 500)) };
        let number = fd.as_raw_fd();
        let memory = cuda::import_memory(fd, exporter.memory.size, false).unwrap();
        // SAFETY: asks about a number.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        assert_eq!(flags, -1, "descriptor {number} is open after the import");
        // SAFETY: it is freed once.
        unsafe { call!(cuDestroyExternalMemory(memory)) }.unwrap();
    }

    fn vulkan_to_cuda(vulkan: &Vulkan, dedicated: bool, offset: u64) {
        let (buffer, memory) = Buffer::with_memory(vulkan, SIZE, dedicated).unwrap();
        let import = Import::new(&memory);
        let length = SIZE - offset;
        let address = import.map(offset, length);
        let sent = pattern(3, length as usize);
        buffer.write(offset, &sent).unwrap();
        assert_same("from Vulkan to CUDA", &cuda::read(address, length as usize).unwrap(), &sent);
        let sent = pattern(4, length as usize);
        cuda::write(address, &sent).unwrap();
        assert_same("from CUDA to Vulkan", &buffer.read(offset, length).unwrap(), &sent);
    }
    /// The driver takes no other offset for a dedicated import, though no document says so (measured
    /// on driver 580.159: it answers INVALID_VALUE, and the import stays usable).
    fn dedicated_at_an_offset(vulkan: &Vulkan) {
        let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, true).unwrap();
        let import = Import::new(&memory);
        let mut address = 0;
        let range =
            CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: OFFSET, size: SIZE - OFFSET, ..Default::default() };
        // SAFETY: the import is live; the pointers are to variables here.
        let code = unsafe { cuExternalMemoryGetMappedBuffer(&mut address, import.raw, &range) };
        assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
        let address = import.map(0, SIZE);
        let sent = pattern(5, (SIZE - OFFSET) as usize);
        cuda::write(address + OFFSET, &sent).unwrap();
        assert_same("at the offset", &cuda::read(address + OFFSET, sent.len()).unwrap(), &sent);
    }
}
