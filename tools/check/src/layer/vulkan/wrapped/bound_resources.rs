//! What is bound to a command buffer, which its shaders may use: descriptor sets, vertices and indices. Whether a shader
//! uses it, and which part, is not known, so this counts only where possible hazards are asked for.

use ash::vk::{self, Handle as _, PipelineBindPoint};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::vulkan::chassis::device_record::DeviceRecord;
use crate::layer::vulkan::chassis::intercept_macro::{AllocCallbacks, intercept};
use crate::layer::vulkan::state_tracker::cmd_buffer_state::ResourceUse;
use crate::layer::vulkan::state_tracker::derived_objects::{DerivedObject, DescriptorContents};
use crate::layer::vulkan::state_tracker::vulkan_state::{VulkanState, object_key, reports_possible_hazards};
use crate::layer::vulkan::utils::resource_part::ResourcePart;
use crate::layer::vulkan::wrapped::successful_calls::{note_created, note_destroyed, note_on_success};

impl DeviceRecord {
    fn buffer_part(&self, buffer: vk::Buffer, offset: u64, size: u64) -> ResourcePart {
        ResourcePart::BufferPart(object_key(self.handle, buffer), offset, size)
    }

    /// Applies a write to the contents of a set.
    ///
    /// # Safety
    ///
    /// The write has as many descriptors of its type as it says.
    unsafe fn write_descriptors(
        &self,
        vulkan: &VulkanState,
        contents: &mut DescriptorContents,
        write: &vk::WriteDescriptorSet<'_>,
    ) {
        use vk::DescriptorType as Kind;
        let view = |view| vulkan.derived_objects.viewed_resource(view);
        let is_stored = matches!(
            write.descriptor_type,
            Kind::STORAGE_IMAGE
                | Kind::STORAGE_TEXEL_BUFFER
                | Kind::STORAGE_BUFFER
                | Kind::STORAGE_BUFFER_DYNAMIC
        );
        let does = if is_stored { AccessKind::Write } else { AccessKind::Read };
        let count = write.descriptor_count;
        // SAFETY: the caller guarantees that the array of the type is valid.
        let named: Vec<Option<ResourcePart>> = unsafe {
            match write.descriptor_type {
                Kind::COMBINED_IMAGE_SAMPLER
                | Kind::SAMPLED_IMAGE
                | Kind::STORAGE_IMAGE
                | Kind::INPUT_ATTACHMENT => {
                    let images = array_slice(write.p_image_info, count).iter();
                    images.map(|of| view(object_key(self.handle, of.image_view))).collect()
                }
                Kind::UNIFORM_TEXEL_BUFFER | Kind::STORAGE_TEXEL_BUFFER => {
                    let views = array_slice(write.p_texel_buffer_view, count).iter();
                    views.map(|of| view(object_key(self.handle, *of))).collect()
                }
                // A dynamic offset moves the range.
                Kind::UNIFORM_BUFFER_DYNAMIC | Kind::STORAGE_BUFFER_DYNAMIC => {
                    let buffers = array_slice(write.p_buffer_info, count).iter();
                    buffers.map(|of| Some(self.buffer_part(of.buffer, of.offset, vk::WHOLE_SIZE))).collect()
                }
                Kind::UNIFORM_BUFFER | Kind::STORAGE_BUFFER => {
                    let buffers = array_slice(write.p_buffer_info, count).iter();
                    buffers.map(|of| Some(self.buffer_part(of.buffer, of.offset, of.range))).collect()
                }
                _ => return,
            }
        };
        for (element, resource) in (write.dst_array_element..).zip(named) {
            let at = (write.dst_binding, element);
            contents.remove(&at);
            let shared = resource.filter(|resource| vulkan.is_shared(*resource));
            contents.extend(shared.map(|resource| (at, (resource, does))));
        }
    }

    /// Records that what follows may use a range of each buffer.
    fn record_bound_buffers(
        &self,
        layer_call: &LayerCall,
        commands: vk::CommandBuffer,
        by: &'static str,
        buffers: impl Iterator<Item = (vk::Buffer, u64, u64)>,
    ) {
        let vulkan = &mut layer_call.lock_state().vulkan;
        for (buffer, offset, size) in buffers {
            let (resource, does) = (self.buffer_part(buffer, offset, size), AccessKind::Read);
            vulkan.record_use(commands.as_raw(), ResourceUse { resource, does, by, is_certain: false });
        }
    }

    fn record_bound_sets(
        &self,
        layer_call: &LayerCall,
        commands: vk::CommandBuffer,
        by: &'static str,
        sets: &[vk::DescriptorSet],
    ) {
        let vulkan = &mut layer_call.lock_state().vulkan;
        for set in sets {
            let contents = vulkan.derived_objects.set_contents(object_key(self.handle, *set)).cloned();
            vulkan.record_descriptors(commands, by, &contents.unwrap_or_default());
        }
    }

    /// Records descriptors that have no set.
    unsafe fn record_pushed_descriptors(
        &self,
        layer_call: &LayerCall,
        commands: vk::CommandBuffer,
        by: &'static str,
        writes: &[vk::WriteDescriptorSet<'_>],
    ) {
        let (vulkan, mut contents) = (&mut layer_call.lock_state().vulkan, DescriptorContents::new());
        for write in writes {
            // SAFETY: the program passes valid structures.
            unsafe { self.write_descriptors(vulkan, &mut contents, write) };
        }
        vulkan.record_descriptors(commands, by, &contents);
    }
}

impl VulkanState {
    fn record_descriptors(
        &mut self,
        commands: vk::CommandBuffer,
        by: &'static str,
        contents: &DescriptorContents,
    ) {
        for (resource, does) in contents.values().copied() {
            self.record_use(commands.as_raw(), ResourceUse { resource, does, by, is_certain: false });
        }
    }
}

intercept! {
    7, reports_possible_hazards, if true;
    create_buffer_view = c"vkCreateBufferView": PFN_vkCreateBufferView(
        device: vk::Device, info: *const vk::BufferViewCreateInfo<'_>, allocator: AllocCallbacks<'_>,
        out: *mut vk::BufferView,
    ) -> vk::Result |of, layer_call, next| note_created(layer_call, device, out, next, |_| {
        Some(DerivedObject::View(of.buffer_part((*info).buffer, (*info).offset, (*info).range)))
    });
    destroy_buffer_view = c"vkDestroyBufferView": PFN_vkDestroyBufferView(
        device: vk::Device, object: vk::BufferView, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| note_destroyed(layer_call, device, object);
    allocate_descriptor_sets = c"vkAllocateDescriptorSets": PFN_vkAllocateDescriptorSets(
        device: vk::Device, info: *const vk::DescriptorSetAllocateInfo<'_>, out: *mut vk::DescriptorSet,
    ) -> vk::Result |of, layer_call, next| note_on_success(layer_call, next, |layer_call| {
        let (pool, vulkan) = (object_key(device, (*info).descriptor_pool), &mut layer_call.lock_state().vulkan);
        for set in array_slice(out, (*info).descriptor_set_count) {
            vulkan.derived_objects.add_descriptor_set(pool, object_key(device, *set));
        }
    });
    free_descriptor_sets = c"vkFreeDescriptorSets": PFN_vkFreeDescriptorSets(
        device: vk::Device, pool: vk::DescriptorPool, count: u32, sets: *const vk::DescriptorSet,
    ) -> vk::Result |of, layer_call| for set in array_slice(sets, count) {
        note_destroyed(layer_call, device, *set);
    };
    reset_descriptor_pool = c"vkResetDescriptorPool": PFN_vkResetDescriptorPool(
        device: vk::Device, pool: vk::DescriptorPool, flags: vk::DescriptorPoolResetFlags,
    ) -> vk::Result |of, layer_call|
        layer_call.lock_state().vulkan.derived_objects.end_descriptor_pool(object_key(device, pool));
    destroy_descriptor_pool = c"vkDestroyDescriptorPool": PFN_vkDestroyDescriptorPool(
        device: vk::Device, pool: vk::DescriptorPool, allocator: AllocCallbacks<'_>,
    ) |of, layer_call| layer_call.lock_state().vulkan.derived_objects.end_descriptor_pool(object_key(device, pool));
    update_descriptor_sets = c"vkUpdateDescriptorSets": PFN_vkUpdateDescriptorSets(
        device: vk::Device, count: u32, writes: *const vk::WriteDescriptorSet<'_>, copy_count: u32,
        copies: *const vk::CopyDescriptorSet<'_>,
    ) |of, layer_call| {
        let vulkan = &mut layer_call.lock_state().vulkan;
        for write in array_slice(writes, count) {
            let set = object_key(device, write.dst_set);
            let Some(mut contents) = vulkan.derived_objects.set_contents(set).map(std::mem::take) else { continue };
            of.write_descriptors(vulkan, &mut contents, write);
            vulkan.derived_objects.replace_object(set, Some(DerivedObject::DescriptorSet(contents)));
        }
    };
    bind_descriptor_sets = c"vkCmdBindDescriptorSets": PFN_vkCmdBindDescriptorSets(
        commands: vk::CommandBuffer, point: PipelineBindPoint, layout: vk::PipelineLayout, first: u32, count: u32,
        sets: *const vk::DescriptorSet, offset_count: u32, offsets: *const u32,
    ) |of, layer_call| of.record_bound_sets(layer_call, commands, CALL, array_slice(sets, count));
    bind_descriptor_sets2 = c"vkCmdBindDescriptorSets2" | c"vkCmdBindDescriptorSets2KHR":
    PFN_vkCmdBindDescriptorSets2KHR(
        commands: vk::CommandBuffer, info: *const vk::BindDescriptorSetsInfoKHR<'_>,
    ) |of, layer_call| {
        of.record_bound_sets(layer_call, commands, CALL, array_slice((*info).p_descriptor_sets,
        (*info).descriptor_set_count));
    };
    push_descriptor_set = c"vkCmdPushDescriptorSet" | c"vkCmdPushDescriptorSetKHR": PFN_vkCmdPushDescriptorSetKHR(
        commands: vk::CommandBuffer, point: PipelineBindPoint, layout: vk::PipelineLayout, set: u32, count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
    ) |of, layer_call| of.record_pushed_descriptors(layer_call, commands, CALL, array_slice(writes, count));
    push_descriptor_set2 = c"vkCmdPushDescriptorSet2" | c"vkCmdPushDescriptorSet2KHR": PFN_vkCmdPushDescriptorSet2KHR(
        commands: vk::CommandBuffer, info: *const vk::PushDescriptorSetInfoKHR<'_>,
    ) |of, layer_call| {
        let writes = array_slice((*info).p_descriptor_writes, (*info).descriptor_write_count);
        of.record_pushed_descriptors(layer_call, commands, CALL, writes);
    };
    bind_vertex_buffers = c"vkCmdBindVertexBuffers": PFN_vkCmdBindVertexBuffers(
        commands: vk::CommandBuffer, first: u32, count: u32, buffers: *const vk::Buffer, offsets: *const u64,
    ) |of, layer_call| {
        let bound = array_slice(buffers, count).iter().zip(array_slice(offsets, count));
        of.record_bound_buffers(layer_call, commands, CALL, bound.map(|(buffer, offset)| (*buffer, *offset,
        vk::WHOLE_SIZE)));
    };
    bind_vertex_buffers2 = c"vkCmdBindVertexBuffers2" | c"vkCmdBindVertexBuffers2EXT": PFN_vkCmdBindVertexBuffers2(
        commands: vk::CommandBuffer, first: u32, count: u32, buffers: *const vk::Buffer, offsets: *const u64,
        sizes: *const u64, strides: *const u64,
    ) |of, layer_call| {
        let bound = array_slice(buffers, count).iter().zip(array_slice(offsets, count));
        of.record_bound_buffers(layer_call, commands, CALL, bound.map(|(buffer, offset)| (*buffer, *offset,
        vk::WHOLE_SIZE)));
    };
    bind_index_buffer = c"vkCmdBindIndexBuffer": PFN_vkCmdBindIndexBuffer(
        commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, kind: vk::IndexType,
    ) |of, layer_call| of.record_bound_buffers(layer_call, commands, CALL, [(buffer, offset,
        vk::WHOLE_SIZE)].into_iter());
    bind_index_buffer2 = c"vkCmdBindIndexBuffer2" | c"vkCmdBindIndexBuffer2KHR": PFN_vkCmdBindIndexBuffer2KHR(
        commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, size: u64, kind: vk::IndexType,
    ) |of, layer_call| of.record_bound_buffers(layer_call, commands, CALL, [(buffer, offset, size)].into_iter());
}
