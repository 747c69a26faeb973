//! Cases of commands by which Vulkan uses memory. The check reports a command whose stages do not wait for CUDA.

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::slice;

use ash::vk;
use cuda_external_check::rules::Rule;
use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{Cuda, Stream};
use example_support::shared_resources::{SharedBuffer, SharedImage, SharedSemaphore};
use example_support::vulkan::{ExportableImage, HostBuffer, ImageShape, SemaphoreKind, Submission, Vulkan};

use crate::support::follows_remedy;
use crate::two_sided_cases::{EACH, VkCase};

const SIZE: u64 = 64 << 10;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const SIDE: u32 = 16;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: SIDE, height: SIDE } };

/// Defines the ways in which Vulkan uses shared memory, each with the name of the case that omits Vulkan's wait.
macro_rules! memory_uses {
    ($($memory_use:ident $name:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum MemoryUse { $($memory_use),* }
        use MemoryUse::*;

        const MEMORY_USES: &[MemoryUse] = &[$($memory_use),*];

        fn without_a_wait() -> Vec<VkCase> {
            vec![$(
                VkCase::hand_over($name, |_, vulkan| hand_over_use(vulkan, $memory_use, [false, true]))
            ),*]
        }
    };
}

memory_uses! {
    Copy2 "copy2-without-a-wait";
    Blit2 "blit2-without-a-wait";
    Rendering "rendering-without-a-wait";
    RenderPass "render-pass-without-a-wait";
    Secondary "secondary-without-a-wait";
    Acquire "acquire-without-a-wait";
}

pub fn all_cases() -> Vec<VkCase> {
    let every_way = |_: &Cuda, vulkan: &Vulkan| {
        MEMORY_USES.iter().try_for_each(|memory_use| hand_over_use(vulkan, *memory_use, [true, true]))
    };
    let mut all = without_a_wait();
    all.extend([
        VkCase::correct_use("every-use-with-a-wait-on-request", every_way).with_options(EACH),
        VkCase::hand_over("a-wait-of-other-stages", |_, vulkan| fill_in_turns(vulkan, DRAWS, COPIES))
            .with_remedy(),
        VkCase::of_rule(Rule::WRITTEN_TOO_EARLY, |_, vulkan| fill_in_turns(vulkan, COPIES, DRAWS))
            .rename_case("a-signal-of-other-stages"),
        VkCase::of_rule(Rule::WRITTEN_TOO_EARLY, |_, vulkan| hand_over_use(vulkan, Blit2, [true, false]))
            .rename_case("image-written-too-early"),
        VkCase::hand_over("kernel-without-a-wait", |_, vulkan| run_kernel(vulkan, false))
            .with_options(EACH)
            .with_remedy(),
        VkCase::hand_over("kernel-node-without-a-wait", |_, vulkan| run_kernel(vulkan, true))
            .with_options(EACH)
            .with_remedy(),
        VkCase::correct_use("attachment-that-no-subpass-uses", begin_pass_without_use),
    ]);
    all
}

// SAFETY, of the calls below: handles are alive, and objects live until the last submission is done.

/// The objects by which render passes and blits use the shared image. No code destroys the raw handles.
struct PassObjects<'v> {
    view: vk::ImageView,
    /// A pass that loads the image, and one that does not use it.
    passes: [vk::RenderPass; 2],
    framebuffer: vk::Framebuffer,
    target: ExportableImage<'v>,
}

fn test_image_shape() -> ImageShape {
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 }
}

impl<'v> PassObjects<'v> {
    fn new(vulkan: &'v Vulkan, image: vk::Image) -> Result<Self> {
        let (device, usage) = (&vulkan.device, vk::ImageUsageFlags::TRANSFER_DST);
        let target = ExportableImage::new(vulkan, test_image_shape(), FORMAT, usage, 0)?;
        let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
        let range = range.level_count(1).layer_count(1);
        let info = vk::ImageViewCreateInfo::default().image(image).format(FORMAT).subresource_range(range);
        unsafe {
            let view = device.create_image_view(&info.view_type(vk::ImageViewType::TYPE_2D), None)?;
            let attachment = [vk::AttachmentDescription::default()
                .format(FORMAT)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .initial_layout(GENERAL)
                .final_layout(GENERAL)];
            let color = [vk::AttachmentReference::default().layout(GENERAL)];
            let pass = |colors: &[vk::AttachmentReference]| {
                let subpass = [vk::SubpassDescription::default().color_attachments(colors)];
                let info = vk::RenderPassCreateInfo::default().attachments(&attachment).subpasses(&subpass);
                device.create_render_pass(&info, None)
            };
            let passes = [pass(&color)?, pass(&[])?];
            let info = vk::FramebufferCreateInfo::default().render_pass(passes[0]).width(SIDE).height(SIDE);
            let info = info.layers(1).attachments(slice::from_ref(&view));
            let framebuffer = device.create_framebuffer(&info, None)?;
            Ok(Self { view, passes, framebuffer, target })
        }
    }

    unsafe fn record_pass(&self, device: &ash::Device, commands: vk::CommandBuffer, pass: vk::RenderPass) {
        let info = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(self.framebuffer);
        unsafe {
            device.cmd_begin_render_pass(commands, &info.render_area(AREA), vk::SubpassContents::INLINE);
            device.cmd_end_render_pass(commands);
        }
    }

    unsafe fn record_blit_from(&self, device: &ash::Device, commands: vk::CommandBuffer, from: vk::Image) {
        let layers =
            vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: SIDE as i32, y: SIDE as i32, z: 1 }];
        let region = vk::ImageBlit2::default().src_subresource(layers).dst_subresource(layers);
        let region = [region.src_offsets(corners).dst_offsets(corners)];
        let info = vk::BlitImageInfo2::default().src_image(from).src_image_layout(GENERAL);
        let info = info.dst_image(self.target.raw).dst_image_layout(GENERAL).regions(&region);
        unsafe { device.cmd_blit_image2(commands, &info) };
    }
}

struct MemoryUseObjects<'v> {
    vulkan: &'v Vulkan,
    bound: PassObjects<'v>,
    buffer: SharedBuffer<'v>,
    image: SharedImage<'v>,
    /// CUDA signals `written` after its first use of the memory, and Vulkan signals `read` after its use.
    written: SharedSemaphore<'v>,
    read: SharedSemaphore<'v>,
    stream: Stream,
    host: HostBuffer<'v>,
}

impl<'v> MemoryUseObjects<'v> {
    fn new(vulkan: &'v Vulkan) -> Result<Self> {
        let image =
            SharedImage::new(vulkan, test_image_shape(), FORMAT, vk::ImageUsageFlags::COLOR_ATTACHMENT)?;
        let (buffer, host) = (SharedBuffer::new(vulkan, SIZE, false)?, HostBuffer::new(vulkan, SIZE)?);
        let timeline = || SharedSemaphore::new(vulkan, SemaphoreKind::Timeline);
        let (written, read) = (timeline()?, timeline()?);
        let bound = PassObjects::new(vulkan, image.image.raw)?;
        Ok(Self { vulkan, bound, buffer, image, written, read, stream: Stream::new()?, host })
    }

    fn fill_buffer_and_image(&self) -> Result<()> {
        self.stream.fill_async(self.buffer.address, 0, SIZE as usize)?;
        let copy = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: self.buffer.address,
            srcPitch: 4 * SIDE as usize,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: self.image.level_array(0)?,
            WidthInBytes: 4 * SIDE as usize,
            Height: SIDE as usize,
            ..Default::default()
        };
        Ok(unsafe { cuMemcpy2DAsync(&copy, self.stream.raw()) }.result()?)
    }

    fn signal_cuda_wrote(&self) -> Result<()> {
        self.stream.signal(&[(&self.written.cuda, 1)])
    }

    fn wait_vulkan_read(&self) -> Result<()> {
        self.stream.wait(&[(&self.read.cuda, 1)])
    }

    /// `acquires` is false if the check must report the use, since the check would report the acquire instead.
    fn submit_memory_use(
        &self,
        memory_use: MemoryUse,
        waits: bool,
        acquires: bool,
    ) -> Result<Submission<'v>> {
        let waits = Vec::from_iter(waits.then_some((&self.written.vulkan, 1)));
        self.vulkan.submit(&waits, &[(&self.read.vulkan, 1)], |commands| {
            if acquires {
                self.acquire_from_cuda(commands);
            }
            unsafe { self.record_memory_use(commands, memory_use) };
            self.buffer.buffer.release_to_cuda(commands);
            self.image.image.release_to_cuda(commands);
        })
    }

    fn acquire_from_cuda(&self, commands: vk::CommandBuffer) {
        self.buffer.buffer.acquire_from_cuda(commands);
        self.image.image.acquire_or_initialize(commands);
    }

    unsafe fn record_memory_use(&self, commands: vk::CommandBuffer, memory_use: MemoryUse) {
        let (device, bound) = (&self.vulkan.device, &self.bound);
        let (buffer, image) = (self.buffer.buffer.raw, self.image.image.raw);
        let copy = |commands| {
            let region = [vk::BufferCopy2::default().size(SIZE)];
            let info = vk::CopyBufferInfo2::default().src_buffer(buffer).dst_buffer(self.host.raw);
            unsafe { device.cmd_copy_buffer2(commands, &info.regions(&region)) };
        };
        unsafe {
            match memory_use {
                Copy2 => copy(commands),
                Blit2 => {
                    bound.target.acquire_or_initialize(commands);
                    bound.record_blit_from(device, commands, image);
                }
                Rendering => {
                    let color =
                        vk::RenderingAttachmentInfo::default().image_view(bound.view).image_layout(GENERAL);
                    let color = [color.load_op(vk::AttachmentLoadOp::LOAD)];
                    let info = vk::RenderingInfo::default().render_area(AREA).layer_count(1);
                    device.cmd_begin_rendering(commands, &info.color_attachments(&color));
                    device.cmd_end_rendering(commands);
                }
                RenderPass => bound.record_pass(device, commands, bound.passes[0]),
                Secondary => {
                    let recorded = record_commands(self.vulkan, vk::CommandBufferLevel::SECONDARY, copy);
                    device.cmd_execute_commands(commands, &[recorded.expect("a command buffer")]);
                }
                Acquire => self.acquire_from_cuda(commands),
            }
        }
    }
}

/// Records into a new command buffer, which lives as long as the process.
fn record_commands(
    vulkan: &Vulkan,
    level: vk::CommandBufferLevel,
    record: impl FnOnce(vk::CommandBuffer),
) -> Result<vk::CommandBuffer> {
    let device = &vulkan.device;
    let pool = vk::CommandPoolCreateInfo::default().queue_family_index(vulkan.first_queue().family);
    let nothing = vk::CommandBufferInheritanceInfo::default();
    let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&nothing);
    unsafe {
        let pool = device.create_command_pool(&pool, None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info.level(level))?[0];
        device.begin_command_buffer(commands, &begin)?;
        record(commands);
        device.end_command_buffer(commands)?;
        Ok(commands)
    }
}

/// CUDA writes the memory, Vulkan uses it, and CUDA writes it again. Each API may wait for the other one.
fn hand_over_use(
    vulkan: &Vulkan,
    memory_use: MemoryUse,
    [vulkan_waits, cuda_waits]: [bool; 2],
) -> Result<()> {
    let shared = MemoryUseObjects::new(vulkan)?;
    shared.fill_buffer_and_image()?;
    shared.signal_cuda_wrote()?;
    let used = shared.submit_memory_use(memory_use, vulkan_waits, vulkan_waits)?;
    if cuda_waits {
        shared.wait_vulkan_read()?;
    }
    shared.fill_buffer_and_image()?;
    shared.stream.synchronize()?;
    used.wait()
}

const COPIES: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_TRANSFER;
const DRAWS: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_GRAPHICS;

/// CUDA fills a buffer, Vulkan fills it, and CUDA fills it again. The barriers name only the stages [`COPIES`].
fn fill_in_turns(
    vulkan: &Vulkan,
    waits: vk::PipelineStageFlags2,
    signals: vk::PipelineStageFlags2,
) -> Result<()> {
    let waits = if follows_remedy() { COPIES } else { waits };
    let shared = MemoryUseObjects::new(vulkan)?;
    let (device, queue, buffer) = (&vulkan.device, vulkan.first_queue(), shared.buffer.buffer.raw);
    shared.stream.fill_async(shared.buffer.address, 0, SIZE as usize)?;
    shared.signal_cuda_wrote()?;
    let transfer = |commands, [from, to]: [u32; 2]| {
        let barrier = vk::BufferMemoryBarrier2::default().buffer(buffer).size(vk::WHOLE_SIZE);
        let barrier = barrier.src_stage_mask(COPIES).dst_stage_mask(COPIES);
        let barrier = [barrier.src_queue_family_index(from).dst_queue_family_index(to)];
        let info = vk::DependencyInfo::default().buffer_memory_barriers(&barrier);
        unsafe { device.cmd_pipeline_barrier2(commands, &info) };
    };
    let commands = record_commands(vulkan, vk::CommandBufferLevel::PRIMARY, |commands| {
        transfer(commands, [vk::QUEUE_FAMILY_EXTERNAL, queue.family]);
        unsafe { device.cmd_fill_buffer(commands, buffer, 0, SIZE, 7) };
        transfer(commands, [queue.family, vk::QUEUE_FAMILY_EXTERNAL]);
    })?;
    unsafe {
        let submit =
            |raw, stages| vk::SemaphoreSubmitInfo::default().semaphore(raw).value(1).stage_mask(stages);
        let waits = [submit(shared.written.vulkan.raw, waits)];
        let signals = [submit(shared.read.vulkan.raw, signals)];
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let info = vk::SubmitInfo2::default().wait_semaphore_infos(&waits).signal_semaphore_infos(&signals);
        device.queue_submit2(queue.raw, &[info.command_buffer_infos(&commands)], vk::Fence::null())?;
        shared.wait_vulkan_read()?;
        shared.stream.fill_async(shared.buffer.address, 0, SIZE as usize)?;
        shared.stream.synchronize()?;
        device.queue_wait_idle(queue.raw)?;
    }
    Ok(())
}

/// Vulkan begins a render pass that does not use its framebuffer's image, while CUDA writes the image.
fn begin_pass_without_use(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    let shared = MemoryUseObjects::new(vulkan)?;
    shared.fill_buffer_and_image()?;
    let passed = vulkan.submit(&[], &[], |commands| unsafe {
        shared.bound.record_pass(&vulkan.device, commands, shared.bound.passes[1]);
    })?;
    shared.stream.synchronize()?;
    passed.wait()
}

/// CUDA launches a kernel that gets a buffer's address. Vulkan reads the buffer, and waits only with the remedy.
fn run_kernel(vulkan: &Vulkan, in_graph: bool) -> Result<()> {
    const PTX: &CStr =
        c".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry get(.param .u64 words) { ret; }";
    let (shared, mut module, mut func) = (MemoryUseObjects::new(vulkan)?, null_mut(), null_mut());
    let (stream, mut address) = (shared.stream.raw(), shared.buffer.address);
    let mut arguments = [(&raw mut address).cast()];
    let arguments = arguments.as_mut_ptr();
    unsafe {
        cuModuleLoadData(&mut module, PTX.as_ptr().cast()).result()?;
        cuModuleGetFunction(&mut func, module, c"get".as_ptr()).result()?;
    }
    let launch = || unsafe {
        if !in_graph {
            return cuLaunchKernel(func, 1, 1, 1, 1, 1, 1, 0, stream, arguments, null_mut()).result();
        }
        let (mut graph, mut instance) = (null_mut(), null_mut());
        let mut node = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_KERNEL, ..Default::default() };
        node.params.kernel = CUDA_KERNEL_NODE_PARAMS_v3 {
            func,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 1,
            blockDimY: 1,
            blockDimZ: 1,
            kernelParams: arguments,
            ..Default::default()
        };
        cuGraphCreate(&mut graph, 0).result()?;
        cuGraphAddNode_v2(&mut null_mut(), graph, null(), null(), 0, &mut node).result()?;
        cuGraphInstantiateWithFlags(&mut instance, graph, 0).result()?;
        cuGraphLaunch(instance, stream).result()
    };
    launch()?;
    shared.signal_cuda_wrote()?;
    let used = shared.submit_memory_use(Copy2, follows_remedy(), true)?;
    shared.wait_vulkan_read()?;
    launch()?;
    shared.stream.synchronize()?;
    used.wait()?;
    Ok(unsafe { cuModuleUnload(module) }.result()?)
}
