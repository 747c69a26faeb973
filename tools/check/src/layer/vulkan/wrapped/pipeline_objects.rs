//! A device's functions that make what stands between a command and the memory that it uses.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use ash::vk;
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use crate::layer::chassis::layer_call::LayerCall;

use crate::layer::vulkan::chassis::intercept_macro::intercept;
use crate::layer::vulkan::state_tracker::derived_objects::{
    AttachmentAccess, DerivedObject, DescriptorWrite, LayoutBinding, PipelineUse, SetLayout,
    descriptor_write_of,
};
use crate::layer::vulkan::state_tracker::shader_accesses::{ShaderBinding, bindings_of_entry_points};
use crate::layer::vulkan::state_tracker::vulkan_state::object_key;
use crate::layer::vulkan::sync::access_history::Subresource;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// Runs a call that makes an object, and takes it in.
fn note_created<T: vk::Handle + Copy>(
    visit: &mut LayerCall,
    device: vk::Device,
    out: *const T,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
    made: impl FnOnce(&mut LayerCall) -> Option<DerivedObject>,
) -> vk::Result {
    let result = next(visit);
    if result == vk::Result::SUCCESS {
        let made = made(visit);
        // SAFETY: a successful call wrote it.
        visit.state().vulkan.derived_objects.set(object_key(device, unsafe { *out }), made);
    }
    result
}

/// Notes the end of an object.
fn note_destroyed<T: vk::Handle>(visit: &LayerCall, device: vk::Device, object: T) {
    visit.state().vulkan.derived_objects.set(object_key(device, object), None);
}

/// The attachments of a render pass: the structures of both versions have the same fields.
macro_rules! attachment_accesses {
    ($info:expr) => {
        array_slice($info.p_attachments, $info.attachment_count)
            .iter()
            .map(|of| AttachmentAccess::new(of.load_op, of.store_op))
            .collect()
    };
}

/// # Safety
///
/// The program's structure.
unsafe fn set_layout_of(info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> SetLayout {
    use vk::DescriptorType as Kind;
    // SAFETY: the caller guarantees it.
    let (bindings, flags) = unsafe {
        let flags: Option<&vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>> = find_in_chain(info.p_next);
        let flags = flags.map_or(&[][..], |of| array_slice(of.p_binding_flags, of.binding_count));
        (array_slice(info.p_bindings, info.binding_count), flags)
    };
    let slot = |(at, of): (usize, &vk::DescriptorSetLayoutBinding<'_>)| {
        let flags = flags.get(at).copied().unwrap_or_default();
        let is_dynamic =
            matches!(of.descriptor_type, Kind::UNIFORM_BUFFER_DYNAMIC | Kind::STORAGE_BUFFER_DYNAMIC);
        let count = of.descriptor_count;
        (of.binding, LayoutBinding { count, is_dynamic, is_certain: count == 1 && flags.is_empty() })
    };
    bindings.iter().enumerate().map(slot).collect()
}

/// The resources that shaders use.
///
/// # Safety
///
/// The program's structures.
unsafe fn bindings_of_stages(
    visit: &LayerCall,
    device: vk::Device,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
) -> Vec<ShaderBinding> {
    let mut all = Vec::new();
    for stage in stages {
        // SAFETY: the caller guarantees it.
        let (name, inline) = unsafe {
            (
                CStr::from_ptr(stage.p_name).to_bytes(),
                find_in_chain::<vk::ShaderModuleCreateInfo<'_>>(stage.p_next),
            )
        };
        let state = visit.state();
        let known = match state.vulkan.derived_objects.get(object_key(device, stage.module)) {
            Some(DerivedObject::ShaderModule(known)) => known.clone(),
            // SAFETY: the caller guarantees it.
            _ => inline.map_or_else(Vec::new, |module| unsafe { shader_bindings_of(module) }),
        };
        let entry = known.into_iter().find(|(entry, _)| entry == name);
        all.extend(entry.into_iter().flat_map(|(_, bindings)| bindings));
    }
    all
}

/// # Safety
///
/// The program's structure.
unsafe fn shader_bindings_of(info: &vk::ShaderModuleCreateInfo<'_>) -> Vec<(Vec<u8>, Vec<ShaderBinding>)> {
    // SAFETY: the caller guarantees it.
    bindings_of_entry_points(unsafe { array_slice(info.p_code, (info.code_size / 4) as u32) })
}

/// The parts of a pipeline: its stages, its chain and its vertex buffers.
type CreateInfoParts<'a> = (&'a [vk::PipelineShaderStageCreateInfo<'a>], *const c_void, Vec<u32>);

/// Runs a call that makes pipelines, and takes them in.
///
/// # Safety
///
/// The program's structures.
unsafe fn note_pipelines<'a, T: 'a>(
    visit: &mut LayerCall,
    device: vk::Device,
    infos: &'a [T],
    out: *const vk::Pipeline,
    next: impl FnOnce(&mut LayerCall) -> vk::Result,
    of: impl Fn(&'a T) -> CreateInfoParts<'a>,
) -> vk::Result {
    let result = next(visit);
    // Where some of several failed, their handles are null. After an error they need not be written.
    for (at, info) in infos.iter().enumerate().filter(|_| result.as_raw() >= 0) {
        let (stages, chain, vertices) = of(info);
        // SAFETY: the caller guarantees it.
        let (bindings, parts, pipeline) = unsafe {
            let parts: Option<&vk::PipelineLibraryCreateInfoKHR<'_>> = find_in_chain(chain);
            let parts = parts.map_or(&[][..], |of| array_slice(of.p_libraries, of.library_count));
            (bindings_of_stages(visit, device, stages), parts, *out.add(at))
        };
        let mut new = PipelineUse { bindings, vertices };
        let resources = &mut visit.state().vulkan.derived_objects;
        for part in parts {
            if let Some(DerivedObject::Pipeline(part)) = resources.get(object_key(device, *part)) {
                new.bindings.extend(&part.bindings);
                new.vertices.extend(&part.vertices);
            }
        }
        resources.set(object_key(device, pipeline), Some(DerivedObject::Pipeline(Arc::new(new))));
    }
    result
}

/// The vertex buffers of a pipeline, or of a part of one. Where they are not part of it, nothing is read there.
///
/// # Safety
///
/// The program's structures.
unsafe fn vertex_bindings_of(info: &vk::GraphicsPipelineCreateInfo<'_>) -> Vec<u32> {
    // SAFETY: the caller guarantees it.
    unsafe {
        let part: Option<&vk::GraphicsPipelineLibraryCreateInfoEXT<'_>> = find_in_chain(info.p_next);
        let stages = array_slice(info.p_stages, info.stage_count).iter();
        let has = part.map_or_else(
            || stages.clone().any(|of| of.stage == vk::ShaderStageFlags::VERTEX),
            |part| part.flags.contains(vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE),
        );
        let dynamic = info.p_dynamic_state.as_ref();
        let dynamic = dynamic.map_or(&[][..], |of| array_slice(of.p_dynamic_states, of.dynamic_state_count));
        let is_part = has && !dynamic.contains(&vk::DynamicState::VERTEX_INPUT_EXT);
        let input = info.p_vertex_input_state.as_ref().filter(|_| is_part);
        let all = input.map_or(&[][..], |of| {
            array_slice(of.p_vertex_binding_descriptions, of.vertex_binding_description_count)
        });
        all.iter().map(|of| of.binding).collect()
    }
}

intercept! {
    3, true, if true;
    create_image_view = c"vkCreateImageView": PFN_vkCreateImageView(
        device: vk::Device, info: *const vk::ImageViewCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::ImageView,
    ) -> vk::Result |of, visit, next| note_created(visit, device, out, next, |visit| {
        let image = object_key(device, (*info).image);
        visit.state().vulkan.images.contains_key(&image).then_some(DerivedObject::View(Subresource::Image(image)))
    });
    create_buffer_view = c"vkCreateBufferView": PFN_vkCreateBufferView(
        device: vk::Device, info: *const vk::BufferViewCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::BufferView,
    ) -> vk::Result |of, visit, next| note_created(visit, device, out, next, |visit| {
        let info = &*info;
        visit.state().vulkan.buffer_part(object_key(device, info.buffer), info.offset, info.range).map(DerivedObject::View)
    });
    create_framebuffer = c"vkCreateFramebuffer": PFN_vkCreateFramebuffer(
        device: vk::Device, info: *const vk::FramebufferCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::Framebuffer,
    ) -> vk::Result |of, visit, next| note_created(visit, device, out, next, |visit| {
        let state = visit.state();
        let view = |view: &vk::ImageView| state.vulkan.derived_objects.viewed_resource(object_key(device, *view));
        let views = Vec::from_iter(array_slice((*info).p_attachments, (*info).attachment_count).iter().map(view));
        views.iter().any(Option::is_some).then_some(DerivedObject::Framebuffer(views))
    });
    create_render_pass = c"vkCreateRenderPass": PFN_vkCreateRenderPass(
        device: vk::Device, info: *const vk::RenderPassCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::RenderPass,
    ) -> vk::Result |of, visit, next|
        note_created(visit, device, out, next, |_| Some(DerivedObject::RenderPass(attachment_accesses!(*info))));
    create_render_pass2 = c"vkCreateRenderPass2" | c"vkCreateRenderPass2KHR": PFN_vkCreateRenderPass2(
        device: vk::Device, info: *const vk::RenderPassCreateInfo2<'_>, allocator: Allocator<'_>, out: *mut vk::RenderPass,
    ) -> vk::Result |of, visit, next|
        note_created(visit, device, out, next, |_| Some(DerivedObject::RenderPass(attachment_accesses!(*info))));
    create_descriptor_set_layout = c"vkCreateDescriptorSetLayout": PFN_vkCreateDescriptorSetLayout(
        device: vk::Device, info: *const vk::DescriptorSetLayoutCreateInfo<'_>, allocator: Allocator<'_>,
        out: *mut vk::DescriptorSetLayout,
    ) -> vk::Result |of, visit, next|
        note_created(visit, device, out, next, |_| Some(DerivedObject::SetLayout(Arc::new(set_layout_of(&*info)))));
    create_pipeline_layout = c"vkCreatePipelineLayout": PFN_vkCreatePipelineLayout(
        device: vk::Device, info: *const vk::PipelineLayoutCreateInfo<'_>, allocator: Allocator<'_>,
        out: *mut vk::PipelineLayout,
    ) -> vk::Result |of, visit, next| note_created(visit, device, out, next, |visit| {
        let state = visit.state();
        let sets = array_slice((*info).p_set_layouts, (*info).set_layout_count).iter();
        let layouts = sets.map(|set| state.vulkan.derived_objects.set_layout(object_key(device, *set)));
        Some(DerivedObject::PipelineLayout(layouts.collect()))
    });
    allocate_descriptor_sets = c"vkAllocateDescriptorSets": PFN_vkAllocateDescriptorSets(
        device: vk::Device, info: *const vk::DescriptorSetAllocateInfo<'_>, out: *mut vk::DescriptorSet,
    ) -> vk::Result |of, visit, next| {
        let result = next(visit);
        if result == vk::Result::SUCCESS {
            let (info, resources) = (&*info, &mut visit.state().vulkan.derived_objects);
            let layouts = array_slice(info.p_set_layouts, info.descriptor_set_count);
            for (set, layout) in array_slice(out, info.descriptor_set_count).iter().zip(layouts) {
                let (pool, layout) = (object_key(device, info.descriptor_pool), resources.set_layout(object_key(device, *layout)));
                resources.set(object_key(device, *set), Some(DerivedObject::DescriptorSet { pool, layout, contents: Arc::default() }));
            }
        }
        result
    };
    reset_descriptor_pool = c"vkResetDescriptorPool": PFN_vkResetDescriptorPool(
        device: vk::Device, pool: vk::DescriptorPool, flags: vk::DescriptorPoolResetFlags,
    ) -> vk::Result |of, visit| visit.state().vulkan.derived_objects.end_descriptor_pool(object_key(device, pool));
    destroy_descriptor_pool = c"vkDestroyDescriptorPool": PFN_vkDestroyDescriptorPool(
        device: vk::Device, pool: vk::DescriptorPool, allocator: Allocator<'_>,
    ) |of, visit| visit.state().vulkan.derived_objects.end_descriptor_pool(object_key(device, pool));
    update_descriptor_sets = c"vkUpdateDescriptorSets": PFN_vkUpdateDescriptorSets(
        device: vk::Device, writes: u32, written: *const vk::WriteDescriptorSet<'_>, copies: u32,
        copied: *const vk::CopyDescriptorSet<'_>,
    ) |of, visit| {
        let mut state = visit.state();
        for write in array_slice(written, writes) {
            let (entry, data) = descriptor_write_of(write);
            state.vulkan.update_set(object_key(device, write.dst_set), device, &[entry], data);
        }
        for copy in array_slice(copied, copies) {
            state.vulkan.derived_objects.copy_descriptors(object_key(device, copy.src_set), object_key(device, copy.dst_set), copy);
        }
    };
    create_update_template = c"vkCreateDescriptorUpdateTemplate" | c"vkCreateDescriptorUpdateTemplateKHR":
    PFN_vkCreateDescriptorUpdateTemplate(
        device: vk::Device, info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>, allocator: Allocator<'_>,
        out: *mut vk::DescriptorUpdateTemplate,
    ) -> vk::Result |of, visit, next|
        note_created(visit, device, out, next, |_| {
            let all = array_slice((*info).p_descriptor_update_entries, (*info).descriptor_update_entry_count);
            let entry = |of: &vk::DescriptorUpdateTemplateEntry| DescriptorWrite {
                binding: of.dst_binding,
                element: of.dst_array_element,
                count: of.descriptor_count,
                kind: of.descriptor_type,
                offset: of.offset,
                stride: of.stride,
            };
            Some(DerivedObject::UpdateTemplate((*info).pipeline_bind_point, all.iter().map(entry).collect()))
        });
    update_with_template = c"vkUpdateDescriptorSetWithTemplate" | c"vkUpdateDescriptorSetWithTemplateKHR":
    PFN_vkUpdateDescriptorSetWithTemplate(
        device: vk::Device, set: vk::DescriptorSet, template: vk::DescriptorUpdateTemplate, data: *const c_void,
    ) |of, visit| {
        let mut state = visit.state();
        let (_, array_slice) = state.vulkan.derived_objects.update_template(object_key(device, template));
        state.vulkan.update_set(object_key(device, set), device, &array_slice, data);
    };
    create_shader_module = c"vkCreateShaderModule": PFN_vkCreateShaderModule(
        device: vk::Device, info: *const vk::ShaderModuleCreateInfo<'_>, allocator: Allocator<'_>, out: *mut vk::ShaderModule,
    ) -> vk::Result |of, visit, next|
        note_created(visit, device, out, next, |_| Some(DerivedObject::ShaderModule(shader_bindings_of(&*info))));
    create_graphics_pipelines = c"vkCreateGraphicsPipelines": PFN_vkCreateGraphicsPipelines(
        device: vk::Device, cache: vk::PipelineCache, count: u32, infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        allocator: Allocator<'_>, out: *mut vk::Pipeline,
    ) -> vk::Result |of, visit, next| note_pipelines(visit, device, array_slice(infos, count), out, next, |info| {
        (array_slice(info.p_stages, info.stage_count), info.p_next, vertex_bindings_of(info))
    });
    create_compute_pipelines = c"vkCreateComputePipelines": PFN_vkCreateComputePipelines(
        device: vk::Device, cache: vk::PipelineCache, count: u32, infos: *const vk::ComputePipelineCreateInfo<'_>,
        allocator: Allocator<'_>, out: *mut vk::Pipeline,
    ) -> vk::Result |of, visit, next| note_pipelines(visit, device, array_slice(infos, count), out, next, |info| {
        (array_slice(&raw const info.stage, 1), info.p_next, Vec::new())
    });
    create_ray_tracing_pipelines = c"vkCreateRayTracingPipelinesKHR": PFN_vkCreateRayTracingPipelinesKHR(
        device: vk::Device, deferred: vk::DeferredOperationKHR, cache: vk::PipelineCache, count: u32,
        infos: *const vk::RayTracingPipelineCreateInfoKHR<'_>, allocator: Allocator<'_>, out: *mut vk::Pipeline,
    ) -> vk::Result |of, visit, next| note_pipelines(visit, device, array_slice(infos, count), out, next, |info| {
        (array_slice(info.p_stages, info.stage_count), info.p_next, Vec::new())
    });
    free_descriptor_sets = c"vkFreeDescriptorSets": PFN_vkFreeDescriptorSets(
        device: vk::Device, pool: vk::DescriptorPool, count: u32, sets: *const vk::DescriptorSet,
    ) -> vk::Result |of, visit| {
        for set in array_slice(sets, count) {
            visit.state().vulkan.derived_objects.set(object_key(device, *set), None);
        }
    };
    destroy_image_view = c"vkDestroyImageView": PFN_vkDestroyImageView(
        device: vk::Device, object: vk::ImageView, allocator: Allocator<'_>,
    ) |of, visit| note_destroyed(visit, device, object);
    destroy_buffer_view = c"vkDestroyBufferView": PFN_vkDestroyBufferView(
        device: vk::Device, object: vk::BufferView, allocator: Allocator<'_>,
    ) |of, visit| note_destroyed(visit, device, object);
    destroy_framebuffer = c"vkDestroyFramebuffer": PFN_vkDestroyFramebuffer(
        device: vk::Device, object: vk::Framebuffer, allocator: Allocator<'_>,
    ) |of, visit| note_destroyed(visit, device, object);
    destroy_shader_module = c"vkDestroyShaderModule": PFN_vkDestroyShaderModule(
        device: vk::Device, object: vk::ShaderModule, allocator: Allocator<'_>,
    ) |of, visit| note_destroyed(visit, device, object);
    destroy_pipeline = c"vkDestroyPipeline": PFN_vkDestroyPipeline(
        device: vk::Device, object: vk::Pipeline, allocator: Allocator<'_>,
    ) |of, visit| note_destroyed(visit, device, object);
}
