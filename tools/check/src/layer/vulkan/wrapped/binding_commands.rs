//! Bindings in command buffers: descriptors, pipelines, vertices and indices, and the attachments of passes.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk::{self, Handle as _, PipelineBindPoint as Point};
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::state_tracker::tracked_objects::AccessKind;

use crate::layer::vulkan::chassis::{device_record::DeviceRecord, intercept_macro::intercept};
use crate::layer::vulkan::state_tracker::derived_objects::{
    AttachmentAccess, DerivedObject, DescriptorWrite, SetLayout, descriptor_write_of,
};
use crate::layer::vulkan::state_tracker::vulkan_state::{VulkanState, has_exportables, object_key};
use crate::layer::vulkan::sync::access_history::{RecordedCommand, Subresource};

impl DeviceRecord {
    fn bind_sets(
        &self,
        visit: &LayerCall,
        commands: vk::CommandBuffer,
        (point, first): (Point, u32),
        sets: &[vk::DescriptorSet],
        mut offsets: &[u32],
    ) {
        let mut state = visit.state();
        for (at, set) in (first..).zip(sets) {
            let set = object_key(self.handle, *set);
            offsets = state.vulkan.bind_set(commands.as_raw(), (point, at), set, offsets);
        }
    }

    /// Binds descriptors that have no set.
    unsafe fn push_descriptors(
        &self,
        visit: &LayerCall,
        commands: vk::CommandBuffer,
        at: (Point, u32),
        layout: vk::PipelineLayout,
        all: impl Iterator<Item = (DescriptorWrite, *const c_void)>,
    ) {
        let mut state = visit.state();
        let layout: Arc<SetLayout> = match state.vulkan.derived_objects.get(object_key(self.handle, layout)) {
            Some(DerivedObject::PipelineLayout(sets)) => sets.get(at.1 as usize).cloned().unwrap_or_default(),
            _ => return,
        };
        let bound = state.vulkan.cmd_buffers.get(&commands.as_raw());
        let mut contents = bound.map(|of| of.set(at)).unwrap_or_default();
        for (entry, data) in all {
            // SAFETY: the program passes valid structures.
            unsafe { state.vulkan.write_descriptors(self.handle, &layout, &mut contents, &entry, data) };
        }
        state.vulkan.cmd_buffers.entry(commands.as_raw()).or_default().bind_set(at, contents);
    }

    unsafe fn push_template(
        &self,
        visit: &LayerCall,
        commands: vk::CommandBuffer,
        template: vk::DescriptorUpdateTemplate,
        (layout, set): (vk::PipelineLayout, u32),
        data: *const c_void,
    ) {
        let (point, all) =
            visit.state().vulkan.derived_objects.update_template(object_key(self.handle, template));
        let all = all.iter().map(|entry| (*entry, data));
        // SAFETY: the program passes valid structures.
        unsafe { self.push_descriptors(visit, commands, (point, set), layout, all) };
    }

    fn bind_vertices(
        &self,
        visit: &LayerCall,
        commands: vk::CommandBuffer,
        first: u32,
        buffers: &[vk::Buffer],
        [offsets, sizes]: [&[u64]; 2],
    ) {
        let mut state = visit.state();
        for (at, buffer) in buffers.iter().enumerate() {
            let [offset, size] =
                [(offsets, 0), (sizes, vk::WHOLE_SIZE)].map(|(of, or)| *of.get(at).unwrap_or(&or));
            let part = state.vulkan.buffer_part(object_key(self.handle, *buffer), offset, size);
            let recorded = state.vulkan.cmd_buffers.entry(commands.as_raw()).or_default();
            recorded.bind_vertices(first + at as u32, part);
        }
    }

    fn bind_indices(
        &self,
        visit: &LayerCall,
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: u64,
        size: u64,
    ) {
        let mut state = visit.state();
        let part = state.vulkan.buffer_part(object_key(self.handle, buffer), offset, size);
        state.vulkan.cmd_buffers.entry(commands.as_raw()).or_default().indices = part;
    }

    /// Records the beginning of a render pass, which loads, clears and stores its attachments.
    unsafe fn begin_pass(
        &self,
        visit: &LayerCall,
        commands: vk::CommandBuffer,
        call: &'static str,
        begin: *const vk::RenderPassBeginInfo<'_>,
    ) {
        // SAFETY: the program passes valid structures.
        let (begin, given) = unsafe {
            let begin = &*begin;
            let given: Option<&vk::RenderPassAttachmentBeginInfo<'_>> = find_in_chain(begin.p_next);
            (begin, given.map_or(&[][..], |of| array_slice(of.p_attachments, of.attachment_count)))
        };
        let mut state = visit.state();
        let resources = &state.vulkan.derived_objects;
        let views: Vec<Option<Subresource>> = match resources.get(object_key(self.handle, begin.framebuffer))
        {
            Some(DerivedObject::Framebuffer(views)) => views.clone(),
            _ => given.iter().map(|view| resources.viewed_resource(object_key(self.handle, *view))).collect(),
        };
        let Some(DerivedObject::RenderPass(pass)) = resources.get(object_key(self.handle, begin.render_pass))
        else {
            return;
        };
        let used: Vec<_> = views.into_iter().zip(pass.clone()).collect();
        for (view, attachment) in used {
            state.vulkan.record_attachment(commands, call, view, attachment);
        }
    }
}

impl VulkanState {
    fn record_attachment(
        &mut self,
        commands: vk::CommandBuffer,
        call: &'static str,
        view: Option<Subresource>,
        attachment: AttachmentAccess,
    ) {
        let Some(extent) = view else { return };
        let does = [(attachment.reads, AccessKind::Read), (attachment.writes, AccessKind::Write)];
        for (_, does) in does.into_iter().filter(|of| of.0) {
            self.record_command(commands.as_raw(), RecordedCommand::ObjectUse(extent, does, call));
        }
        // After a pass its attachments are in another layout than UNDEFINED.
        self.record_command(commands.as_raw(), RecordedCommand::Layout(extent));
    }
}

/// The bind points of shader stages.
fn bind_points_of_stages(stages: vk::ShaderStageFlags) -> impl Iterator<Item = Point> {
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
    4, true, if has_exportables();
    bind_pipeline = c"vkCmdBindPipeline": PFN_vkCmdBindPipeline(
        commands: vk::CommandBuffer, point: Point, pipeline: vk::Pipeline,
    ) |of, visit| {
        let vulkan = &mut visit.state().vulkan;
        let pipeline = vulkan.derived_objects.get(object_key(of.handle, pipeline));
        vulkan.cmd_buffers.entry(commands.as_raw()).or_default().bind_pipeline(point, pipeline);
    };
    bind_descriptor_sets = c"vkCmdBindDescriptorSets": PFN_vkCmdBindDescriptorSets(
        commands: vk::CommandBuffer, point: Point, layout: vk::PipelineLayout, first: u32, count: u32,
        sets: *const vk::DescriptorSet, offset_count: u32, offsets: *const u32,
    ) |of, visit| of.bind_sets(visit, commands, (point, first), array_slice(sets, count), array_slice(offsets, offset_count));
    bind_descriptor_sets2 = c"vkCmdBindDescriptorSets2" | c"vkCmdBindDescriptorSets2KHR": PFN_vkCmdBindDescriptorSets2KHR(
        commands: vk::CommandBuffer, info: *const vk::BindDescriptorSetsInfoKHR<'_>,
    ) |of, visit| {
        let info = &*info;
        let sets = array_slice(info.p_descriptor_sets, info.descriptor_set_count);
        let offsets = array_slice(info.p_dynamic_offsets, info.dynamic_offset_count);
        for point in bind_points_of_stages(info.stage_flags) {
            of.bind_sets(visit, commands, (point, info.first_set), sets, offsets);
        }
    };
    push_descriptor_set = c"vkCmdPushDescriptorSet" | c"vkCmdPushDescriptorSetKHR": PFN_vkCmdPushDescriptorSetKHR(
        commands: vk::CommandBuffer, point: Point, layout: vk::PipelineLayout, set: u32, count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
    ) |of, visit| of.push_descriptors(visit, commands, (point, set), layout, array_slice(writes, count).iter().map(descriptor_write_of));
    push_descriptor_set2 = c"vkCmdPushDescriptorSet2" | c"vkCmdPushDescriptorSet2KHR": PFN_vkCmdPushDescriptorSet2KHR(
        commands: vk::CommandBuffer, info: *const vk::PushDescriptorSetInfoKHR<'_>,
    ) |of, visit| {
        let info = &*info;
        let writes = array_slice(info.p_descriptor_writes, info.descriptor_write_count);
        for point in bind_points_of_stages(info.stage_flags) {
            of.push_descriptors(visit, commands, (point, info.set), info.layout, writes.iter().map(descriptor_write_of));
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
    bind_vertex_buffers = c"vkCmdBindVertexBuffers": PFN_vkCmdBindVertexBuffers(
        commands: vk::CommandBuffer, first: u32, count: u32, buffers: *const vk::Buffer, offsets: *const u64,
    ) |of, visit| of.bind_vertices(visit, commands, first, array_slice(buffers, count), [array_slice(offsets, count), &[]]);
    bind_vertex_buffers2 = c"vkCmdBindVertexBuffers2" | c"vkCmdBindVertexBuffers2EXT": PFN_vkCmdBindVertexBuffers2(
        commands: vk::CommandBuffer, first: u32, count: u32, buffers: *const vk::Buffer, offsets: *const u64,
        sizes: *const u64, strides: *const u64,
    ) |of, visit| {
        let ranges = [array_slice(offsets, count), array_slice(sizes, count)];
        of.bind_vertices(visit, commands, first, array_slice(buffers, count), ranges);
    };
    bind_index_buffer = c"vkCmdBindIndexBuffer": PFN_vkCmdBindIndexBuffer(
        commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, kind: vk::IndexType,
    ) |of, visit| of.bind_indices(visit, commands, buffer, offset, vk::WHOLE_SIZE);
    bind_index_buffer2 = c"vkCmdBindIndexBuffer2" | c"vkCmdBindIndexBuffer2KHR": PFN_vkCmdBindIndexBuffer2KHR(
        commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, size: u64, kind: vk::IndexType,
    ) |of, visit| of.bind_indices(visit, commands, buffer, offset, size);
    begin_render_pass = c"vkCmdBeginRenderPass": PFN_vkCmdBeginRenderPass(
        commands: vk::CommandBuffer, begin: *const vk::RenderPassBeginInfo<'_>, contents: vk::SubpassContents,
    ) |of, visit| of.begin_pass(visit, commands, CALL, begin);
    begin_render_pass2 = c"vkCmdBeginRenderPass2" | c"vkCmdBeginRenderPass2KHR": PFN_vkCmdBeginRenderPass2(
        commands: vk::CommandBuffer, begin: *const vk::RenderPassBeginInfo<'_>, info: *const vk::SubpassBeginInfo<'_>,
    ) |of, visit| of.begin_pass(visit, commands, CALL, begin);
    begin_rendering = c"vkCmdBeginRendering" | c"vkCmdBeginRenderingKHR": PFN_vkCmdBeginRendering(
        commands: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>,
    ) |of, visit| {
        let info = &*info;
        let colors = array_slice(info.p_color_attachments, info.color_attachment_count);
        let others = [info.p_depth_attachment.as_ref(), info.p_stencil_attachment.as_ref()];
        let mut state = visit.state();
        for one in colors.iter().chain(others.into_iter().flatten()) {
            let attachment = AttachmentAccess::new(one.load_op, one.store_op);
            let resolves = AttachmentAccess { reads: false, writes: one.resolve_mode != vk::ResolveModeFlags::NONE };
            for (view, attachment) in [(one.image_view, attachment), (one.resolve_image_view, resolves)] {
                let view = state.vulkan.derived_objects.viewed_resource(object_key(of.handle, view));
                state.vulkan.record_attachment(commands, CALL, view, attachment);
            }
        }
    };
}
