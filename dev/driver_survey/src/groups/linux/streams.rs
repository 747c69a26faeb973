//! A signal and a wait in a stream that was destroyed, that is another context's, or that is being captured.

use std::ptr::null_mut;
use std::thread;

use cuda_external_sys::*;
use example_support::vulkan::Semaphore;
use example_support::{Error, Result};

use super::shared::{idle, import, signal, stream, wait};
use crate::case::{Case, Group, answer, answer_code, begin};
use crate::gpu::{cuda, vulkan};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unusual {
    Destroyed,
    /// A context that is not current.
    OtherContext,
    /// A context that was destroyed, and its stream with it.
    EndedContext,
    /// A capture that this thread began.
    Captured,
    /// A capture that another thread began.
    CapturedElsewhere(CUstreamCaptureMode),
    /// Another stream, while another thread captures.
    BesideACapture,
}

const CASES: [(&str, Unusual); 8] = [
    ("destroyed", Unusual::Destroyed),
    ("of a context that is not current", Unusual::OtherContext),
    ("of a context that was destroyed", Unusual::EndedContext),
    ("captured by this thread", Unusual::Captured),
    ("captured by another thread, GLOBAL", Unusual::CapturedElsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL)),
    (
        "captured by another thread, THREAD_LOCAL",
        Unusual::CapturedElsewhere(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
    ),
    ("captured by another thread, RELAXED", Unusual::CapturedElsewhere(CU_STREAM_CAPTURE_MODE_RELAXED)),
    ("another one, while another thread captures, GLOBAL", Unusual::BesideACapture),
];

pub fn group() -> Group {
    let both = CASES.into_iter().flat_map(|(what, of)| {
        [("signal", true), ("wait", false)].map(|(call, is_signal)| {
            Case::new(format!("{what}: {call}"), move || run(of, is_signal)).limit(5).alone()
        })
    });
    Group::new("streams", both)
}

fn run(of: Unusual, is_signal: bool) -> Result<()> {
    let own = cuda(0)?;
    let semaphore = Semaphore::timeline(vulkan(0)?, 0)?;
    semaphore.signal(1)?;
    let imported = import(&semaphore)?;
    let mut raw = stream()?;
    // SAFETY: handles that are invalid or elsewhere are what is measured, in a process that does nothing else.
    unsafe {
        match of {
            Unusual::Destroyed => cuStreamDestroy_v2(raw).result()?,
            Unusual::OtherContext | Unusual::EndedContext => {
                let mut context = null_mut();
                cuCtxCreate_v2(&mut context, 0, own.device).result()?;
                raw = stream()?;
                if of == Unusual::EndedContext {
                    cuCtxDestroy_v2(context).result()?;
                }
                own.make_current()?;
            }
            Unusual::Captured => cuStreamBeginCapture_v2(raw, CU_STREAM_CAPTURE_MODE_GLOBAL).result()?,
            Unusual::CapturedElsewhere(mode) => capture(raw, mode)?,
            Unusual::BesideACapture => capture(stream()?, CU_STREAM_CAPTURE_MODE_GLOBAL)?,
        }
        begin("the call")?;
        answer_code(if is_signal { signal(imported, 2, raw) } else { wait(imported, 1, raw) });
        match of {
            Unusual::Captured | Unusual::CapturedElsewhere(_) => {
                let (mut graph, mut nodes) = (null_mut(), 0);
                answer_code(cuStreamEndCapture(raw, &mut graph));
                if !graph.is_null() {
                    cuGraphGetNodes(graph, null_mut(), &mut nodes).result()?;
                }
                answer(format!("nodes: {nodes}"));
            }
            Unusual::Destroyed | Unusual::EndedContext => {
                answer(format!("the context: {:?}", cuCtxSynchronize()))
            }
            Unusual::OtherContext | Unusual::BesideACapture => answer(format!("the stream: {:?}", idle(raw))),
        }
    }
    answer(format!("the timeline: {}", semaphore.value()?));
    Ok(())
}

/// Another thread begins to capture the stream, and the thread ends without ending the capture.
fn capture(stream: CUstream, mode: CUstreamCaptureMode) -> Result<()> {
    let stream = stream.addr();
    let thread = thread::spawn(move || -> Result<()> {
        cuda(0)?;
        let stream = std::ptr::with_exposed_provenance_mut(stream);
        Ok(unsafe { cuStreamBeginCapture_v2(stream, mode) }.result()?)
    });
    thread.join().map_err(|_| Error::Failed("the thread panicked".to_owned()))?
}
