//! Commands that access shared memory without a pipeline: copies, blits, resolves, fills and clears.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::state_tracker::tracked_objects::AccessKind::{self, Read, Write};
use crate::layer::vulkan::chassis::{DeviceRecord, intercept};
use crate::layer::vulkan::state_tracker::cmd_buffer_state::RecordedCommand;
use crate::layer::vulkan::state_tracker::vulkan_state::object_key;
use crate::layer::vulkan::sync::queue_and_stream_replay::AccessAction;
use crate::layer::vulkan::utils::handle_keys::ResourcePart;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;

fn record_accesses(
    layer_call: &LayerCall,
    commands: vk::CommandBuffer,
    uses: impl IntoIterator<Item = (ResourcePart, AccessKind)>,
) {
    let mut state = layer_call.lock_state();
    for (resource, does) in uses {
        let action = AccessAction::Use(does, layer_call.name);
        let access = RecordedCommand::Access(resource, StageWorkKinds::COPIES, action);
        state.vulkan.record_command(commands.as_raw(), access);
    }
}

type ImageOffsetAndExtent = (vk::Offset3D, vk::Extent3D);

impl DeviceRecord {
    fn buffer_range(&self, buffer: vk::Buffer, offset: u64, size: u64) -> ResourcePart {
        ResourcePart::Buffer(object_key(self.handle, buffer), offset, size)
    }

    fn image_part_of_regions(
        &self,
        layer_call: &LayerCall,
        image: vk::Image,
        regions: impl IntoIterator<Item = ImageOffsetAndExtent>,
    ) -> ResourcePart {
        let (state, key) = (layer_call.lock_state(), object_key(self.handle, image));
        let Some(image) = state.vulkan.images.get(&key) else { return ResourcePart::ImagePart(key) };
        let mut regions = regions.into_iter();
        let is_whole = regions.any(|(offset, extent)| image.is_image_covered_by(offset, extent));
        if is_whole { ResourcePart::Image(key) } else { ResourcePart::ImagePart(key) }
    }

    fn cleared_image_part(&self, layer_call: &LayerCall, image: vk::Image) -> ResourcePart {
        let extent =
            layer_call.lock_state().vulkan.images.get(&object_key(self.handle, image)).map(|of| of.extent);
        self.image_part_of_regions(layer_call, image, extent.map(|extent| (vk::Offset3D::default(), extent)))
    }

    /// Records a copy, a blit or a resolve between images. A region is a part of the source and one of the destination.
    fn record_image_copy(
        &self,
        layer_call: &LayerCall,
        commands: vk::CommandBuffer,
        [from, to]: [vk::Image; 2],
        regions: impl Iterator<Item = [ImageOffsetAndExtent; 2]>,
    ) {
        let (read, written): (Vec<_>, Vec<_>) = regions.map(|[read, written]| (read, written)).unzip();
        let read = (self.image_part_of_regions(layer_call, from, read), Read);
        let written = (self.image_part_of_regions(layer_call, to, written), Write);
        record_accesses(layer_call, commands, [read, written]);
    }
}

/// Returns the two parts of each region of a copy or a resolve. All region structures have the fields used here.
macro_rules! copy_regions {
    ($regions:expr, $count:expr) => {
        array_slice($regions, $count)
            .iter()
            .map(|one| [(one.src_offset, one.extent), (one.dst_offset, one.extent)])
    };
}

macro_rules! blit_regions {
    ($regions:expr, $count:expr) => {
        array_slice($regions, $count).iter().map(|one| [one.src_offsets, one.dst_offsets].map(blit_region))
    };
}

fn blit_region([first, end]: [vk::Offset3D; 2]) -> ImageOffsetAndExtent {
    (first, vk::Extent3D { width: end.x as u32, height: end.y as u32, depth: end.z as u32 })
}

/// The macro does not compute a region's length in the buffer: the byte at the region's offset represents the region.
macro_rules! record_buffer_image_copy {
    ($of:ident, $layer_call:ident, $commands:ident, $buffer:expr, $image:expr, $regions:expr,
        $of_buffer:ident, $of_image:ident) => {{
        let regions = $regions;
        let image = $of.image_part_of_regions(
            $layer_call,
            $image,
            regions.iter().map(|one| (one.image_offset, one.image_extent)),
        );
        let buffers = regions.iter().map(|one| ($of.buffer_range($buffer, one.buffer_offset, 1), $of_buffer));
        record_accesses($layer_call, $commands, [(image, $of_image)].into_iter().chain(buffers))
    }};
}

intercept! {
    copy_buffer = c"vkCmdCopyBuffer": PFN_vkCmdCopyBuffer(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, count: u32, regions: *const vk::BufferCopy,
    ) |of, layer_call| record_accesses(layer_call, commands, array_slice(regions,
        count).iter().flat_map(|region| {
        let read = (of.buffer_range(from, region.src_offset, region.size), Read);
        [read, (of.buffer_range(to, region.dst_offset, region.size), Write)]
    }));
    copy_buffer2 = c"vkCmdCopyBuffer2" | c"vkCmdCopyBuffer2KHR": PFN_vkCmdCopyBuffer2(
        commands: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>,
    ) |of, layer_call| {
        let info = &*info;
        record_accesses(layer_call, commands, array_slice(info.p_regions,
        info.region_count).iter().flat_map(|region| {
            let read = (of.buffer_range(info.src_buffer, region.src_offset, region.size), Read);
            [read, (of.buffer_range(info.dst_buffer, region.dst_offset, region.size), Write)]
        }));
    };
    copy_image = c"vkCmdCopyImage": PFN_vkCmdCopyImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image,
        to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageCopy,
    ) |of, layer_call| of.record_image_copy(layer_call, commands, [from, to], copy_regions!(regions, count));
    copy_image2 = c"vkCmdCopyImage2" | c"vkCmdCopyImage2KHR": PFN_vkCmdCopyImage2(
        commands: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>,
    ) |of, layer_call| {
        let (info, regions) = (&*info, copy_regions!((*info).p_regions, (*info).region_count));
        of.record_image_copy(layer_call, commands, [info.src_image, info.dst_image], regions);
    };
    blit_image = c"vkCmdBlitImage": PFN_vkCmdBlitImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image,
        to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageBlit, filter: vk::Filter,
    ) |of, layer_call| of.record_image_copy(layer_call, commands, [from, to], blit_regions!(regions, count));
    blit_image2 = c"vkCmdBlitImage2" | c"vkCmdBlitImage2KHR": PFN_vkCmdBlitImage2(
        commands: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>,
    ) |of, layer_call| {
        let (info, regions) = (&*info, blit_regions!((*info).p_regions, (*info).region_count));
        of.record_image_copy(layer_call, commands, [info.src_image, info.dst_image], regions);
    };
    resolve_image = c"vkCmdResolveImage": PFN_vkCmdResolveImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image,
        to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageResolve,
    ) |of, layer_call| of.record_image_copy(layer_call, commands, [from, to], copy_regions!(regions, count));
    resolve_image2 = c"vkCmdResolveImage2" | c"vkCmdResolveImage2KHR": PFN_vkCmdResolveImage2(
        commands: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>,
    ) |of, layer_call| {
        let (info, regions) = (&*info, copy_regions!((*info).p_regions, (*info).region_count));
        of.record_image_copy(layer_call, commands, [info.src_image, info.dst_image], regions);
    };
    copy_buffer_to_image = c"vkCmdCopyBufferToImage": PFN_vkCmdCopyBufferToImage(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::BufferImageCopy,
    ) |of, layer_call| record_buffer_image_copy!(of, layer_call, commands, from, to, array_slice(regions,
        count), Read, Write);
    copy_buffer_to_image2 = c"vkCmdCopyBufferToImage2" | c"vkCmdCopyBufferToImage2KHR": PFN_vkCmdCopyBufferToImage2(
        commands: vk::CommandBuffer, info: *const vk::CopyBufferToImageInfo2<'_>,
    ) |of, layer_call| {
        let (info, regions) = (&*info, array_slice((*info).p_regions, (*info).region_count));
        record_buffer_image_copy!(of, layer_call, commands, info.src_buffer, info.dst_image, regions, Read,
        Write);
    };
    copy_image_to_buffer = c"vkCmdCopyImageToBuffer": PFN_vkCmdCopyImageToBuffer(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Buffer,
        count: u32, regions: *const vk::BufferImageCopy,
    ) |of, layer_call| record_buffer_image_copy!(of, layer_call, commands, to, from, array_slice(regions,
        count), Write, Read);
    copy_image_to_buffer2 = c"vkCmdCopyImageToBuffer2" | c"vkCmdCopyImageToBuffer2KHR": PFN_vkCmdCopyImageToBuffer2(
        commands: vk::CommandBuffer, info: *const vk::CopyImageToBufferInfo2<'_>,
    ) |of, layer_call| {
        let (info, regions) = (&*info, array_slice((*info).p_regions, (*info).region_count));
        record_buffer_image_copy!(of, layer_call, commands, info.dst_buffer, info.src_image, regions, Write,
        Read);
    };
    fill_buffer = c"vkCmdFillBuffer": PFN_vkCmdFillBuffer(
        commands: vk::CommandBuffer, to: vk::Buffer, offset: u64, size: u64, word: u32,
    ) |of, layer_call| record_accesses(layer_call, commands, [(of.buffer_range(to, offset, size), Write)]);
    update_buffer = c"vkCmdUpdateBuffer": PFN_vkCmdUpdateBuffer(
        commands: vk::CommandBuffer, to: vk::Buffer, offset: u64, size: u64, data: *const c_void,
    ) |of, layer_call| record_accesses(layer_call, commands, [(of.buffer_range(to, offset, size), Write)]);
    clear_color_image = c"vkCmdClearColorImage": PFN_vkCmdClearColorImage(
        commands: vk::CommandBuffer, to: vk::Image, to_layout: vk::ImageLayout, color: *const vk::ClearColorValue,
        count: u32, ranges: *const vk::ImageSubresourceRange,
    ) |of, layer_call| record_accesses(layer_call, commands, [(of.cleared_image_part(layer_call, to), Write)]);
    clear_depth_image = c"vkCmdClearDepthStencilImage": PFN_vkCmdClearDepthStencilImage(
        commands: vk::CommandBuffer, to: vk::Image, to_layout: vk::ImageLayout,
        value: *const vk::ClearDepthStencilValue,
        count: u32, ranges: *const vk::ImageSubresourceRange,
    ) |of, layer_call| record_accesses(layer_call, commands, [(of.cleared_image_part(layer_call, to), Write)]);
    copy_query_results = c"vkCmdCopyQueryPoolResults": PFN_vkCmdCopyQueryPoolResults(
        commands: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32, to: vk::Buffer, offset: u64,
        stride: u64,
        flags: vk::QueryResultFlags,
    ) |of, layer_call| record_accesses(layer_call, commands, [(of.buffer_range(to, offset, 4), Write)]);
}
