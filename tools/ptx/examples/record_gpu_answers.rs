//! Runs the interpreter's test kernels on this machine's GPU, and prints the rows of instruction_forms.txt with the
//! GPU's answers. With the name of a case in kernel_faults.txt as argument, prints the driver's error code for this
//! case. A fault makes the context unusable, so each case needs a separate process. To run all cases, first build the
//! example:
//!
//!     cargo build --release --package cuda-external-ptx --example record_gpu_answers
//!
//! Copy target/release/examples/record_gpu_answers and tools/ptx/tests/conformance/kernel_faults.txt to a directory of
//! a machine with a GPU. In this directory, run the example for each case:
//!
//!     cut -d' ' -f1 kernel_faults.txt | xargs -n1 timeout 10 ./record_gpu_answers

#[path = "../tests/conformance/instruction_forms.rs"]
mod instruction_forms;
#[path = "../tests/conformance/ptx_runner.rs"]
mod ptx_runner;

use std::ffi::{CString, c_uint};
use std::ptr::{from_ref, null_mut};

use cuda_external_sys::*;
use instruction_forms::{BLOCK_THREADS, MEMORY_BYTES, OPERAND_BYTES, RESULT_BYTES};
use ptx_runner::{KernelAnswer, PtxRunner};

/// NVIDIA's driver with a current context, and the three buffers whose addresses are a test kernel's arguments.
struct GpuDriver {
    buffers: [CUdeviceptr; 3],
}

/// The sizes of the buffers, for at most 65,536 threads.
const BUFFER_BYTES: [usize; 3] = [OPERAND_BYTES << 16, RESULT_BYTES << 16, MEMORY_BYTES << 16];

fn result_code(result: CUresult) -> Result<(), u32> {
    result.result().map_err(c_uint::from)
}

impl GpuDriver {
    fn open_driver() -> Result<Self, CUresult> {
        let (mut context, mut buffers) = (null_mut(), [CUdeviceptr::default(); 3]);
        // SAFETY: each pointer is to a live variable of the type that the function writes.
        unsafe {
            cuInit(0).result()?;
            cuDevicePrimaryCtxRetain(&mut context, CUdevice::default()).result()?;
            cuCtxSetCurrent(context).result()?;
            for (buffer, size) in buffers.iter_mut().zip(BUFFER_BYTES) {
                cuMemAlloc(buffer, size).result()?;
            }
        }
        Ok(Self { buffers })
    }
}

impl PtxRunner for GpuDriver {
    fn run_kernel(&self, text: &str, name: &str, input: &[u64]) -> KernelAnswer {
        let (text, mut module) = (CString::new(text).expect("no zero"), null_mut());
        // SAFETY: the text ends with a NUL, and nothing uses the module once the kernel has ended.
        unsafe {
            result_code(cuModuleLoadData(&mut module, text.as_ptr().cast()))?;
            let answer = self.launch_kernel(module, name, input);
            _ = cuModuleUnload(module);
            answer
        }
    }
}

impl GpuDriver {
    fn launch_kernel(&self, module: CUmodule, name: &str, input: &[u64]) -> KernelAnswer {
        let (threads, mut function, buffers) = (input.len() / 4, null_mut(), &self.buffers);
        let zeros = vec![0_u8; BUFFER_BYTES[2]];
        let (mut results, mut memory) = (vec![0_u8; threads * RESULT_BYTES], vec![0_u8; 256]);
        let name = CString::new(name).expect("no zero");
        let mut arguments = buffers.each_ref().map(|buffer| from_ref(buffer).cast_mut().cast());
        let (grid, block) = ((threads / BLOCK_THREADS) as c_uint, BLOCK_THREADS as c_uint);
        // SAFETY: each copy fits in its source and its destination, and the kernel's three parameters are addresses.
        unsafe {
            result_code(cuModuleGetFunction(&mut function, module, name.as_ptr()))?;
            result_code(cuMemcpyHtoD(buffers[0], input.as_ptr().cast(), size_of_val(input)))?;
            result_code(cuMemcpyHtoD(buffers[1], zeros.as_ptr().cast(), results.len()))?;
            result_code(cuMemcpyHtoD(buffers[2], zeros.as_ptr().cast(), threads * MEMORY_BYTES))?;
            let stream = null_mut();
            let arguments = arguments.as_mut_ptr();
            result_code(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, arguments, null_mut()))?;
            result_code(cuCtxSynchronize())?;
            result_code(cuMemcpyDtoH(results.as_mut_ptr().cast(), buffers[1], results.len()))?;
            result_code(cuMemcpyDtoH(memory.as_mut_ptr().cast(), buffers[2], memory.len()))?;
        }
        Ok((results, memory))
    }
}

fn main() -> Result<(), CUresult> {
    let driver = GpuDriver::open_driver()?;
    if let Some(name) = std::env::args().nth(1) {
        let (_, text) = ptx_runner::fault_cases().find(|((case, _), _)| *case == name).expect("a case");
        println!("{name} {}", ptx_runner::error_code_of_run(&driver, &text));
        return Ok(());
    }
    let lines = ptx_runner::answer_table_rows(&driver, &mut |form, results| {
        if results.is_empty() {
            eprintln!("{} is refused: {} in the table", form.name, form.answer);
        }
    });
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}
