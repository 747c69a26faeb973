//! Cases of the rules about both CUDA and Vulkan, and of imports into Vulkan. Most cases break a rule, unless they
//! follow the rule's remedy.

use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};

use ash::vk;
use cuda_external_check::rules::Rule;
use cuda_external_sys::*;
use example_support::Result;
use example_support::array_descriptors::array_descriptor;
use example_support::cuda::{CuMemAllocation, Cuda, ImportedMemory, ImportedSemaphore, Stream};
use example_support::shared_resources::{SharedBuffer, SharedImage, SharedSemaphore};
use example_support::vulkan::{
    DedicatedTo, ExportableBuffer, ExportableImage, ExportableSemaphore, HANDLE_TYPE, HostBuffer, ImageShape,
    SemaphoreKind, Vulkan, VulkanMemory,
};

use crate::support::{self, follows_remedy};

const SIZE: u64 = 1 << 20;

pub type VkCase = support::CheckedCase<CaseFn>;

type CaseFn = fn(&Cuda, &Vulkan) -> Result<()>;

impl VkCase {
    pub fn hand_over(name: &'static str, run: CaseFn) -> Self {
        Self::of_rule(Rule::HAND_OVER, run).rename_case(name)
    }

    pub fn correct_use(name: &'static str, run: CaseFn) -> Self {
        Self::named_case(name, &[], run)
    }
}

/// Enables rules and accesses that are off by default.
pub const EACH: &[&str] = &["--enable", "hand-over,written-too-early,wait-before-signal,mapping-overlap"];

pub fn all_cases() -> Vec<VkCase> {
    let mut all = import_cases();
    all.extend([
        // The two descriptors may share an open file, which keeps the mark that the check set at the first export.
        VkCase::of_rule(Rule::SIZE_DIFFERS, |_, vulkan| {
            let (_buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
            [memory.export_fd()?, memory.export_fd()?].into_iter().try_for_each(|fd| import_half(&memory, fd))
        })
        .rename_case("exported_twice_before_the_import"),
        VkCase::of_rule(Rule::SIZE_DIFFERS, |_, vulkan| {
            let (_buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
            let exported = memory.export_fd()?;
            import_half(&memory, exported.try_clone()?)
        })
        .rename_case("import_of_a_duplicate"),
        VkCase::of_rule(Rule::IMAGE_DIFFERS, describe_other_image).with_remedy(),
        VkCase::of_rule(Rule::TIMELINE_GOES_BACK, signal_smaller_value).with_remedy(),
        VkCase::hand_over(Rule::HAND_OVER.id, |_, vulkan| run_round_trip(vulkan, OmittedStep::Semaphores))
            .with_options(EACH)
            .with_remedy(),
        VkCase::hand_over("without_an_acquire", |_, vulkan| run_round_trip(vulkan, OmittedStep::Acquire)),
        VkCase::hand_over("without_a_release", |_, vulkan| run_round_trip(vulkan, OmittedStep::Release)),
    ]);
    all
}

/// A row has a rule about imports, and two cases. CUDA imports in the first case, which is `None` if tests/rules has
/// that case. Vulkan imports in the second case, whose name is in the row.
macro_rules! import_rules {
    ($($rule:ident $name:literal $by_cuda:expr, $by_vulkan:expr;)*) => {
        fn import_cases() -> Vec<VkCase> {
            let mut all = Vec::new();
            $(
                let by_cuda: Option<CaseFn> = $by_cuda;
                all.extend(by_cuda.map(|run| VkCase::of_rule(Rule::$rule, run)));
                all.push(VkCase::of_rule(Rule::$rule, $by_vulkan).rename_case($name));
            )*
            let with_needs = |case: VkCase| match case.rule {
                Some(Rule::DEVICE_DIFFERS) => case.with_driver_variable("CUDA_EXTERNAL_CPU_DEVICES", "2"),
                Some(Rule::EXPORTER_FREED_IN_USE) => case.with_options(&["--enable", "exporter-freed-in-use"]),
                _ => case,
            };
            all.into_iter().map(|case| with_needs(case).with_remedy()).collect()
        }
    };
}

import_rules! {
    SIZE_DIFFERS "size-differs-by-vulkan" Some(|_, vulkan| {
        let (_buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
        import_half(&memory, memory.export_fd()?)
    }), |cuda, vulkan| import_into_vulkan(cuda, vulkan, if follows_remedy() { 1 } else { 2 }).map(drop);
    FD_NOT_OPEN "fd-not-open-by-vulkan" None, |_, vulkan| {
        let (buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
        let exported = memory.export_fd()?;
        let number = exported.as_raw_fd();
        if follows_remedy() {
            _ = exported.into_raw_fd();
        } else {
            drop(exported);
        }
        import_number_by_vulkan(vulkan, number, memory.size, buffer.needs.memory_type_bits);
        Ok(())
    };
    FD_IMPORTED_BEFORE "fd-imported-before-by-vulkan" None, |cuda, vulkan| {
        let number = import_into_vulkan(cuda, vulkan, 1)?;
        if follows_remedy() {
            return import_into_vulkan(cuda, vulkan, 1).map(drop);
        }
        import_number_by_vulkan(vulkan, number, SIZE, u32::MAX);
        Ok(())
    };
    FD_CLOSED_AFTER_IMPORT "fd-closed-after-import-by-vulkan" None, |cuda, vulkan| {
        close_unless_remedied(import_into_vulkan(cuda, vulkan, 1)?)
    };
    FD_CLOSED_AFTER_IMPORT "fd-of-a-semaphore-closed-after-import-by-vulkan" None, |_, vulkan| {
        let timeline = ExportableSemaphore::new_timeline(vulkan, 0)?;
        let other = ExportableSemaphore::new_timeline(vulkan, 0)?;
        let number = timeline.export_fd()?.into_raw_fd();
        import_semaphore(vulkan, &other, number);
        close_unless_remedied(number)
    };
    DEDICATED_DIFFERS "dedicated-differs-by-vulkan" Some(|_, vulkan| {
        let (_buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, true)?;
        ImportedMemory::from_fd(memory.export_fd()?, memory.size, follows_remedy()).map(drop)
    }), |_, vulkan| {
        let (buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, !follows_remedy())?;
        import_number_by_vulkan(vulkan, memory.export_fd()?.into_raw_fd(), memory.size, buffer.needs.memory_type_bits);
        Ok(())
    };
    HANDLE_TYPE_DIFFERS "handle-type-differs-by-vulkan" Some(|_, vulkan| {
        let (_buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
        if follows_remedy() {
            return ImportedMemory::from_fd(memory.export_fd()?, memory.size, false).map(drop);
        }
        // Drivers return different codes if the descriptor of a semaphore import is one of memory.
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        _ = ImportedSemaphore::from_fd(memory.export_fd()?, type_);
        Ok(())
    }), |_, vulkan| {
        let (buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
        let number = memory.export_fd()?.into_raw_fd();
        if follows_remedy() {
            import_number_by_vulkan(vulkan, number, memory.size, buffer.needs.memory_type_bits);
        } else {
            import_semaphore(vulkan, &ExportableSemaphore::new_binary(vulkan)?, number);
        }
        Ok(())
    };
    SEMAPHORE_TYPE_DIFFERS "semaphore-type-differs-by-vulkan" Some(|_, vulkan| {
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        _ = ImportedSemaphore::from_fd(timeline_if_remedied(vulkan)?.export_fd()?, type_);
        Ok(())
    }), |_, vulkan| {
        let timeline = ExportableSemaphore::new_timeline(vulkan, 0)?.export_fd()?.into_raw_fd();
        import_semaphore(vulkan, &timeline_if_remedied(vulkan)?, timeline);
        Ok(())
    };
    EXPORTER_FREED_IN_USE "exporter-freed-in-use-of-cuda" Some(free_exporter_in_use), release_exporter_in_use;
    DEVICE_DIFFERS "device-differs-by-vulkan" Some(import_on_other_device), |_, vulkan| {
        let second = Cuda::retain_primary(i32::from(!follows_remedy()))?;
        import_into_vulkan(&second, vulkan, 1).map(drop)
    };
}

fn close_unless_remedied(number: i32) -> Result<()> {
    if !follows_remedy() {
        unsafe { libc::close(number) };
    }
    Ok(())
}

fn timeline_if_remedied(vulkan: &Vulkan) -> Result<ExportableSemaphore<'_>> {
    if follows_remedy() {
        ExportableSemaphore::new_timeline(vulkan, 0)
    } else {
        ExportableSemaphore::new_binary(vulkan)
    }
}

/// Imports `number`, which may be invalid, into Vulkan as a descriptor of memory. Ignores an error.
fn import_number_by_vulkan(vulkan: &Vulkan, number: i32, size: u64, type_bits: u32) {
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(HANDLE_TYPE).fd(number);
    let wanted = vk::MemoryPropertyFlags::DEVICE_LOCAL;
    let kind = vulkan.memory_type(type_bits, wanted).expect("memory of the device");
    let info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind);
    // SAFETY: the device is alive, and the structures outlive the call. The memory lives until the process ends.
    _ = unsafe { vulkan.device.allocate_memory(&info.push_next(&mut import), None) };
}

fn import_semaphore(vulkan: &Vulkan, semaphore: &ExportableSemaphore<'_>, number: i32) {
    let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
    let info = vk::ImportSemaphoreFdInfoKHR::default().semaphore(semaphore.raw).handle_type(handle_type);
    // SAFETY: the semaphore is alive and not in use, and `info` outlives the call.
    _ = unsafe { vulkan.external_semaphore.import_semaphore_fd(&info.fd(number)) };
}

fn import_half(memory: &VulkanMemory<'_>, fd: OwnedFd) -> Result<()> {
    let size = if follows_remedy() { memory.size } else { memory.size / 2 };
    ImportedMemory::from_fd(fd, size, false).map(drop)
}

/// A step that a round trip omits.
#[derive(PartialEq, Eq)]
enum OmittedStep {
    Semaphores,
    Acquire,
    Release,
}

/// Without the remedy, CUDA imports on the second device, and Vulkan uses the first one. CUDA may return an error.
fn import_on_other_device(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let _second = Cuda::retain_primary(i32::from(!follows_remedy()))?;
    let (_buffer, memory) = ExportableBuffer::new_with_memory(vulkan, SIZE, false)?;
    _ = ImportedMemory::from_fd(memory.export_fd()?, memory.size, false);
    Ok(())
}

fn create_image(vulkan: &Vulkan) -> Result<(ExportableImage<'_>, CUDA_ARRAY3D_DESCRIPTOR)> {
    let extent = vk::Extent3D { width: 64, height: 32, depth: 1 };
    let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = ExportableImage::new(vulkan, shape, format, SharedImage::USAGE, 0)?;
    let desc = array_descriptor(&shape, format, vk::ImageUsageFlags::empty())?;
    Ok((image, desc))
}

fn describe_other_image(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (image, desc) = create_image(vulkan)?;
    let height = if follows_remedy() { desc.Height } else { desc.Height / 2 };
    // SAFETY: the wrong description is what this case tests, and nothing uses the mapped array.
    unsafe { SharedImage::map_image(image, CUDA_ARRAY3D_DESCRIPTOR { Height: height, ..desc }) }.map(drop)
}

/// The host signals 5 through Vulkan, and CUDA signals 3 (6 with the remedy).
fn signal_smaller_value(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let timeline = ExportableSemaphore::new_timeline(vulkan, 0)?;
    let in_cuda = ImportedSemaphore::from_vulkan(&timeline)?;
    let stream = Stream::new()?;
    timeline.signal_from_host(5)?;
    // A driver may accept or refuse a value that decreases, so this case ignores the codes.
    _ = stream.signal(&[(&in_cuda, if follows_remedy() { 6 } else { 3 })]);
    _ = stream.synchronize();
    Ok(())
}

fn free_exporter_in_use(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (gate, stream) = (SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?, Stream::new()?);
    let SharedBuffer { address, import: _import, memory, buffer } = SharedBuffer::new(vulkan, SIZE, false)?;
    stream.wait(&[(&gate.cuda, 1)])?;
    stream.fill_async(address, 1, SIZE as usize)?;
    if follows_remedy() {
        gate.vulkan.signal_from_host(1)?;
        return stream.synchronize();
    }
    drop((buffer, memory));
    gate.vulkan.signal_from_host(1)?;
    stream.synchronize()
}

fn release_exporter_in_use(cuda: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let gate = ExportableSemaphore::new_timeline(vulkan, 0)?;
    let allocation = CuMemAllocation::new(cuda, SIZE as usize)?;
    let (buffer, _memory) = import_as_buffer(vulkan, allocation.export_allocation_fd()?, allocation.size)?;
    let written = vulkan.submit(&[(&gate, 1)], &[], |commands| {
        // SAFETY: the buffer lives until the submission is done.
        unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, 7) };
    })?;
    if follows_remedy() {
        gate.signal_from_host(1)?;
        return written.wait();
    }
    drop(allocation);
    gate.signal_from_host(1)?;
    written.wait()
}

/// Vulkan writes a buffer, CUDA reads and overwrites it, and Vulkan reads it. The remedy leaves no step out.
fn run_round_trip(vulkan: &Vulkan, omitted: OmittedStep) -> Result<()> {
    let has = |step| follows_remedy() || omitted != step;
    let shared = SharedBuffer::new(vulkan, SIZE, false)?;
    let (buffer, address) = shared.buffer_and_mapping();
    let timeline = SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?;
    let (stream, host) = (Stream::new()?, HostBuffer::new(vulkan, SIZE)?);
    let has_semaphores = has(OmittedStep::Semaphores);
    let with = |value| Vec::from_iter(has_semaphores.then_some((&timeline.vulkan, value)));

    let written = vulkan.submit(&[], &with(1), |commands| {
        // SAFETY: the buffer lives until the submission is done.
        unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, 7) };
        if has(OmittedStep::Release) {
            buffer.release_to_cuda(commands);
        }
    })?;
    if has_semaphores {
        stream.wait(&[(&timeline.cuda, 1)])?;
    }
    let half = (SIZE / 2) as usize;
    // SAFETY: the memory is mapped, and lives until `stream` is synchronized.
    unsafe { cuMemcpyDtoDAsync(address + SIZE / 2, address, half, stream.raw()) }.result()?;
    stream.fill_async(address, 9, SIZE as usize)?;
    if has_semaphores {
        stream.signal(&[(&timeline.cuda, 2)])?;
    }
    let read = vulkan.submit(&with(2), &[], |commands| {
        if has(OmittedStep::Acquire) {
            buffer.acquire_from_cuda(commands);
        }
        let region = vk::BufferCopy::default().size(SIZE);
        // SAFETY: both buffers live until the submission is done.
        unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, host.raw, &[region]) };
    })?;
    written.wait()?;
    read.wait()?;
    stream.synchronize()
}

/// Imports a CUDA allocation into Vulkan. The import's size is the allocation's size divided by `part`. Returns the
/// number of the imported descriptor.
fn import_into_vulkan(cuda: &Cuda, vulkan: &Vulkan, part: u64) -> Result<i32> {
    let allocation = CuMemAllocation::new(cuda, SIZE as usize)?;
    let fd = allocation.export_allocation_fd()?;
    let number = fd.as_raw_fd();
    import_as_buffer(vulkan, fd, allocation.size / part).map(|_| number)
}

pub fn import_as_buffer(
    vulkan: &Vulkan,
    fd: OwnedFd,
    size: u64,
) -> Result<(ExportableBuffer<'_>, VulkanMemory<'_>)> {
    let buffer = ExportableBuffer::new(vulkan, size)?;
    let (raw, bits) = (buffer.raw, buffer.needs.memory_type_bits);
    let to = if buffer.prefers_dedicated { DedicatedTo::Buffer(raw) } else { DedicatedTo::Nothing };
    let memory = VulkanMemory::import_fd(vulkan, fd, size, bits, to, HANDLE_TYPE)?;
    buffer.bind_memory(&memory, 0)?;
    Ok((buffer, memory))
}
