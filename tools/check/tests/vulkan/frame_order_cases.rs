//! Cases of frames that CUDA and Vulkan use in turn. Most of the cases that break a rule leave out a wait.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::thread;
use std::time::Duration;

use ash::vk;
use cuda_external_check::rules::Rule;
use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{CuMemAllocation, Cuda, ImportedMemory, Stream};
use example_support::shared_resources::SharedSemaphore;
use example_support::vulkan::{
    DedicatedTo, ExportableBuffer, ExportableSemaphore, HANDLE_TYPE, HostBuffer, SemaphoreKind, Submission,
    Vulkan, VulkanMemory,
};

use crate::support::follows_remedy;
use crate::two_sided_cases::{EACH, VkCase, import_as_buffer};

const SIZE: u64 = 64 << 10;

pub fn all_cases() -> Vec<VkCase> {
    vec![
        VkCase::of_rule(Rule::WRITTEN_TOO_EARLY, write_before_vulkan_has_read).with_remedy(),
        VkCase::correct_use("submitted-ahead", submit_frames_ahead),
        VkCase::of_rule(Rule::WAIT_BEFORE_SIGNAL, submit_frames_ahead).with_options(EACH),
        VkCase::hand_over("a-fill-into-the-neighbor", use_neighboring_buffers).with_remedy(),
        VkCase::correct_use("the-host-waits-for-events-of-cuda", wait_on_host_for_cuda),
        VkCase::correct_use("the-host-waits-for-events-of-vulkan", wait_on_host_for_vulkan),
        VkCase::correct_use("the-host-waits-for-any-of-two", wait_on_host_for_any),
        VkCase::correct_use("the-host-sets-an-event", set_event_by_host),
        VkCase::correct_use("many-copies-ahead", submit_many_copies_ahead),
        VkCase::hand_over("ring-of-three-without-an-event", run_frames_in_flight).with_remedy(),
        VkCase::hand_over("host-function-before-the-fill", fill_after_host_function).with_remedy(),
        VkCase::hand_over("graph-without-a-wait", |_, vulkan| launch_graph(vulkan, false)).with_remedy(),
        VkCase::hand_over("capture-without-a-wait", |_, vulkan| launch_graph(vulkan, true)).with_remedy(),
        VkCase::hand_over("memory-of-cuda-without-a-wait", hand_over_cuda_memory).with_remedy(),
    ]
}

// SAFETY, of the calls below: handles are alive, and buffers live until the last submission is done.

/// Two buffers in one allocation, which CUDA has mapped, and a timeline.
struct SharedBuffers<'v> {
    vulkan: &'v Vulkan,
    timeline: SharedSemaphore<'v>,
    stream: Stream,
    buffers: [ExportableBuffer<'v>; 2],
    addresses: [CUdeviceptr; 2],
    host: HostBuffer<'v>,
    _import: ImportedMemory,
    _memory: VulkanMemory<'v>,
}

impl<'v> SharedBuffers<'v> {
    fn new(vulkan: &'v Vulkan) -> Result<Self> {
        let buffers = [ExportableBuffer::new(vulkan, SIZE)?, ExportableBuffer::new(vulkan, SIZE)?];
        let (each, bits) = (buffers[0].needs.size, buffers[0].needs.memory_type_bits);
        let memory = VulkanMemory::new(vulkan, 2 * each, bits, DedicatedTo::Nothing, HANDLE_TYPE)?;
        buffers[0].bind_memory(&memory, 0)?;
        buffers[1].bind_memory(&memory, each)?;
        let import = ImportedMemory::from_vulkan(&memory)?;
        let address = import.map_buffer(0, memory.size)?;
        let timeline = SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?;
        let (stream, host) = (Stream::new()?, HostBuffer::new(vulkan, SIZE)?);
        let addresses = [address, address + each];
        Ok(Self { vulkan, timeline, stream, buffers, addresses, host, _import: import, _memory: memory })
    }

    fn fill_buffer(&self, at: usize) -> Result<()> {
        self.stream.fill_async(self.addresses[at], 5, SIZE as usize)
    }

    fn signal_cuda_wrote(&self, value: u64) -> Result<()> {
        self.stream.signal(&[(&self.timeline.cuda, value)])
    }

    fn wait_vulkan_read(&self, value: u64) -> Result<()> {
        self.stream.wait(&[(&self.timeline.cuda, value)])
    }

    /// Submits Vulkan's acquire, read and release of a buffer. The submission may wait for a value and signal a value.
    fn submit_vk_read(&self, at: usize, waits: Option<u64>, signals: Option<u64>) -> Result<Submission<'v>> {
        let with = |value: Option<u64>| Vec::from_iter(value.map(|value| (&self.timeline.vulkan, value)));
        self.vulkan.submit(&with(waits), &with(signals), |commands| {
            self.buffers[at].record_read(commands, 0, &self.host);
        })
    }

    fn submit_vk_write(&self, at: usize, signals: Option<u64>) -> Result<Submission<'v>> {
        let signals = Vec::from_iter(signals.map(|value| (&self.timeline.vulkan, value)));
        self.vulkan.submit(&[], &signals, |commands| {
            unsafe {
                self.vulkan.device.cmd_fill_buffer(commands, self.buffers[at].raw, 0, vk::WHOLE_SIZE, 7)
            };
            self.buffers[at].release_to_cuda(commands);
        })
    }
}

fn write_before_vulkan_has_read(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let shared = SharedBuffers::new(vulkan)?;
    shared.fill_buffer(0)?;
    shared.signal_cuda_wrote(1)?;
    let read = shared.submit_vk_read(0, Some(1), Some(2))?;
    if follows_remedy() {
        shared.wait_vulkan_read(2)?;
    }
    shared.fill_buffer(0)?;
    shared.stream.synchronize()?;
    read.wait()
}

/// Vulkan's queue gets two frames before CUDA's work for the first one.
fn submit_frames_ahead(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let shared = SharedBuffers::new(vulkan)?;
    let frames = [shared.submit_vk_read(0, Some(1), Some(2))?, shared.submit_vk_read(0, Some(3), Some(4))?];
    for frame in [0, 2] {
        if frame > 0 {
            shared.wait_vulkan_read(frame)?;
        }
        shared.fill_buffer(0)?;
        shared.signal_cuda_wrote(frame + 1)?;
    }
    shared.stream.synchronize()?;
    frames.into_iter().try_for_each(Submission::wait)
}

/// Vulkan writes the first buffer, and CUDA fills the second buffer. Without the remedy, CUDA's fill begins 256 bytes
/// too early, in the first buffer.
fn use_neighboring_buffers(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let too_many = if follows_remedy() { 0 } else { 256 };
    let shared = SharedBuffers::new(vulkan)?;
    let written = shared.submit_vk_write(0, None)?;
    shared.stream.fill_async(shared.addresses[1] - too_many, 5, (SIZE + too_many) as usize)?;
    shared.stream.synchronize()?;
    written.wait()
}

unsafe extern "C" fn empty_callback(_: *mut c_void) {}

fn wait_on_host_for_cuda(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    for measures_time in [false, true] {
        let (shared, [mut first, mut event]) = (SharedBuffers::new(vulkan)?, [null_mut(); 2]);
        let stream = shared.stream.raw();
        unsafe {
            assert_eq!([cuEventCreate(&mut first, 0), cuEventCreate(&mut event, 0)], [CUDA_SUCCESS; 2]);
            assert_eq!(cuEventRecord(first, stream), CUDA_SUCCESS);
            shared.fill_buffer(0)?;
            assert_eq!(cuEventRecord(event, stream), CUDA_SUCCESS);
            if measures_time {
                while cuEventElapsedTime(&mut 0.0, first, event) != CUDA_SUCCESS {}
            } else {
                while cuEventQuery(event) != CUDA_SUCCESS {}
            }
        }
        shared.submit_vk_read(0, None, None)?.wait()?;
    }
    Ok(())
}

/// Vulkan reads a buffer after a host function in CUDA's stream. Without the remedy, the fill follows the function.
fn fill_after_host_function(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let shared = SharedBuffers::new(vulkan)?;
    let tell = || unsafe { cuLaunchHostFunc(shared.stream.raw(), Some(empty_callback), null_mut()) };
    if !follows_remedy() {
        tell().result()?;
    }
    shared.fill_buffer(0)?;
    if follows_remedy() {
        tell().result()?;
    }
    thread::sleep(Duration::from_millis(100));
    shared.submit_vk_read(0, None, None)?.wait()
}

fn wait_on_host_for_vulkan(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let device = &vulkan.device;
    for by_event in [true, false] {
        let shared = SharedBuffers::new(vulkan)?;
        let pool = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(1);
        let written = unsafe {
            let event = device.create_event(&vk::EventCreateInfo::default(), None)?;
            let pool = device.create_query_pool(&pool, None)?;
            let written = vulkan.submit(&[], &[], |commands| {
                device.cmd_reset_query_pool(commands, pool, 0, 1);
                device.cmd_fill_buffer(commands, shared.buffers[0].raw, 0, SIZE, 7);
                shared.buffers[0].release_to_cuda(commands);
                device.cmd_set_event(commands, event, vk::PipelineStageFlags::ALL_COMMANDS);
                device.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 0);
            })?;
            if by_event {
                while !device.get_event_status(event)? {}
            } else {
                device.get_query_pool_results(pool, 0, &mut [0_u64], vk::QueryResultFlags::WAIT)?;
            }
            shared.fill_buffer(0)?;
            (written, event, pool)
        };
        shared.stream.synchronize()?;
        written.0.wait()?;
        unsafe {
            device.destroy_event(written.1, None);
            device.destroy_query_pool(written.2, None);
        }
    }
    Ok(())
}

/// The host waits for either of two semaphores. Vulkan's work is done then, since nothing signals the second semaphore.
fn wait_on_host_for_any(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (shared, stop) = (SharedBuffers::new(vulkan)?, ExportableSemaphore::new_timeline(vulkan, 0)?);
    let written = shared.submit_vk_write(0, Some(1))?;
    let semaphores = [shared.timeline.vulkan.raw, stop.raw];
    let info = vk::SemaphoreWaitInfo::default().flags(vk::SemaphoreWaitFlags::ANY);
    unsafe { vulkan.device.wait_semaphores(&info.semaphores(&semaphores).values(&[1, 1]), u64::MAX) }?;
    shared.fill_buffer(0)?;
    shared.stream.synchronize()?;
    written.wait()
}

/// A command buffer is submitted before CUDA's work, and waits for an event that the host sets when CUDA is done.
fn set_event_by_host(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let (shared, device) = (SharedBuffers::new(vulkan)?, &vulkan.device);
    let event = unsafe { device.create_event(&vk::EventCreateInfo::default(), None) }?;
    let (host, all) = (vk::PipelineStageFlags::HOST, vk::PipelineStageFlags::ALL_COMMANDS);
    let read = vulkan.submit(&[], &[], |commands| {
        unsafe { device.cmd_wait_events(commands, &[event], host, all, &[], &[], &[]) };
        shared.buffers[0].record_read(commands, 0, &shared.host);
    })?;
    shared.fill_buffer(0)?;
    shared.stream.synchronize()?;
    unsafe { device.set_event(event) }?;
    read.wait()?;
    unsafe { device.destroy_event(event, None) };
    Ok(())
}

/// Submits more commands ahead than the check keeps.
fn submit_many_copies_ahead(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let shared = SharedBuffers::new(vulkan)?;
    let semaphores = [[(&shared.timeline.vulkan, 1)], [(&shared.timeline.vulkan, 2)]];
    let copied = vulkan.submit(&semaphores[0], &semaphores[1], |commands| {
        shared.buffers[0].acquire_from_cuda(commands);
        for at in 0..6000 {
            let region = vk::BufferCopy::default().src_offset(8 * at).dst_offset(8 * at).size(4);
            let (from, to) = (shared.buffers[0].raw, shared.host.raw);
            unsafe { vulkan.device.cmd_copy_buffer(commands, from, to, &[region]) };
        }
        shared.buffers[0].release_to_cuda(commands);
    })?;
    shared.fill_buffer(0)?;
    shared.signal_cuda_wrote(1)?;
    shared.wait_vulkan_read(2)?;
    shared.fill_buffer(0)?;
    shared.stream.synchronize()?;
    copied.wait()
}

/// A slot's stream fills the slot's buffer, and the stream `signals` signals the slot's timeline. With the remedy,
/// `signals` waits for the fill. Without the remedy, the host waits for the fill, but the slot's stream then fills the
/// buffer again, and `signals` does not wait for this second fill.
fn run_frames_in_flight(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let slots = [SharedBuffers::new(vulkan)?, SharedBuffers::new(vulkan)?, SharedBuffers::new(vulkan)?];
    let (signals, mut event) = (Stream::new()?, null_mut());
    assert_eq!(unsafe { cuEventCreate(&mut event, 2) }, CUDA_SUCCESS);
    let mut reads: Vec<Submission<'_>> = Vec::new();
    for frame in 0..9 {
        let (slot, round) = (&slots[frame % 3], frame as u64 / 3);
        if round > 0 {
            slot.wait_vulkan_read(2 * round)?;
        }
        slot.fill_buffer(0)?;
        if follows_remedy() {
            assert_eq!(unsafe { cuEventRecord(event, slot.stream.raw()) }, CUDA_SUCCESS);
            assert_eq!(unsafe { cuStreamWaitEvent(signals.raw(), event, 0) }, CUDA_SUCCESS);
        } else {
            slot.stream.synchronize()?;
            slot.fill_buffer(0)?;
        }
        signals.signal(&[(&slot.timeline.cuda, 2 * round + 1)])?;
        reads.push(slot.submit_vk_read(0, Some(2 * round + 1), Some(2 * round + 2))?);
    }
    reads.into_iter().try_for_each(Submission::wait)?;
    slots.iter().try_for_each(|slot| slot.stream.synchronize())
}

/// Launches a graph with one node, which fills the buffer that Vulkan wrote. The node is added, or captured.
fn launch_graph(vulkan: &Vulkan, is_captured: bool) -> Result<()> {
    let (shared, mut graph, mut instance) = (SharedBuffers::new(vulkan)?, null_mut(), null_mut());
    let (dst, width) = (shared.addresses[0], SIZE as usize);
    let params = CUDA_MEMSET_NODE_PARAMS { dst, elementSize: 1, width, height: 1, ..Default::default() };
    let written = shared.submit_vk_write(0, Some(1))?;
    if follows_remedy() {
        shared.wait_vulkan_read(1)?;
    }
    unsafe {
        let mut context = null_mut();
        cuCtxGetCurrent(&mut context).result()?;
        if is_captured {
            let stream = Stream::new()?;
            cuStreamBeginCapture_v2(stream.raw(), CU_STREAM_CAPTURE_MODE_RELAXED).result()?;
            stream.fill_async(dst, 0, width)?;
            cuStreamEndCapture(stream.raw(), &mut graph).result()?;
        } else {
            cuGraphCreate(&mut graph, 0).result()?;
            cuGraphAddMemsetNode(&mut null_mut(), graph, null(), 0, &params, context).result()?;
        }
        cuGraphInstantiateWithFlags(&mut instance, graph, 0).result()?;
        cuGraphLaunch(instance, shared.stream.raw()).result()?;
        shared.stream.synchronize()?;
        cuGraphExecDestroy(instance).result()?;
        cuGraphDestroy(graph).result()?;
    }
    written.wait()
}

/// Vulkan imports memory that CUDA allocated and writes to the memory, and CUDA reads.
fn hand_over_cuda_memory(cuda: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let allocation = CuMemAllocation::new(cuda, SIZE as usize)?;
    let (mapped, size) = (allocation.map_allocation()?, allocation.size);
    let (buffer, _memory) = import_as_buffer(vulkan, allocation.export_allocation_fd()?, size)?;
    let (timeline, stream) = (SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?, Stream::new()?);
    let mut read = vec![0; size as usize];
    let written = vulkan.submit(&[], &[(&timeline.vulkan, 1)], |commands| {
        unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, vk::WHOLE_SIZE, 7) };
        buffer.release_to_cuda(commands);
    })?;
    if follows_remedy() {
        stream.wait(&[(&timeline.cuda, 1)])?;
    }
    let to: *mut u8 = read.as_mut_ptr();
    unsafe { cuMemcpyDtoHAsync(to.cast(), mapped.address, read.len(), stream.raw()) }.result()?;
    stream.synchronize()?;
    written.wait()
}
