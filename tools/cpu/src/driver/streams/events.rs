//! Events.

use std::time::Instant;

use super::capture_state;
use super::capture_state::CapturePart;
use super::host_callbacks::HostCallback;
use super::queued_work::{QueuedWork, WorkFunction};
use super::stream_queue;
use super::stream_queue::Completion;
use crate::driver::base::current_context;
use crate::driver::base::prelude::*;

enum LastRecord {
    Never,
    Recorded(Arc<Completion>),
    Captured(CapturePart),
}

struct Event {
    flags: u32,
    last: Mutex<LastRecord>,
}

static EVENTS: HandleRegistry<Event> = HandleRegistry::new(3, CUDA_ERROR_INVALID_HANDLE);

impl Event {
    /// The last record, unless there was none. One that is part of a capture is refused.
    fn recorded_completion(
        &self,
        refuse: fn(&CapturePart) -> CudaResult,
    ) -> CudaResult<Option<Arc<Completion>>> {
        match &*lock(&self.last) {
            LastRecord::Never => Ok(None),
            LastRecord::Recorded(completion) => Ok(Some(completion.clone())),
            LastRecord::Captured(record) => Err(refuse(record).err().unwrap_or(CUDA_ERROR_CAPTURED_EVENT)),
        }
    }

    /// The time of the last record, for one that has times. A capture stays valid: measured.
    fn recorded_time(&self) -> CudaResult<Instant> {
        let completion = self.recorded_completion(|record| record.capture_of_record().map(drop))?;
        ensure(self.flags & CU_EVENT_DISABLE_TIMING.0 == 0, CUDA_ERROR_INVALID_HANDLE)?;
        completion.ok_or(CUDA_ERROR_INVALID_HANDLE)?.completion_time().ok_or(CUDA_ERROR_NOT_READY)
    }
}

fn find_event(event: CUevent) -> CudaResult<Arc<Event>> {
    EVENTS.find_or_abort(event, "the event is destroyed")
}

/// Returns whether the flag EXTERNAL is set. The flag is for a node that a graph runs at its launch, not for work of a
/// stream that is not captured.
fn check_external_flag(flags: c_uint, stream: &stream_queue::Stream) -> CudaResult<bool> {
    ensure_valid(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0)?;
    ensure(flags == 0 || stream.is_capturing(), CUDA_ERROR_ILLEGAL_STATE)?;
    Ok(flags != 0)
}

fn record_event(event: CUevent, stream: CUstream, flags: c_uint) -> CudaResult {
    let (stream, event) = (stream_queue::find_usable_stream(stream)?, find_event(event)?);
    if check_external_flag(flags, &stream)? {
        // From the launch on, waits find this record.
        let find = move || -> WorkFunction {
            let completion = Arc::<Completion>::default();
            *lock(&event.last) = LastRecord::Recorded(completion.clone());
            Arc::new(move || {
                completion.mark_complete();
                Ok(())
            })
        };
        return stream.enqueue_work(QueuedWork::AtEnqueue(CU_GRAPH_NODE_TYPE_EVENT_RECORD, Arc::new(find)));
    }
    let is_interprocess = event.flags & CU_EVENT_INTERPROCESS.0 != 0;
    let last = match stream.with_capture(|recording| recording.event_record(is_interprocess))? {
        Some(captured) => LastRecord::Captured(captured),
        None => LastRecord::Recorded(stream.enqueue_uncaptured(QueuedWork::empty_node(), Vec::new())?),
    };
    *lock(&event.last) = last;
    Ok(())
}

fn launch_host_function(stream: CUstream, function: CUhostFn, argument: *mut c_void) -> CudaResult {
    let stream = stream_queue::find_usable_stream(stream)?;
    stream.enqueue_work(QueuedWork::calling_program(HostCallback::host_function(function, argument)?))
}

functions! {
    Init fn cuEventCreate: PFN_cuEventCreate, (event, flags) {
        let context = current_context::current_context()?.id;
        let known = CU_EVENT_BLOCKING_SYNC.0 | CU_EVENT_DISABLE_TIMING.0 | CU_EVENT_INTERPROCESS.0;
        let interprocess = flags & CU_EVENT_INTERPROCESS.0 != 0;
        ensure_valid(flags & !known == 0 && !(interprocess && flags & CU_EVENT_DISABLE_TIMING.0 == 0))?;
        EVENTS.create_owned(event, context, || Ok(Event { flags, last: Mutex::new(LastRecord::Never) }))
    }
    Init fn cuEventDestroy | cuEventDestroy_v2: PFN_cuEventDestroy_v2, (event) {
        find_event(event)?;
        EVENTS.destroy_object(event)
    }
    Init fn cuEventRecord +_ptsz: PFN_cuEventRecord, (event, stream) {
        record_event(event, stream, 0)
    }
    Init fn cuEventRecordWithFlags +_ptsz(event: CUevent, stream: CUstream, flags: c_uint) {
        record_event(event, stream, flags)
    }
    Init fn cuEventQuery: PFN_cuEventQuery, (event) {
        let completion = find_event(event)?.recorded_completion(CapturePart::invalidate_by_wait)?;
        capture_state::refuse_during_capture()?;
        ensure(completion.is_none_or(|completion| completion.completion_time().is_some()), CUDA_ERROR_NOT_READY)
    }
    Init fn cuEventSynchronize: PFN_cuEventSynchronize, (event) {
        let completion = find_event(event)?.recorded_completion(CapturePart::invalidate_by_wait)?;
        capture_state::refuse_during_capture()?;
        completion.iter().for_each(|completion| completion.wait_for_completion());
        Ok(())
    }
    Init fn cuEventElapsedTime | cuEventElapsedTime_v2: PFN_cuEventElapsedTime, (milliseconds, start, end) {
        let (start, end) = (EVENTS.find_object(start)?.recorded_time()?, EVENTS.find_object(end)?.recorded_time()?);
        let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        write_out(milliseconds, ((seconds(start, end) - seconds(end, start)) * 1e3) as f32)
    }
    Init fn cuStreamWaitEvent +_ptsz: PFN_cuStreamWaitEvent, (stream, event, flags) {
        let stream = stream_queue::find_usable_stream(stream)?;
        ensure_valid(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0)?;
        let event = find_event(event).or_else(|code| stream.invalidate_capture(code).and(Err(code)))?;
        if let LastRecord::Captured(record) = &*lock(&event.last) {
            record.capture_of_record()?;
        }
        if check_external_flag(flags, &stream)? {
            // The record at the launch is waited for: a later one may be behind this wait.
            let find = move || -> WorkFunction {
                let record = event.recorded_completion(CapturePart::invalidate_by_wait).ok().flatten();
                Arc::new(move || {
                    record.iter().for_each(|completion| completion.wait_for_completion());
                    Ok(())
                })
            };
            return stream.enqueue_work(QueuedWork::AtEnqueue(CU_GRAPH_NODE_TYPE_WAIT_EVENT, Arc::new(find)));
        }
        if event.flags & CU_EVENT_INTERPROCESS.0 != 0 {
            stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        }
        let completion = match &*lock(&event.last) {
            LastRecord::Never => return Ok(()),
            LastRecord::Captured(captured) => return stream.with_capture(|recording| recording.join_record(captured)),
            LastRecord::Recorded(completion) => completion.clone(),
        };
        // The event was recorded outside of the capture.
        stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)?;
        stream.enqueue_uncaptured(QueuedWork::empty_node(), vec![completion]).map(drop)
    }
    Init fn cuLaunchHostFunc +_ptsz: PFN_cuLaunchHostFunc, (stream, function, argument) {
        launch_host_function(stream, function, argument)
    }
    Init fn cuLaunchHostFunc_v2 +_ptsz(
        stream: CUstream, function: CUhostFn, argument: *mut c_void, _sync_mode: c_uint
    ) {
        launch_host_function(stream, function, argument)
    }
}
