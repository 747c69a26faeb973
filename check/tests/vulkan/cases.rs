//! For each rule a program that breaks it. One program for all of them does everything right.

use std::os::fd::{IntoRawFd, OwnedFd};
use std::ptr::null_mut;

use ash::vk;
use cuda_external_check::rules::Rule;
use cuda_external_sys::*;
use interop::Result;
use interop::cuda::{self, Cuda, ImportedMemory, ImportedSemaphore, Stream};
use interop::shared::SharedImage;
use interop::vulkan::{Buffer, HostBuffer, Image, Placement, Semaphore, Shape, Submission, Vulkan};

const SIZE: u64 = 1 << 20;

pub struct Case {
    pub rule: Rule,
    pub run: fn(&Cuda, &Vulkan) -> Result<()>,
    /// The rules that it breaks besides.
    pub also: &'static [Rule],
    pub options: &'static [&'static str],
    pub devices: usize,
}

pub fn all() -> Vec<Case> {
    let case = |rule, run| Case { rule, run, also: &[], options: &[], devices: 1 };
    vec![
        case(Rule::SizeDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
            ImportedMemory::from_fd(memory.export()?, memory.size / 2, false).map(drop)
        }),
        case(Rule::DedicatedDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, true)?;
            ImportedMemory::from_fd(memory.export()?, memory.size, false).map(drop)
        }),
        case(Rule::HandleTypeDiffers, memory_as_semaphore),
        case(Rule::SemaphoreTypeDiffers, |_, vulkan| {
            let binary = Semaphore::binary(vulkan)?;
            _ = raw_semaphore(binary.export()?, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);
            Ok(())
        }),
        Case { devices: 2, ..case(Rule::DeviceDiffers, other_device) },
        case(Rule::ImageDiffers, other_image),
        case(Rule::TimelineGoesBack, value_goes_back),
        case(Rule::ExporterFreedInUse, freed_in_use),
        Case {
            options: &["--enable", "wait-before-signal"],
            ..case(Rule::WaitBeforeSignal, |_, vulkan| round_trip(vulkan, &[Step::WaitFirst]))
        },
        Case {
            options: &["--enable", "hand-over"],
            ..case(Rule::HandOver, |_, vulkan| round_trip(vulkan, &[Step::NoSemaphores]))
        },
    ]
}

/// The variants of a hand-over that lacks something, beside the row's own.
pub const HAND_OVERS: &[(&str, &[Step])] = &[
    ("without_a_wait", &[Step::NoWait]),
    ("without_an_acquire", &[Step::NoAcquire]),
    ("without_a_release", &[Step::NoRelease]),
];

/// What a round trip leaves out or does in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    NoSemaphores,
    NoWait,
    NoAcquire,
    NoRelease,
    WaitFirst,
}

fn raw_semaphore(fd: OwnedFd, type_: CUexternalSemaphoreHandleType) -> CUresult {
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.fd = fd.into_raw_fd();
    let mut semaphore = null_mut();
    // SAFETY: the pointers are valid; the descriptor is given up.
    unsafe {
        let code = cuImportExternalSemaphore(&mut semaphore, &desc);
        if code == CUDA_SUCCESS { cuDestroyExternalSemaphore(semaphore) } else { code }
    }
}

fn memory_as_semaphore(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
    // What the driver makes of it differs: the descriptor fits nothing.
    _ = raw_semaphore(memory.export()?, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
    Ok(())
}

/// The context is of the second device, and Vulkan's is the first one.
fn other_device(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let _second = Cuda::open(1)?;
    let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
    let mut handle = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: memory.size, ..Default::default() };
    handle.type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = memory.export()?.into_raw_fd();
    let mut raw = null_mut();
    // SAFETY: the pointers are valid. Whether it succeeds depends on the driver.
    unsafe {
        if cuImportExternalMemory(&mut raw, &handle) == CUDA_SUCCESS {
            cuDestroyExternalMemory(raw).result()?;
        }
    }
    Ok(())
}

fn image(vulkan: &Vulkan) -> Result<(Image<'_>, CUDA_ARRAY3D_DESCRIPTOR)> {
    let extent = vk::Extent3D { width: 64, height: 32, depth: 1 };
    let shape = Shape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = Image::new(vulkan, shape, format, SharedImage::USAGE, Placement::OwnMemory)?;
    let desc = SharedImage::descriptor(&shape, format, vk::ImageUsageFlags::empty())?;
    Ok((image, desc))
}

fn other_image(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (image, desc) = image(vulkan)?;
    SharedImage::map(image, CUDA_ARRAY3D_DESCRIPTOR { Height: desc.Height / 2, ..desc }).map(drop)
}

/// The host signals 5 by Vulkan, and CUDA signals 3.
fn value_goes_back(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let timeline = Semaphore::timeline(vulkan, 0)?;
    let in_cuda = ImportedSemaphore::from_vulkan(&timeline)?;
    let stream = Stream::new()?;
    timeline.signal(5)?;
    // What a driver does with a value that goes back is not certain, and not the matter here.
    _ = stream.signal(&[(&in_cuda, 3)]);
    _ = stream.synchronize();
    Ok(())
}

fn freed_in_use(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let gate = Semaphore::timeline(vulkan, 0)?;
    let in_cuda = ImportedSemaphore::from_vulkan(&gate)?;
    let stream = Stream::new()?;
    let (buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
    let import = ImportedMemory::from_vulkan(&memory)?;
    let address = import.map_buffer(0, SIZE)?;
    stream.wait(&[(&in_cuda, 1)])?;
    stream.fill(address, 1, SIZE as usize)?;
    drop((buffer, memory));
    gate.signal(1)?;
    stream.synchronize()
}

/// CUDA fills a buffer that Vulkan wrote before, and Vulkan reads it. With no step left out it is right.
pub fn round_trip(vulkan: &Vulkan, without: &[Step]) -> Result<()> {
    let has = |step| !without.contains(&step);
    let buffer = Buffer::new(vulkan, SIZE)?;
    let memory = buffer.allocate(buffer.prefers_dedicated)?;
    let import = ImportedMemory::from_vulkan(&memory)?;
    let address = import.map_buffer(0, SIZE)?;
    let timeline = Semaphore::timeline(vulkan, 0)?;
    let in_cuda = ImportedSemaphore::from_vulkan(&timeline)?;
    let (stream, host) = (Stream::new()?, HostBuffer::new(vulkan, SIZE)?);
    let family = vulkan.queue().family;
    let with = |value| if has(Step::NoSemaphores) { vec![(&timeline, value)] } else { Vec::new() };

    let written = vulkan.submit(&[], &with(1), |commands| {
        // SAFETY: the buffer lives until the submission is done.
        unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, 7) };
        if has(Step::NoRelease) {
            buffer.transfer(commands, family, vk::QUEUE_FAMILY_EXTERNAL);
        }
    })?;
    let read = || -> Result<Submission<'_>> {
        let waits = if has(Step::NoWait) { with(2) } else { Vec::new() };
        vulkan.submit(&waits, &[], |commands| {
            if has(Step::NoAcquire) {
                buffer.transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, family);
            }
            let region = vk::BufferCopy::default().size(SIZE);
            // SAFETY: both buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, host.raw, &[region]) };
        })
    };
    let early = if has(Step::WaitFirst) { None } else { Some(read()?) };
    if has(Step::NoSemaphores) {
        stream.wait(&[(&in_cuda, 1)])?;
    }
    stream.fill(address, 9, SIZE as usize)?;
    if has(Step::NoSemaphores) {
        stream.signal(&[(&in_cuda, 2)])?;
    }
    let late = if early.is_none() { Some(read()?) } else { None };
    written.wait()?;
    early.into_iter().chain(late).try_for_each(Submission::wait)?;
    stream.synchronize()?;
    let is_right = host.bytes().iter().all(|byte| *byte == 9);
    println!("every byte is right: {is_right}");
    Ok(())
}

/// Everything that the cases do, rightly: an image too.
pub fn all_right(cuda: &Cuda, vulkan: &Vulkan) -> Result<()> {
    round_trip(vulkan, &[])?;
    let (image, desc) = image(vulkan)?;
    let image = SharedImage::map(image, desc)?;
    let bytes = vec![3; 64 * 32 * 4];
    image.write(std::slice::from_ref(&bytes))?;
    assert_eq!(image.read()?, [bytes]);
    assert_eq!(cuda.uuid.len(), 16);
    _ = cuda::free_memory()?;
    Ok(())
}
