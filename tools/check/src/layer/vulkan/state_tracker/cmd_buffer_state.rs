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

/// For each pool, the recorded commands of its command buffers. Vulkan frees command buffers with their pool.
#[derive(Default)]
pub struct CmdBufferStates {
    recorded: HashMap<VulkanHandleKey, HashMap<u64, Option<CmdBufferState>>>,
    pool_of_buffers: HashMap<u64, VulkanHandleKey>,
}

impl CmdBufferStates {
    pub fn recorded_state(&self, buffer: u64) -> Option<&CmdBufferState> {
        self.recorded.get(self.pool_of_buffers.get(&buffer)?)?.get(&buffer)?.as_ref()
    }

    /// Returns the state for the next command of `buffer`, or `None` if the layer did not see the buffer's allocation.
    pub fn recording_state(&mut self, buffer: u64) -> Option<&mut CmdBufferState> {
        let of_pool = self.recorded.get_mut(self.pool_of_buffers.get(&buffer)?)?;
        Some(of_pool.get_mut(&buffer)?.get_or_insert_default())
    }

    pub fn begin_recording(&mut self, buffer: u64) {
        if self.recorded_state(buffer).is_some() {
            _ = self.recording_state(buffer).map(mem::take);
        }
    }

    pub fn add_allocated(&mut self, pool: VulkanHandleKey, buffers: impl Iterator<Item = u64>) {
        let of_pool = self.recorded.entry(pool).or_default();
        for buffer in buffers {
            self.pool_of_buffers.insert(buffer, pool);
            of_pool.insert(buffer, None);
        }
    }

    pub fn forget_cmd_buffer(&mut self, buffer: u64) {
        let pool = self.pool_of_buffers.remove(&buffer);
        if let Some(of_pool) = pool.and_then(|pool| self.recorded.get_mut(&pool)) {
            of_pool.remove(&buffer);
        }
    }

    pub fn forget_pool_recordings(&mut self, pool: VulkanHandleKey) {
        self.recorded.get_mut(&pool).into_iter().flat_map(HashMap::values_mut).for_each(|of| *of = None);
    }

    pub fn forget_pool(&mut self, pool: VulkanHandleKey) {
        for buffer in self.recorded.remove(&pool).into_iter().flat_map(HashMap::into_keys) {
            self.pool_of_buffers.remove(&buffer);
        }
    }

    pub fn end_device(&mut self, device: u64) {
        self.recorded.retain(|pool, _| pool.0 != device);
        self.pool_of_buffers.retain(|_, pool| pool.0 != device);
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
        for buffer in [10, 11, 12, 20] {
            assert!(buffers.recording_state(buffer).is_some());
        }
        buffers.forget_cmd_buffer(11);
        assert!(buffers.recorded_state(10).is_some() && buffers.recorded_state(11).is_none());
        buffers.forget_pool(pool);
        assert_eq!([buffers.recorded.len(), buffers.pool_of_buffers.len()], [1; 2]);
        buffers.end_device(1);
        assert_eq!([buffers.recorded.len(), buffers.pool_of_buffers.len()], [0; 2]);
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
