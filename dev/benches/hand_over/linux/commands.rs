//! Vulkan's side: the work of a queue on the two shared buffers, recorded once and submitted again and again.

use std::slice;

use ash::vk;
use example_support::Result;
use example_support::hand_over::record;
use example_support::vulkan::{Buffer, Queue, Scope, Vulkan};

use super::shaders;

/// What Vulkan does in a round trip.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// Nothing is recorded.
    Nothing,
    /// The buffers are acquired and released, and not used.
    TransferOwnership,
    Copy,
    /// With ownership transfers that name the stage and the accesses of the copy.
    NarrowCopy,
    Draw,
}

impl Job {
    /// The jobs that a queue of this kind can do. Where it shares CUDA's engine, context switches cost far more than
    /// naming the stages saves.
    pub fn possible(flags: vk::QueueFlags) -> &'static [Self] {
        match (flags.contains(vk::QueueFlags::GRAPHICS), flags.contains(vk::QueueFlags::COMPUTE)) {
            (true, _) => &[Self::Nothing, Self::Copy, Self::Draw],
            (false, true) => &[Self::Nothing, Self::Copy],
            (false, false) => &[Self::Nothing, Self::TransferOwnership, Self::Copy, Self::NarrowCopy],
        }
    }

    /// Whether it copies the one buffer to the other one.
    pub fn copies(self) -> bool {
        !matches!(self, Self::Nothing | Self::TransferOwnership)
    }
}

/// The side of a drawing in pixels. It has a pixel for each word of 1 MiB.
const SIDE: u32 = 512;
pub const SIZE: u64 = (SIDE * SIDE * 4) as u64;

pub struct Commands<'v> {
    vulkan: &'v Vulkan,
    buffers: [vk::Buffer; 2],
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    sets: vk::DescriptorPool,
    set: vk::DescriptorSet,
    graphics: vk::Pipeline,
}

// SAFETY, of every call here: the objects are this device's, and the structures outlive the calls.

impl<'v> Commands<'v> {
    pub fn new(vulkan: &'v Vulkan, from: &Buffer<'v>, to: &Buffer<'v>) -> Result<Self> {
        let device = &vulkan.device;
        let buffers = [from.raw, to.raw];
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        let binding = |at| {
            let binding = vk::DescriptorSetLayoutBinding::default().binding(at);
            binding.descriptor_type(kind).descriptor_count(1).stage_flags(vk::ShaderStageFlags::FRAGMENT)
        };
        let bindings = [binding(0), binding(1)];
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None)?;
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(slice::from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&info, None)?;
            let size = vk::DescriptorPoolSize::default().ty(kind).descriptor_count(2);
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(slice::from_ref(&size));
            let sets = device.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(sets);
            let set = device.allocate_descriptor_sets(&info.set_layouts(slice::from_ref(&set_layout)))?[0];
            for (at, buffer) in buffers.iter().enumerate() {
                let info = vk::DescriptorBufferInfo::default().buffer(*buffer).range(vk::WHOLE_SIZE);
                let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(at as u32);
                let write = write.descriptor_type(kind).buffer_info(slice::from_ref(&info));
                device.update_descriptor_sets(&[write], &[]);
            }
            let graphics = graphics_pipeline(vulkan, layout)?;
            Ok(Self { vulkan, buffers, layout, set_layout, sets, set, graphics })
        }
    }

    /// Takes the buffers from a queue family, does the job so many times, one after the other, and gives them to a
    /// family.
    pub fn record(
        &self,
        queue: &Queue,
        families: [u32; 2],
        job: Job,
        times: u32,
    ) -> Result<vk::CommandBuffer> {
        let scope = match job {
            Job::NarrowCopy => Scope {
                stage: vk::PipelineStageFlags::TRANSFER,
                access: vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE,
            },
            _ => Scope::ALL,
        };
        // SAFETY: the handles live.
        unsafe {
            record(self.vulkan, queue, &self.buffers, families, scope, |commands| {
                for time in 0..times {
                    if time > 0 {
                        self.vulkan.barrier(commands);
                    }
                    self.work(commands, job);
                }
            })
        }
    }

    fn work(&self, commands: vk::CommandBuffer, job: Job) {
        let device = &self.vulkan.device;
        unsafe {
            match job {
                Job::Nothing | Job::TransferOwnership => {}
                Job::Copy | Job::NarrowCopy => {
                    let region = vk::BufferCopy::default().size(SIZE);
                    device.cmd_copy_buffer(commands, self.buffers[0], self.buffers[1], &[region]);
                }
                Job::Draw => {
                    let extent = vk::Extent2D { width: SIDE, height: SIDE };
                    let area = vk::Rect2D { extent, ..Default::default() };
                    let rendering = vk::RenderingInfo::default().render_area(area).layer_count(1);
                    device.cmd_begin_rendering(commands, &rendering);
                    let point = vk::PipelineBindPoint::GRAPHICS;
                    device.cmd_bind_pipeline(commands, point, self.graphics);
                    device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
                    device.cmd_draw(commands, 3, 1, 0, 0);
                    device.cmd_end_rendering(commands);
                }
            }
        }
    }
}

impl Drop for Commands<'_> {
    fn drop(&mut self) {
        let device = &self.vulkan.device;
        unsafe {
            // No work uses the objects afterwards.
            let _ = device.device_wait_idle();
            device.destroy_pipeline(self.graphics, None);
            device.destroy_descriptor_pool(self.sets, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

unsafe fn shader(vulkan: &Vulkan, words: &[u32]) -> Result<vk::ShaderModule> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    Ok(unsafe { vulkan.device.create_shader_module(&info, None) }?)
}

/// Draws without an attachment: the fragments write to the buffer.
unsafe fn graphics_pipeline(vulkan: &Vulkan, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
    let device = &vulkan.device;
    unsafe {
        let modules = [shader(vulkan, shaders::TRIANGLE)?, shader(vulkan, shaders::DRAWN_COPY)?];
        let stage = |at: usize, stage| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(modules[at]).name(c"main")
        };
        let stages = [stage(0, vk::ShaderStageFlags::VERTEX), stage(1, vk::ShaderStageFlags::FRAGMENT)];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let extent = vk::Extent2D { width: SIDE, height: SIDE };
        let scissor = vk::Rect2D { extent, ..Default::default() };
        let (width, height) = (SIDE as f32, SIDE as f32);
        let viewport = vk::Viewport { width, height, max_depth: 1.0, ..Default::default() };
        let viewports = vk::PipelineViewportStateCreateInfo::default()
            .viewports(slice::from_ref(&viewport))
            .scissors(slice::from_ref(&scissor));
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertices)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .layout(layout)
            .push_next(&mut rendering);
        let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        modules.iter().for_each(|module| device.destroy_shader_module(*module, None));
        Ok(made.map_err(|(_, code)| code)?[0])
    }
}
