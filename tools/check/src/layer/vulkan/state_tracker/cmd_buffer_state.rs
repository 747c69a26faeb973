//! Records the accesses of command buffers to memory that may be shared, and the barriers between the accesses.

use std::collections::HashMap;
use std::mem;

use crate::layer::vulkan::sync::queue_and_stream_replay::AccessAction;
use crate::layer::vulkan::utils::handle_keys::{ResourcePart, VulkanHandleKey};
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;

#[derive(Clone, Copy, Debug)]
pub enum RecordedCommand {
    /// An access in these stages. For a barrier that acquires, the stages are those that the barrier waits for.
    Access(ResourcePart, StageWorkKinds, AccessAction),
    /// A barrier, event wait or render pass: earlier work in the first stages precedes later work in the second ones.
    Dependency(StageWorkKinds, StageWorkKinds),
    WaitForHost,
}

#[derive(Clone, Default)]
pub struct CmdBufferState {
    pub commands: Vec<RecordedCommand>,
}

impl CmdBufferState {
    /// Adds a command, unless it is a repeated use or a use after `MOST_USES` in a row. Joins consecutive dependencies.
    pub fn record_command(&mut self, new: RecordedCommand) {
        const MOST_USES: usize = 64;
        if let RecordedCommand::Access(resource, scope, AccessAction::Use(does, _)) = new {
            let mut count = 0;
            for known in self.commands.iter().rev().take(MOST_USES) {
                let RecordedCommand::Access(of, stages, AccessAction::Use(did, _)) = *known else { break };
                if (of, stages, did) == (resource, scope, does) {
                    return;
                }
                count += 1;
            }
            if count == MOST_USES {
                return;
            }
        }
        if let (RecordedCommand::Dependency(from, to), Some(RecordedCommand::Dependency(first, last))) =
            (new, self.commands.last_mut())
        {
            (*first, *last) = (first.union_kinds(from), last.union_kinds(to));
            return;
        }
        self.commands.push(new);
    }
}

/// The live command buffers, each with its pool. Vulkan frees command buffers with their pool.
#[derive(Default)]
pub struct CmdBufferStates(HashMap<u64, (VulkanHandleKey, CmdBufferState)>);

impl CmdBufferStates {
    pub fn recorded_commands(&self, buffer: u64) -> &[RecordedCommand] {
        self.0.get(&buffer).map_or(&[], |(_, state)| &state.commands)
    }

    /// Returns the state for the next command of `buffer`, or `None` if the layer did not see the buffer's allocation.
    pub fn recording_state(&mut self, buffer: u64) -> Option<&mut CmdBufferState> {
        self.0.get_mut(&buffer).map(|(_, state)| state)
    }

    pub fn begin_recording(&mut self, buffer: u64) {
        _ = self.recording_state(buffer).map(mem::take);
    }

    pub fn add_allocated(&mut self, pool: VulkanHandleKey, buffers: impl Iterator<Item = u64>) {
        self.0.extend(buffers.map(|buffer| (buffer, (pool, CmdBufferState::default()))));
    }

    pub fn forget_cmd_buffer(&mut self, buffer: u64) {
        self.0.remove(&buffer);
    }

    pub fn forget_pool_recordings(&mut self, pool: VulkanHandleKey) {
        let of_pool = self.0.values_mut().filter(|(of, _)| *of == pool);
        of_pool.for_each(|(_, state)| state.commands.clear());
    }

    pub fn forget_pool(&mut self, pool: VulkanHandleKey) {
        self.0.retain(|_, (of, _)| *of != pool);
    }

    pub fn end_device(&mut self, device: u64) {
        self.0.retain(|_, (pool, _)| pool.0 != device);
    }
}

#[cfg(test)]
mod tests {
    use ash::vk;

    use super::*;
    use crate::layer::state_tracker::tracked_objects::AccessKind;

    #[test]
    fn nothing_is_left_of_a_pool_of_command_buffers() {
        let [pool, other] = [2, 3].map(|of| (1, vk::ObjectType::COMMAND_POOL, of));
        let mut buffers = CmdBufferStates::default();
        buffers.add_allocated(pool, 10..13);
        buffers.add_allocated(other, 20..21);
        buffers.forget_cmd_buffer(11);
        assert!(buffers.recording_state(10).is_some() && buffers.recording_state(11).is_none());
        buffers.forget_pool(pool);
        assert_eq!(buffers.0.len(), 1);
        buffers.end_device(1);
        assert!(buffers.0.is_empty());
    }

    #[test]
    fn many_regions_cost_little() {
        let mut state = CmdBufferState::default();
        let buffer = (1, vk::ObjectType::BUFFER, 1);
        // Miri is slow.
        for at in 0..if cfg!(miri) { 256 } else { 65_536 } {
            let resource = ResourcePart::Buffer(buffer, 2 * at, 1);
            let read = AccessAction::Use(AccessKind::Read, "");
            state.record_command(RecordedCommand::Access(resource, StageWorkKinds::COPIES, read));
        }
        assert_eq!(state.commands.len(), 64);
        let (resource, all) = (ResourcePart::Buffer(buffer, 0, 1), StageWorkKinds::ALL);
        state.record_command(RecordedCommand::Access(resource, all, AccessAction::Release));
        for _ in 0..3 {
            state.record_command(RecordedCommand::Dependency(StageWorkKinds::ALL, StageWorkKinds::COPIES));
        }
        assert_eq!(state.commands.len(), 66);
    }
}
