//! Modules and kernels: PTX, which cuda-external-ptx runs in the stream's thread.

use std::ffi::CStr;
use std::ptr::copy_nonoverlapping;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_external_ptx as ptx;
use ptx::{ErrorKind, FaultKind};

use super::prelude::*;
use super::ranges::{Kind, Range};
use super::work::Work;
use super::{context, every_name, images, ranges, stream};

/// A loaded text, whose variables are memory of the device.
struct Module {
    ptx: ptx::Module,
}

/// A kernel of a module, by its name.
struct Function {
    module: Arc<Module>,
    name: String,
    /// The most shared memory that a launch may ask for.
    most_shared: AtomicUsize,
}

static MODULES: Registry<Module> = Registry::new(11, CUDA_ERROR_INVALID_HANDLE);
static KERNELS: Registry<Function> = Registry::new(12, CUDA_ERROR_INVALID_HANDLE);

/// The shared memory of a block without the function's attribute. Variables alone may have more (measured).
const DEFAULT_SHARED: usize = 48 << 10;

impl Function {
    fn kernel(&self) -> CudaResult<&ptx::Kernel> {
        self.module.ptx.kernel(&self.name).and_then(Result::ok).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
}

/// The code with which NVIDIA's driver refuses such a text. An instruction that a GPU would run is NOT_SUPPORTED.
fn code_of(error: &ptx::Error) -> CUresult {
    match error.kind {
        ErrorKind::NotPtx => CUDA_ERROR_INVALID_IMAGE,
        ErrorKind::Version => CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        ErrorKind::Unsupported => CUDA_ERROR_NOT_SUPPORTED,
        _ => CUDA_ERROR_INVALID_PTX,
    }
}

/// Loads an image, which must be PTX. The second part of an error is for the log.
unsafe fn load(image: *const c_void) -> Result<Module, (CUresult, String)> {
    let plain = |code: CUresult| (code, String::new());
    if image.is_null() {
        return Err(plain(CUDA_ERROR_INVALID_VALUE));
    }
    // SAFETY: an image has at least four bytes.
    let magic = unsafe { image.cast::<[u8; 4]>().read() };
    // A cubin or a fat binary: code for GPUs alone.
    if magic == *b"\x7fELF" || magic == [0x50, 0xed, 0x55, 0xba] {
        return Err((CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin or a fat binary: not supported".to_owned()));
    }
    // SAFETY: every other image is a text with a zero at its end.
    let text = unsafe { CStr::from_ptr(image.cast()) };
    let text = text.to_str().map_err(|_| plain(CUDA_ERROR_INVALID_PTX))?;
    let ptx = ptx::Module::load(text).map_err(|error| (code_of(&error), format!("PTX, {error}")))?;
    let context = Some(context::current().map_err(plain)?.id);
    if let Some(memory) = ptx.memory() {
        let (start, size) = (memory.start, memory.end - memory.start);
        ranges::add(Range { start, size, kind: Kind::Module, context, mapping: None, _charge: None });
    }
    Ok(Module { ptx })
}

/// Loads an image, with the log in the text or in what the program's options say.
unsafe fn load_with_log(
    module: *mut CUmodule,
    image: *const c_void,
    (keys, values): (&[c_int], *mut *mut c_void),
) -> CudaResult {
    context::current()?;
    require(!module.is_null())?;
    // SAFETY: the caller passes a valid image.
    let (log, result) = match unsafe { load(image) } {
        Ok(loaded) => (String::new(), Ok(loaded)),
        Err((code, log)) => (log, Err(code)),
    };
    if !log.is_empty() {
        every_name::say(&log);
    }
    // The buffers of the log and of the errors, each with its size: CU_JIT_INFO_LOG_BUFFER and three more.
    for (buffer, size, text) in [(3, 4, ""), (5, 6, log.as_str())] {
        let at = |key: c_int| keys.iter().position(|known| *known == key);
        let (Some(buffer), Some(size)) = (at(buffer), at(size)) else { continue };
        // SAFETY: in the caller's list a size is a value and not a pointer, and the buffer has this size.
        unsafe {
            let (buffer, room) =
                ((*values.add(buffer)).cast::<u8>(), (*values.add(size)).addr() as u32 as usize);
            let length = text.len().min(room.saturating_sub(1));
            if !buffer.is_null() && room > 0 {
                copy_nonoverlapping(text.as_ptr(), buffer, length);
                *buffer.add(length) = 0;
            }
            *values.add(size) = std::ptr::without_provenance_mut(length);
        }
    }
    // SAFETY: the caller passes a valid pointer.
    unsafe { MODULES.create(module, || result) }
}

/// A kernel's arguments as cuda.h has them: a pointer to each, or one buffer.
type Arguments = (*mut *mut c_void, *mut *mut c_void);

/// Returns the buffer of the arguments and its size: cuda.h's keys are 1 and 2, and 0 ends the list.
unsafe fn buffer(extra: *mut *mut c_void) -> CudaResult<(*const u8, usize)> {
    require(!extra.is_null())?;
    let (mut start, mut size) = (std::ptr::null::<u8>(), 0);
    for at in (0..).step_by(2) {
        // SAFETY: the caller's list, which 0 ends.
        unsafe {
            match (*extra.add(at)).addr() {
                0 => break,
                1 => start = (*extra.add(at + 1)).cast(),
                2 => size = *(*extra.add(at + 1)).cast::<usize>(),
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
        }
    }
    require(!start.is_null())?;
    Ok((start, size))
}

unsafe fn read_arguments(
    parameters: &[ptx::Parameter],
    (each, extra): Arguments,
) -> CudaResult<Vec<Vec<u8>>> {
    let mut pointers = Vec::<*const u8>::new();
    // SAFETY: the caller's lists; the kernel's PTX says how many bytes each argument has.
    unsafe {
        if !each.is_null() {
            pointers.extend(
                list(each, parameters.len())?.iter().map(|pointer| pointer.cast::<u8>().cast_const()),
            );
        } else if !parameters.is_empty() {
            let ((start, size), mut end) = (buffer(extra)?, 0_usize);
            for parameter in parameters {
                let offset =
                    end.checked_next_multiple_of(parameter.alignment).ok_or(CUDA_ERROR_INVALID_VALUE)?;
                end = offset.checked_add(parameter.size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
                pointers.push(if end <= size { start.wrapping_add(offset) } else { std::ptr::null() });
            }
        }
        let read = |(pointer, parameter): (&*const u8, &ptx::Parameter)| {
            require(!pointer.is_null())?;
            Ok(list(*pointer, parameter.size)?.to_vec())
        };
        pointers.iter().zip(parameters).map(read).collect()
    }
}

/// Returns the work of a launch, whose arguments are as the kernel's PTX and cuda.h require.
pub unsafe fn work(
    kernel: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    arguments: Arguments,
) -> CudaResult<Work> {
    let function = KERNELS.find(kernel)?;
    let kernel = function.kernel()?;
    let threads = block.iter().try_fold(1_u32, |all, size| all.checked_mul(*size)).unwrap_or(u32::MAX);
    require(!grid.contains(&0) && (1..=1024).contains(&threads) && block[2] <= 64)?;
    require(grid[0] <= i32::MAX as u32 && grid[1..].iter().all(|&size| size <= u16::MAX.into()))?;
    require(kernel.required.is_none_or(|sizes| sizes == block) && threads <= kernel.most.unwrap_or(1024))?;
    let most_shared = function.most_shared.load(Ordering::Relaxed).max(kernel.shared);
    require(kernel.shared + shared_bytes as usize <= most_shared)?;
    // SAFETY: the caller guarantees it.
    let arguments = unsafe { read_arguments(&kernel.parameters, arguments) }?;
    let context = context::current()?;
    let keep = ranges::all_of(context.id);
    let launch = Launch { function, context, grid, block, shared_bytes, arguments };
    Ok(Work::new(CU_GRAPH_NODE_TYPE_KERNEL, (launch, keep), |(launch, _)| launch.execute()))
}

/// A launch, which may run more than once.
struct Launch {
    function: Arc<Function>,
    context: Arc<context::Context>,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    arguments: Vec<Vec<u8>>,
}

impl Launch {
    fn execute(&self) {
        let Ok(kernel) = self.function.kernel() else { return };
        let arguments = Vec::from_iter(self.arguments.iter().map(Vec::as_slice));
        let Self { grid, block, shared_bytes, .. } = *self;
        let launch = ptx::Launch { grid, block, shared_bytes, arguments: &arguments, workers: 0 };
        if let Err(fault) = kernel.run(&launch, &Device { context: self.context.id }) {
            every_name::say(&fault.to_string());
            self.context.lose(code_of_fault(fault.kind));
        }
    }
}

/// Measured on an H200 with driver 580.159.
fn code_of_fault(kind: FaultKind) -> CUresult {
    match kind {
        FaultKind::IllegalAddress | FaultKind::StackOverflow => CUDA_ERROR_ILLEGAL_ADDRESS,
        FaultKind::InvalidImage | FaultKind::ImageRange => CUDA_ERROR_ILLEGAL_ADDRESS,
        FaultKind::InvalidPc => CUDA_ERROR_INVALID_PC,
        FaultKind::MisalignedAddress => CUDA_ERROR_MISALIGNED_ADDRESS,
        FaultKind::IllegalInstruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        FaultKind::Assert => CUDA_ERROR_ASSERT,
        // A GPU waits until a watchdog ends the kernel, if there is one.
        FaultKind::Deadlock => CUDA_ERROR_LAUNCH_TIMEOUT,
        FaultKind::Unsupported => CUDA_ERROR_NOT_SUPPORTED,
        _ => CUDA_ERROR_LAUNCH_FAILED,
    }
}

/// The memory that a kernel of a context may use.
struct Device {
    context: context::ContextId,
}

// SAFETY: the launch keeps the ranges' mappings; the program keeps its own memory.
unsafe impl ptx::Memory for Device {
    fn range(&self, address: u64) -> Option<std::ops::Range<u64>> {
        ranges::of_kernel(self.context, address)
    }

    fn surface(&self, object: u64) -> Option<Arc<ptx::Image>> {
        images::surface(object)
    }

    fn texture(&self, object: u64) -> Option<Arc<ptx::Image>> {
        images::texture(object)
    }
}

/// A GPU's registers, which the text does not say, are at most 255.
fn attribute(function: &Function, attribute: c_int) -> CudaResult<c_int> {
    let kernel = function.kernel()?;
    let most_shared = function.most_shared.load(Ordering::Relaxed).saturating_sub(kernel.shared);
    Ok(match attribute {
        0 => kernel.most.unwrap_or(1024) as c_int,
        1 => kernel.shared as c_int,
        2 => kernel.constant as c_int,
        7 | 9 => 0,
        3 => kernel.local as c_int,
        4 => kernel.registers.min(255) as c_int,
        // The newest architecture, for the text and for the code.
        5 | 6 => 90,
        8 => most_shared as c_int,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}

/// How many blocks a processor of 2,048 threads and 228 KiB holds.
fn blocks(kernel: &ptx::Kernel, threads: usize, shared: usize) -> usize {
    if threads > kernel.most.unwrap_or(1024) as usize {
        return 0;
    }
    let by_memory = (228 << 10) / (kernel.shared + shared + 1024);
    (2048 / threads.next_multiple_of(32)).min(by_memory).min(32)
}

unsafe fn put_blocks(count: *mut c_int, kernel: CUfunction, threads: c_int, shared: usize) -> CudaResult {
    require(threads > 0)?;
    // SAFETY: the caller passes a valid pointer.
    unsafe { write_out(count, blocks(KERNELS.find(kernel)?.kernel()?, threads as usize, shared) as c_int) }
}

/// Returns the size of the block with which most threads run at a time: of several, the largest.
unsafe fn put_best(
    [grid, block]: [*mut c_int; 2],
    kernel: CUfunction,
    shared_of: Option<SharedOf>,
    shared: usize,
    most: c_int,
) -> CudaResult {
    let function = KERNELS.find(kernel)?;
    let kernel = function.kernel()?;
    let most = if most > 0 { most as usize } else { 1024 }.min(kernel.most.unwrap_or(1024) as usize);
    let running = |threads: &usize| {
        // SAFETY: the caller passes a function of this type.
        let shared = shared_of.map_or(shared, |of| unsafe { of(*threads as c_int) });
        (threads * blocks(kernel, *threads, shared), *threads)
    };
    let sizes = (1..=most / 32).map(|warps| warps * 32);
    let best = sizes.max_by_key(running).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    // SAFETY: the caller's pointers.
    unsafe {
        write_out(grid, (running(&best).0 / best * processors) as c_int)?;
        write_out(block, best as c_int)
    }
}

/// CUlaunchConfig, whose attributes have an identifier and 64 bytes for a value.
#[repr(C)]
struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    stream: CUstream,
    attributes: *const Attribute,
    count: c_uint,
}

#[repr(C)]
struct Attribute {
    id: c_uint,
    value: [u64; 8],
}

impl Attribute {
    /// Whether it has no effect here: hints, and blocks that neither cooperate nor form clusters.
    fn is_hint(&self) -> bool {
        match self.id {
            0 | 1 | 3 | 5 | 6 | 8 | 9 | 10 | 14 => true,
            2 => self.value[0] as u32 == 0,
            4 => self.value[0] == 1 | 1 << 32 && self.value[1] as u32 == 1,
            _ => false,
        }
    }
}

type SharedOf = unsafe extern "C" fn(c_int) -> usize;

functions! {
    Init fn cuModuleLoadData: PFN_cuModuleLoadData, (module, image) {
        load_with_log(module, image, (&[], std::ptr::null_mut()))
    }
    Init fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, count: c_uint, keys: *mut c_int, values: *mut *mut c_void
    ) {
        let keys = list(keys, count as usize)?;
        load_with_log(module, image, (keys, values))
    }
    Init fn cuModuleUnload: PFN_cuModuleUnload, (module) {
        let found = MODULES.find(module)?;
        stream::settle_current()?;
        if let Some(memory) = found.ptx.memory() {
            ranges::take(memory.start, |kind| kind == Kind::Module);
        }
        KERNELS.remove_if(|function| Arc::ptr_eq(&function.module, &found));
        MODULES.destroy(module)
    }
    Init fn cuModuleGetGlobal | cuModuleGetGlobal_v2(
        address: *mut CUdeviceptr, size: *mut usize, module: CUmodule, name: *const c_char
    ) {
        let module = MODULES.find(module)?;
        let found = text(name)?.to_str().ok().and_then(|name| module.ptx.variable(name));
        let (start, length) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        write_if_wanted(address, start);
        write_if_wanted(size, length);
        Ok(())
    }
    Init fn cuModuleGetFunction: PFN_cuModuleGetFunction, (kernel, module, name) {
        KERNELS.create(kernel, || {
            let (module, name) = (MODULES.find(module)?, text(name)?.to_str().map_err(|_| CUDA_ERROR_NOT_FOUND)?);
            match module.ptx.kernel(name) {
                None => return Err(CUDA_ERROR_NOT_FOUND),
                Some(Err(error)) => {
                    every_name::say(&format!("the kernel {name}, {error}"));
                    return Err(code_of(error));
                }
                Some(Ok(_)) => {}
            }
            Ok(Function { module, name: name.to_owned(), most_shared: AtomicUsize::new(DEFAULT_SHARED) })
        })
    }
    Init fn cuFuncGetAttribute(value: *mut c_int, of: c_int, kernel: CUfunction) {
        write_out(value, attribute(&*KERNELS.find(kernel)?, of)?)
    }
    Init fn cuFuncSetAttribute(kernel: CUfunction, of: c_int, value: c_int) {
        let function = KERNELS.find(kernel)?;
        let shared = function.kernel()?.shared;
        match (of, value) {
            (8, 0..) if shared + value as usize <= ptx::SHARED => {
                function.most_shared.store(shared + value as usize, Ordering::Relaxed);
                Ok(())
            }
            // How much of the cache is shared memory.
            (9, -1..=100) => Ok(()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    Init fn cuFuncGetParamInfo(kernel: CUfunction, at: usize, offset: *mut usize, size: *mut usize) {
        let function = KERNELS.find(kernel)?;
        let all = &function.kernel()?.parameters;
        let parameter = all.get(at).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let end = all[..at].iter().fold(0, |end: usize, of| end.next_multiple_of(of.alignment) + of.size);
        write_out(offset, end.next_multiple_of(parameter.alignment))?;
        write_if_wanted(size, parameter.size);
        Ok(())
    }
    Init fn cuFuncSetCacheConfig(kernel: CUfunction, _config: c_int) { KERNELS.find(kernel).map(drop) }
    Init fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        count: *mut c_int, kernel: CUfunction, threads: c_int, shared: usize
    ) {
        put_blocks(count, kernel, threads, shared)
    }
    Init fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: *mut c_int, kernel: CUfunction, threads: c_int, shared: usize, _flags: c_uint
    ) {
        put_blocks(count, kernel, threads, shared)
    }
    Init fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int, block: *mut c_int, kernel: CUfunction, shared_of: Option<SharedOf>, shared: usize, most: c_int
    ) {
        put_best([grid, block], kernel, shared_of, shared, most)
    }
    Init fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int, block: *mut c_int, kernel: CUfunction, shared_of: Option<SharedOf>, shared: usize,
        most: c_int, _flags: c_uint
    ) {
        put_best([grid, block], kernel, shared_of, shared, most)
    }
    Init fn cuLaunchKernelEx | cuLaunchKernelEx_ptsz(
        config: *const Config, kernel: CUfunction, arguments: *mut *mut c_void, extra: *mut *mut c_void
    ) {
        let &Config { grid, block, shared_bytes, stream, attributes, count } = read_param(config)?;
        check(list(attributes, count as usize)?.iter().all(Attribute::is_hint), CUDA_ERROR_NOT_SUPPORTED)?;
        let work = work(kernel, grid, block, shared_bytes, (arguments, extra))?;
        stream::find(stream)?.enqueue(work)
    }
    Init fn cuLaunchKernel | cuLaunchKernel_ptsz: PFN_cuLaunchKernel, (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments, extra) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let work = work(kernel, grid, block, shared_bytes, (arguments, extra))?;
        stream::find(stream)?.enqueue(work)
    }
}
