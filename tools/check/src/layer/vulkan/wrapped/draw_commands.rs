//! Draws, dispatches and traces: what is bound is used.

use ash::vk::{self, Handle as _, PipelineBindPoint as Point};

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::state_tracker::tracked_objects::AccessKind;

use crate::layer::vulkan::chassis::{device_record::DeviceRecord, intercept_macro::intercept};
use crate::layer::vulkan::state_tracker::vulkan_state::{has_exportables, object_key};
use crate::layer::vulkan::sync::access_history::{RecordedCommand, Subresource};

struct DrawCall<'a> {
    call: &'static str,
    point: Point,
    is_indexed: bool,
    /// Buffers with arguments and counts.
    reads: &'a [(vk::Buffer, u64, u64)],
}

impl DeviceRecord {
    /// A draw, a dispatch or a trace.
    fn record_draw_call(&self, visit: &LayerCall, commands: vk::CommandBuffer, work: DrawCall<'_>) {
        let mut state = visit.state();
        for (buffer, offset, size) in work.reads {
            let extent = Subresource::Buffer(object_key(self.handle, *buffer), *offset, *size);
            state.vulkan.record_command(
                commands.as_raw(),
                RecordedCommand::ObjectUse(extent, AccessKind::Read, work.call),
            );
        }
        if let Some(recorded) = state.vulkan.cmd_buffers.get_mut(&commands.as_raw()) {
            recorded.record_draw(work.point, work.is_indexed, work.call);
        }
    }
}

/// Exports draws, dispatches and traces. A row has the names, the type, the parameters after the command buffer, the
/// pipeline's bind point, whether indices are read, and each buffer that arguments are read from, with an offset and a
/// size.
macro_rules! draw_calls {
    ($($function:ident = $($name:literal)|+: $pfn:ident($($arg:ident: $ty:ty),*) $point:ident $is_indexed:literal [$($read:expr),*];)*) => {
        intercept! {
            5, true, if has_exportables();
            $($function = $($name)|+: $pfn(commands: vk::CommandBuffer $(, $arg: $ty)*) |of, visit| {
                let reads = [$($read),*];
                let work = DrawCall { call: CALL, point: Point::$point, is_indexed: $is_indexed, reads: &reads };
                of.record_draw_call(visit, commands, work)
            };)*
        }
    };
}

/// The bytes of so many arguments, which are this far apart: each has a few words.
fn indirect_args_len(count: u32, stride: u32) -> u64 {
    u64::from(count.saturating_sub(1)) * u64::from(stride) + 12
}

draw_calls! {
    draw = c"vkCmdDraw": PFN_vkCmdDraw(vertices: u32, instances: u32, vertex: u32, instance: u32) GRAPHICS false [];
    draw_indexed = c"vkCmdDrawIndexed": PFN_vkCmdDrawIndexed(
        indices: u32, instances: u32, index: u32, vertex: i32, instance: u32
    ) GRAPHICS true [];
    draw_multi = c"vkCmdDrawMultiEXT": PFN_vkCmdDrawMultiEXT(
        draws: u32, info: *const vk::MultiDrawInfoEXT, instances: u32, instance: u32, stride: u32
    ) GRAPHICS false [];
    draw_multi_indexed = c"vkCmdDrawMultiIndexedEXT": PFN_vkCmdDrawMultiIndexedEXT(
        draws: u32, info: *const vk::MultiDrawIndexedInfoEXT, instances: u32, instance: u32, stride: u32, vertex: *const i32
    ) GRAPHICS true [];
    draw_indirect = c"vkCmdDrawIndirect": PFN_vkCmdDrawIndirect(
        buffer: vk::Buffer, offset: u64, draws: u32, stride: u32
    ) GRAPHICS false [(buffer, offset, indirect_args_len(draws, stride))];
    draw_indexed_indirect = c"vkCmdDrawIndexedIndirect": PFN_vkCmdDrawIndexedIndirect(
        buffer: vk::Buffer, offset: u64, draws: u32, stride: u32
    ) GRAPHICS true [(buffer, offset, indirect_args_len(draws, stride))];
    draw_indirect_count = c"vkCmdDrawIndirectCount" | c"vkCmdDrawIndirectCountKHR" | c"vkCmdDrawIndirectCountAMD":
    PFN_vkCmdDrawIndirectCount(
        buffer: vk::Buffer, offset: u64, counts: vk::Buffer, at: u64, draws: u32, stride: u32
    ) GRAPHICS false [(counts, at, 4), (buffer, offset, 4)];
    draw_indexed_indirect_count =
    c"vkCmdDrawIndexedIndirectCount" | c"vkCmdDrawIndexedIndirectCountKHR" | c"vkCmdDrawIndexedIndirectCountAMD":
    PFN_vkCmdDrawIndexedIndirectCount(
        buffer: vk::Buffer, offset: u64, counts: vk::Buffer, at: u64, draws: u32, stride: u32
    ) GRAPHICS true [(counts, at, 4), (buffer, offset, 4)];
    draw_byte_count = c"vkCmdDrawIndirectByteCountEXT": PFN_vkCmdDrawIndirectByteCountEXT(
        instances: u32, instance: u32, buffer: vk::Buffer, offset: u64, start: u32, stride: u32
    ) GRAPHICS false [(buffer, offset, 4)];
    draw_mesh = c"vkCmdDrawMeshTasksEXT": PFN_vkCmdDrawMeshTasksEXT(x: u32, y: u32, z: u32) GRAPHICS false [];
    draw_mesh_indirect = c"vkCmdDrawMeshTasksIndirectEXT": PFN_vkCmdDrawMeshTasksIndirectEXT(
        buffer: vk::Buffer, offset: u64, draws: u32, stride: u32
    ) GRAPHICS false [(buffer, offset, indirect_args_len(draws, stride))];
    draw_mesh_indirect_count = c"vkCmdDrawMeshTasksIndirectCountEXT": PFN_vkCmdDrawMeshTasksIndirectCountEXT(
        buffer: vk::Buffer, offset: u64, counts: vk::Buffer, at: u64, draws: u32, stride: u32
    ) GRAPHICS false [(counts, at, 4), (buffer, offset, 4)];
    dispatch = c"vkCmdDispatch": PFN_vkCmdDispatch(x: u32, y: u32, z: u32) COMPUTE false [];
    dispatch_base = c"vkCmdDispatchBase" | c"vkCmdDispatchBaseKHR": PFN_vkCmdDispatchBase(
        at_x: u32, at_y: u32, at_z: u32, x: u32, y: u32, z: u32
    ) COMPUTE false [];
    dispatch_indirect = c"vkCmdDispatchIndirect": PFN_vkCmdDispatchIndirect(buffer: vk::Buffer, offset: u64)
        COMPUTE false [(buffer, offset, 12)];
    trace_rays = c"vkCmdTraceRaysKHR": PFN_vkCmdTraceRaysKHR(
        generation: *const vk::StridedDeviceAddressRegionKHR, misses: *const vk::StridedDeviceAddressRegionKHR,
        hits: *const vk::StridedDeviceAddressRegionKHR, callables: *const vk::StridedDeviceAddressRegionKHR,
        width: u32, height: u32, depth: u32
    ) RAY_TRACING_KHR false [];
    trace_rays_indirect = c"vkCmdTraceRaysIndirectKHR": PFN_vkCmdTraceRaysIndirectKHR(
        generation: *const vk::StridedDeviceAddressRegionKHR, misses: *const vk::StridedDeviceAddressRegionKHR,
        hits: *const vk::StridedDeviceAddressRegionKHR, callables: *const vk::StridedDeviceAddressRegionKHR,
        arguments: vk::DeviceAddress
    ) RAY_TRACING_KHR false [];
}
