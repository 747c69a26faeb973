//! Functions for image views, framebuffers and render passes. A pass loads, clears and stores its attachments.

use std::collections::BTreeSet;

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::vulkan::chassis::{AllocCallbacks, DeviceRecord, intercept};
use crate::layer::vulkan::state_tracker::cmd_buffer_state::RecordedCommand;
use crate::layer::vulkan::state_tracker::vulkan_state::{
    AttachmentAccess, PassObject, VulkanState, object_key,
};
use crate::layer::vulkan::sync::queue_and_stream_replay::AccessAction;
use crate::layer::vulkan::utils::handle_keys::ResourcePart;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;
use crate::layer::vulkan::wrapped::record_on_success::note_created;

macro_rules! attachment_accesses {
    ($info:expr) => {{
        let info = $info;
        let mut used = BTreeSet::new();
        for subpass in array_slice(info.p_subpasses, info.subpass_count) {
            let inputs = array_slice(subpass.p_input_attachments, subpass.input_attachment_count);
            let colors = array_slice(subpass.p_color_attachments, subpass.color_attachment_count);
            let resolves = array_slice(subpass.p_resolve_attachments, subpass.color_attachment_count);
            let depth = subpass.p_depth_stencil_attachment.as_ref();
            let all = inputs.iter().chain(colors).chain(resolves).chain(depth);
            used.extend(all.map(|reference| reference.attachment as usize));
        }
        let attachments = array_slice(info.p_attachments, info.attachment_count).iter();
        let accesses = attachments.map(|of| AttachmentAccess::new(of.load_op, of.store_op));
        accesses.enumerate().map(|(at, access)| used.contains(&at).then_some(access)).collect()
    }};
}

impl DeviceRecord {
    unsafe fn record_pass_begin(
        &self,
        layer_call: &LayerCall,
        commands: vk::CommandBuffer,
        begin: *const vk::RenderPassBeginInfo<'_>,
    ) {
        // SAFETY: the program passes valid structures to Vulkan, with as many attachments as their counts say.
        let (begin, given) = unsafe {
            let begin = &*begin;
            let given: Option<&vk::RenderPassAttachmentBeginInfo<'_>> = find_in_chain(begin.p_next);
            (begin, given.map_or(&[][..], |of| array_slice(of.p_attachments, of.attachment_count)))
        };
        let mut state = layer_call.lock_state();
        // The layer does not read the stages of the pass's dependencies, so they count as all stages.
        let any = RecordedCommand::Dependency(StageWorkKinds::ALL, StageWorkKinds::ALL);
        state.vulkan.record_command(commands.as_raw(), any);
        let vulkan = &state.vulkan;
        let views: Vec<Option<ResourcePart>> = match vulkan
            .pass_objects
            .get(&object_key(self.handle, begin.framebuffer))
        {
            Some(PassObject::Framebuffer(views)) => views.clone(),
            _ => given.iter().map(|view| vulkan.resource_of_view(object_key(self.handle, *view))).collect(),
        };
        let Some(PassObject::RenderPass(pass)) =
            vulkan.pass_objects.get(&object_key(self.handle, begin.render_pass))
        else {
            return;
        };
        for (view, access) in views.into_iter().zip(pass.clone()) {
            if let (Some(view), Some(access)) = (view, access) {
                state.vulkan.record_attachment(commands, layer_call.name, (view, begin.render_area), access);
            }
        }
    }
}

impl VulkanState {
    fn record_attachment(
        &mut self,
        commands: vk::CommandBuffer,
        call: &'static str,
        (view, area): (ResourcePart, vk::Rect2D),
        access: AttachmentAccess,
    ) {
        let (offset, extent) = (vk::Offset3D { x: area.offset.x, y: area.offset.y, z: 0 }, area.extent);
        let extent = vk::Extent3D { width: extent.width, height: extent.height, depth: 1 };
        let image = self.images.get(&view.resource_key());
        let is_whole = image.is_some_and(|image| image.is_image_covered_by(offset, extent));
        let resource = if is_whole { ResourcePart::Image(view.resource_key()) } else { view };
        for (does, happens) in [(AccessKind::Read, access.reads), (AccessKind::Write, access.writes)] {
            if happens {
                let action = AccessAction::Use(does, call);
                let access = RecordedCommand::Access(resource, StageWorkKinds::DRAWS, action);
                self.record_command(commands.as_raw(), access);
            }
        }
    }
}

intercept! {
    create_image_view = c"vkCreateImageView": PFN_vkCreateImageView(
        device: vk::Device, info: *const vk::ImageViewCreateInfo<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::ImageView,
    ) -> vk::Result |of, layer_call, next| note_created(layer_call, device, out, next, |layer_call| {
        let image = object_key(device, (*info).image);
        let is_shared = layer_call.lock_state().vulkan.images.contains_key(&image);
        is_shared.then_some(PassObject::View(ResourcePart::ImagePart(image)))
    });
    destroy_image_view = c"vkDestroyImageView": PFN_vkDestroyImageView(
        device: vk::Device, object: vk::ImageView, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| layer_call.lock_state().vulkan.replace_pass_object(object_key(device, object), None);
    create_framebuffer = c"vkCreateFramebuffer": PFN_vkCreateFramebuffer(
        device: vk::Device, info: *const vk::FramebufferCreateInfo<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::Framebuffer,
    ) -> vk::Result |of, layer_call, next| note_created(layer_call, device, out, next, |layer_call| {
        let state = layer_call.lock_state();
        let view = |view: &vk::ImageView| state.vulkan.resource_of_view(object_key(device, *view));
        let views = Vec::from_iter(array_slice((*info).p_attachments, (*info).attachment_count).iter().map(view));
        views.iter().any(Option::is_some).then_some(PassObject::Framebuffer(views))
    });
    destroy_framebuffer = c"vkDestroyFramebuffer": PFN_vkDestroyFramebuffer(
        device: vk::Device, object: vk::Framebuffer, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| layer_call.lock_state().vulkan.replace_pass_object(object_key(device, object), None);
    create_render_pass = c"vkCreateRenderPass": PFN_vkCreateRenderPass(
        device: vk::Device, info: *const vk::RenderPassCreateInfo<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::RenderPass,
    ) -> vk::Result |of, layer_call, next|
        note_created(layer_call, device, out, next, |_| Some(PassObject::RenderPass(attachment_accesses!(&*info))));
    create_render_pass2 = c"vkCreateRenderPass2" | c"vkCreateRenderPass2KHR": PFN_vkCreateRenderPass2(
        device: vk::Device, info: *const vk::RenderPassCreateInfo2<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::RenderPass,
    ) -> vk::Result |of, layer_call, next|
        note_created(layer_call, device, out, next, |_| Some(PassObject::RenderPass(attachment_accesses!(&*info))));
    begin_render_pass = c"vkCmdBeginRenderPass": PFN_vkCmdBeginRenderPass(
        commands: vk::CommandBuffer, begin: *const vk::RenderPassBeginInfo<'_>, contents: vk::SubpassContents,
    ) |of, layer_call| of.record_pass_begin(layer_call, commands, begin);
    begin_render_pass2 = c"vkCmdBeginRenderPass2" | c"vkCmdBeginRenderPass2KHR": PFN_vkCmdBeginRenderPass2(
        commands: vk::CommandBuffer, begin: *const vk::RenderPassBeginInfo<'_>, info: *const vk::SubpassBeginInfo<'_>,
    ) |of, layer_call| of.record_pass_begin(layer_call, commands, begin);
    begin_rendering = c"vkCmdBeginRendering" | c"vkCmdBeginRenderingKHR": PFN_vkCmdBeginRendering(
        commands: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>,
    ) |of, layer_call| {
        let info = &*info;
        let colors = array_slice(info.p_color_attachments, info.color_attachment_count);
        let others = [info.p_depth_attachment.as_ref(), info.p_stencil_attachment.as_ref()];
        let mut state = layer_call.lock_state();
        for one in colors.iter().chain(others.into_iter().flatten()) {
            let access = AttachmentAccess::new(one.load_op, one.store_op);
            let resolves = AttachmentAccess { reads: false, writes: one.resolve_mode != vk::ResolveModeFlags::NONE };
            for (view, access) in [(one.image_view, access), (one.resolve_image_view, resolves)] {
                if let Some(view) = state.vulkan.resource_of_view(object_key(of.handle, view)) {
                    state.vulkan.record_attachment(commands, layer_call.name, (view, info.render_area), access);
                }
            }
        }
    };
}
