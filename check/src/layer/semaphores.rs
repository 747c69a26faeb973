//! Signals and waits, in streams and in graph nodes.

use std::collections::HashMap;
use std::ffi::c_uint;

use cuda_external_sys::*;

use crate::layer::call::{Answer, Call, IntoCode, Place, Site, key_of};
use crate::layer::driver;
use crate::layer::events::Event;
use crate::layer::objects::{Kind, Pending, Use};
use crate::layer::state::{State, state};
use crate::layer::turns::Turn;
use crate::layer::{fds, graph, vulkan};
use crate::rules::Rule;

/// What signals and waits have in common.
#[derive(Clone, Copy)]
pub struct Params {
    is_signal: bool,
    pub flags: u32,
    pub value: u64,
    reserved_is_zero: bool,
    /// Whether the fields of keyed mutexes are set.
    has_key: bool,
}

impl From<&CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> for Params {
    fn from(of: &CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) -> Self {
        Self {
            is_signal: true,
            flags: of.flags,
            value: of.params.fence.value,
            reserved_is_zero: of.reserved == [0; 16] && of.params.reserved == [0; 12],
            has_key: of.params.keyedMutex.key != 0,
        }
    }
}

impl From<&CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> for Params {
    fn from(of: &CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) -> Self {
        Self {
            is_signal: false,
            flags: of.flags,
            value: of.params.fence.value,
            reserved_is_zero: of.reserved == [0; 16] && of.params.reserved == [0; 10],
            has_key: of.params.keyedMutex.key != 0 || of.params.keyedMutex.timeoutMs != 0,
        }
    }
}

/// The semaphores of a call or of a node, each with its parameters.
pub struct Entries {
    count: c_uint,
    /// None where an array is null, or where the count cannot be right.
    pub all: Option<Vec<(u64, Params)>>,
}

/// Reads the arrays, before the lock is taken.
///
/// # Safety
///
/// The arrays have as many entries, or are null.
pub unsafe fn read<P>(semaphores: *const CUexternalSemaphore, params: *const P, count: c_uint) -> Entries
where
    for<'a> Params: From<&'a P>,
{
    const MOST: c_uint = 1 << 16;
    if count > 0 && (semaphores.is_null() || params.is_null() || count > MOST) {
        return Entries { count, all: None };
    }
    let read = |at| {
        // SAFETY: the caller's promise, and neither is null.
        let (semaphore, params) = unsafe { (*semaphores.add(at), &*params.add(at)) };
        (semaphore.addr() as u64, Params::from(params))
    };
    Entries { count, all: Some((0..count as usize).map(read).collect()) }
}

/// Reads the arrays of a node's parameters: the structs of both kinds and of both versions have the same fields.
macro_rules! entries_of {
    ($params:ident) => {
        $crate::layer::semaphores::read(
            $params.extSemArray.cast_const(),
            $params.paramsArray,
            $params.numExtSems,
        )
    };
}
pub(super) use entries_of;

/// Checks the arrays. Returns what they use, or the code where the driver must not be called.
pub fn check(state: &mut State, call: &Call<'_>, entries: &Entries) -> Result<Vec<Use>, CUresult> {
    let Some(all) = &entries.all else {
        let count = entries.count;
        let text = format!("The count is {count}, and an array is null or cannot have as many entries.");
        let refused = state.refuse(call.finding(Rule::NullArray, text), CUDA_ERROR_INVALID_VALUE);
        return refused.map(|()| Vec::new());
    };
    let mut uses = Vec::new();
    for (handle, params) in all {
        if let Some(object) = state.import_of(call, *handle, Kind::Semaphore, false)? {
            uses.push(check_one(state, call, object, params));
        }
    }
    Ok(uses)
}

fn check_one(state: &mut State, call: &Call<'_>, number: u32, params: &Params) -> Use {
    let about = state.objects.get(number).map(|object| object.about).unwrap_or_default();
    let kind = CUexternalSemaphoreHandleType(about.handle_type());
    let mut say = |rule, text: &str| state.report(call.finding(rule, text).about(number));
    let known = match params.is_signal {
        _ if kind != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC => 0,
        true => CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC,
        false => CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC,
    };
    if params.flags & !known != 0 {
        say(Rule::SemaphoreFlags, &format!("The flags are {:#x}.", params.flags));
    }
    let is_keyed_mutex = matches!(
        kind,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX
            | CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT
    );
    if params.has_key && !is_keyed_mutex {
        say(Rule::KeyedMutexFields, "A field of params.keyedMutex is not zero.");
    }
    if !params.reserved_is_zero {
        say(Rule::ReservedNotZero, "A reserved field of the parameters is not zero.");
    }
    let is_timeline = kind == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let signals = (params.is_signal && is_timeline).then_some(params.value);
    Use { object: number, is_signal: params.is_signal, signals, value: params.value }
}

/// cuSignalExternalSemaphoresAsync and cuWaitExternalSemaphoresAsync.
pub fn enqueue(call: &Call<'_>, entries: &Entries, on: CUstream) -> CUresult {
    fds::report_closes();
    let mut context = 0;
    let check = |state: &mut State, place: &Place| {
        state.check_forked(call);
        if entries.count == 0 {
            state.report(call.finding(Rule::CountZero, "The count is 0."));
        }
        let uses = check(state, call, entries)?;
        context = place.context();
        state.check_context(call, uses.first().map(|used| used.object), place);
        state.check_lost(call, context);
        Ok(uses)
    };
    let code = queued(call, call.stream(on), check).into_code();
    if code != CUDA_SUCCESS {
        state().check_failed(call, context, code, entries);
    }
    code
}

/// Enqueues work that uses no object, but may come between another thread's work and the event behind it.
pub fn enqueued(call: &Call<'_>, stream: usize) -> CUresult {
    let _turn = Turn::begin(key_of(stream));
    call.driver()
}

/// Enqueues work in a stream. `check` looks at the call under the lock, and returns what the work uses.
pub fn queued(
    call: &Call<'_>,
    stream: usize,
    check: impl FnOnce(&mut State, &Place) -> Result<Vec<Use>, CUresult>,
) -> Answer {
    // The driver cannot be asked about a stream that was destroyed.
    if !state().check_stream(call, stream)? {
        return Ok(driver::suspected(call, 0));
    }
    let (place, key) = (Place::of_stream(stream), key_of(stream));
    let site = (vulkan::has_exports() && !place.is_capturing).then(|| call.site());
    let mut state = state();
    let uses = check(&mut state, &place)?;
    if !place.is_capturing {
        state.check_values(call, &uses, key);
    }
    if let Some(site) = site {
        uses.iter().for_each(|used| state.enqueue_shared(&site, used, key));
    }
    let events = state.events.clone();
    drop(state);
    let turn = Turn::begin(key);
    let code = call.driver();
    if code != CUDA_SUCCESS || uses.is_empty() {
        return Ok(code);
    }
    if place.is_capturing {
        graph::note_captured(stream, uses);
        return Ok(code);
    }
    let event = Event::record(&events, place.context(), stream);
    let mut state = self::state();
    const MOST: usize = 1000;
    // Where another thread enqueued work meanwhile, the event may be behind that.
    let event = event.filter(|_| turn.is_alone());
    for Use { object, is_signal, signals, .. } in uses {
        let Some(object) = state.objects.used_in(key, object) else { continue };
        object.uses.retain(|used| used.stream != key);
        if object.uses.len() > MOST {
            object.uses.remove(0);
        }
        if let Some(event) = event.clone() {
            object.uses.push(Pending { stream: key, event, is_signal });
        }
        if let Some(value) = signals {
            let last = object.signaled.entry(key).or_default();
            *last = value.max(*last);
        }
    }
    Ok(code)
}

impl State {
    /// Reports a signal or a wait in a context that is lost, once for each.
    fn check_lost(&mut self, call: &Call<'_>, context: usize) {
        let Some((code, site)) = self.lost.get(&context).cloned() else { return };
        if self.reported_lost.insert((context, call.name)) {
            let text =
                format!("{code:?} was returned first by {}: it, or work before it, is the cause.", site.call);
            let title = format_args!("The first call that returned {code:?},");
            self.report(call.finding(Rule::ContextLost, text).with(title, &site));
        }
    }

    /// Reports why a signal or a wait failed, where that is known.
    fn check_failed(&mut self, call: &Call<'_>, context: usize, code: CUresult, entries: &Entries) {
        self.check_lost(call, context);
        let handles = entries.all.iter().flatten().map(|(handle, _)| *handle);
        let unknown = handles.filter(|handle| *handle != 0).find(|handle| self.is_unknown(*handle));
        unknown.into_iter().for_each(|handle| self.check_refused(call, handle, code));
    }

    /// Reports a timeline that is signaled with 0, or whose value does not grow in a stream. A graph's values count when it is
    /// launched, since they may be set until then. It may signal one timeline several times, in an order that is not known.
    fn check_values(&mut self, call: &Call<'_>, uses: &[Use], stream: usize) {
        let mut least: HashMap<u32, u64> = HashMap::new();
        for Use { object, signals, .. } in uses {
            let Some(value) = *signals else { continue };
            let known = least.entry(*object).or_insert(value);
            *known = value.min(*known);
        }
        for (object, value) in least {
            if value == 0 {
                self.report(call.finding(Rule::TimelineZero, "The value is 0.").about(object));
                continue;
            }
            let last = self.objects.get(object).and_then(|object| object.signaled.get(&stream)).copied();
            if let Some(last) = last.filter(|last| value <= *last) {
                let text = format!("The value is {value}; the signal before it in this stream was {last}.");
                self.report(call.finding(Rule::TimelineNotGrowing, text).about(object));
            }
        }
    }

    /// A stream ends, whose handle may come again. Its work may still use the objects.
    pub fn stream_ends(&mut self, stream: usize, site: Site) {
        const REMEMBERED: usize = 1000;
        if self.ended_streams.len() == REMEMBERED {
            self.ended_streams.clear();
        }
        self.ended_streams.insert(stream, site);
        self.objects.stream_ends(stream);
    }
}
