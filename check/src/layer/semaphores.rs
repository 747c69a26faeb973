//! Signals and waits, in streams and in graph nodes.

use std::ffi::c_uint;
use std::slice;

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::events::Event;
use crate::layer::objects::{Kind, Use};
use crate::layer::report::Finding;
use crate::layer::site::thread;
use crate::layer::state::{State, state};
use crate::rules::Rule;

/// What signals and waits have in common.
pub trait Params: Copy {
    const IS_SIGNAL: bool;
    /// The flag that NvSciSync alone has.
    const SKIP: u32;
    fn flags(&self) -> u32;
    fn value(&self) -> u64;
    fn reserved_is_zero(&self) -> bool;
    /// Whether the fields of keyed mutexes are set.
    fn has_key(&self) -> bool;
}

impl Params for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    const IS_SIGNAL: bool = true;
    const SKIP: u32 = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
    fn flags(&self) -> u32 {
        self.flags
    }
    fn value(&self) -> u64 {
        self.params.fence.value
    }
    fn reserved_is_zero(&self) -> bool {
        self.reserved == [0; 16] && self.params.reserved == [0; 12]
    }
    fn has_key(&self) -> bool {
        self.params.keyedMutex.key != 0
    }
}

impl Params for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    const IS_SIGNAL: bool = false;
    const SKIP: u32 = CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
    fn flags(&self) -> u32 {
        self.flags
    }
    fn value(&self) -> u64 {
        self.params.fence.value
    }
    fn reserved_is_zero(&self) -> bool {
        self.reserved == [0; 16] && self.params.reserved == [0; 10]
    }
    fn has_key(&self) -> bool {
        self.params.keyedMutex.key != 0 || self.params.keyedMutex.timeoutMs != 0
    }
}

/// What stands for a stream: the default stream of a thread is another one in each thread.
fn key_of(stream: usize) -> usize {
    const PER_THREAD: usize = 2;
    if stream != PER_THREAD {
        return stream;
    }
    PER_THREAD | (thread() as usize) << 32
}

fn is_timeline(handle_type: u32) -> bool {
    CUexternalSemaphoreHandleType(handle_type) == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
}

/// Checks the arrays of a call or of a node. Returns what they use, or the code where the driver must not be called.
///
/// # Safety
///
/// The arrays have as many entries, or are null.
pub unsafe fn check<P: Params>(
    state: &mut State,
    call: &'static str,
    semaphores: *const CUexternalSemaphore,
    params: *const P,
    count: c_uint,
) -> Result<Vec<Use>, CUresult> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if semaphores.is_null() || params.is_null() {
        let answer = state.instead(CUDA_ERROR_INVALID_VALUE);
        let text = format!("The count is {count}, and an array is null.");
        state.report(Finding::new(Rule::NullArray, call, text).answered(answer));
        return answer.map_or(Ok(Vec::new()), Err);
    }
    // SAFETY: the caller's promise, and neither is null.
    let (semaphores, params) = unsafe {
        let count = count as usize;
        (slice::from_raw_parts(semaphores, count), slice::from_raw_parts(params, count))
    };
    let mut uses = Vec::with_capacity(semaphores.len());
    for (semaphore, params) in semaphores.iter().zip(params) {
        if let Some(object) = state.import_of(call, semaphore.addr() as u64, Kind::Semaphore, false)? {
            uses.push(check_one(state, call, object, params));
        }
    }
    Ok(uses)
}

fn check_one<P: Params>(state: &mut State, call: &'static str, number: u32, params: &P) -> Use {
    let handle_type = state.objects.get(number).map_or(0, |object| object.handle_type);
    let kind = CUexternalSemaphoreHandleType(handle_type);
    let mut say = |rule, text| state.report(Finding::new(rule, call, text).about(number));
    let known = if kind == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC { P::SKIP } else { 0 };
    if params.flags() & !known != 0 {
        say(Rule::SemaphoreFlags, format!("The flags are {:#x}.", params.flags()));
    }
    let is_keyed_mutex = matches!(
        kind,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX
            | CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT
    );
    if params.has_key() && !is_keyed_mutex {
        say(Rule::KeyedMutexFields, "A field of params.keyedMutex is not zero.".to_owned());
    }
    if !params.reserved_is_zero() {
        say(Rule::ReservedNotZero, "A reserved field of the parameters is not zero.".to_owned());
    }
    let signals = (P::IS_SIGNAL && is_timeline(handle_type)).then(|| params.value());
    Use { object: number, is_signal: P::IS_SIGNAL, signals }
}

/// cuSignalExternalSemaphoresAsync and cuWaitExternalSemaphoresAsync.
///
/// # Safety
///
/// The arrays have as many entries, or are null.
pub unsafe fn enqueue<P: Params>(
    call: &'static str,
    semaphores: *const CUexternalSemaphore,
    params: *const P,
    count: c_uint,
    stream: usize,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    let mut state = state();
    state.look_at_descriptors();
    if count == 0 {
        state.report(Finding::new(Rule::CountZero, call, "The count is 0.".to_owned()));
    }
    // SAFETY: the caller's promise.
    let uses = match unsafe { check(&mut state, call, semaphores, params, count) } {
        Ok(uses) => uses,
        Err(code) => return code,
    };
    let context = driver::current_context();
    state.check_context(call, uses.first().map(|used| used.object), Some(stream));
    state.check_lost(call, context);
    let is_executed = !driver::is_capturing(stream);
    if is_executed {
        state.check_values(call, &uses, stream);
    }
    drop(state);
    let code = real();
    let mut state = self::state();
    if code == CUDA_SUCCESS && is_executed {
        state.note_uses(&uses, context, stream);
    }
    if code != CUDA_SUCCESS {
        state.check_lost(call, context);
    }
    code
}

impl State {
    /// Reports a signal or a wait in a context that is lost, once for each.
    fn check_lost(&mut self, call: &'static str, context: usize) {
        let Some((code, site)) = self.lost.get(&context).cloned() else { return };
        if self.said_lost.insert((context, call)) {
            let text =
                format!("{code:?} was returned first by {}: it, or work before it, is the cause.", site.call);
            let title = format!("The first call that returned {code:?}, {}:", site.call);
            self.report(Finding::new(Rule::ContextLost, call, text).with(title, site));
        }
    }

    /// Reports a timeline that is signaled with 0, or whose value does not grow in a stream. A graph's values count when it is
    /// launched, since they may be set until then.
    pub fn check_values(&mut self, call: &'static str, uses: &[Use], stream: usize) {
        let stream = key_of(stream);
        for Use { object, signals, .. } in uses {
            let Some(value) = *signals else { continue };
            if value == 0 {
                let text = "The value is 0.".to_owned();
                self.report(Finding::new(Rule::TimelineZero, call, text).about(*object));
                continue;
            }
            let signaled = self.objects.get(*object).map(|object| &object.signaled);
            let last =
                signaled.and_then(|list| list.iter().find(|(of, _)| *of == stream)).map(|(_, value)| *value);
            if let Some(last) = last.filter(|last| value <= *last) {
                let text = format!("The value is {value}; the signal before it in this stream was {last}.");
                self.report(Finding::new(Rule::TimelineNotGrowing, call, text).about(*object));
            }
        }
    }

    /// Notes that queued work uses these objects.
    pub fn note_uses(&mut self, uses: &[Use], context: usize, stream: usize) {
        const STREAMS: usize = 16;
        let event = if uses.is_empty() { None } else { Event::record(context, stream) };
        let stream = key_of(stream);
        self.streams.insert(stream);
        for Use { object, is_signal, signals } in uses {
            let Some(object) = self.objects.get_mut(*object) else { continue };
            object.uses.retain(|(of, ..)| *of != stream);
            if let Some(event) = event.clone().filter(|_| object.uses.len() < STREAMS) {
                object.uses.push((stream, event, *is_signal));
            }
            let Some(value) = *signals else { continue };
            object.signaled.retain(|(of, _)| *of != stream);
            if object.signaled.len() < STREAMS {
                object.signaled.push((stream, value));
            }
        }
    }

    /// A stream's handle may come again for another stream.
    pub fn forget_stream(&mut self, stream: usize) {
        if !self.streams.remove(&stream) {
            return;
        }
        for object in self.objects.all_mut() {
            object.signaled.retain(|(of, _)| *of != stream);
            object.uses.retain(|(of, ..)| *of != stream);
        }
    }
}
