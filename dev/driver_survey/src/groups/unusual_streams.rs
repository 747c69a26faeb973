//! A signal and a wait in a stream that was destroyed, that is another context's, or that is being captured.

use std::ptr::null_mut;
use std::thread;

use cuda_external_sys::*;
use example_support::vulkan::Semaphore;
use example_support::{Error, Result};

use super::fixtures::exported_memory::{code_at_stream_end, create_stream, import, signal, wait};
use super::fixtures::opened_devices::{cuda, vulkan};
use super::fixtures::question::{Question, QuestionGroup, answer, answer_code, print_call_name};

#[derive(Clone, Copy, PartialEq, Eq)]
enum OddStream {
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

const ODD_STREAMS: [(&str, OddStream); 8] = [
    ("destroyed", OddStream::Destroyed),
    ("of a context that is not current", OddStream::OtherContext),
    ("of a context that was destroyed", OddStream::EndedContext),
    ("captured by this thread", OddStream::Captured),
    ("captured by another thread, GLOBAL", OddStream::CapturedElsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL)),
    (
        "captured by another thread, THREAD_LOCAL",
        OddStream::CapturedElsewhere(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
    ),
    ("captured by another thread, RELAXED", OddStream::CapturedElsewhere(CU_STREAM_CAPTURE_MODE_RELAXED)),
    ("another one, while another thread captures, GLOBAL", OddStream::BesideACapture),
];

pub fn group() -> QuestionGroup {
    let both = ODD_STREAMS.into_iter().flat_map(|(what, of)| {
        [("signal", true), ("wait", false)].map(|(call, is_signal)| {
            Question::new(format!("{what}: {call}"), move || ask_driver(of, is_signal)).limit(5).alone()
        })
    });
    QuestionGroup::new("streams", both)
}

fn ask_driver(of: OddStream, is_signal: bool) -> Result<()> {
    let own = cuda(0)?;
    let semaphore = Semaphore::timeline(vulkan(0)?, 0)?;
    semaphore.signal(1)?;
    let imported = import(&semaphore)?;
    let mut raw = create_stream()?;
    // SAFETY: handles that are invalid or elsewhere are what is measured, in a process that does nothing else.
    unsafe {
        match of {
            OddStream::Destroyed => cuStreamDestroy_v2(raw).result()?,
            OddStream::OtherContext | OddStream::EndedContext => {
                let mut context = null_mut();
                cuCtxCreate_v2(&mut context, 0, own.device).result()?;
                raw = create_stream()?;
                if of == OddStream::EndedContext {
                    cuCtxDestroy_v2(context).result()?;
                }
                own.make_current()?;
            }
            OddStream::Captured => cuStreamBeginCapture_v2(raw, CU_STREAM_CAPTURE_MODE_GLOBAL).result()?,
            OddStream::CapturedElsewhere(mode) => begin_capture_in_other_thread(raw, mode)?,
            OddStream::BesideACapture => {
                begin_capture_in_other_thread(create_stream()?, CU_STREAM_CAPTURE_MODE_GLOBAL)?
            }
        }
        print_call_name("the call")?;
        answer_code(if is_signal { signal(imported, 2, raw) } else { wait(imported, 1, raw) });
        match of {
            OddStream::Captured | OddStream::CapturedElsewhere(_) => {
                let (mut graph, mut nodes) = (null_mut(), 0);
                answer_code(cuStreamEndCapture(raw, &mut graph));
                if !graph.is_null() {
                    cuGraphGetNodes(graph, null_mut(), &mut nodes).result()?;
                }
                answer(format!("nodes: {nodes}"));
            }
            OddStream::Destroyed | OddStream::EndedContext => {
                answer(format!("the context: {:?}", cuCtxSynchronize()))
            }
            OddStream::OtherContext | OddStream::BesideACapture => {
                answer(format!("the stream: {:?}", code_at_stream_end(raw)))
            }
        }
    }
    answer(format!("the timeline: {}", semaphore.value()?));
    Ok(())
}

/// Another thread begins to capture the stream, and the thread ends without ending the capture.
fn begin_capture_in_other_thread(stream: CUstream, mode: CUstreamCaptureMode) -> Result<()> {
    let stream = stream.addr();
    let thread = thread::spawn(move || -> Result<()> {
        cuda(0)?;
        let stream = std::ptr::with_exposed_provenance_mut(stream);
        Ok(unsafe { cuStreamBeginCapture_v2(stream, mode) }.result()?)
    });
    thread.join().map_err(|_| Error::Failed("the thread panicked".to_owned()))?
}
