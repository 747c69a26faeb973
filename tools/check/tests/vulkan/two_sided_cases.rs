//! For each rule a program that breaks it. One program for all of them does everything right.

use std::os::fd::{AsRawFd, OwnedFd};

use ash::vk;
use cuda_external_check::rules::Rule;
use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{self, Allocation, Cuda, ImportedMemory, ImportedSemaphore, Stream};
use example_support::shared_resources::SharedImage;
use example_support::vulkan::{
    Buffer, DedicatedTo, HANDLE_TYPE, HostBuffer, Image, ImageShape, Memory, Semaphore, Submission, Vulkan,
};

const SIZE: u64 = 1 << 20;

pub struct Case {
    /// The name of the case. It is a rule's identifier if the case breaks that rule alone.
    pub name: &'static str,
    /// The rule that is reported.
    pub rule: Option<Rule>,
    pub run: CaseFn,
    pub options: &'static [&'static str],
    pub devices: usize,
}

type CaseFn = fn(&Cuda, &Vulkan) -> Result<()>;

impl Case {
    pub fn breaks(rule: Rule, run: CaseFn) -> Self {
        Self { name: rule.info().id, rule: Some(rule), run, options: &[], devices: 1 }
    }

    pub fn hand_over(name: &'static str, run: CaseFn) -> Self {
        Self::breaks(Rule::HandOver, run).with_name(name)
    }

    pub fn is_correct(name: &'static str, run: CaseFn) -> Self {
        Self { rule: None, ..Self::hand_over(name, run) }
    }

    pub fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    pub fn with_options(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }
}

/// What may be wrong is asked for.
pub const POSSIBLE: &[&str] = &["--enable", "hand-over,written-too-early"];

pub fn all_cases() -> Vec<Case> {
    const EACH: &[&str] = &["--enable", "hand-over,written-too-early,wait-before-signal,mapping-overlap"];
    vec![
        Case::breaks(Rule::SizeDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
            import_half(&memory, memory.export()?)
        }),
        Case::breaks(Rule::SizeDiffers, |cuda, vulkan| import_into_vulkan(cuda, vulkan, 2).map(drop))
            .with_name("imported_by_vulkan_with_another_size"),
        Case::breaks(Rule::FdClosedAfterImport, |cuda, vulkan| {
            let number = import_into_vulkan(cuda, vulkan, 1)?;
            unsafe { libc::close(number) };
            Ok(())
        })
        .with_name("closed_after_the_import_by_vulkan"),
        Case::is_correct("imported_by_vulkan", |cuda, vulkan| import_into_vulkan(cuda, vulkan, 1).map(drop)),
        // These descriptors are of one open file, which has one mark.
        Case::breaks(Rule::SizeDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
            [memory.export()?, memory.export()?].into_iter().try_for_each(|fd| import_half(&memory, fd))
        })
        .with_name("exported_twice_before_the_import"),
        Case::breaks(Rule::SizeDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
            let exported = memory.export()?;
            import_half(&memory, exported.try_clone()?)
        })
        .with_name("import_of_a_duplicate"),
        Case::breaks(Rule::DedicatedDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, true)?;
            ImportedMemory::from_fd(memory.export()?, memory.size, false).map(drop)
        }),
        Case::breaks(Rule::HandleTypeDiffers, |_, vulkan| {
            let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
            // What the driver makes of it differs: the descriptor fits nothing.
            let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
            _ = ImportedSemaphore::from_fd(memory.export()?, type_);
            Ok(())
        }),
        Case::breaks(Rule::SemaphoreTypeDiffers, |_, vulkan| {
            let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
            _ = ImportedSemaphore::from_fd(Semaphore::binary(vulkan)?.export()?, type_);
            Ok(())
        }),
        Case { devices: 2, ..Case::breaks(Rule::DeviceDiffers, import_on_other_device) },
        Case::breaks(Rule::ImageDiffers, describe_other_image),
        Case::breaks(Rule::TimelineGoesBack, signal_smaller_value),
        Case::breaks(Rule::ExporterFreedInUse, free_exporter_in_use)
            .with_options(&["--enable", "exporter-freed-in-use"]),
        Case::breaks(Rule::WaitBeforeSignal, |_, vulkan| run_round_trip(vulkan, &[OmittedStep::WaitFirst]))
            .with_options(&["--enable", "wait-before-signal"]),
        Case::hand_over(Rule::HandOver.info().id, |_, vulkan| {
            run_round_trip(vulkan, &[OmittedStep::NoSemaphores])
        }),
        Case::hand_over("without_a_wait", |_, vulkan| run_round_trip(vulkan, &[OmittedStep::NoWait])),
        Case::hand_over("without_an_acquire", |_, vulkan| run_round_trip(vulkan, &[OmittedStep::NoAcquire])),
        Case::hand_over("without_a_release", |_, vulkan| run_round_trip(vulkan, &[OmittedStep::NoRelease])),
        Case::is_correct("all_right", run_everything_right).with_options(EACH),
        // Opt-in rules are silent where nobody asks for them.
        Case::is_correct("not_asked_for", |_, vulkan| run_round_trip(vulkan, &[OmittedStep::WaitFirst])),
    ]
}

fn import_half(memory: &Memory<'_>, fd: OwnedFd) -> Result<()> {
    ImportedMemory::from_fd(fd, memory.size / 2, false).map(drop)
}

/// A step that a round trip omits or does in another order.
#[derive(PartialEq, Eq)]
enum OmittedStep {
    NoSemaphores,
    NoWait,
    NoAcquire,
    NoRelease,
    WaitFirst,
}

/// The context is on the second device, and Vulkan uses the first one. Whether the import succeeds depends on the
/// driver.
fn import_on_other_device(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let _second = Cuda::open(1)?;
    let (_buffer, memory) = Buffer::with_memory(vulkan, SIZE, false)?;
    _ = ImportedMemory::from_fd(memory.export()?, memory.size, false);
    Ok(())
}

fn create_image(vulkan: &Vulkan) -> Result<(Image<'_>, CUDA_ARRAY3D_DESCRIPTOR)> {
    let extent = vk::Extent3D { width: 64, height: 32, depth: 1 };
    let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = Image::new(vulkan, shape, format, SharedImage::USAGE, 0)?;
    let desc = SharedImage::descriptor(&shape, format, vk::ImageUsageFlags::empty())?;
    Ok((image, desc))
}

fn describe_other_image(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (image, desc) = create_image(vulkan)?;
    SharedImage::map(image, CUDA_ARRAY3D_DESCRIPTOR { Height: desc.Height / 2, ..desc }).map(drop)
}

/// The host signals 5 by Vulkan, and CUDA signals 3.
fn signal_smaller_value(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let timeline = Semaphore::timeline(vulkan, 0)?;
    let in_cuda = ImportedSemaphore::from_vulkan(&timeline)?;
    let stream = Stream::new()?;
    timeline.signal(5)?;
    // A driver may accept or refuse a value that decreases; this case does not depend on it.
    _ = stream.signal(&[(&in_cuda, 3)]);
    _ = stream.synchronize();
    Ok(())
}

fn free_exporter_in_use(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
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

/// CUDA reads what Vulkan wrote and fills it, and Vulkan reads that. With no step left out it is right.
fn run_round_trip(vulkan: &Vulkan, without: &[OmittedStep]) -> Result<()> {
    let has = |step| !without.contains(&step);
    let buffer = Buffer::new(vulkan, SIZE)?;
    let memory = buffer.allocate(buffer.prefers_dedicated)?;
    let import = ImportedMemory::from_vulkan(&memory)?;
    let address = import.map_buffer(0, SIZE)?;
    let timeline = Semaphore::timeline(vulkan, 0)?;
    let in_cuda = ImportedSemaphore::from_vulkan(&timeline)?;
    let (stream, host) = (Stream::new()?, HostBuffer::new(vulkan, SIZE)?);
    let family = vulkan.queue().family;
    let with = |value| if has(OmittedStep::NoSemaphores) { vec![(&timeline, value)] } else { Vec::new() };

    let written = vulkan.submit(&[], &with(1), |commands| {
        // SAFETY: the buffer lives until the submission is done.
        unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, 7) };
        if has(OmittedStep::NoRelease) {
            buffer.transfer(commands, family, vk::QUEUE_FAMILY_EXTERNAL);
        }
    })?;
    let read = || -> Result<Submission<'_>> {
        let waits = if has(OmittedStep::NoWait) { with(2) } else { Vec::new() };
        vulkan.submit(&waits, &[], |commands| {
            if has(OmittedStep::NoAcquire) {
                buffer.transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, family);
            }
            let region = vk::BufferCopy::default().size(SIZE);
            // SAFETY: both buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, host.raw, &[region]) };
        })
    };
    let early = if has(OmittedStep::WaitFirst) { None } else { Some(read()?) };
    if has(OmittedStep::NoSemaphores) {
        stream.wait(&[(&in_cuda, 1)])?;
    }
    let half = (SIZE / 2) as usize;
    // SAFETY: the memory is mapped, and lives until the streams are synchronized.
    unsafe { cuMemcpyDtoDAsync(address + SIZE / 2, address, half, stream.raw()) }.result()?;
    stream.fill(address, 9, SIZE as usize)?;
    if has(OmittedStep::NoSemaphores) {
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
fn run_everything_right(cuda: &Cuda, vulkan: &Vulkan) -> Result<()> {
    run_round_trip(vulkan, &[])?;
    let (image, desc) = create_image(vulkan)?;
    let image = SharedImage::map(image, desc)?;
    let bytes = vec![3; 64 * 32 * 4];
    image.write(std::slice::from_ref(&bytes))?;
    assert_eq!(image.read()?, [bytes]);
    assert_eq!(cuda.uuid.len(), 16);
    _ = cuda::free_memory()?;
    Ok(())
}

/// Vulkan imports a part of what CUDA allocated. Returns the descriptor's number.
fn import_into_vulkan(cuda: &Cuda, vulkan: &Vulkan, part: u64) -> Result<i32> {
    let allocation = Allocation::new(cuda, SIZE as usize)?;
    let (fd, size) = (allocation.export()?, allocation.size / part);
    let (number, buffer) = (fd.as_raw_fd(), Buffer::new(vulkan, size)?);
    let bits = buffer.needs.memory_type_bits;
    Memory::import(vulkan, fd, size, bits, DedicatedTo::Nothing, HANDLE_TYPE)?;
    Ok(number)
}
