//! What the cases draw and dispatch with: pipelines, descriptor sets and a target of their own.

use std::io::Cursor;
use std::slice;

use ash::vk;
use example_support::Result;
use example_support::vulkan::{Image, ImageShape, Vulkan};

pub const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// The width and height of each image.
pub const SIDE: u32 = 16;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};
const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: SIDE, height: SIDE } };

/// They live as long as the device: each case is a process of its own.
pub struct Pipelines<'v> {
    vulkan: &'v Vulkan,
    layout: vk::PipelineLayout,
    compute: vk::Pipeline,
    drawing: vk::Pipeline,
    /// Sets from which a dispatch reads the shared buffer, to which it writes it, and one where nothing is shared.
    pub from_shared: vk::DescriptorSet,
    pub to_shared: vk::DescriptorSet,
    pub nothing_shared: vk::DescriptorSet,
    pub by_template: vk::DescriptorSet,
    sampled: vk::DescriptorSet,
    target: Image<'v>,
    _other: Image<'v>,
    target_view: vk::ImageView,
    view: vk::ImageView,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

/// The data from which the descriptors of a set are written.
#[repr(C)]
struct Descriptors {
    buffers: [vk::DescriptorBufferInfo; 2],
    image: vk::DescriptorImageInfo,
}

const KINDS: [vk::DescriptorType; 3] = [
    vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
    vk::DescriptorType::STORAGE_BUFFER,
    vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
];

// SAFETY, of all calls: the handles are this device's and alive, and structures outlive the calls.

fn module(vulkan: &Vulkan, code: &[u8]) -> Result<vk::ShaderModule> {
    let code = ash::util::read_spv(&mut Cursor::new(code)).expect("SPIR-V");
    Ok(unsafe {
        vulkan.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
    }?)
}

fn stage<'a>(module: vk::ShaderModule, stage: vk::ShaderStageFlags) -> vk::PipelineShaderStageCreateInfo<'a> {
    vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main")
}

fn view(vulkan: &Vulkan, image: vk::Image) -> Result<vk::ImageView> {
    let info = vk::ImageViewCreateInfo::default().image(image).format(FORMAT).subresource_range(RANGE);
    Ok(unsafe { vulkan.device.create_image_view(&info.view_type(vk::ImageViewType::TYPE_2D), None) }?)
}

fn compute(vulkan: &Vulkan, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
    let code = module(vulkan, include_bytes!("shaders/copy.comp.spv"))?;
    let info = vk::ComputePipelineCreateInfo::default();
    let info = info.layout(layout).stage(stage(code, vk::ShaderStageFlags::COMPUTE));
    let made = unsafe { vulkan.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
    Ok(made.map_err(|(_, code)| code)?[0])
}

fn drawing(vulkan: &Vulkan, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
    let vertex = module(vulkan, include_bytes!("shaders/draw.vert.spv"))?;
    let fragment = module(vulkan, include_bytes!("shaders/draw.frag.spv"))?;
    let stages =
        [stage(vertex, vk::ShaderStageFlags::VERTEX), stage(fragment, vk::ShaderStageFlags::FRAGMENT)];
    let binding = [vk::VertexInputBindingDescription::default().stride(16)];
    let attribute = [vk::VertexInputAttributeDescription::default().format(vk::Format::R32G32B32A32_SFLOAT)];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&binding)
        .vertex_attribute_descriptions(&attribute);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let side = SIDE as f32;
    let viewport = [vk::Viewport::default().width(side).height(side).max_depth(1.0)];
    let viewports =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewport).scissors(slice::from_ref(&AREA));
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blend =
        [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blends = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend);
    let mut formats = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&[FORMAT]);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewports)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blends)
        .layout(layout)
        .push_next(&mut formats);
    let made = unsafe { vulkan.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    Ok(made.map_err(|(_, code)| code)?[0])
}

impl<'v> Pipelines<'v> {
    pub fn new(vulkan: &'v Vulkan, shared: vk::Buffer, own: vk::Buffer, image: vk::Image) -> Result<Self> {
        let device = &vulkan.device;
        let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
        let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_DST;
        let target = Image::new(vulkan, shape, FORMAT, usage, 0)?;
        let other = Image::new(vulkan, shape, FORMAT, vk::ImageUsageFlags::SAMPLED, 0)?;
        other.release_empty()?;
        let (target_view, view, other_view) =
            (view(vulkan, target.raw)?, view(vulkan, image)?, view(vulkan, other.raw)?);
        unsafe {
            let sampler = device.create_sampler(&vk::SamplerCreateInfo::default(), None)?;
            let stages = vk::ShaderStageFlags::ALL;
            let bindings = [0, 1, 2].map(|at: u32| {
                let binding = vk::DescriptorSetLayoutBinding::default().binding(at).descriptor_count(1);
                binding.descriptor_type(KINDS[at as usize]).stage_flags(stages)
            });
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None)?;
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(slice::from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&info, None)?;
            let sizes = KINDS.map(|kind| vk::DescriptorPoolSize::default().ty(kind).descriptor_count(5));
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(5).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None)?;
            let layouts = [set_layout; 5];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let sets = device.allocate_descriptor_sets(&info)?;

            let buffer = |buffer| vk::DescriptorBufferInfo { buffer, offset: 0, range: 4096 };
            let image = vk::DescriptorImageInfo { sampler, image_view: view, image_layout: GENERAL };
            let none = vk::DescriptorImageInfo { image_view: other_view, ..image };
            for (set, buffers, image) in [
                (sets[0], [shared, own], none),
                (sets[1], [own, shared], none),
                (sets[2], [own, own], none),
                (sets[4], [own, own], image),
            ] {
                let (buffers, write) = (buffers.map(buffer), vk::WriteDescriptorSet::default().dst_set(set));
                let write_buffer = |at: usize| {
                    write.dst_binding(at as u32).descriptor_type(KINDS[at]).buffer_info(&buffers[at..=at])
                };
                let images = [image];
                let write_image = write.dst_binding(2).descriptor_type(KINDS[2]).image_info(&images);
                device.update_descriptor_sets(&[write_buffer(0), write_buffer(1), write_image], &[]);
            }
            let offsets = [
                std::mem::offset_of!(Descriptors, buffers),
                std::mem::offset_of!(Descriptors, buffers) + size_of::<vk::DescriptorBufferInfo>(),
                std::mem::offset_of!(Descriptors, image),
            ];
            let entries = [0, 1, 2].map(|at: usize| vk::DescriptorUpdateTemplateEntry {
                dst_binding: at as u32,
                dst_array_element: 0,
                descriptor_count: 1,
                descriptor_type: KINDS[at],
                offset: offsets[at],
                stride: 0,
            });
            let info = vk::DescriptorUpdateTemplateCreateInfo::default()
                .descriptor_update_entries(&entries)
                .descriptor_set_layout(set_layout);
            let template = device.create_descriptor_update_template(&info, None)?;
            let data = Descriptors { buffers: [shared, own].map(buffer), image: none };
            device.update_descriptor_set_with_template(sets[3], template, (&raw const data).cast());

            let attachment = [vk::AttachmentDescription::default()
                .format(FORMAT)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .initial_layout(GENERAL)
                .final_layout(GENERAL)];
            let color = [vk::AttachmentReference::default().layout(GENERAL)];
            let subpass = [vk::SubpassDescription::default().color_attachments(&color)];
            let info = vk::RenderPassCreateInfo::default().attachments(&attachment).subpasses(&subpass);
            let pass = device.create_render_pass(&info, None)?;
            let info =
                vk::FramebufferCreateInfo::default().render_pass(pass).width(SIDE).height(SIDE).layers(1);
            let framebuffer = device.create_framebuffer(&info.attachments(slice::from_ref(&view)), None)?;
            Ok(Self {
                vulkan,
                layout,
                compute: compute(vulkan, layout)?,
                drawing: drawing(vulkan, layout)?,
                from_shared: sets[0],
                to_shared: sets[1],
                nothing_shared: sets[2],
                by_template: sets[3],
                sampled: sets[4],
                target,
                _other: other,
                target_view,
                view,
                pass,
                framebuffer,
            })
        }
    }

    /// A transfer of both between queue families.
    pub unsafe fn transfer(
        &self,
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        image: vk::Image,
        [from, to]: [u32; 2],
    ) {
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let buffer = vk::BufferMemoryBarrier::default()
            .buffer(buffer)
            .size(vk::WHOLE_SIZE)
            .src_access_mask(access)
            .dst_access_mask(access)
            .src_queue_family_index(from)
            .dst_queue_family_index(to);
        let image = image_barrier(image, GENERAL).src_queue_family_index(from).dst_queue_family_index(to);
        unsafe {
            self.vulkan.device.cmd_pipeline_barrier(commands, all, all, none, &[], &[buffer], &[image])
        };
    }

    pub unsafe fn bind_compute(&self, commands: vk::CommandBuffer, set: vk::DescriptorSet, is_moved: bool) {
        let (point, device) = (vk::PipelineBindPoint::COMPUTE, &self.vulkan.device);
        let offset = if is_moved { 1024 } else { 0 };
        unsafe {
            device.cmd_bind_pipeline(commands, point, self.compute);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[offset]);
        }
    }

    pub unsafe fn dispatch(&self, commands: vk::CommandBuffer, set: vk::DescriptorSet, is_moved: bool) {
        unsafe {
            self.bind_compute(commands, set, is_moved);
            self.vulkan.device.cmd_dispatch(commands, 1, 1, 1);
        }
    }

    /// Draws to the target. What is sampled is the shared image, or another one.
    pub unsafe fn draw(
        &self,
        commands: vk::CommandBuffer,
        (vertices, samples_shared): (vk::Buffer, bool),
        draw: impl FnOnce(),
    ) {
        let (point, device) = (vk::PipelineBindPoint::GRAPHICS, &self.vulkan.device);
        let set = if samples_shared { self.sampled } else { self.nothing_shared };
        unsafe {
            self.empty_target(commands);
            self.begin_rendering(commands, self.target_view, vk::AttachmentLoadOp::CLEAR);
            device.cmd_bind_pipeline(commands, point, self.drawing);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[0]);
            device.cmd_bind_vertex_buffers(commands, 0, &[vertices], &[0]);
            draw();
            device.cmd_end_rendering(commands);
        }
    }

    pub unsafe fn blit_to_target(&self, commands: vk::CommandBuffer, from: vk::Image) {
        let layers =
            vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: SIDE as i32, y: SIDE as i32, z: 1 }];
        let region = [vk::ImageBlit2::default()
            .src_subresource(layers)
            .dst_subresource(layers)
            .src_offsets(corners)
            .dst_offsets(corners)];
        let info = vk::BlitImageInfo2::default()
            .src_image(from)
            .src_image_layout(GENERAL)
            .dst_image(self.target.raw)
            .dst_image_layout(GENERAL)
            .regions(&region);
        unsafe {
            self.empty_target(commands);
            self.vulkan.device.cmd_blit_image2(commands, &info);
        }
    }

    /// Loads and stores the shared image as an attachment.
    pub unsafe fn load_by_rendering(&self, commands: vk::CommandBuffer) {
        unsafe {
            self.begin_rendering(commands, self.view, vk::AttachmentLoadOp::LOAD);
            self.vulkan.device.cmd_end_rendering(commands);
        }
    }

    pub unsafe fn load_by_pass(&self, commands: vk::CommandBuffer) {
        let device = &self.vulkan.device;
        let info = vk::RenderPassBeginInfo::default().render_pass(self.pass).framebuffer(self.framebuffer);
        unsafe {
            device.cmd_begin_render_pass(commands, &info.render_area(AREA), vk::SubpassContents::INLINE);
            device.cmd_end_render_pass(commands);
        }
    }

    /// Records into a secondary command buffer, which this one executes.
    pub unsafe fn by_secondary(&self, commands: vk::CommandBuffer, record: impl FnOnce(vk::CommandBuffer)) {
        let device = &self.vulkan.device;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(self.vulkan.queue().family);
        unsafe {
            let pool = device.create_command_pool(&pool, None).expect("a pool");
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let info = info.level(vk::CommandBufferLevel::SECONDARY);
            let other = device.allocate_command_buffers(&info).expect("a command buffer")[0];
            let nothing = vk::CommandBufferInheritanceInfo::default();
            let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&nothing);
            device.begin_command_buffer(other, &begin).expect("it begins");
            record(other);
            device.end_command_buffer(other).expect("it ends");
            device.cmd_execute_commands(commands, &[other]);
        }
    }

    unsafe fn begin_rendering(
        &self,
        commands: vk::CommandBuffer,
        view: vk::ImageView,
        load: vk::AttachmentLoadOp,
    ) {
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(GENERAL)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default().render_area(AREA).layer_count(1).color_attachments(&color);
        unsafe { self.vulkan.device.cmd_begin_rendering(commands, &info) };
    }

    /// The target's texels are not needed any more.
    unsafe fn empty_target(&self, commands: vk::CommandBuffer) {
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        let barrier = image_barrier(self.target.raw, vk::ImageLayout::UNDEFINED);
        unsafe { self.vulkan.device.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]) };
    }
}

/// From a layout to GENERAL, within a queue family.
fn image_barrier<'a>(image: vk::Image, from: vk::ImageLayout) -> vk::ImageMemoryBarrier<'a> {
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    vk::ImageMemoryBarrier::default()
        .image(image)
        .subresource_range(RANGE)
        .src_access_mask(access)
        .dst_access_mask(access)
        .old_layout(from)
        .new_layout(GENERAL)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
}
