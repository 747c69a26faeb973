//! Events, and functions of the program in a stream.

use std::ffi::{c_uint, c_void};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions};
use super::capture::{self, CapturedMoment};
use super::handle::Registry;
use super::work::{HostFunction, Work};
use super::{context, lock, stream};

/// When a stream reached a record.
#[derive(Default)]
pub struct Moment {
    time: Mutex<Option<Instant>>,
    passed: Condvar,
}

impl Moment {
    pub fn pass(&self, time: Instant) {
        *lock(&self.time) = Some(time);
        self.passed.notify_all();
    }

    pub fn wait(&self) {
        let mut time = lock(&self.time);
        while time.is_none() {
            time = self.passed.wait(time).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn time(&self) -> Option<Instant> {
        *lock(&self.time)
    }
}

/// An event's last record.
enum Last {
    Never,
    Recorded(Arc<Moment>),
    /// In a stream that is captured.
    Captured(CapturedMoment),
}

pub struct Event {
    flags: u32,
    last: Mutex<Last>,
}

static EVENTS: Registry<Event> = Registry::new(3);

fn find(event: CUevent) -> Answer<Arc<Event>> {
    EVENTS.find(event).or(CUDA_ERROR_INVALID_HANDLE)
}

impl Event {
    /// The last record, unless there was none or it is part of a capture.
    fn moment(&self) -> Answer<Option<Arc<Moment>>> {
        match &*lock(&self.last) {
            Last::Never => Ok(None),
            Last::Recorded(moment) => Ok(Some(moment.clone())),
            Last::Captured(_) => Err(CUDA_ERROR_CAPTURED_EVENT),
        }
    }
}

unsafe fn elapsed(milliseconds: *mut f32, start: CUevent, end: CUevent) -> Answer {
    let (start, end) = (find(start)?, find(end)?);
    let timing = (start.flags | end.flags) & CU_EVENT_DISABLE_TIMING.0 == 0;
    check(timing, CUDA_ERROR_INVALID_HANDLE)?;
    let (Some(start), Some(end)) = (start.moment()?, end.moment()?) else {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    };
    let (Some(start), Some(end)) = (start.time(), end.time()) else { return Err(CUDA_ERROR_NOT_READY) };
    let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
    // SAFETY: the caller's pointer.
    unsafe { milliseconds.put(((seconds(start, end) - seconds(end, start)) * 1e3) as f32) }
}

functions! {
    Init fn cuEventCreate: PFN_cuEventCreate, (event: *mut CUevent, flags: c_uint) {
        context::current()?;
        let known = CU_EVENT_BLOCKING_SYNC.0 | CU_EVENT_DISABLE_TIMING.0 | CU_EVENT_INTERPROCESS.0;
        let interprocess = flags & CU_EVENT_INTERPROCESS.0 != 0;
        let timing = flags & CU_EVENT_DISABLE_TIMING.0 == 0;
        check(flags & !known == 0 && !(interprocess && timing) && !event.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        event.put(EVENTS.add(Event { flags, last: Mutex::new(Last::Never) }))
    }
    Init fn cuEventDestroy: PFN_cuEventDestroy_v2, (event: CUevent) {
        EVENTS.remove(event).or(CUDA_ERROR_INVALID_HANDLE).map(|_| ())
    }
    Init fn cuEventDestroy_v2: PFN_cuEventDestroy_v2, (event: CUevent) { cuEventDestroy(event).result() }
    Init fn cuEventRecord: PFN_cuEventRecord, (event: CUevent, stream: CUstream) {
        let (event, stream) = (find(event)?, stream::find(stream)?);
        if let Some(captured) = capture::record(&stream)? {
            *lock(&event.last) = Last::Captured(captured);
            return Ok(());
        }
        let moment = Arc::<Moment>::default();
        stream.enqueue(Work::Record(moment.clone()))?;
        *lock(&event.last) = Last::Recorded(moment);
        Ok(())
    }
    Init fn cuEventQuery: PFN_cuEventQuery, (event: CUevent) {
        let moment = find(event)?.moment()?;
        check(moment.is_none_or(|moment| moment.time().is_some()), CUDA_ERROR_NOT_READY)
    }
    Init fn cuEventSynchronize: PFN_cuEventSynchronize, (event: CUevent) {
        if let Some(moment) = find(event)?.moment()? {
            moment.wait();
        }
        Ok(())
    }
    Init fn cuEventElapsedTime: PFN_cuEventElapsedTime, (milliseconds: *mut f32, start: CUevent, end: CUevent) {
        elapsed(milliseconds, start, end)
    }
    Init fn cuEventElapsedTime_v2: PFN_cuEventElapsedTime_v2, (milliseconds: *mut f32, start: CUevent, end: CUevent) {
        elapsed(milliseconds, start, end)
    }
    Init fn cuStreamWaitEvent: PFN_cuStreamWaitEvent, (stream: CUstream, event: CUevent, flags: c_uint) {
        let (event, stream) = (find(event)?, stream::find(stream)?);
        check(flags & !CU_EVENT_WAIT_EXTERNAL.0 == 0, CUDA_ERROR_INVALID_VALUE)?;
        let moment = match &*lock(&event.last) {
            Last::Never => return Ok(()),
            Last::Captured(captured) => return captured.join(&stream),
            Last::Recorded(moment) => moment.clone(),
        };
        stream.enqueue(Work::After(vec![moment]))
    }
    Init fn cuLaunchHostFunc: PFN_cuLaunchHostFunc, (stream: CUstream, function: CUhostFn, argument: *mut c_void) {
        let function = function.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        stream::find(stream)?.enqueue(Work::HostFunction(HostFunction { function, argument }))
    }
}
