//! The accesses that are replayed.

use std::sync::Arc;

use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::vulkan::sync::memory_range::MemoryRange;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;

/// An access to a range of an allocation, or a transfer of its ownership.
#[derive(Clone, Debug)]
pub struct ReplayAccess {
    pub memory: u32,
    pub range: MemoryRange,
    /// The stages in which a queue does it.
    pub scope: StageWorkKinds,
    pub action: ReplayAction,
}

#[derive(Clone, Debug)]
pub enum ReplayAction {
    Use {
        does: AccessKind,
        /// The command or the function, and the call that enqueued it.
        by: &'static str,
        site: Arc<CallSite>,
    },
    /// Vulkan acquires what CUDA wrote, or releases what it has.
    Acquire(Arc<CallSite>),
    Release,
}
