use std::sync::atomic::Ordering;

use cuda_external_ptx as ptx;

use super::kernel_launch::{KERNELS, KernelFunction};
use crate::driver::driver_prelude::*;

fn function_attribute(function: &KernelFunction, attribute: c_int) -> CudaResult<c_int> {
    let kernel = &function.kernel;
    let most_shared = function.most_shared.load(Ordering::Relaxed).saturating_sub(kernel.shared_bytes);
    Ok(match attribute {
        0 => kernel.max_threads.unwrap_or(1024) as c_int,
        1 => kernel.shared_bytes as c_int,
        2 => kernel.constant_bytes as c_int,
        3 => kernel.local_bytes as c_int,
        // A GPU has at most 255 registers for a thread. PTX may name more.
        4 => kernel.registers.min(255) as c_int,
        // PTX_VERSION and BINARY_VERSION: the devices' compute capability.
        5 | 6 => 90,
        7 | 9 => 0,
        8 => most_shared as c_int,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}

/// Returns how many blocks of a kernel a multiprocessor holds. Each block has `threads` threads (at least 1) and
/// `shared` bytes of dynamic shared memory. A multiprocessor holds at most 32 blocks, 2,048 threads and 228 KiB of
/// shared memory. If the kernel does not permit a block of `threads` threads, returns 0.
fn blocks_per_processor(kernel: &ptx::Kernel, threads: usize, shared: usize) -> usize {
    if threads > kernel.max_threads.unwrap_or(1024) as usize {
        return 0;
    }
    // As in NVIDIA's driver (measured, 580.159), the sum has 32 bits. A sum of 0 or less is no limit.
    let bytes = (kernel.shared_bytes as i32).wrapping_add(shared as i32).wrapping_add(1024);
    let by_memory = if bytes > 0 { (228 << 10) / bytes as usize } else { 32 };
    (2048 / threads.next_multiple_of(32)).min(by_memory).min(32)
}

type SharedBytesOfBlock = unsafe extern "C" fn(c_int) -> usize;

/// Returns the grid size and the block size that run the most threads at a time. If `most` is positive, the block size
/// is at most `most`. If several block sizes run the same number of threads, returns the largest of these sizes.
///
/// A block has `shared` bytes of dynamic shared memory, or as many as `shared_of` returns for the block size.
unsafe fn best_block_size(
    function: CUfunction,
    shared_of: Option<SharedBytesOfBlock>,
    shared: usize,
    most: c_int,
) -> CudaResult<[c_int; 2]> {
    let function = KERNELS.find_object(function)?;
    let kernel = &function.kernel;
    let most = if most > 0 { most as usize } else { 1024 }.min(kernel.max_threads.unwrap_or(1024) as usize);
    let running = |threads: &usize| {
        // SAFETY: the program's function has this type.
        let shared = shared_of.map_or(shared, |of| unsafe { of(*threads as c_int) });
        (threads * blocks_per_processor(kernel, *threads, shared), *threads)
    };
    let sizes = (1..=most / 32).map(|warps| warps * 32);
    let best = sizes.max_by_key(running).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Ok([(running(&best).0 / best * processors) as c_int, best as c_int])
}

functions! {
    Init fn cuFuncGetAttribute(value: *mut c_int, of: c_int, kernel: CUfunction) {
        write_out(value, function_attribute(&*KERNELS.find_object(kernel)?, of)?)
    }
    Init fn cuFuncSetAttribute(kernel: CUfunction, of: c_int, value: c_int) {
        let function = KERNELS.find_object(kernel)?;
        let shared = function.kernel.shared_bytes;
        match (of, value) {
            (8, 0..) if shared + value as usize <= ptx::MAX_SHARED_BYTES => {
                function.most_shared.store(shared + value as usize, Ordering::Relaxed);
                Ok(())
            }
            // The preferred share of shared memory in the cache is a hint without an effect here.
            (9, -1..=100) => Ok(()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    Init fn cuFuncGetParamInfo(kernel: CUfunction, at: usize, offset: *mut usize, size: *mut usize) {
        let function = KERNELS.find_object(kernel)?;
        let all = &function.kernel.parameters;
        let parameter = all.get(at).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let end = all[..at].iter().fold(0, |end: usize, of| end.next_multiple_of(of.alignment) + of.size);
        write_out(offset, end.next_multiple_of(parameter.alignment))?;
        write_out_if_wanted(size, parameter.size)
    }
    Init fn cuFuncSetCacheConfig(kernel: CUfunction, _config: c_int) { KERNELS.find_object(kernel).map(drop) }
    Init fn cuOccupancyMaxActiveBlocksPerMultiprocessor | cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: *mut c_int, kernel: CUfunction, threads: c_int, shared: usize
    ) {
        ensure_valid(threads > 0)?;
        let function = KERNELS.find_object(kernel)?;
        write_out(count, blocks_per_processor(&function.kernel, threads as usize, shared) as c_int)
    }
    Init fn cuOccupancyMaxPotentialBlockSize | cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int, block: *mut c_int, kernel: CUfunction, shared_of: Option<SharedBytesOfBlock>, shared: usize,
        most: c_int
    ) {
        let best = best_block_size(kernel, shared_of, shared, most)?;
        write_out(grid, best[0]).and_then(|()| write_out(block, best[1]))
    }
}
