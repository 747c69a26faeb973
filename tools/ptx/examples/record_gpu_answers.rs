//! Asks the CUDA driver of this machine what the interpreter's tests ask, and prints the answers as in
//! tests/conformance/h200_answers.txt. Build it, and copy it to a machine with a GPU:
//!
//!     cargo build --release --package cuda-external-ptx --example record_gpu_answers

#[path = "../tests/conformance/instruction_forms.rs"]
mod instruction_forms;
#[path = "../tests/conformance/ptx_runner.rs"]
mod ptx_runner;

use std::ffi::{CString, c_int, c_uint, c_void};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use instruction_forms::{BLOCK_THREADS, MEMORY_BYTES, OPERAND_BYTES, RESULT_BYTES};
use libloading::Library;
use ptx_runner::{LoadedModule, PtxRunner};

type VoidPointer = *mut c_void;

struct GpuDriver {
    library: Library,
    buffers: [u64; 3],
}

/// The sizes of the buffers: enough for the form with the most operands.
const BUFFER_BYTES: [usize; 3] = [OPERAND_BYTES << 16, RESULT_BYTES << 16, MEMORY_BYTES << 16];

/// Calls a function of the driver and returns its code.
macro_rules! driver_call {
    ($driver:expr, $name:ident($($argument:expr => $type:ty),*)) => {{
        // SAFETY: the types are those of cuda.h, and the arguments are valid for it.
        unsafe {
            let function = $driver.library.get::<unsafe extern "C" fn($($type),*) -> c_uint>(stringify!($name).as_bytes());
            match function.expect("a function of the driver")($($argument),*) {
                0 => Ok(()),
                code => Err(code),
            }
        }
    }};
}

impl GpuDriver {
    fn open() -> Self {
        // SAFETY: the library is a driver, whose constructors may run.
        let library = unsafe { Library::new("libcuda.so.1") }.expect("a CUDA driver");
        let mut driver = Self { library, buffers: [0; 3] };
        let mut context: VoidPointer = std::ptr::null_mut();
        driver_call!(driver, cuInit(0 => c_uint)).expect("cuInit");
        driver_call!(driver, cuDevicePrimaryCtxRetain(&mut context => *mut VoidPointer, 0 => c_int))
            .expect("a context");
        driver_call!(driver, cuCtxSetCurrent(context => VoidPointer)).expect("a context");
        for (index, size) in BUFFER_BYTES.into_iter().enumerate() {
            driver_call!(driver, cuMemAlloc_v2(&mut driver.buffers[index] => *mut u64, size => usize))
                .expect("memory");
        }
        driver
    }

    fn copy_to_gpu(&self, index: usize, bytes: &[u8]) -> Result<(), c_uint> {
        driver_call!(self, cuMemcpyHtoD_v2(self.buffers[index] => u64, bytes.as_ptr().cast() => *const c_void, bytes.len() => usize))
    }

    fn copy_from_gpu(&self, index: usize, size: usize) -> Result<Vec<u8>, c_uint> {
        let mut bytes = vec![0_u8; size];
        driver_call!(self, cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast() => VoidPointer, self.buffers[index] => u64, size => usize))?;
        Ok(bytes)
    }
}

impl PtxRunner for GpuDriver {
    fn load_module<'a>(&'a self, text: &[u8]) -> Result<Box<dyn LoadedModule + 'a>, u32> {
        let (text, mut module) = (CString::new(text).expect("no zero"), std::ptr::null_mut());
        driver_call!(self, cuModuleLoadData(&mut module => *mut VoidPointer, text.as_ptr().cast() => *const c_void))?;
        Ok(Box::new(GpuModule { driver: self, module }))
    }
}

struct GpuModule<'a> {
    driver: &'a GpuDriver,
    module: VoidPointer,
}

impl Drop for GpuModule<'_> {
    fn drop(&mut self) {
        _ = driver_call!(self.driver, cuModuleUnload(self.module => VoidPointer));
    }
}

impl LoadedModule for GpuModule<'_> {
    fn run_kernel(&self, name: &str, input: &[u64]) -> Result<(Vec<u8>, Vec<u8>), u32> {
        let (driver, threads, mut function) = (self.driver, input.len() / 4, std::ptr::null_mut());
        let name = CString::new(name).expect("no zero");
        driver_call!(driver, cuModuleGetFunction(&mut function => *mut VoidPointer, self.module => VoidPointer, name.as_ptr() => *const std::ffi::c_char))?;
        driver.copy_to_gpu(0, &input.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
        driver.copy_to_gpu(1, &vec![0; threads * RESULT_BYTES])?;
        driver.copy_to_gpu(2, &vec![0; threads * MEMORY_BYTES])?;
        let mut arguments =
            driver.buffers.each_ref().map(|buffer| std::ptr::from_ref(buffer).cast_mut().cast::<c_void>());
        let block = BLOCK_THREADS as c_uint;
        driver_call!(driver, cuLaunchKernel(function => VoidPointer, threads as c_uint / block => c_uint, 1 => c_uint, 1 => c_uint, block => c_uint,
            1 => c_uint, 1 => c_uint, 0 => c_uint, std::ptr::null_mut() => VoidPointer, arguments.as_mut_ptr() => *mut VoidPointer,
            std::ptr::null_mut() => *mut VoidPointer))?;
        driver_call!(driver, cuCtxSynchronize())?;
        Ok((driver.copy_from_gpu(1, threads * RESULT_BYTES)?, driver.copy_from_gpu(2, 256)?))
    }
}

/// Runs a case in another process, since a fault ends a context, for at most ten seconds.
fn answer_in_child(name: &str) {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program).arg(name).stderr(Stdio::null()).spawn().expect("a process");
    let end = Instant::now() + Duration::from_secs(10);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > end {
            child.kill().expect("a child");
            println!("fault {name} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn main() {
    let driver = GpuDriver::open();
    if let Some(name) = std::env::args().nth(1) {
        let (_, text) = ptx_runner::fault_cases().find(|(case, _)| *case == name).expect("a case");
        println!("fault {name} {}", ptx_runner::fault_code(&driver, &text));
        return;
    }
    let mut version = 0;
    driver_call!(driver, cuDriverGetVersion(&mut version => *mut c_int)).expect("a version");
    println!("# A driver for CUDA {}.{}.", version / 1000, version % 1000 / 10);
    let lines = ptx_runner::answer_forms(&driver, &mut |form, results| {
        if results.is_empty() {
            eprintln!("{} is refused", form.name);
        }
    });
    lines.iter().for_each(|line| println!("{line}"));
    ptx_runner::fault_cases().for_each(|(name, _)| answer_in_child(name));
}
