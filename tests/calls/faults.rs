//! interop returns each error of the driver, and keeps nothing: on the driver in software, each call fails once.

use std::os::fd::OwnedFd;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use cuda_external_cpu::shared::Semaphore;
use cuda_external_cpu::{Effect, Fault, clear_faults, inject_fault};
use cuda_external_sys::*;
use interop::cuda::{
    Allocation, Cuda, DeviceMemory, ImportedMemory, ImportedSemaphore, SemaphoreValues, Stream, free_memory,
    read, read_level, write, write_level,
};
use interop::vulkan::Shape;
use interop::{Error, Result};
use libtest_mimic::Trial;
use test_support as support;

use crate::own_process;

pub fn trials() -> Vec<Trial> {
    let process = |name: &str, run| own_process::trial(name, &[], crate::loader::program, run);
    support::tests! { process => each_error_is_returned_and_nothing_is_kept; }
}

const CODE: CUresult = CUDA_ERROR_UNKNOWN;
const SIZE: usize = 2 << 20;

fn fail(function: &str, call: u64) {
    inject_fault(Fault { function: function.to_owned(), call: Some(call), effect: Effect::Fail(CODE) });
}

fn open() -> Cuda {
    // SAFETY: rustc has compared the type of each of its functions with the crate's.
    unsafe { load_with(cuda_external_cpu::NAME, cuda_external_cpu::symbol) }
        .expect("no other driver is loaded");
    Cuda::open(0).expect("every call succeeds")
}

/// What is kept: free memory, and open descriptors.
fn state() -> (usize, usize) {
    (free_memory().expect("every call succeeds"), support::open_descriptors())
}

fn memory(allocation: &Allocation) -> Result<()> {
    let import = ImportedMemory::from_fd(allocation.export()?, SIZE as u64, false)?;
    let address = import.map_buffer(0, 0x200)?;
    let device = DeviceMemory::new(0x3000)?;
    write(device.address, &[1; 0x10])?;
    assert_eq!(read(address, 0x20)?.len(), 0x20);
    let shape = Shape {
        view: ash::vk::ImageViewType::TYPE_2D_ARRAY,
        extent: ash::vk::Extent3D { width: 40, height: 20, depth: 1 },
        layers: 3,
        levels: 2,
    };
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 40,
        Height: 20,
        Depth: 3,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        Flags: CUDA_ARRAY3D_LAYERED,
    };
    let image = ImportedMemory::from_fd(allocation.export()?, SIZE as u64, true)?;
    let mipmap = image.map_mipmapped_array(0, array, 2)?;
    // SAFETY: the array lives, and has this shape.
    unsafe {
        write_level(mipmap, &shape, 4, 1, &[7; 20 * 10 * 3 * 4])?;
        assert_eq!(read_level(mipmap, &shape, 4, 1)?, [7; 20 * 10 * 3 * 4]);
    }
    Ok(())
}

fn semaphores() -> Result<()> {
    let fd = |binary| OwnedFd::from(Semaphore::create(binary, 0).expect("a file in memory").1);
    let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let (one, other) =
        (ImportedSemaphore::from_fd(fd(false), timeline)?, ImportedSemaphore::from_fd(fd(false), timeline)?);
    let both = [(&one, 5), (&other, 6)];
    let (device, stream) = (DeviceMemory::new(0x1000)?, Stream::new()?);
    stream.signal(&both)?;
    stream.wait(&both)?;
    stream.fill(device.address, 0x50, 0x60)?;
    stream.copy(device.address, device.address + 0x100, 0x30)?;
    stream.is_done()?;
    stream.synchronize()?;
    stream.finish()?;
    SemaphoreValues::new(&both);
    Ok(())
}

fn everything(cuda: &Cuda) -> Result<()> {
    cuda.make_current()?;
    let allocation = Allocation::new(cuda, SIZE)?;
    drop(allocation.map()?);
    memory(&allocation)?;
    let again = Allocation::import(cuda, &allocation.export()?, SIZE as u64)?;
    drop(again);
    semaphores()
}

fn each_error_is_returned_and_nothing_is_kept(_: &Path) {
    let cuda = open();
    everything(&cuda).expect("every call succeeds");
    panic::set_hook(Box::new(|_| {}));
    let (mut unnoticed, mut kept, mut failed) = (Vec::new(), Vec::new(), 0);
    for call in 1.. {
        let before = state();
        fail("*", call);
        let result = panic::catch_unwind(AssertUnwindSafe(|| everything(&cuda)));
        clear_faults();
        match result {
            // Nothing failed any more, or it was not noticed.
            Ok(Ok(())) => unnoticed.push(call),
            Ok(Err(Error::Failed(words))) => {
                // Where the call is, and not where its code was converted.
                let begins = "CUDA: CUDA_ERROR_UNKNOWN (999) at ";
                assert!(words.starts_with(begins) && !words.contains("error.rs"), "{words}");
                failed = call;
                // The fault comes before the driver closes a descriptor, which interop has given up.
                let is_import =
                    ["cuda/memory.rs", "cuda/semaphore.rs"].iter().any(|file| words.contains(file));
                let (free, descriptors) = state();
                let given_up = usize::from(is_import && descriptors > before.1);
                let is_same = (free, descriptors - given_up) == before;
                kept.extend((!is_same).then(|| format!("call {call}: {words}")));
            }
            Ok(Err(Error::Missing(words))) => panic!("{words}"),
            // A guard's: what could not be destroyed is kept.
            Err(words) => {
                let words = words.downcast::<String>().expect("a message");
                assert!(words.starts_with("the teardown returned ["), "{words}");
                failed = call;
            }
        }
        if call > failed + 5 {
            break;
        }
    }
    drop(panic::take_hook());
    assert!(failed > 40, "{failed} calls");
    unnoticed.retain(|call| *call < failed);
    assert!(unnoticed.is_empty() && kept.is_empty(), "unnoticed: {unnoticed:?}; kept: {kept:#?}");
}
