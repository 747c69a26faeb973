//! A timeline semaphore that the exporter destroys and creates anew, while an import of the old one lives or the program goes on
//! counting.

use cuda_external_sys::*;
use interop::Result;
use interop::cuda::import_semaphore;
use interop::vulkan::Semaphore;

use crate::case::{Case, Group, answer, answer_code};
use crate::gpu::{idle, stream, vulkan};

type Run = fn(&Timelines) -> Result<()>;

/// The program counted to this on the old timeline.
const REACHED: u64 = 5;

pub fn group() -> Group {
    let cases: [(&str, Run); 8] = [
        ("old import, waits for a value that was reached", |both| both.wait(both.old, REACHED)),
        ("old import, signals the next value", |both| both.signal(both.old, REACHED + 1)),
        ("old import, signals, then waits for it", |both| {
            both.signal(both.old, REACHED + 1)?;
            both.wait(both.old, REACHED + 1)
        }),
        ("old import waits for the next value, which the new one signals", |both| {
            both.new_in_vulkan.signal(REACHED + 1)?;
            both.wait(both.old, REACHED + 1)
        }),
        ("new import, waits for a value that the old one reached", |both| both.wait(both.new, REACHED)),
        ("new import, signals the next value of the old count", |both| both.signal(both.new, REACHED + 1)),
        ("new import, signals 6, then waits for 5", |both| {
            both.signal(both.new, REACHED + 1)?;
            both.wait(both.new, REACHED)
        }),
        ("new import, signals 6, then 1", |both| {
            both.signal(both.new, REACHED + 1)?;
            both.signal(both.new, 1)
        }),
    ];
    let case = |(name, run): (&str, Run)| Case::new(name, move || run(&Timelines::new()?)).limit(15);
    Group::new("timelines", cases.map(case))
}

struct Timelines {
    old: CUexternalSemaphore,
    new: CUexternalSemaphore,
    new_in_vulkan: Semaphore<'static>,
    stream: CUstream,
}

impl Timelines {
    fn new() -> Result<Self> {
        let vulkan = vulkan(0)?;
        let first = Semaphore::timeline(vulkan, 0)?;
        let old = import_semaphore(first.export()?, first.handle_type())?;
        first.signal(REACHED)?;
        drop(first);
        let new_in_vulkan = Semaphore::timeline(vulkan, 0)?;
        let new = import_semaphore(new_in_vulkan.export()?, new_in_vulkan.handle_type())?;
        Ok(Self { old, new, new_in_vulkan, stream: stream()? })
    }

    fn signal(&self, semaphore: CUexternalSemaphore, value: u64) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: one semaphore and its parameters.
        answer_code(unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, self.stream) });
        self.end()
    }

    fn wait(&self, semaphore: CUexternalSemaphore, value: u64) -> Result<()> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: as above.
        answer_code(unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, self.stream) });
        self.end()
    }

    fn end(&self) -> Result<()> {
        answer(format!("the stream: {:?}", idle(self.stream)));
        answer(format!("the new timeline: {}", self.new_in_vulkan.value()?));
        Ok(())
    }
}
