//! Kernels, and their launches, which cuda-external-ptx runs in the stream's thread.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_external_ptx as ptx;
use ptx::FaultKind;

use crate::driver::addresses::address_ranges::MemoryKeepAlive;
use crate::driver::base::notices::print_refusal;
use crate::driver::driver_prelude::*;
use crate::driver::images::kernel_images::ptx_image_of_object;
use crate::driver::images::textures_and_surfaces::{SURFACES, TEXTURES, TextureOrSurface};

/// A kernel of a module, and the most shared memory that a block may have.
pub struct KernelFunction {
    /// The handle of the module.
    pub module: u64,
    pub kernel: ptx::Kernel,
    pub most_shared: AtomicUsize,
}

pub static KERNELS: HandleRegistry<KernelFunction> = HandleRegistry::new(12, CUDA_ERROR_INVALID_HANDLE);

/// The most shared memory of a block, unless cuFuncSetAttribute raises it. Static variables may need more (measured).
pub const DEFAULT_SHARED: usize = 48 << 10;

/// A kernel's arguments, as cuLaunchKernel gets them: `kernelParams` (a pointer to each) and `extra` (one buffer).
type RawKernelArguments = (*mut *mut c_void, *mut *mut c_void);

/// Returns the buffer of the arguments (cuda.h's key 1 in `extra`) and its size (key 2). Key 0 ends the list.
unsafe fn read_argument_buffer(extra: *mut *mut c_void) -> CudaResult<(*mut u8, usize)> {
    ensure_valid(!extra.is_null())?;
    let (mut start, mut size) = (null_mut::<u8>(), 0);
    for at in (0..).step_by(2) {
        // SAFETY: in the program's list, a value follows each key except the last, 0. Key 2's value points to the size.
        unsafe {
            match (*extra.add(at)).addr() {
                0 => break,
                1 => start = (*extra.add(at + 1)).cast(),
                2 => size = *(*extra.add(at + 1)).cast::<usize>(),
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
        }
    }
    ensure_valid(!start.is_null())?;
    Ok((start, size))
}

unsafe fn read_arguments(
    parameters: &[ptx::KernelParameter],
    (each, extra): RawKernelArguments,
) -> CudaResult<Vec<Vec<u8>>> {
    let mut pointers = Vec::<*mut u8>::new();
    // SAFETY: as cuda.h requires, `each` has a pointer to a value for each parameter, or `extra` has a whole buffer.
    unsafe {
        if !each.is_null() {
            pointers.extend(read_array(each, parameters.len())?.iter().map(|pointer| pointer.cast::<u8>()));
        } else if !parameters.is_empty() {
            let ((start, size), mut end) = (read_argument_buffer(extra)?, 0_usize);
            for parameter in parameters {
                let offset =
                    end.checked_next_multiple_of(parameter.alignment).ok_or(CUDA_ERROR_INVALID_VALUE)?;
                end = offset.checked_add(parameter.size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
                pointers.push(if end <= size { start.wrapping_add(offset) } else { null_mut() });
            }
        }
        let read = |(pointer, parameter): (*mut u8, &ptx::KernelParameter)| {
            ensure_valid(!pointer.is_null())?;
            Ok(read_array(pointer, parameter.size)?.to_vec())
        };
        pointers.into_iter().zip(parameters).map(read).collect()
    }
}

pub unsafe fn kernel_launch_work(
    kernel: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    arguments: RawKernelArguments,
) -> CudaResult<QueuedWork> {
    let function = KERNELS.find_object(kernel)?;
    let kernel = &function.kernel;
    let threads = block.iter().try_fold(1_u32, |all, size| all.checked_mul(*size)).unwrap_or(u32::MAX);
    ensure_valid(!grid.contains(&0) && (1..=1024).contains(&threads) && block[2] <= 64)?;
    ensure_valid(grid[0] <= i32::MAX as u32 && grid[1..].iter().all(|&size| size <= u16::MAX.into()))?;
    ensure_valid(kernel.required_block.is_none_or(|sizes| sizes == block))?;
    ensure_valid(threads <= kernel.max_threads.unwrap_or(1024))?;
    let most_shared = function.most_shared.load(Ordering::Relaxed).max(kernel.shared_bytes);
    ensure_valid(kernel.shared_bytes + shared_bytes as usize <= most_shared)?;
    // SAFETY: the program passes `arguments` as cuda.h requires.
    let arguments = unsafe { read_arguments(&kernel.parameters, arguments) }?;
    let context = current_context()?;
    let objects = arguments.iter().flat_map(|bytes| bytes.chunks_exact(8)).filter_map(|bytes| {
        let number = u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        Some((number, find_texture_or_surface(number)?))
    });
    let objects = objects.collect();
    let launch = KernelLaunch { function, context, grid, block, shared_bytes, arguments, objects };
    Ok(QueuedWork::new(CU_GRAPH_NODE_TYPE_KERNEL, launch, KernelLaunch::run_kernel))
}

fn find_texture_or_surface(object: u64) -> Option<Arc<TextureOrSurface>> {
    TEXTURES.find_object(object).or_else(|_| SURFACES.find_object(object)).ok()
}

struct KernelLaunch {
    function: Arc<KernelFunction>,
    context: Arc<Context>,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    arguments: Vec<Vec<u8>>,
    /// The arguments' textures and surfaces. A program may destroy them before the kernel ends, as FFmpeg does.
    objects: Vec<(u64, Arc<TextureOrSurface>)>,
}

impl KernelLaunch {
    fn run_kernel(&self) -> CudaResult {
        let arguments = Vec::from_iter(self.arguments.iter().map(Vec::as_slice));
        let Self { grid, block, shared_bytes, .. } = *self;
        let launch = ptx::LaunchParams { grid, block, shared_bytes, arguments: &arguments, workers: 0 };
        let memory = KernelMemory { launch: self, owners: Mutex::default() };
        self.function.kernel.run(&launch, &memory).map_err(|fault| {
            print_refusal(&fault.to_string());
            code_for_kernel_fault(fault.kind)
        })
    }
}

/// Returns the code for a kernel's fault: a GPU's (measured: H200, 580.159), unless only this driver has the fault.
fn code_for_kernel_fault(kind: FaultKind) -> CUresult {
    match kind {
        FaultKind::IllegalAddress | FaultKind::StackOverflow => CUDA_ERROR_ILLEGAL_ADDRESS,
        FaultKind::InvalidImage | FaultKind::ImageRange => CUDA_ERROR_ILLEGAL_ADDRESS,
        FaultKind::InvalidPc => CUDA_ERROR_INVALID_PC,
        FaultKind::MisalignedAddress => CUDA_ERROR_MISALIGNED_ADDRESS,
        FaultKind::IllegalInstruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        FaultKind::Assert => CUDA_ERROR_ASSERT,
        // On a GPU, a deadlocked kernel runs until a watchdog ends the kernel, if the GPU has a watchdog.
        FaultKind::Deadlock => CUDA_ERROR_LAUNCH_TIMEOUT,
        FaultKind::Unsupported => CUDA_ERROR_NOT_SUPPORTED,
        _ => CUDA_ERROR_LAUNCH_FAILED,
    }
}

struct KernelMemory<'a> {
    launch: &'a KernelLaunch,
    /// What keeps the kernel's memory alive. Other threads may free the memory while the kernel runs.
    owners: Mutex<Vec<MemoryKeepAlive>>,
}

impl KernelMemory<'_> {
    fn find_object(&self, object: u64) -> Option<Arc<TextureOrSurface>> {
        let kept = self.launch.objects.iter().find(|(number, _)| *number == object);
        kept.map(|(_, kept)| kept.clone()).or_else(|| find_texture_or_surface(object))
    }
}

// SAFETY: `owners` keeps each range until the launch ends, and the program keeps the memory that it has registered.
unsafe impl ptx::DeviceMemory for KernelMemory<'_> {
    fn accessible_range(&self, address: u64) -> Option<std::ops::Range<u64>> {
        let range = address_ranges::range_for_kernel(self.launch.context.id, address)?;
        lock(&self.owners).push(range.owner);
        Some(range.addresses)
    }

    fn is_read_only(&self, address: u64) -> bool {
        let range = address_ranges::range_for_kernel(self.launch.context.id, address);
        range.is_some_and(|range| range.is_read_only)
    }

    fn find_surface_image(&self, object: u64) -> Option<Arc<ptx::Image>> {
        ptx_image_of_object(&*self.find_object(object).filter(|object| object.sampling.is_none())?)
    }

    /// Returns the image of a texture or a surface, since a kernel can also query the size of a surface.
    fn find_texture_image(&self, object: u64) -> Option<Arc<ptx::Image>> {
        ptx_image_of_object(&*self.find_object(object)?)
    }

    /// Prints to C's stdout, which the program uses too, and flushes stdout.
    fn print_output(&self, bytes: &[u8]) {
        unsafe extern "C" {
            static stdout: *mut libc::FILE;
        }
        // SAFETY: C's stdout is open while the process runs.
        unsafe {
            libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stdout);
            libc::fflush(stdout);
        }
    }
}

/// CUlaunchConfig, which cuda-external-sys lacks. Each attribute has 64 bytes for its value.
#[repr(C)]
struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    stream: CUstream,
    attributes: *const LaunchAttribute,
    count: c_uint,
}

#[repr(C)]
struct LaunchAttribute {
    id: c_uint,
    value: [u64; 8],
}

impl LaunchAttribute {
    fn is_ignored_hint(&self) -> bool {
        match self.id {
            0 | 1 | 3 | 5 | 6 | 8 | 9 | 10 | 14 => true,
            2 => self.value[0] as u32 == 0,
            4 => self.value[0] == 1 | 1 << 32 && self.value[1] as u32 == 1,
            _ => false,
        }
    }
}

functions! {
    Init fn cuLaunchKernelEx +_ptsz(
        config: *const LaunchConfig, kernel: CUfunction, arguments: *mut *mut c_void, extra: *mut *mut c_void
    ) {
        let &LaunchConfig { grid, block, shared_bytes, stream, attributes, count } = read_param(config)?;
        let is_plain = read_array(attributes, count as usize)?.iter().all(LaunchAttribute::is_ignored_hint);
        ensure(is_plain, CUDA_ERROR_NOT_SUPPORTED)?;
        let work = kernel_launch_work(kernel, grid, block, shared_bytes, (arguments, extra))?;
        find_stream(stream)?.enqueue_work(work)
    }
    Init fn cuLaunchKernel +_ptsz: PFN_cuLaunchKernel,
        (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments, extra)
    {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let work = kernel_launch_work(kernel, grid, block, shared_bytes, (arguments, extra))?;
        find_stream(stream)?.enqueue_work(work)
    }
}
