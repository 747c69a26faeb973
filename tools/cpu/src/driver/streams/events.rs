//! Events, and host functions.

use std::time::Instant;

use super::capture_state::{CapturePart, refuse_during_capture};
use super::host_callbacks::{StreamCallback, host_function_work, stream_callback_work};
use super::queued_work::{QueuedWork, WorkFunction};
use super::stream_queue::{Stream, WorkCompletion, find_uncaptured_stream, find_usable_stream};
use crate::driver::base::current_context::current_context;
use crate::driver::base::prelude::*;

/// An event's newest record. Never lock a stream while a record is locked: a graph's launch locks the stream first.
#[derive(Clone)]
enum EventRecord {
    Never,
    Recorded(Arc<WorkCompletion>),
    Captured(CapturePart),
}

struct Event {
    flags: u32,
    record: Mutex<EventRecord>,
}

static EVENTS: HandleRegistry<Event> = HandleRegistry::new(3, CUDA_ERROR_INVALID_HANDLE);

impl Event {
    fn newest_record(&self) -> EventRecord {
        lock(&self.record).clone()
    }

    /// Returns the recorded work's completion, or `None` without a record. A record in a capture is an error.
    fn recorded_completion(
        &self,
        refuse: fn(&CapturePart) -> CudaResult,
    ) -> CudaResult<Option<Arc<WorkCompletion>>> {
        match self.newest_record() {
            EventRecord::Never => Ok(None),
            EventRecord::Recorded(completion) => Ok(Some(completion)),
            EventRecord::Captured(record) => Err(refuse(&record).err().unwrap_or(CUDA_ERROR_CAPTURED_EVENT)),
        }
    }

    /// Returns the time of the last record. Unlike a wait, asking for the time invalidates no capture (measured).
    fn recorded_time(&self) -> CudaResult<Instant> {
        let completion = self.recorded_completion(|record| record.capture_of_record().map(drop))?;
        ensure(self.flags & CU_EVENT_DISABLE_TIMING.0 == 0, CUDA_ERROR_INVALID_HANDLE)?;
        completion.ok_or(CUDA_ERROR_INVALID_HANDLE)?.completion_time().ok_or(CUDA_ERROR_NOT_READY)
    }
}

fn find_event(event: CUevent) -> CudaResult<Arc<Event>> {
    EVENTS.find_object_or_abort(event, "the event is destroyed")
}

/// Returns whether CU_EVENT_RECORD_EXTERNAL or CU_EVENT_WAIT_EXTERNAL (the same number) is set. The flag asks for a
/// node in the captured graph. Returns an error for the flag if the stream is not captured, and for any other flag.
fn check_external_flag(flags: c_uint, stream: &Stream) -> CudaResult<bool> {
    ensure_valid(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0)?;
    ensure(flags == 0 || stream.is_capturing(), CUDA_ERROR_ILLEGAL_STATE)?;
    Ok(flags != 0)
}

fn record_event(event: CUevent, stream: CUstream, flags: c_uint) -> CudaResult {
    let (stream, event) = (find_usable_stream(stream)?, find_event(event)?);
    if check_external_flag(flags, &stream)? {
        // Each launch of the captured graph makes a record, which is then the event's newest.
        let find = move || -> WorkFunction {
            let completion = Arc::<WorkCompletion>::default();
            *lock(&event.record) = EventRecord::Recorded(completion.clone());
            Arc::new(move || {
                completion.mark_complete();
                Ok(())
            })
        };
        return stream.enqueue_work(QueuedWork::AtEnqueue(CU_GRAPH_NODE_TYPE_EVENT_RECORD, Arc::new(find)));
    }
    let is_interprocess = event.flags & CU_EVENT_INTERPROCESS.0 != 0;
    let record = match stream
        .with_capture_state(|recording| recording.part_for_event_record(is_interprocess))?
    {
        Some(captured) => EventRecord::Captured(captured),
        None => EventRecord::Recorded(stream.enqueue_uncaptured_work(QueuedWork::empty_node(), Vec::new())?),
    };
    *lock(&event.record) = record;
    Ok(())
}

functions! {
    Init fn cuEventCreate: PFN_cuEventCreate, (event, flags) {
        let context = Some(current_context()?.id);
        let known = CU_EVENT_BLOCKING_SYNC.0 | CU_EVENT_DISABLE_TIMING.0 | CU_EVENT_INTERPROCESS.0;
        let interprocess = flags & CU_EVENT_INTERPROCESS.0 != 0;
        ensure_valid(flags & !known == 0 && !(interprocess && flags & CU_EVENT_DISABLE_TIMING.0 == 0))?;
        EVENTS.create_object(event, context, || Ok(Event { flags, record: Mutex::new(EventRecord::Never) }))
    }
    Init fn cuEventDestroy | cuEventDestroy_v2: PFN_cuEventDestroy_v2, (event) {
        find_event(event)?;
        EVENTS.destroy_object(event)
    }
    Init fn cuEventRecord +_ptsz: PFN_cuEventRecord, (event, stream) { record_event(event, stream, 0) }
    Init fn cuEventRecordWithFlags +_ptsz(event: CUevent, stream: CUstream, flags: c_uint) {
        record_event(event, stream, flags)
    }
    Init fn cuEventQuery: PFN_cuEventQuery, (event) {
        let completion = find_event(event)?.recorded_completion(CapturePart::invalidate_by_record_wait)?;
        refuse_during_capture()?;
        ensure(completion.is_none_or(|completion| completion.completion_time().is_some()), CUDA_ERROR_NOT_READY)
    }
    Init fn cuEventSynchronize: PFN_cuEventSynchronize, (event) {
        let completion = find_event(event)?.recorded_completion(CapturePart::invalidate_by_record_wait)?;
        refuse_during_capture()?;
        completion.iter().for_each(|completion| completion.wait_for_completion());
        Ok(())
    }
    Init fn cuEventElapsedTime | cuEventElapsedTime_v2: PFN_cuEventElapsedTime, (milliseconds, start, end) {
        let (start, end) = (EVENTS.find_object(start)?.recorded_time()?, EVENTS.find_object(end)?.recorded_time()?);
        let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        write_out(milliseconds, ((seconds(start, end) - seconds(end, start)) * 1e3) as f32)
    }
    Init fn cuStreamWaitEvent +_ptsz: PFN_cuStreamWaitEvent, (stream, event, flags) {
        let stream = find_usable_stream(stream)?;
        ensure_valid(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0)?;
        let event = find_event(event).or_else(|code| stream.invalidate_capture(code).and(Err(code)))?;
        if let EventRecord::Captured(record) = event.newest_record() {
            record.capture_of_record()?;
        }
        if check_external_flag(flags, &stream)? {
            // A launch of the captured graph fixes the record to wait for: a wait for a later record could be circular.
            let find = move || -> WorkFunction {
                let record = event.recorded_completion(CapturePart::invalidate_by_record_wait).ok().flatten();
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
        let completion = match event.newest_record() {
            EventRecord::Never => return Ok(()),
            EventRecord::Captured(record) => {
                return stream.with_capture_state(|recording| recording.join_record(&record));
            }
            EventRecord::Recorded(completion) => completion,
        };
        // A captured stream cannot wait for work outside of its capture.
        stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)?;
        stream.enqueue_uncaptured_work(QueuedWork::empty_node(), vec![completion]).map(drop)
    }
    Init fn cuLaunchHostFunc | cuLaunchHostFunc_v2 +_ptsz: PFN_cuLaunchHostFunc, (stream, function, argument) {
        find_usable_stream(stream)?.enqueue_work(host_function_work(function, argument)?)
    }
    Init fn cuStreamAddCallback +_ptsz(
        stream: CUstream, callback: Option<StreamCallback>, argument: *mut c_void, flags: c_uint
    ) {
        let work = stream_callback_work(callback, stream, argument)?;
        ensure_valid(flags == 0)?;
        find_uncaptured_stream(stream)?.enqueue_work(work)
    }
}
