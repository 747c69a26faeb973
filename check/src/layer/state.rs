//! The state of a process, behind the one lock of [`lock`](super::lock).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, MutexGuard};

use cuda_external_sys::*;

use crate::about::About;
use crate::layer::call::{Call, Place, Site};
use crate::layer::events::Pool;
use crate::layer::graphs::Graphs;
use crate::layer::lock::Lock;
use crate::layer::objects::{How, Object, Objects};
use crate::layer::process::{self, Process};
use crate::layer::report::{self, Finding};
use crate::layer::vulkan::Vulkan;
use crate::rules::Rule;
use crate::shared::Image;

#[derive(Default)]
pub struct State {
    image: Option<(u32, &'static Image)>,
    pub objects: Objects,
    pub graphs: Graphs,
    pub vulkan: Vulkan,
    pub events: Arc<Lock<Pool>>,
    /// The primary contexts that the program retained, by their devices.
    pub primaries: HashMap<CUdevice, usize>,
    /// The contexts that are lost: the code, and the first call that returned it.
    pub lost: HashMap<usize, (CUresult, Site)>,
    /// The streams that were destroyed, until the driver gives a handle again.
    pub ended_streams: HashMap<usize, Site>,
    /// What cuMemCreate allocated: the sizes by the handles.
    pub allocations: HashMap<u64, u64>,
    /// Whether there are green contexts, whose handles may differ from that of the context that they are part of.
    pub has_green_contexts: bool,
    /// The functions that were reported to come after the loss of a context.
    pub reported_lost: HashSet<(usize, &'static str)>,
    /// The findings that are reported once for an object.
    reported: HashSet<(Rule, u32)>,
    /// How often a rule was broken by a function.
    broken: HashMap<(Rule, &'static str), usize>,
    /// What is sent when the lock is given back.
    findings: Vec<Finding>,
}

static HAS_MAPPINGS: AtomicBool = AtomicBool::new(false);

/// Whether calls that copy or fill may touch a mapping. Until then they cost one load.
pub fn has_mappings() -> bool {
    HAS_MAPPINGS.load(Acquire)
}

pub fn note_mappings() {
    HAS_MAPPINGS.store(true, Release);
}

/// Every wrapped function asks first whether there is a check.
fn process() -> &'static Process {
    process::process().expect("the layer is loaded with the check")
}

/// The lock of the state. What was found meanwhile is sent when it is dropped.
pub struct Guard(Option<MutexGuard<'static, State>>);

/// The state of this process.
pub fn state() -> Guard {
    Guard(Some(process::own().state.lock()))
}

impl Deref for Guard {
    type Target = State;
    fn deref(&self) -> &State {
        self.0.as_ref().expect("it is held until it is dropped")
    }
}

impl DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut State {
        self.0.as_mut().expect("it is held until it is dropped")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let findings = std::mem::take(&mut self.findings);
        self.0 = None;
        findings.iter().for_each(|finding| report::send(process(), finding));
    }
}

impl State {
    /// What the program knows of this process. A child of fork is known from its first finding or object on.
    pub fn image(&mut self) -> Option<(u32, &'static Image)> {
        if self.image.is_none() {
            self.image = process().shared.new_image(std::process::id(), process::started());
            self.image.into_iter().for_each(|(_, image)| process::set_image(image));
        }
        self.image
    }

    /// Whether a rule is reported.
    pub fn reports(&self, rule: Rule) -> bool {
        process().options.reports(rule)
    }

    /// Reports a mistake on which the driver may crash. Its call returns this code, unless the program is to have the crash.
    pub fn refuse(&mut self, finding: Finding, code: CUresult) -> Result<(), CUresult> {
        let answer = (!process().options.let_crash).then_some(code);
        self.report(finding.answered(answer));
        answer.map_or(Ok(()), Err)
    }

    /// Takes an object in: `about` is how the program described it, `import` what a mapping is of.
    pub fn add(&mut self, made: Site, handle: u64, context: usize, about: About, import: u32) -> u32 {
        let new = Object { handle, context, about, made, import, ..Object::default() };
        let number = self.objects.add(new);
        self.list(number);
        number
    }

    /// Lists an object that is alive, for the report at the end of the process.
    fn list(&mut self, number: u32) {
        let Some((at, image)) = self.image() else { return };
        let Some(object) = self.objects.get_mut(number) else { return };
        object.listed = process().shared.list(at, number, object.about.0, &object.made.stack);
        if object.listed.is_none() {
            image.unlisted.fetch_add(1, Relaxed);
        }
        object.is_counted = true;
    }

    fn unlist(&mut self, number: u32) {
        let Some((_, image)) = self.image() else { return };
        let Some(object) = self.objects.get_mut(number).filter(|object| object.is_counted) else { return };
        object.is_counted = false;
        match object.listed.take() {
            Some(at) => process().shared.unlist(at),
            None => _ = image.unlisted.fetch_sub(1, Relaxed),
        }
    }

    /// Notes an object's end before the driver is called.
    pub fn end(&mut self, number: u32, how: How, site: Site) {
        self.unlist(number);
        self.objects.end(number, how, site);
        self.vulkan.end_import(number);
    }

    /// Takes the end back where the driver refused it.
    pub fn revive(&mut self, number: u32) {
        self.objects.revive(number);
        self.list(number);
    }

    /// Counts a finding. The first ones of a rule in a function are sent.
    pub fn report(&mut self, mut finding: Finding) {
        const SENT: usize = 11;
        if !self.reports(finding.rule) {
            return;
        }
        // The program is to know the process whose stack this is.
        self.image();
        process().shared.counts[finding.rule as usize].fetch_add(1, Relaxed);
        let broken = self.broken.entry((finding.rule, finding.call)).or_default();
        *broken += 1;
        if *broken <= SENT {
            finding.describe(&self.objects);
            self.findings.push(finding);
        }
    }

    /// A finding about an object that is reported once.
    pub fn report_once(&mut self, number: u32, finding: Finding) {
        if self.reported.insert((finding.rule, number)) {
            self.report(finding);
        }
    }

    /// Notes the end of a context and of what was alive in it.
    pub fn end_context(&mut self, context: usize, mut alive: Vec<u32>, site: &Site) -> EndedContext {
        alive.retain(|number| self.objects.get(*number).is_some_and(|object| object.ended.is_none()));
        let lost = self.lost.remove(&context);
        alive.iter().for_each(|number| self.end(*number, How::WithContext, site.clone()));
        for object in self.objects.all_mut() {
            object.uses.retain(|used| used.event.context != context);
        }
        // The context's events went with it.
        let events = self.events.clone();
        events.lock().remove(&context);
        EndedContext { context, alive, lost }
    }

    /// Reports what was not freed when the context ended, or takes the end back where the driver refused it.
    pub fn context_ended(&mut self, call: &Call<'_>, ended: EndedContext, has_ended: bool) {
        let EndedContext { context, alive, lost } = ended;
        if !has_ended {
            alive.into_iter().for_each(|number| self.revive(number));
            lost.into_iter().for_each(|lost| _ = self.lost.insert(context, lost));
            return;
        }
        for number in alive.into_iter().filter(|_| lost.is_none()) {
            let text = format!("It is alive at the end of its context, by {}.", call.name);
            self.report(call.finding(Rule::NotFreed, text).about(number));
        }
    }
}

/// What was in a context that ends.
pub struct EndedContext {
    context: usize,
    alive: Vec<u32>,
    lost: Option<(CUresult, Site)>,
}

/// Remembers the first call that shows that a context is lost.
#[cold]
pub fn note_lost(call: &Call<'_>, code: CUresult) {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let context = Place::of_thread().context();
    // Each later call returns the code too.
    if LAST.swap(context, Relaxed) == context && state().lost.contains_key(&context) {
        return;
    }
    let site = call.site();
    let state = &mut *state();
    if let Entry::Vacant(place) = state.lost.entry(context) {
        place.insert((code, site));
        // Nothing of it can be freed any more.
        state.objects.alive_in(context).into_iter().for_each(|number| state.unlist(number));
    }
}
