//! The interpreter as a machine that the tests ask.

use std::ops::Range;

use crate::forms;
use crate::questions::{Loaded, Machine};
use cuda_external_ptx::{ErrorKind, FaultKind, Launch, Memory, Module};

/// With this many threads of the process for a launch.
pub struct Interpreter(pub usize);

/// Memory that kernels may use: the three buffers.
struct Buffers([Range<u64>; 3]);

// SAFETY: the ranges are those of the vectors below, which outlive the launch.
unsafe impl Memory for Buffers {
    fn range(&self, address: u64) -> Option<Range<u64>> {
        self.0.iter().find(|range| range.contains(&address)).cloned()
    }
    fn print(&self, _: &str) {}
}

impl Machine for Interpreter {
    fn load<'a>(&'a self, text: &[u8]) -> Result<Box<dyn Loaded + 'a>, u32> {
        let text = std::str::from_utf8(text).map_err(|_| 218_u32)?;
        match Module::load(text) {
            Ok(module) => Ok(Box::new(Text { module, workers: self.0 })),
            Err(error) => Err(code(error.kind)),
        }
    }
}

fn code(kind: ErrorKind) -> u32 {
    match kind {
        ErrorKind::NotPtx => 200,
        ErrorKind::Version => 222,
        ErrorKind::Unsupported => 801,
        _ => 218,
    }
}

struct Text {
    module: Module,
    workers: usize,
}

impl Loaded for Text {
    fn run(&self, name: &str, input: &[u64], shared: u32) -> Result<(Vec<u8>, Vec<u8>), u32> {
        let kernel = match self.module.kernel(name) {
            Some(Ok(kernel)) => kernel,
            Some(Err(error)) => return Err(code(error.kind)),
            None => return Err(500),
        };
        let threads = input.len() * 8 / forms::OPERANDS;
        let mut input = input.to_vec();
        let (mut out, mut places) =
            (vec![0_u64; threads * forms::RESULTS / 8], vec![0_u64; threads * forms::PLACE / 8]);
        let buffers = [&mut input, &mut out, &mut places].map(|words| {
            let start = words.as_mut_ptr().expose_provenance() as u64;
            start..start + words.len() as u64 * 8
        });
        let arguments = buffers.each_ref().map(|range| range.start.to_ne_bytes());
        let arguments = arguments.each_ref().map(|bytes| &bytes[..]);
        let block = forms::BLOCK as u32;
        let launch = Launch {
            grid: [threads as u32 / block, 1, 1],
            block: [block, 1, 1],
            shared_bytes: shared,
            arguments: &arguments[..kernel.parameters.len()],
            workers: self.workers,
        };
        let result = kernel.run(&launch, &Buffers(buffers));
        result.map_err(|fault| match fault.kind {
            FaultKind::IllegalAddress | FaultKind::StackOverflow | FaultKind::InvalidImage => 700_u32,
            FaultKind::Assert => 710,
            FaultKind::MisalignedAddress => 716,
            FaultKind::InvalidPc => 718,
            FaultKind::IllegalInstruction => 715,
            _ => 719,
        })?;
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        Ok((bytes(&out), bytes(&places[..32])))
    }
}
