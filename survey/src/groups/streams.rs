//! A signal and a wait in a stream that was destroyed, that is another context's, or that is being captured.

use std::io::Write as _;
use std::ptr::null_mut;
use std::thread;

use cuda_external_sys::*;
use interop::cuda::import_semaphore;
use interop::vulkan::Semaphore;
use interop::{Error, Result};

use crate::case::{Case, Group, answer, answer_code};
use crate::gpu::{cuda, idle, stream, vulkan};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Destroyed,
    /// A context that is not current.
    OtherContext,
    /// A context that was destroyed, and its stream with it.
    EndedContext,
    /// A capture that this thread began.
    Captured(CUstreamCaptureMode),
    /// A capture that another thread began.
    CapturedElsewhere(CUstreamCaptureMode),
    /// Another stream, while another thread captures.
    BesideACapture(CUstreamCaptureMode),
}

pub fn group() -> Group {
    let [global, local, relaxed] =
        [CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED];
    let mut cases = Vec::new();
    for (what, of) in [
        ("destroyed", Of::Destroyed),
        ("of a context that is not current", Of::OtherContext),
        ("of a context that was destroyed", Of::EndedContext),
        ("captured by this thread", Of::Captured(global)),
        ("captured by another thread, GLOBAL", Of::CapturedElsewhere(global)),
        ("captured by another thread, THREAD_LOCAL", Of::CapturedElsewhere(local)),
        ("captured by another thread, RELAXED", Of::CapturedElsewhere(relaxed)),
        ("another one, while another thread captures, GLOBAL", Of::BesideACapture(global)),
    ] {
        for (call, is_signal) in [("signal", true), ("wait", false)] {
            cases.push(Case::new(format!("{what}: {call}"), move || run(of, is_signal)).limit(5).alone());
        }
    }
    Group::new("streams", cases)
}

fn run(of: Of, is_signal: bool) -> Result<()> {
    let own = cuda(0)?;
    let semaphore = Semaphore::timeline(vulkan(0)?, 0)?;
    semaphore.signal(1)?;
    let imported = import_semaphore(semaphore.export()?, semaphore.handle_type())?;
    let mut raw = stream()?;
    // SAFETY: handles that are invalid or elsewhere are what is measured, in a process that does nothing else.
    unsafe {
        match of {
            Of::Destroyed => cuStreamDestroy_v2(raw).result()?,
            Of::OtherContext | Of::EndedContext => {
                let mut context = null_mut();
                cuCtxCreate_v2(&mut context, 0, own.device).result()?;
                raw = stream()?;
                if of == Of::EndedContext {
                    cuCtxDestroy_v2(context).result()?;
                }
                own.make_current()?;
            }
            Of::Captured(mode) => cuStreamBeginCapture_v2(raw, mode).result()?,
            Of::CapturedElsewhere(mode) => capture(raw, mode)?,
            Of::BesideACapture(mode) => capture(stream()?, mode)?,
        }
        // Printed before the call, so that an unfinished line shows that it was made.
        print!("the call: ");
        std::io::stdout().flush().map_err(|error| Error::Failed(error.to_string()))?;
        let code = if is_signal {
            let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
            params.params.fence.value = 2;
            cuSignalExternalSemaphoresAsync(&imported, &params, 1, raw)
        } else {
            let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
            params.params.fence.value = 1;
            cuWaitExternalSemaphoresAsync(&imported, &params, 1, raw)
        };
        answer_code(code);
        match of {
            Of::Captured(_) | Of::CapturedElsewhere(_) => {
                let (mut graph, mut nodes) = (null_mut(), 0);
                answer_code(cuStreamEndCapture(raw, &mut graph));
                if !graph.is_null() {
                    cuGraphGetNodes(graph, null_mut(), &mut nodes).result()?;
                }
                answer(format!("nodes: {nodes}"));
            }
            Of::Destroyed | Of::EndedContext => answer(format!("the context: {:?}", cuCtxSynchronize())),
            Of::OtherContext | Of::BesideACapture(_) => answer(format!("the stream: {:?}", idle(raw))),
        }
    }
    answer(format!("the timeline: {}", semaphore.value()?));
    Ok(())
}

/// Another thread begins to capture the stream, and ends without ending that.
fn capture(stream: CUstream, mode: CUstreamCaptureMode) -> Result<()> {
    let stream = stream.addr();
    let thread = thread::spawn(move || -> Result<()> {
        cuda(0)?;
        // SAFETY: the stream lives.
        Ok(unsafe { cuStreamBeginCapture_v2(std::ptr::with_exposed_provenance_mut(stream), mode) }
            .result()?)
    });
    thread.join().map_err(|_| Error::Failed("the thread panicked".to_owned()))?
}
