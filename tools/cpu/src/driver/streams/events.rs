//! Events.

use std::time::Instant;

use super::capture_state;
use super::capture_state::CapturePart;
use super::queued_work::Work;
use super::stream_queue;
use super::stream_queue::Completion;
use crate::driver::base::current_context;
use crate::driver::base::prelude::*;

/// An event's last record.
enum Last {
    Never,
    Recorded(Arc<Completion>),
    /// In a stream that is captured.
    Captured(CapturePart),
}

struct Event {
    flags: u32,
    last: Mutex<Last>,
}

static EVENTS: Registry<Event> = Registry::new(3, CUDA_ERROR_INVALID_HANDLE);

impl Event {
    /// The last record, unless there was none. One that is part of a capture is refused.
    fn completion(&self, refuse: fn(&CapturePart) -> CudaResult) -> CudaResult<Option<Arc<Completion>>> {
        match &*lock(&self.last) {
            Last::Never => Ok(None),
            Last::Recorded(completion) => Ok(Some(completion.clone())),
            Last::Captured(record) => Err(refuse(record).err().unwrap_or(CUDA_ERROR_CAPTURED_EVENT)),
        }
    }

    /// The time of the last record, for one that has times. A capture stays valid: measured.
    fn time(&self) -> CudaResult<Instant> {
        let completion = self.completion(|record| record.alive().map(drop))?;
        check(self.flags & CU_EVENT_DISABLE_TIMING.0 == 0, CUDA_ERROR_INVALID_HANDLE)?;
        completion.ok_or(CUDA_ERROR_INVALID_HANDLE)?.time().ok_or(CUDA_ERROR_NOT_READY)
    }
}

fn find(event: CUevent) -> CudaResult<Arc<Event>> {
    EVENTS.find_or_crash(event, "the event is destroyed")
}

/// Returns whether the flag EXTERNAL is set. The flag is for a node that a graph runs at its launch, not for work of a
/// stream that is not captured.
fn is_external(flags: c_uint, stream: &stream_queue::Stream) -> CudaResult<bool> {
    require(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0)?;
    check(flags == 0 || stream.is_capturing(), CUDA_ERROR_ILLEGAL_STATE)?;
    Ok(flags != 0)
}

fn record(event: CUevent, stream: CUstream, flags: c_uint) -> CudaResult {
    let (stream, event) = (stream_queue::find_usable(stream)?, find(event)?);
    if is_external(flags, &stream)? {
        return stream.enqueue(Work::new(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, |event| {
            *lock(&event.last) = Last::Recorded(Completion::done());
        }));
    }
    let is_interprocess = event.flags & CU_EVENT_INTERPROCESS.0 != 0;
    let last = match stream.record(|recording| recording.record(is_interprocess))? {
        Some(captured) => Last::Captured(captured),
        None => Last::Recorded(stream.enqueue_uncaptured(Work::nothing(), Vec::new())?),
    };
    *lock(&event.last) = last;
    Ok(())
}

functions! {
    Init fn cuEventCreate: PFN_cuEventCreate, (event, flags) {
        current_context::current()?;
        let known = CU_EVENT_BLOCKING_SYNC.0 | CU_EVENT_DISABLE_TIMING.0 | CU_EVENT_INTERPROCESS.0;
        let interprocess = flags & CU_EVENT_INTERPROCESS.0 != 0;
        require(flags & !known == 0 && !(interprocess && flags & CU_EVENT_DISABLE_TIMING.0 == 0))?;
        EVENTS.create(event, || Ok(Event { flags, last: Mutex::new(Last::Never) }))
    }
    Init fn cuEventDestroy | cuEventDestroy_v2: PFN_cuEventDestroy_v2, (event) {
        find(event)?;
        EVENTS.destroy(event)
    }
    Init fn cuEventRecord: PFN_cuEventRecord, (event, stream) {
        record(event, stream, 0)
    }
    Init fn cuEventRecordWithFlags(event: CUevent, stream: CUstream, flags: c_uint) {
        record(event, stream, flags)
    }
    Init fn cuEventQuery: PFN_cuEventQuery, (event) {
        let completion = find(event)?.completion(CapturePart::refuse)?;
        capture_state::refuse_in_capture()?;
        check(completion.is_none_or(|completion| completion.time().is_some()), CUDA_ERROR_NOT_READY)
    }
    Init fn cuEventSynchronize: PFN_cuEventSynchronize, (event) {
        let completion = find(event)?.completion(CapturePart::refuse)?;
        capture_state::refuse_in_capture()?;
        completion.iter().for_each(|completion| completion.wait());
        Ok(())
    }
    Init fn cuEventElapsedTime | cuEventElapsedTime_v2: PFN_cuEventElapsedTime, (milliseconds, start, end) {
        let (start, end) = (EVENTS.find(start)?.time()?, EVENTS.find(end)?.time()?);
        let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        write_out(milliseconds, ((seconds(start, end) - seconds(end, start)) * 1e3) as f32)
    }
    Init fn cuStreamWaitEvent: PFN_cuStreamWaitEvent, (stream, event, flags) {
        let stream = stream_queue::find_usable(stream)?;
        require(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0)?;
        let event = find(event).or_else(|code| stream.refuse_capturing(code).and(Err(code)))?;
        if let Last::Captured(record) = &*lock(&event.last) {
            record.alive()?;
        }
        if is_external(flags, &stream)? {
            return stream.enqueue(Work::new(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, |event| {
                if let Ok(Some(completion)) = event.completion(CapturePart::refuse) {
                    completion.wait();
                }
            }));
        }
        if event.flags & CU_EVENT_INTERPROCESS.0 != 0 {
            stream.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        }
        let completion = match &*lock(&event.last) {
            Last::Never => return Ok(()),
            Last::Captured(captured) => return stream.record(|recording| recording.join(captured)),
            Last::Recorded(completion) => completion.clone(),
        };
        // The event was recorded outside of the capture.
        stream.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)?;
        stream.enqueue_uncaptured(Work::nothing(), vec![completion]).map(drop)
    }
    Init fn cuLaunchHostFunc: PFN_cuLaunchHostFunc, (stream, function, argument) {
        stream_queue::find_usable(stream)?.enqueue(Work::host_function(function, argument)?)
    }
}
