//! Large allocations, by exporter, size, description and importing process. On some machines, a driver ends the process
//! that imports CUDA's own memory from a certain size on.

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;
use std::time::Duration;

use cuda_external_sys::*;
use example_support::cuda::{Allocation, import_memory};
use example_support::{Error, Result};

use super::shared::{Exported, Exporter, map};
use crate::case::{Case, Group, answer, or_answer};
use crate::child::{self, Outcome};
use crate::gpu::cuda;

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
    /// Imported by cuMemImportFromShareableHandle.
    AsAllocation,
}

fn by_cuda(mib: u64) -> Large {
    let (exporter, how) = (Exporter::CUDA, How::Here);
    Large { exporter, mib, stated_mib: None, dedicated: false, mapped: false, how }
}

/// CUDA's memory: the sizes in MiB, the rest of the name, and the difference of the case.
type Row = (&'static [u64], &'static str, fn(Large) -> Large);

const NONE: CUmemAllocationProp_allocFlags = CUmemAllocationProp_allocFlags::zeroed();
const RDMA: Exporter = Exporter::Cuda(0, CUmemAllocationProp_allocFlags { gpuDirectRDMACapable: 1, ..NONE });
const COMPRESSIBLE: Exporter =
    Exporter::Cuda(0, CUmemAllocationProp_allocFlags { compressionType: 1, ..NONE });

#[rustfmt::skip] // one kind of case a line
const CUDAS: [Row; 10] = [
    (&[256, 508, 510, 512, 514, 768, 1022, 1024, 4096], "", |large| large),
    (&[510, 512, 1024], ", flag DEDICATED", |large| Large { dedicated: true, ..large }),
    (&[512], ", imported as 256 MiB", |large| Large { stated_mib: Some(256), ..large }),
    (&[256], ", imported as 512 MiB", |large| Large { stated_mib: Some(512), ..large }),
    (&[512], ", mapped by the exporter too", |large| Large { mapped: true, ..large }),
    (&[512], ", GPUDirect RDMA capable", |large| Large { exporter: RDMA, ..large }),
    (&[512], ", compressible", |large| Large { exporter: COMPRESSIBLE, ..large }),
    (&[512], ", of the second GPU", |large| Large { exporter: Exporter::cuda(1), ..large }),
    (&[510, 512, 1024], ", imported by another process", |large| Large { how: How::OtherProcess, ..large }),
    (&[512, 1024, 4096], ", by cuMemImportFromShareableHandle", |large| Large { how: How::AsAllocation, ..large }),
];

pub fn group() -> Group {
    let mut cases = Vec::new();
    let mut add = |name: String, large: Large| cases.push(Case::new(name, move || run(&large)));
    for (sizes, what, describe) in CUDAS {
        for &mib in sizes {
            add(format!("CUDA's, {mib} MiB{what}"), describe(by_cuda(mib)));
        }
    }
    let by_vulkan =
        |mib, dedicated| Large { exporter: Exporter::vulkan(0, dedicated), dedicated, ..by_cuda(mib) };
    for mib in [512, 1024, 4096] {
        add(format!("Vulkan's, {mib} MiB"), by_vulkan(mib, false));
        add(format!("Vulkan's, {mib} MiB, dedicated"), by_vulkan(mib, true));
    }
    let elsewhere = Large { how: How::OtherProcess, ..by_vulkan(1024, true) };
    add("Vulkan's, 1024 MiB, imported by another process".into(), elsewhere);
    for mib in [510, 512, 1024] {
        let case = Case::new(format!("CUDA's, {mib} MiB, one GPU visible"), move || run(&by_cuda(mib)));
        cases.push(Case { variable: Some(("CUDA_VISIBLE_DEVICES", "0")), ..case });
    }
    Group::new("large-memory", cases)
}

/// The variable that passes the descriptor's number to a process that only imports.
const IMPORT: &str = "CUDA_EXTERNAL_SYS_SURVEY_IMPORT";

fn run(large: &Large) -> Result<()> {
    if let Ok(number) = std::env::var(IMPORT) {
        let number = number.parse().map_err(|_| Error::Failed(format!("{IMPORT} is not a number")))?;
        cuda(0)?;
        // SAFETY: the process that started this one left the descriptor open for it.
        return import_here(large, unsafe { OwnedFd::from_raw_fd(number) }, large.mib << 20);
    }
    let exported = large.exporter.leak(large.mib << 20)?;
    if let (Exported::Cuda(memory, _), true) = (exported, large.mapped) {
        std::mem::forget(memory.map()?);
    }
    let (fd, size) = (exported.fd()?, exported.size());
    match large.how {
        How::Here => import_here(large, fd, size),
        How::OtherProcess => import_elsewhere(&fd),
        How::AsAllocation => {
            let Some(memory) = or_answer(Allocation::import(cuda(0)?, &fd, size)) else { return Ok(()) };
            let memory = ManuallyDrop::new(memory);
            verify(ManuallyDrop::new(memory.map()?).address, size)
        }
    }
}

/// Runs the same case in another process, which imports the descriptor.
fn import_elsewhere(fd: &OwnedFd) -> Result<()> {
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, 0) };
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).env(IMPORT, fd.as_raw_fd().to_string());
    match child::run(&mut command, Duration::from_secs(15)) {
        Outcome::Answer(text) => answer(text),
        Outcome::NotMeasured(text) => return Err(Error::Missing(text)),
        Outcome::Failed(text) => return Err(Error::Failed(text)),
    }
    Ok(())
}

fn import_here(large: &Large, fd: OwnedFd, size: u64) -> Result<()> {
    let stated = large.stated_mib.map_or(size, |mib| mib << 20);
    let Some(memory) = or_answer(import_memory(fd, stated, large.dedicated)) else { return Ok(()) };
    let size = size.min(stated);
    verify(map(memory, size)?, size)
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
