//! The one state of the layer, behind a lock that is never held while the driver runs a call of the program's.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_external_sys::*;

use crate::about::About;
use crate::journal::Journal;
use crate::layer::graphs::Graphs;
use crate::layer::objects::{How, Kind, Object, Objects};
use crate::layer::report::{Finding, Output};
use crate::layer::site::{Origin, Site, origin, site};
use crate::layer::{driver, events};
use crate::options::Options;
use crate::rules::Rule;

#[derive(Default)]
pub struct State {
    pub output: Output,
    pub objects: Objects,
    pub graphs: Graphs,
    pub journal: Option<Journal>,
    pub process: u32,
    /// The primary contexts that the program retained, by their devices.
    pub primaries: HashMap<CUdevice, usize>,
    /// The contexts that are lost: the code, and the first call that returned it.
    pub lost: HashMap<usize, (CUresult, Site)>,
    /// The streams in which objects were used.
    pub streams: HashSet<usize>,
    /// What cuMemCreate allocated: the sizes by the handles.
    pub allocations: HashMap<u64, u64>,
    /// Whether there are green contexts, whose handles may differ from that of the context that they are part of.
    pub has_green_contexts: bool,
    /// The functions that were reported to come after the loss of a context.
    pub said_lost: HashSet<(usize, &'static str)>,
    /// The findings that are reported once for an object.
    pub said: HashSet<(Rule, u32)>,
}

static STATE: AtomicPtr<Mutex<State>> = AtomicPtr::new(ptr::null_mut());

/// Whether a program that copies or fills may touch a mapping. Until then these calls cost one load.
pub static HAS_MAPPINGS: AtomicBool = AtomicBool::new(false);

/// Whether the calls are to be printed or synchronized: read by every call.
pub static WANTS_MORE: AtomicBool = AtomicBool::new(false);

pub fn state() -> MutexGuard<'static, State> {
    let mut at = STATE.load(Ordering::Acquire);
    if at.is_null() {
        at = install();
    }
    // SAFETY: it was made by `install` and is never freed.
    unsafe { &*at }.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there is a state: not before the first call where no options are named.
pub fn is_there() -> bool {
    !STATE.load(Ordering::Acquire).is_null()
}

/// In a forked process: nothing of the parent's is its own.
pub fn forget() {
    HAS_MAPPINGS.store(false, Ordering::Release);
    STATE.store(ptr::null_mut(), Ordering::Release);
}

fn install() -> *mut Mutex<State> {
    let new = Box::into_raw(Box::new(Mutex::new(State::new())));
    match STATE.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => new,
        // Another thread was first. This one is small, and is left to the process.
        Err(first) => first,
    }
}

impl State {
    fn new() -> Self {
        let Some(options) = Options::of_this_process() else { return Self::default() };
        WANTS_MORE.store(options.log || options.sync, Ordering::Release);
        let process = std::process::id();
        let journal = Journal::create(&options.directory, process).ok();
        if let Some(journal) = &journal {
            driver::note_inside(journal.inside());
        }
        Self { output: Output::new(options), journal, process, ..Self::default() }
    }

    /// Takes an object in: `about` is how the program described it, and `fill` sets what its kind has.
    pub fn add(
        &mut self,
        call: &'static str,
        (kind, handle): (Kind, u64),
        context: usize,
        about: About,
        fill: impl FnOnce(&mut Object),
    ) -> u32 {
        let mut object = Object {
            number: 0,
            kind,
            handle,
            context,
            about,
            made: origin(call),
            ended: None,
            import: 0,
            mappings: Vec::new(),
            offset: 0,
            size: 0,
            flags: 0,
            handle_type: 0,
            signaled: Vec::new(),
            uses: Vec::new(),
            slot: None,
        };
        fill(&mut object);
        let number = self.objects.add(object);
        self.note(number);
        number
    }

    /// Notes an object that is alive in the journal.
    fn note(&mut self, number: u32) {
        if let (Some(object), Some(journal)) = (self.objects.get_mut(number), &mut self.journal) {
            object.slot = journal.add(object.number, &object.about, object.made.call, &object.made.stack);
        }
    }

    /// Notes an object's end before the driver is called.
    pub fn end(&mut self, number: u32, how: How, origin: Origin) {
        self.unnote(number);
        self.objects.end(number, how, origin);
    }

    fn unnote(&mut self, number: u32) {
        let slot = self.objects.get_mut(number).and_then(|object| object.slot.take());
        if let (Some(slot), Some(journal)) = (slot, &mut self.journal) {
            journal.remove(slot);
        }
    }

    /// Takes the end back where the driver refused it.
    pub fn revive(&mut self, number: u32) {
        self.objects.revive(number);
        self.note(number);
    }

    pub fn report(&mut self, finding: Finding) {
        self.output.report(finding, &self.objects, self.journal.as_mut());
    }

    /// A finding about an object that is reported once.
    pub fn report_once(&mut self, number: u32, finding: Finding) {
        if self.said.insert((finding.rule, number)) {
            self.report(finding);
        }
    }

    /// What is not freed when a context ends. From then on nothing of it may be used.
    pub fn end_context(&mut self, context: usize, origin: &Origin) {
        let alive = self.objects.alive(|object| object.context == context);
        let is_lost = self.lost.remove(&context).is_some();
        for number in alive {
            if !is_lost {
                let text = format!("It is alive at the end of its context, by {}.", origin.call);
                self.report(Finding::new(Rule::NotFreed, origin.call, text).about(number));
            }
            self.end(number, How::WithContext, origin.clone());
        }
        for object in self.objects.all_mut() {
            object.uses.retain(|(_, event, _)| event.context() != context);
        }
        events::forget(context);
    }

    pub fn end_process(&mut self) {
        // What is still alive is in the journal. Other destructors may free it after this one, so the program reports it.
        if let Some(journal) = &self.journal {
            journal.end();
        }
    }
}

/// Remembers the first call that shows that a context is lost.
#[cold]
pub fn note_lost(call: &'static str, code: CUresult) {
    let context = driver::current_context();
    let state = &mut *state();
    if let Entry::Vacant(place) = state.lost.entry(context) {
        place.insert((code, site(call)));
        // Nothing of it can be freed any more.
        state
            .objects
            .alive(|object| object.context == context)
            .into_iter()
            .for_each(|number| state.unnote(number));
    }
}
