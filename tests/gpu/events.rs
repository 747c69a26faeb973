//! Events, priorities of streams and host functions.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use cuda_external_sys::*;
use interop::cuda::{DeviceMemory, Stream, read};
use interop::vulkan::Vulkan;
use libtest_mimic::Trial;

use crate::fixtures::{self, assert_held};
use crate::machine::{cuda_test, ok, vulkan_test};

const SIZE: usize = 64 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => an_event_passes_a_wait_on, a_host_function_is_called_in_its_turn;
        cuda_test => the_time_between_events, priorities_are_in_a_range;
    }
}

struct Event(CUevent);

impl Event {
    fn new(flags: CUevent_flags) -> Self {
        let mut event = null_mut();
        // SAFETY: the function writes an event.
        ok(unsafe { cuEventCreate(&mut event, flags.into()) });
        Self(event)
    }

    fn record(&self, stream: &Stream) {
        // SAFETY: both live.
        ok(unsafe { cuEventRecord(self.0, stream.raw()) });
    }

    fn query(&self) -> CUresult {
        // SAFETY: the event lives.
        unsafe { cuEventQuery(self.0) }
    }

    fn synchronize(&self) {
        // SAFETY: the event lives.
        ok(unsafe { cuEventSynchronize(self.0) });
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the object is destroyed once.
        ok(unsafe { cuEventDestroy(self.0) });
    }
}

type Elapsed = unsafe fn(*mut f32, CUevent, CUevent) -> CUresult;

/// By the first version or the second.
fn elapsed(function: Elapsed, start: &Event, end: &Event) -> Result<f32, CUresult> {
    let mut milliseconds = -1.0;
    // SAFETY: the function writes a float, and both events live.
    unsafe { function(&mut milliseconds, start.0, end.0) }.result().map(|()| milliseconds)
}

/// What waits for the event waits for the semaphore before it.
fn an_event_passes_a_wait_on(vulkan: &Vulkan) {
    let [first, second] = [(); 2].map(|()| Stream::new().unwrap());
    let (timeline, event) = (fixtures::timeline(vulkan), Event::new(CU_EVENT_DISABLE_TIMING));
    // Not recorded: nothing to wait for.
    ok(event.query());
    first.wait(&[(&timeline.cuda, 1)]).unwrap();
    event.record(&first);
    // SAFETY: both live.
    ok(unsafe { cuStreamWaitEvent(second.raw(), event.0, CU_EVENT_WAIT_DEFAULT.into()) });
    assert_held(&second);
    assert_eq!(event.query(), CUDA_ERROR_NOT_READY);
    timeline.vulkan.signal(1).unwrap();
    event.synchronize();
    ok(event.query());
    second.finish().unwrap();
}

fn the_time_between_events() {
    let (stream, memory) = (Stream::new().unwrap(), DeviceMemory::new(SIZE).unwrap());
    let [start, end] = [(); 2].map(|()| Event::new(CU_EVENT_BLOCKING_SYNC));
    let no_time = Event::new(CU_EVENT_DISABLE_TIMING);
    let functions: [Elapsed; 2] = [
        |ms, a, b| unsafe { cuEventElapsedTime(ms, a, b) },
        |ms, a, b| unsafe { cuEventElapsedTime_v2(ms, a, b) },
    ];
    // The second one came with CUDA 12.8.
    let count = if load().unwrap().version() < 12080 { 1 } else { 2 };
    for function in functions.into_iter().take(count) {
        start.record(&stream);
        for _ in 0..20 {
            stream.fill(memory.address, 1, SIZE).unwrap();
        }
        end.record(&stream);
        end.synchronize();
        let time = elapsed(function, &start, &end).unwrap();
        assert!(time > 0.01 && time < 1000.0, "{time} ms");
        assert!(elapsed(function, &end, &start).unwrap() < 0.0);
        no_time.record(&stream);
        no_time.synchronize();
        assert_eq!(elapsed(function, &start, &no_time), Err(CUDA_ERROR_INVALID_HANDLE));
        assert_eq!(elapsed(function, &start, &Event::new(CU_EVENT_DEFAULT)), Err(CUDA_ERROR_INVALID_HANDLE));
    }
    let mut event = null_mut();
    // SAFETY: the function writes an event, or nothing.
    let code = unsafe { cuEventCreate(&mut event, CU_EVENT_INTERPROCESS.into()) };
    assert_eq!(code, CUDA_ERROR_INVALID_VALUE);
    // SAFETY: the function writes an event, or nothing.
    assert_eq!(unsafe { cuEventCreate(&mut event, 0x100) }, CUDA_ERROR_INVALID_VALUE);
}

fn priorities_are_in_a_range() {
    let (mut least, mut greatest) = (1, 1);
    // SAFETY: the function writes two numbers, or only one.
    unsafe {
        ok(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
        ok(cuCtxGetStreamPriorityRange(null_mut(), &mut greatest));
    }
    assert!(greatest < 0 && least == 0);
    let memory = DeviceMemory::new(4096).unwrap();
    for (priority, byte) in [(greatest, 1), (least, 2), (greatest - 100, 3), (least + 100, 4)] {
        let mut stream = null_mut();
        // SAFETY: the function writes a stream, which is used and destroyed.
        unsafe {
            ok(cuStreamCreateWithPriority(&mut stream, CU_STREAM_NON_BLOCKING.into(), priority));
            ok(cuMemsetD8Async(memory.address, byte, 4096, stream));
            ok(cuStreamSynchronize(stream));
            ok(cuStreamDestroy(stream));
        }
        assert_eq!(read(memory.address, 4096).unwrap(), [byte; 4096]);
    }
}

/// After the wait, and before the signal.
fn a_host_function_is_called_in_its_turn(vulkan: &Vulkan) {
    unsafe extern "C" fn called(calls: *mut c_void) {
        // SAFETY: the counter outlives the stream's work.
        unsafe { &*calls.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
    }
    let (stream, timeline) = (Stream::new().unwrap(), fixtures::timeline(vulkan));
    let calls = AtomicU32::new(0);
    stream.wait(&[(&timeline.cuda, 1)]).unwrap();
    // SAFETY: the function takes this counter.
    ok(unsafe { cuLaunchHostFunc(stream.raw(), Some(called), (&raw const calls).cast_mut().cast()) });
    stream.signal(&[(&timeline.cuda, 2)]).unwrap();
    assert_held(&stream);
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    timeline.vulkan.signal(1).unwrap();
    timeline.vulkan.wait(2).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    stream.finish().unwrap();
    // SAFETY: there is no function to call.
    assert_eq!(unsafe { cuLaunchHostFunc(stream.raw(), None, null_mut()) }, CUDA_ERROR_INVALID_VALUE);
}
