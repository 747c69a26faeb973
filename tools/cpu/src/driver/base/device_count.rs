use std::sync::OnceLock;

use cuda_external_sys::{CUDA_ERROR_INVALID_DEVICE, CUdevice};

use super::cuda_result::CudaResult;
use super::notices::abort_with_notice;
use crate::shared_files::page_size;

pub const DEVICES_VARIABLE: &str = "CUDA_EXTERNAL_CPU_DEVICES";

pub const MAX_DEVICES: usize = 8;

static COUNT: OnceLock<usize> = OnceLock::new();

/// Sets the number of devices, 1 to 8, which otherwise comes from `CUDA_EXTERNAL_CPU_DEVICES`.
///
/// Returns false if the number is out of range, or if another number is already in use.
pub fn set_device_count(number: usize) -> bool {
    (1..=MAX_DEVICES).contains(&number) && *COUNT.get_or_init(|| number) == number
}

pub fn device_count() -> usize {
    *COUNT.get_or_init(|| {
        let Ok(text) = std::env::var(DEVICES_VARIABLE) else { return 1 };
        text.parse().ok().filter(|count| (1..=MAX_DEVICES).contains(count)).unwrap_or_else(|| {
            abort_with_notice(&format!("{DEVICES_VARIABLE}={text}: not a number from 1 to 8"))
        })
    })
}

pub fn device_index(device: CUdevice) -> CudaResult<usize> {
    usize::try_from(device).ok().filter(|index| *index < device_count()).ok_or(CUDA_ERROR_INVALID_DEVICE)
}

/// Returns the size of each device's memory: the machine's memory, or the container's limit if that is smaller.
pub fn device_memory_size() -> usize {
    static MEMORY: OnceLock<usize> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        // SAFETY: the call only returns a number.
        let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) } as usize;
        let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
        let limit = limit.and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX);
        pages.saturating_mul(page_size() as usize).min(limit)
    })
}
