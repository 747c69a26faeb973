//! CUDA's devices and Vulkan's are matched by UUID; the wrong ones are refused.

#[cfg(unix)]
#[path = "support/gpu.rs"]
mod gpu;
use test_support as support;

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    if let Some(case) = gpu::case() {
        trials::wrong_gpu(&case);
        return std::process::ExitCode::SUCCESS;
    }
    #[cfg(unix)]
    let trials = trials::all();
    #[cfg(not(unix))]
    let trials = Vec::new(); // the helpers share file descriptors, which are Unix's
    support::run(trials, Some(1))
}

#[cfg(unix)]
mod trials {
    use std::os::fd::IntoRawFd;
    use std::ptr;

    use ash::vk;
    use cuda_external_sys::*;
    use libtest_mimic::Trial;

    use crate::gpu::{self, Import, Scratch, SemaphoreImport, Stream, assert_same, pattern};
    use crate::support::{self, Need};
    use interop::Error;
    use interop::buffer::Buffer;
    use interop::cuda::{self, Cuda};
    use interop::matching::{self, Candidate, Instance};
    use interop::semaphore::Semaphore;
    use interop::vulkan::Vulkan;

    pub fn all() -> Vec<Trial> {
        let cpu = [Need::new("cpu-vulkan", &gpu::cpu_vulkan())];
        vec![
            support::test("of_several_the_one_with_the_uuid_is_found", &[], the_one_with_the_uuid),
            support::test("a_cpu_a_stranger_and_a_group_are_refused", &[], refusals),
            support::test("this_machines_cpu_device_is_refused", &cpu, this_machines_cpu),
            gpu::test("every_cuda_device_is_one_vulkan_device", |_| every_device()),
            two_gpus("each_gpu_shares_with_itself", each_with_itself),
            two_gpus("the_driver_does_not_always_refuse_the_wrong_gpu", the_wrong_gpu),
            two_gpus("a_peer_copies_what_the_other_gpu_imported", peer_copies),
        ]
    }

    /// A test with two GPUs: the need `second-gpu`.
    fn two_gpus(name: &str, run: fn([Cuda; 2], [Vulkan; 2])) -> Trial {
        let count = cuda::device_count().and_then(|count| match count {
            1 => Err(Error::Missing("this machine has one CUDA device, not two".to_owned())),
            _ => Ok(()),
        });
        let gpus = count.map_err(|error| error.to_string());
        let needs = [
            Need::new("gpu", gpu::cuda()),
            Need::new("vulkan", gpu::vulkan()),
            Need::new("second-gpu", &gpus),
        ];
        support::test(name, &needs, move || {
            let cuda = [0, 1].map(|ordinal| Cuda::open(ordinal).unwrap());
            let vulkan = [0, 1].map(|i| Vulkan::open(&cuda[i].uuid).unwrap());
            run(cuda, vulkan);
        })
    }

    fn candidate(name: &str, kind: vk::PhysicalDeviceType, uuid: [u8; 16], grouped: bool) -> Candidate {
        Candidate {
            physical_device: vk::PhysicalDevice::null(),
            name: name.to_owned(),
            kind,
            uuid,
            version: vk::API_VERSION_1_3,
            grouped,
        }
    }

    const GPU: vk::PhysicalDeviceType = vk::PhysicalDeviceType::DISCRETE_GPU;
    const CPU: vk::PhysicalDeviceType = vk::PhysicalDeviceType::CPU;

    fn the_one_with_the_uuid() {
        let candidates = [
            candidate("processor", CPU, [1; 16], false),
            candidate("first", GPU, [2; 16], false),
            // Two GPUs of one model differ by nothing but the UUID.
            candidate("twin", GPU, [3; 16], false),
            candidate("twin", GPU, [4; 16], false),
        ];
        for (i, candidate) in candidates.iter().enumerate().skip(1) {
            let found = matching::find(&candidates, &candidate.uuid).unwrap();
            assert!(ptr::eq(found, &candidates[i]));
        }
    }

    fn refusals() {
        let candidates = [
            candidate("processor", CPU, [1; 16], false),
            candidate("stranger", GPU, [2; 16], false),
            candidate("pair", GPU, [1; 16], true),
        ];
        let error = matching::find(&candidates, &[1; 16]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Vulkan does not have CUDA's device 01010101-0101-0101-0101-010101010101. It has: \
             processor (a CPU); stranger (another device, 02020202-0202-0202-0202-020202020202); \
             pair (one of a group of devices)"
        );
        assert!(matches!(error, Error::Missing(_)));
        let error = matching::find(&[], &[0xab; 16]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Vulkan does not have CUDA's device abababab-abab-abab-abab-abababababab. It has: none"
        );
    }

    fn this_machines_cpu() {
        let instance = Instance::open().unwrap();
        let candidates = instance.candidates().unwrap();
        let cpu = candidates.iter().find(|candidate| candidate.kind == CPU).unwrap();
        // Even asked for by its own UUID.
        let error = matching::find(&candidates, &cpu.uuid).unwrap_err();
        assert!(error.to_string().contains(&format!("{} (a CPU)", cpu.name)), "{error}");
    }

    fn every_device() {
        let instance = Instance::open().unwrap();
        let candidates = instance.candidates().unwrap();
        let mut found = Vec::new();
        for ordinal in 0..cuda::device_count().unwrap() {
            let cuda = Cuda::open(ordinal).unwrap();
            let candidate = matching::find(&candidates, &cuda.uuid).unwrap();
            println!("CUDA {ordinal}: {} is {}, {}", cuda.name, candidate.name, matching::Uuid(&cuda.uuid));
            assert_eq!(candidate.name, cuda.name);
            found.push(candidate.physical_device);
        }
        found.sort();
        found.dedup();
        assert_eq!(found.len() as i32, cuda::device_count().unwrap(), "two matched one");
    }

    fn each_with_itself(cuda: [Cuda; 2], vulkan: [Vulkan; 2]) {
        for (cuda, vulkan) in cuda.iter().zip(&vulkan) {
            cuda.make_current().unwrap();
            let (buffer, memory) = Buffer::with_memory(vulkan, 1 << 20, false).unwrap();
            let import = Import::new(&memory);
            let address = import.map(0, buffer.size);
            let sent = pattern(1, 1 << 20);
            buffer.write(0, &sent).unwrap();
            assert_same("from Vulkan", &cuda::read(address, sent.len()).unwrap(), &sent);
            let sent = pattern(2, 1 << 20);
            cuda::write(address, &sent).unwrap();
            assert_same("from CUDA", &buffer.read(0, buffer.size).unwrap(), &sent);
        }
    }

    /// Which is why the matching must. Seen on two H200s with driver 580.159: memory that is not
    /// dedicated is refused; dedicated memory is taken and works, at the speed of the way between
    /// the GPUs, and so are semaphores. Nothing promises either. In processes of their own, since a
    /// wrong mapping may end a context.
    fn the_wrong_gpu(cuda: [Cuda; 2], _: [Vulkan; 2]) {
        let candidates = Instance::open().unwrap().candidates().unwrap();
        let second = matching::find(&candidates, &cuda[1].uuid).unwrap();
        let refusal = second.check(&cuda[0].uuid).unwrap_err();
        assert_eq!(refusal, format!("another device, {}", matching::Uuid(&cuda[1].uuid)));

        for case in ["memory", "dedicated memory", "binary semaphore", "timeline"] {
            let answer = gpu::answer(gpu::start(case));
            println!("a {case} of GPU 1, imported on GPU 0: {answer}");
            // Refused, or it works: what is taken and then shows other bytes would be worst.
            assert!(!answer.contains("false") && !answer.contains("and then"), "{case}: {answer}");
        }
    }

    /// What the child does: imports on GPU 0 what Vulkan exports from GPU 1, and uses it as far as
    /// that goes.
    pub fn wrong_gpu(case: &str) {
        let here = Cuda::open(0).unwrap();
        let there = Cuda::open(1).unwrap();
        let vulkan = Vulkan::open(&there.uuid).unwrap();
        here.make_current().unwrap();
        let is_taken = |code: CUresult, fd: i32| {
            // SAFETY: asks about a number, whatever it is.
            let open = unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1;
            println!("{code:?}, the descriptor is {}", if open { "open" } else { "closed" });
            code == CUDA_SUCCESS
        };
        if case.ends_with("memory") {
            let (buffer, memory) = Buffer::with_memory(&vulkan, 1 << 20, case != "memory").unwrap();
            buffer.write(0, &pattern(1, 1 << 20)).unwrap();
            let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
                type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                size: memory.size,
                flags: if memory.dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
                ..Default::default()
            };
            let fd = memory.export().unwrap().into_raw_fd();
            desc.handle.fd = fd;
            let mut imported = ptr::null_mut();
            // SAFETY: both pointers are to variables here; the descriptor was ours to give.
            if is_taken(unsafe { cuImportExternalMemory(&mut imported, &desc) }, fd) {
                let address = cuda::map_buffer(imported, 0, memory.size).unwrap();
                println!("it maps");
                let seen = cuda::read(address, 1 << 20).unwrap();
                println!("GPU 0 reads what Vulkan wrote: {}", seen == pattern(1, 1 << 20));
                cuda::write(address, &pattern(2, 1 << 20)).unwrap();
                let seen = buffer.read(0, 1 << 20).unwrap();
                println!("Vulkan reads what GPU 0 wrote: {}", seen == pattern(2, 1 << 20));
            }
            return;
        }
        let (semaphore, type_) = match case {
            "timeline" => {
                (Semaphore::timeline(&vulkan, 0), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
            }
            _ => (Semaphore::binary(&vulkan), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD),
        };
        let semaphore = semaphore.unwrap();
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
        let fd = semaphore.export().unwrap().into_raw_fd();
        desc.handle.fd = fd;
        let mut imported = ptr::null_mut();
        // SAFETY: as above.
        if is_taken(unsafe { cuImportExternalSemaphore(&mut imported, &desc) }, fd) {
            let stream = Stream::new();
            stream.signal(&[(&SemaphoreImport(imported), 1)]);
            stream.finish();
            println!("GPU 0 signals it");
            vulkan.submit(&[(semaphore.raw, 1)], &[], |_| {}).unwrap().wait().unwrap();
            println!("Vulkan's wait on GPU 1 ends");
        }
    }

    /// Memory is imported on its own GPU; the other one gets it by a copy, after a semaphore of the
    /// first one's.
    fn peer_copies(cuda: [Cuda; 2], vulkan: [Vulkan; 2]) {
        for (owner, peer) in [(0, 1), (1, 0)] {
            cuda[owner].make_current().unwrap();
            let (buffer, memory) = Buffer::with_memory(&vulkan[owner], 1 << 20, false).unwrap();
            let import = Import::new(&memory);
            let address = import.map(0, buffer.size);
            let semaphore = Semaphore::timeline(&vulkan[owner], 0).unwrap();
            let in_cuda = SemaphoreImport::timeline(&semaphore);
            let stream = Stream::new();
            let sent = pattern(4, 1 << 20);
            buffer.write(0, &sent).unwrap();

            cuda[peer].make_current().unwrap();
            let scratch = Scratch::new(1 << 20);
            cuda[owner].make_current().unwrap();
            stream.wait(&[(&in_cuda, 1)]);
            stream.copy(scratch.0, address, sent.len());
            assert!(!stream.is_done());
            semaphore.signal(1).unwrap();
            stream.finish();

            cuda[peer].make_current().unwrap();
            assert_same("the peer's copy", &cuda::read(scratch.0, sent.len()).unwrap(), &sent);
            let sent = pattern(5, 1 << 20);
            cuda::write(scratch.0, &sent).unwrap();
            cuda[owner].make_current().unwrap();
            stream.copy(address, scratch.0, sent.len());
            stream.finish();
            assert_same("what the peer sent", &buffer.read(0, buffer.size).unwrap(), &sent);
        }
    }
}
