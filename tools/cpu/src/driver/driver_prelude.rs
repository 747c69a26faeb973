//! The names that most files of the driver import, except the files in `streams`, `addresses` and `base`.

pub use crate::driver::addresses::address_ranges::{
    self, AllocationSource, MemoryCharge, RangeKind, ReadOrWrite,
};
pub use crate::driver::base::current_context::{self, Context, ContextId, current_context};
pub use crate::driver::base::device_count::{self, device_index};
pub use crate::driver::base::prelude::*;
pub use crate::driver::streams::capture_state::{current_context_outside_capture, refuse_during_capture};
pub use crate::driver::streams::queued_work::QueuedWork;
pub use crate::driver::streams::stream_queue::{self, find_stream, find_usable_stream};
pub(crate) use crate::shared_files::MmapRegion;
