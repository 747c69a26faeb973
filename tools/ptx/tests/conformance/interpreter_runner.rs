//! The interpreter as a [`PtxRunner`], and memory for the kernels of the tests.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::instruction_forms::{BLOCK_THREADS, MEMORY_BYTES, OPERAND_BYTES, RESULT_BYTES};
use crate::ptx_runner::{KernelAnswer, PtxRunner};
use cuda_external_ptx::{
    DeviceMemory, FaultKind, Image, Kernel, KernelFault, LaunchParams, LoadError, LoadErrorKind, Module,
};

pub struct InterpreterRunner {
    pub workers: usize,
}

/// The memory that kernels may use, the image of object 7, and what the kernels print.
#[derive(Default)]
pub struct TestMemory {
    pub ranges: Vec<Range<u64>>,
    pub image: Option<Arc<Image>>,
    pub printed: Mutex<Vec<u8>>,
}

// SAFETY: each test exposes the provenance of the memory that the test adds to `ranges` or `image`. The test keeps this
// memory alive and writable until the test's launches end, and does not access this memory during a launch.
unsafe impl DeviceMemory for TestMemory {
    fn accessible_range(&self, address: u64) -> Option<Range<u64>> {
        self.ranges.iter().find(|range| range.contains(&address)).cloned()
    }
    fn find_surface_image(&self, object: u64) -> Option<Arc<Image>> {
        self.find_texture_image(object)
    }
    fn find_texture_image(&self, object: u64) -> Option<Arc<Image>> {
        self.image.clone().filter(|_| object == 7)
    }
    fn print_output(&self, bytes: &[u8]) {
        self.printed.lock().expect("no panic").extend(bytes);
    }
}

impl TestMemory {
    pub fn from_range(range: Range<u64>) -> Self {
        Self { ranges: std::iter::once(range).collect(), ..Self::default() }
    }

    /// Runs a kernel. Each argument is a number, cut or extended with zeros to the parameter's size.
    pub fn run_kernel(
        &self,
        kernel: &Kernel,
        blocks: u32,
        block: [u32; 3],
        numbers: &[u64],
        workers: usize,
    ) -> Result<(), KernelFault> {
        let arguments = Vec::from_iter(kernel.parameters.iter().zip(numbers).map(|(parameter, number)| {
            let mut bytes = number.to_ne_bytes().to_vec();
            bytes.resize(parameter.size, 0);
            bytes
        }));
        let arguments = Vec::from_iter(arguments.iter().map(Vec::as_slice));
        let grid = [blocks, 1, 1];
        kernel.run(&LaunchParams { grid, block, shared_bytes: 0, arguments: &arguments, workers }, self)
    }
}

fn load_error_code(error: &LoadError) -> u32 {
    match error.kind {
        LoadErrorKind::NotPtx => 200,
        LoadErrorKind::Unsupported => 801,
        _ => 218,
    }
}

impl PtxRunner for InterpreterRunner {
    fn run_kernel(&self, text: &str, name: &str, input: &[u64]) -> KernelAnswer {
        let module = Module::load_ptx(text).map_err(|error| load_error_code(&error))?;
        let kernel = module.kernel(name).ok_or(500_u32)?.map_err(load_error_code)?;
        let threads = input.len() * 8 / OPERAND_BYTES;
        let mut buffers =
            [input.to_vec(), vec![0; threads * RESULT_BYTES / 8], vec![0; threads * MEMORY_BYTES / 8]];
        let ranges = buffers.each_mut().map(|words| {
            let start = words.as_mut_ptr().expose_provenance() as u64;
            start..start + words.len() as u64 * 8
        });
        let numbers = ranges.each_ref().map(|range| range.start);
        let memory = TestMemory { ranges: ranges.into(), ..TestMemory::default() };
        let block = BLOCK_THREADS as u32;
        let result = memory.run_kernel(kernel, threads as u32 / block, [block, 1, 1], &numbers, self.workers);
        result.map_err(|fault| match fault.kind {
            FaultKind::IllegalAddress | FaultKind::StackOverflow | FaultKind::InvalidImage => 700_u32,
            FaultKind::Assert => 710,
            FaultKind::MisalignedAddress => 716,
            FaultKind::InvalidPc => 718,
            FaultKind::IllegalInstruction => 715,
            _ => 719,
        })?;
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        Ok((bytes(&buffers[1]), bytes(&buffers[2][..32])))
    }
}
