//! Bindings in command buffers: descriptors, pipelines, vertices and indices, and the attachments of passes.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk::{self, Handle as _, PipelineBindPoint as Point};
use cuda_external_in_process::vulkan::{entries, in_chain};

use crate::layer::chassis::layer_call::Visit;
use crate::layer::state_tracker::tracked_objects::Does;

use super::accesses::{Command, Extent};
use super::records::{Vulkan, handle, may_be_shared};
use super::resources::{Attachment, Entry, Layout, Resource, entry_of};
use super::tables::{Device, intercept};

impl Device {
    fn bind_sets(
        &self,
        visit: &Visit,
        commands: vk::CommandBuffer,
        (point, first): (Point, u32),
        sets: &[vk::DescriptorSet],
        mut offsets: &[u32],
    ) {
        let mut state = visit.state();
        for (at, set) in (first..).zip(sets) {
            let set = handle(self.handle, *set);
            offsets = state.vulkan.bind_set(commands.as_raw(), (point, at), set, offsets);
        }
    }

    /// Binds descriptors that have no set.
    unsafe fn push(
        &self,
        visit: &Visit,
        commands: vk::CommandBuffer,
        at: (Point, u32),
        layout: vk::PipelineLayout,
        all: impl Iterator<Item = (Entry, *const c_void)>,
    ) {
        let mut state = visit.state();
        let layout: Arc<Layout> = match state.vulkan.resources.get(handle(self.handle, layout)) {
            Some(Resource::PipelineLayout(sets)) => sets.get(at.1 as usize).cloned().unwrap_or_default(),
            _ => return,
        };
        let bound = state.vulkan.commands.get(&commands.as_raw());
        let mut contents = bound.map(|of| of.set(at)).unwrap_or_default();
        for (entry, data) in all {
            // SAFETY: the program passes valid structures.
            unsafe { state.vulkan.written(self.handle, &layout, &mut contents, &entry, data) };
        }
        state.vulkan.commands.entry(commands.as_raw()).or_default().bind_set(at, contents);
    }

    unsafe fn push_template(
        &self,
        visit: &Visit,
        commands: vk::CommandBuffer,
        template: vk::DescriptorUpdateTemplate,
        (layout, set): (vk::PipelineLayout, u32),
        data: *const c_void,
    ) {
        let (point, all) = visit.state().vulkan.resources.template(handle(self.handle, template));
        let all = all.iter().map(|entry| (*entry, data));
        // SAFETY: the program passes valid structures.
        unsafe { self.push(visit, commands, (point, set), layout, all) };
    }

    fn bind_vertices(
        &self,
        visit: &Visit,
        commands: vk::CommandBuffer,
        first: u32,
        buffers: &[vk::Buffer],
        [offsets, sizes]: [&[u64]; 2],
    ) {
        let mut state = visit.state();
        for (at, buffer) in buffers.iter().enumerate() {
            let [offset, size] =
                [(offsets, 0), (sizes, vk::WHOLE_SIZE)].map(|(of, or)| *of.get(at).unwrap_or(&or));
            let part = state.vulkan.part(handle(self.handle, *buffer), offset, size);
            let recorded = state.vulkan.commands.entry(commands.as_raw()).or_default();
            recorded.bind_vertices(first + at as u32, part);
        }
    }

    fn bind_indices(
        &self,
        visit: &Visit,
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: u64,
        size: u64,
    ) {
        let mut state = visit.state();
        let part = state.vulkan.part(handle(self.handle, buffer), offset, size);
        state.vulkan.commands.entry(commands.as_raw()).or_default().indices = part;
    }

    /// Records the beginning of a render pass, which loads, clears and stores its attachments.
    unsafe fn begin_pass(
        &self,
        visit: &Visit,
        commands: vk::CommandBuffer,
        call: &'static str,
        begin: *const vk::RenderPassBeginInfo<'_>,
    ) {
        // SAFETY: the program passes valid structures.
        let (begin, given) = unsafe {
            let begin = &*begin;
            let given: Option<&vk::RenderPassAttachmentBeginInfo<'_>> = in_chain(begin.p_next);
            (begin, given.map_or(&[][..], |of| entries(of.p_attachments, of.attachment_count)))
        };
        let mut state = visit.state();
        let resources = &state.vulkan.resources;
        let views: Vec<Option<Extent>> = match resources.get(handle(self.handle, begin.framebuffer)) {
            Some(Resource::Framebuffer(views)) => views.clone(),
            _ => given.iter().map(|view| resources.view(handle(self.handle, *view))).collect(),
        };
        let Some(Resource::RenderPass(pass)) = resources.get(handle(self.handle, begin.render_pass)) else {
            return;
        };
        let used: Vec<_> = views.into_iter().zip(pass.clone()).collect();
        for (view, attachment) in used {
            state.vulkan.attach(commands, call, view, attachment);
        }
    }
}

impl Vulkan {
    fn attach(
        &mut self,
        commands: vk::CommandBuffer,
        call: &'static str,
        view: Option<Extent>,
        attachment: Attachment,
    ) {
        let Some(extent) = view else { return };
        let does = [(attachment.reads, Does::Read), (attachment.writes, Does::Write)];
        for (_, does) in does.into_iter().filter(|of| of.0) {
            self.note(commands.as_raw(), Command::Use(extent, does, call));
        }
        // After a pass its attachments are in another layout than UNDEFINED.
        self.note(commands.as_raw(), Command::Layout(extent));
    }
}

/// The bind points of shader stages.
fn points(stages: vk::ShaderStageFlags) -> impl Iterator<Item = Point> {
    use vk::ShaderStageFlags as Stages;
    let tracing = Stages::RAYGEN_KHR | Stages::ANY_HIT_KHR | Stages::CLOSEST_HIT_KHR | Stages::MISS_KHR;
    let drawing = Stages::ALL_GRAPHICS | Stages::TASK_EXT | Stages::MESH_EXT;
    let of = [
        (drawing, Point::GRAPHICS),
        (Stages::COMPUTE, Point::COMPUTE),
        (tracing | Stages::INTERSECTION_KHR | Stages::CALLABLE_KHR, Point::RAY_TRACING_KHR),
    ];
    of.into_iter().filter(move |(of, _)| stages.intersects(*of)).map(|(_, point)| point)
}

intercept! {
    4, true, if may_be_shared();
    bind_pipeline = c"vkCmdBindPipeline": PFN_vkCmdBindPipeline(
        commands: vk::CommandBuffer, point: Point, pipeline: vk::Pipeline,
    ) |of, visit| {
        let vulkan = &mut visit.state().vulkan;
        let pipeline = vulkan.resources.get(handle(of.handle, pipeline));
        vulkan.commands.entry(commands.as_raw()).or_default().bind_pipeline(point, pipeline);
    };
    bind_sets = c"vkCmdBindDescriptorSets": PFN_vkCmdBindDescriptorSets(
        commands: vk::CommandBuffer, point: Point, layout: vk::PipelineLayout, first: u32, count: u32,
        sets: *const vk::DescriptorSet, offset_count: u32, offsets: *const u32,
    ) |of, visit| of.bind_sets(visit, commands, (point, first), entries(sets, count), entries(offsets, offset_count));
    bind_sets2 = c"vkCmdBindDescriptorSets2" | c"vkCmdBindDescriptorSets2KHR": PFN_vkCmdBindDescriptorSets2KHR(
        commands: vk::CommandBuffer, info: *const vk::BindDescriptorSetsInfoKHR<'_>,
    ) |of, visit| {
        let info = &*info;
        let sets = entries(info.p_descriptor_sets, info.descriptor_set_count);
        let offsets = entries(info.p_dynamic_offsets, info.dynamic_offset_count);
        for point in points(info.stage_flags) {
            of.bind_sets(visit, commands, (point, info.first_set), sets, offsets);
        }
    };
    push = c"vkCmdPushDescriptorSet" | c"vkCmdPushDescriptorSetKHR": PFN_vkCmdPushDescriptorSetKHR(
        commands: vk::CommandBuffer, point: Point, layout: vk::PipelineLayout, set: u32, count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
    ) |of, visit| of.push(visit, commands, (point, set), layout, entries(writes, count).iter().map(entry_of));
    push2 = c"vkCmdPushDescriptorSet2" | c"vkCmdPushDescriptorSet2KHR": PFN_vkCmdPushDescriptorSet2KHR(
        commands: vk::CommandBuffer, info: *const vk::PushDescriptorSetInfoKHR<'_>,
    ) |of, visit| {
        let info = &*info;
        let writes = entries(info.p_descriptor_writes, info.descriptor_write_count);
        for point in points(info.stage_flags) {
            of.push(visit, commands, (point, info.set), info.layout, writes.iter().map(entry_of));
        }
    };
    push_template = c"vkCmdPushDescriptorSetWithTemplate" | c"vkCmdPushDescriptorSetWithTemplateKHR":
    PFN_vkCmdPushDescriptorSetWithTemplateKHR(
        commands: vk::CommandBuffer, template: vk::DescriptorUpdateTemplate, layout: vk::PipelineLayout, set: u32,
        data: *const c_void,
    ) |of, visit| of.push_template(visit, commands, template, (layout, set), data);
    push_template2 = c"vkCmdPushDescriptorSetWithTemplate2" | c"vkCmdPushDescriptorSetWithTemplate2KHR":
    PFN_vkCmdPushDescriptorSetWithTemplate2KHR(
        commands: vk::CommandBuffer, info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ) |of, visit| {
        let info = &*info;
        of.push_template(visit, commands, info.descriptor_update_template, (info.layout, info.set), info.p_data);
    };
    bind_vertices = c"vkCmdBindVertexBuffers": PFN_vkCmdBindVertexBuffers(
        commands: vk::CommandBuffer, first: u32, count: u32, buffers: *const vk::Buffer, offsets: *const u64,
    ) |of, visit| of.bind_vertices(visit, commands, first, entries(buffers, count), [entries(offsets, count), &[]]);
    bind_vertices2 = c"vkCmdBindVertexBuffers2" | c"vkCmdBindVertexBuffers2EXT": PFN_vkCmdBindVertexBuffers2(
        commands: vk::CommandBuffer, first: u32, count: u32, buffers: *const vk::Buffer, offsets: *const u64,
        sizes: *const u64, strides: *const u64,
    ) |of, visit| {
        let ranges = [entries(offsets, count), entries(sizes, count)];
        of.bind_vertices(visit, commands, first, entries(buffers, count), ranges);
    };
    bind_indices = c"vkCmdBindIndexBuffer": PFN_vkCmdBindIndexBuffer(
        commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, kind: vk::IndexType,
    ) |of, visit| of.bind_indices(visit, commands, buffer, offset, vk::WHOLE_SIZE);
    bind_indices2 = c"vkCmdBindIndexBuffer2" | c"vkCmdBindIndexBuffer2KHR": PFN_vkCmdBindIndexBuffer2KHR(
        commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, size: u64, kind: vk::IndexType,
    ) |of, visit| of.bind_indices(visit, commands, buffer, offset, size);
    begin_pass = c"vkCmdBeginRenderPass": PFN_vkCmdBeginRenderPass(
        commands: vk::CommandBuffer, begin: *const vk::RenderPassBeginInfo<'_>, contents: vk::SubpassContents,
    ) |of, visit| of.begin_pass(visit, commands, CALL, begin);
    begin_pass2 = c"vkCmdBeginRenderPass2" | c"vkCmdBeginRenderPass2KHR": PFN_vkCmdBeginRenderPass2(
        commands: vk::CommandBuffer, begin: *const vk::RenderPassBeginInfo<'_>, info: *const vk::SubpassBeginInfo<'_>,
    ) |of, visit| of.begin_pass(visit, commands, CALL, begin);
    begin_rendering = c"vkCmdBeginRendering" | c"vkCmdBeginRenderingKHR": PFN_vkCmdBeginRendering(
        commands: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>,
    ) |of, visit| {
        let info = &*info;
        let colors = entries(info.p_color_attachments, info.color_attachment_count);
        let others = [info.p_depth_attachment.as_ref(), info.p_stencil_attachment.as_ref()];
        let mut state = visit.state();
        for one in colors.iter().chain(others.into_iter().flatten()) {
            let attachment = Attachment::new(one.load_op, one.store_op);
            let resolves = Attachment { reads: false, writes: one.resolve_mode != vk::ResolveModeFlags::NONE };
            for (view, attachment) in [(one.image_view, attachment), (one.resolve_image_view, resolves)] {
                let view = state.vulkan.resources.view(handle(of.handle, view));
                state.vulkan.attach(commands, CALL, view, attachment);
            }
        }
    };
}
