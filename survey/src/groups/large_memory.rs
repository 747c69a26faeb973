//! Large allocations, by exporter, size, description and importing process. On some machines, a driver ends the process that
//! imports CUDA's own memory from a certain size on.

use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;

use cuda_external_sys::*;
use interop::cuda::{Allocation, import_memory, map_buffer};
use interop::vulkan::Buffer;
use interop::{Error, Result};

use crate::case::{Case, Group, answer, or_answer};
use crate::child::{self, Outcome};
use crate::gpu::{allocate_with, cuda, vulkan};

#[derive(Clone, Copy)]
enum Exporter {
    Cuda { device: usize, flags: CUmemAllocationProp_allocFlags },
    Vulkan { dedicated: bool },
}

#[derive(Clone, Copy)]
struct Large {
    exporter: Exporter,
    mib: u64,
    /// The size in the description in MiB, where it differs from the true one.
    stated_mib: Option<u64>,
    /// The flag in the description.
    dedicated: bool,
    /// Whether the exporter has mapped the memory for itself.
    mapped: bool,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Here,
    /// In a process that has not exported anything.
    OtherProcess,
    /// By cuMemImportFromShareableHandle.
    AsAllocation,
}

fn by_cuda(mib: u64) -> Large {
    let exporter = Exporter::Cuda { device: 0, flags: CUmemAllocationProp_allocFlags::default() };
    Large { exporter, mib, stated_mib: None, dedicated: false, mapped: false, how: How::Here }
}

fn by_vulkan(mib: u64, dedicated: bool) -> Large {
    Large { exporter: Exporter::Vulkan { dedicated }, dedicated, ..by_cuda(mib) }
}

pub fn group() -> Group {
    let mut cases = Vec::new();
    let mut add = |name: String, large: Large| cases.push(Case::new(name, move || run(&large)));
    for mib in [256, 508, 510, 512, 514, 768, 1022, 1024, 4096] {
        add(format!("CUDA's, {mib} MiB"), by_cuda(mib));
    }
    for mib in [510, 512, 1024] {
        add(format!("CUDA's, {mib} MiB, flag DEDICATED"), Large { dedicated: true, ..by_cuda(mib) });
    }
    add("CUDA's, 512 MiB, imported as 256 MiB".into(), Large { stated_mib: Some(256), ..by_cuda(512) });
    add("CUDA's, 256 MiB, imported as 512 MiB".into(), Large { stated_mib: Some(512), ..by_cuda(256) });
    add("CUDA's, 512 MiB, mapped by the exporter too".into(), Large { mapped: true, ..by_cuda(512) });
    let none = CUmemAllocationProp_allocFlags::default();
    let rdma = CUmemAllocationProp_allocFlags { gpuDirectRDMACapable: 1, ..none };
    let compressible = CUmemAllocationProp_allocFlags { compressionType: 1, ..none };
    for (what, device, flags) in [
        ("GPUDirect RDMA capable", 0, rdma),
        ("compressible", 0, compressible),
        ("of the second GPU", 1, none),
    ] {
        let exporter = Exporter::Cuda { device, flags };
        add(format!("CUDA's, 512 MiB, {what}"), Large { exporter, ..by_cuda(512) });
    }
    let elsewhere = |large| Large { how: How::OtherProcess, ..large };
    for mib in [510, 512, 1024] {
        add(format!("CUDA's, {mib} MiB, imported by another process"), elsewhere(by_cuda(mib)));
    }
    for mib in [512, 1024, 4096] {
        let large = Large { how: How::AsAllocation, ..by_cuda(mib) };
        add(format!("CUDA's, {mib} MiB, by cuMemImportFromShareableHandle"), large);
    }
    for mib in [512, 1024, 4096] {
        add(format!("Vulkan's, {mib} MiB"), by_vulkan(mib, false));
        add(format!("Vulkan's, {mib} MiB, dedicated"), by_vulkan(mib, true));
    }
    add("Vulkan's, 1024 MiB, imported by another process".into(), elsewhere(by_vulkan(1024, true)));
    for mib in [510, 512, 1024] {
        add(format!("CUDA's, {mib} MiB, one GPU visible"), by_cuda(mib));
    }
    for case in cases.iter_mut().filter(|case| case.name.ends_with("one GPU visible")) {
        case.variable = Some(("CUDA_VISIBLE_DEVICES", "0"));
    }
    Group::new("large-memory", cases)
}

/// The variable that passes the descriptor's number to a process that only imports.
const IMPORT: &str = "CUDA_EXTERNAL_SYS_SURVEY_IMPORT";

fn run(large: &Large) -> Result<()> {
    if let Ok(number) = std::env::var(IMPORT) {
        let number: c_int = number.parse().map_err(|_| Error::Failed(format!("{IMPORT} is not a number")))?;
        cuda(0)?;
        // SAFETY: the process that started this one left the descriptor open for it.
        return import_here(large, unsafe { OwnedFd::from_raw_fd(number) }, large.mib << 20);
    }
    match large.exporter {
        Exporter::Cuda { device, flags } => {
            let memory = ManuallyDrop::new(allocate_with(cuda(device)?, large.mib << 20, flags)?);
            if large.mapped {
                let _mapping = ManuallyDrop::new(memory.map()?);
            }
            import_somewhere(large, memory.export()?, memory.size)
        }
        Exporter::Vulkan { dedicated } => {
            let (_buffer, memory) = Buffer::with_memory(vulkan(0)?, large.mib << 20, dedicated)?;
            import_somewhere(large, memory.export()?, memory.size)
        }
    }
}

fn import_somewhere(large: &Large, fd: OwnedFd, size: u64) -> Result<()> {
    let cuda = cuda(0)?;
    match large.how {
        How::Here => import_here(large, fd, size),
        How::OtherProcess => {
            // SAFETY: the descriptor is ours.
            unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, 0) };
            let program = std::env::current_exe().map_err(|error| Error::Failed(error.to_string()))?;
            let mut command = Command::new(program);
            // The same case.
            command.args(std::env::args_os().skip(1)).env(IMPORT, fd.as_raw_fd().to_string());
            match child::run(&mut command, std::time::Duration::from_secs(15)) {
                Outcome::Answer(text) => answer(text),
                Outcome::NotMeasured(text) => return Err(Error::Missing(text)),
                Outcome::Failed(text) => return Err(Error::Failed(text)),
            }
            Ok(())
        }
        How::AsAllocation => {
            let Some(memory) = or_answer(Allocation::import(cuda, &fd, size)) else { return Ok(()) };
            let memory = ManuallyDrop::new(memory);
            verify(ManuallyDrop::new(memory.map()?).address, size)
        }
    }
}

fn import_here(large: &Large, fd: OwnedFd, size: u64) -> Result<()> {
    let stated = large.stated_mib.map_or(size, |mib| mib << 20);
    let Some(memory) = or_answer(import_memory(fd, stated, large.dedicated)) else { return Ok(()) };
    let size = size.min(stated);
    // SAFETY: the handles live.
    verify(unsafe { map_buffer(memory, 0, size) }?, size)
}

fn verify(address: CUdeviceptr, size: u64) -> Result<()> {
    let (mut bytes, last) = ([0_u8; 2], address + size - 1);
    let to = bytes.as_mut_ptr();
    // SAFETY: the mapping is `size` long, and `bytes` has room for both.
    unsafe {
        cuMemsetD8_v2(address, 0x5a, size as usize).result()?;
        cuMemsetD8_v2(last, 0xc3, 1).result()?;
        cuMemcpyDtoH_v2(to.cast(), address, 1).result()?;
        cuMemcpyDtoH_v2(to.add(1).cast(), last, 1).result()?;
    }
    answer(if bytes == [0x5a, 0xc3] { "works" } else { "wrong bytes" });
    Ok(())
}
