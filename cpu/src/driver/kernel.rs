//! Kernels: functions of the host, registered under the kernels' names. PTX is read for its entries alone.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::OnceLock;

use libloading::Library;

use super::prelude::*;
use super::work::Work;
use super::{context, ranges, stream};
use crate::ptx;

/// The variable with a library of kernels in C: see [`CKernel`].
pub const VARIABLE: &str = "CUDA_EXTERNAL_CPU_KERNELS";

/// A launch, as the function of the host sees it.
#[derive(Debug)]
pub struct KernelLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    arguments: Vec<Vec<u8>>,
}

impl KernelLaunch {
    /// Returns how many threads the launch has in all.
    pub fn threads(&self) -> usize {
        self.grid.iter().chain(&self.block).fold(1, |all: usize, &size| all.saturating_mul(size as usize))
    }

    /// Returns the bytes of an argument. Panics if the kernel has fewer.
    pub fn argument(&self, index: usize) -> &[u8] {
        &self.arguments[index]
    }

    /// Returns an argument of 4 bytes. Panics if it has another size.
    pub fn u32(&self, index: usize) -> u32 {
        u32::from_ne_bytes(self.argument(index).try_into().expect("an argument of 4 bytes"))
    }

    /// Returns an argument of 8 bytes. Panics if it has another size.
    pub fn u64(&self, index: usize) -> u64 {
        u64::from_ne_bytes(self.argument(index).try_into().expect("an argument of 8 bytes"))
    }

    /// Returns an argument that is a device address, which is an address of this process. Panics if it does not have 8 bytes.
    pub fn pointer<T>(&self, index: usize) -> *mut T {
        std::ptr::with_exposed_provenance_mut(self.u64(index) as usize)
    }
}

/// A kernel in C, in the library that `CUDA_EXTERNAL_CPU_KERNELS` names: the grid's and the block's sizes, and a pointer to
/// each argument.
pub type CKernel =
    unsafe extern "C" fn(grid: *const c_uint, block: *const c_uint, arguments: *mut *mut c_void);

type Function = Arc<dyn Fn(&KernelLaunch) + Send + Sync>;

fn find(name: &str) -> Option<Function> {
    let registered = lock(&KERNELS).get(name).cloned();
    registered.or_else(|| from_library(name))
}

static KERNELS: Mutex<BTreeMap<String, Function>> = Mutex::new(BTreeMap::new());

/// Makes a kernel of this name callable. It runs in the stream's thread and does what all threads of the launch do.
pub fn register_kernel(name: &str, kernel: impl Fn(&KernelLaunch) + Send + Sync + 'static) {
    lock(&KERNELS).insert(name.to_owned(), Arc::new(kernel));
}

/// Returns the function that the library has under the kernel's name.
fn from_library(name: &str) -> Option<Function> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let path = std::env::var_os(VARIABLE)?;
        // SAFETY: the program's own library.
        let library = unsafe { Library::new(path) };
        library.inspect_err(|error| eprintln!("cuda-external-cpu: {VARIABLE}: {error}")).ok()
    });
    // SAFETY: the variable promises functions of this type.
    let kernel: CKernel = *unsafe { library.as_ref()?.get(name.as_bytes()) }.ok()?;
    Some(Arc::new(move |launch| {
        let mut arguments = launch.arguments.clone();
        let mut pointers = Vec::from_iter(arguments.iter_mut().map(|bytes| bytes.as_mut_ptr().cast()));
        // SAFETY: as above. It reads the arguments of its PTX.
        unsafe { kernel(launch.grid.as_ptr(), launch.block.as_ptr(), pointers.as_mut_ptr()) };
    }))
}

struct Entry {
    function: Function,
    parameters: Vec<ptx::Parameter>,
}

static MODULES: Registry<Vec<ptx::Entry>> = Registry::new(11, CUDA_ERROR_INVALID_HANDLE);
static FUNCTIONS_OF_MODULES: Registry<Entry> = Registry::new(12, CUDA_ERROR_INVALID_HANDLE);

/// A kernel's arguments as cuda.h has them: a pointer to each, or one buffer.
type Arguments = (*mut *mut c_void, *mut *mut c_void);

/// Returns the buffer of the arguments and its size: cuda.h's keys are 1 and 2, and 0 ends the list.
unsafe fn buffer(extra: *mut *mut c_void) -> Answer<(*const u8, usize)> {
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

unsafe fn read_arguments(parameters: &[ptx::Parameter], (each, extra): Arguments) -> Answer<Vec<Vec<u8>>> {
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
) -> Answer<Work> {
    let entry = FUNCTIONS_OF_MODULES.find(kernel)?;
    let threads = block.iter().try_fold(1_u32, |all, size| all.checked_mul(*size));
    require(!grid.contains(&0) && threads.is_some_and(|threads| (1..=1024).contains(&threads)))?;
    // SAFETY: the caller's promise.
    let arguments = unsafe { read_arguments(&entry.parameters, arguments) }?;
    let launch = KernelLaunch { grid, block, shared_bytes, arguments };
    let keep = ranges::all_of(context::current()?.id);
    Ok(Work::new(CU_GRAPH_NODE_TYPE_KERNEL, (entry, launch, keep), |(entry, launch, _)| {
        (entry.function)(launch)
    }))
}

/// Returns the entries of an image, which must be PTX.
unsafe fn entries(image: *const c_void) -> Answer<Vec<ptx::Entry>> {
    require(!image.is_null())?;
    // SAFETY: an image has at least four bytes.
    let magic = unsafe { image.cast::<[u8; 4]>().read() };
    // A cubin or a fat binary: code for GPUs alone.
    check(magic != *b"\x7fELF" && magic != [0x50, 0xed, 0x55, 0xba], CUDA_ERROR_NO_BINARY_FOR_GPU)?;
    // SAFETY: every other image is a text with a zero at its end.
    let text = unsafe { CStr::from_ptr(image.cast()) };
    ptx::entries(text.to_str().map_err(|_| CUDA_ERROR_INVALID_IMAGE)?)
}

functions! {
    Init fn cuModuleLoadData: PFN_cuModuleLoadData, (module, image) {
        context::current()?;
        MODULES.create(module, || entries(image))
    }
    Init fn cuModuleUnload: PFN_cuModuleUnload, (module) { MODULES.destroy(module) }
    Init fn cuModuleGetFunction: PFN_cuModuleGetFunction, (kernel, module, name) {
        FUNCTIONS_OF_MODULES.create(kernel, || {
            let (module, name) = (MODULES.find(module)?, text(name)?.to_str().map_err(|_| CUDA_ERROR_NOT_FOUND)?);
            let entry = module.iter().find(|entry| entry.name == name).ok_or(CUDA_ERROR_NOT_FOUND)?;
            let function = find(name).ok_or(CUDA_ERROR_NOT_SUPPORTED)?;
            Ok(Entry { function, parameters: entry.parameters.clone() })
        })
    }
    Init fn cuLaunchKernel: PFN_cuLaunchKernel, (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments, extra) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let work = work(kernel, grid, block, shared_bytes, (arguments, extra))?;
        stream::find(stream)?.enqueue(work)
    }
}
