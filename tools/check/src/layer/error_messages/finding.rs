//! A finding: a mistake of the program, until it is sent to be printed.

use std::fmt::{Display, Write};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::Section;
use cuda_external_sys::CUresult;

use crate::finding_message::Fields;
use crate::layer::host_process::call_site::{Site, pause, thread};
use crate::layer::host_process::current_process::Check;
use crate::layer::state_tracker::tracked_objects::{How, Objects};
use crate::object_description::Origin;
use crate::rules::Rule;
use crate::shared_file::{Frames, Shared};

/// A mistake of the program, with the objects concerned.
pub struct Finding {
    pub rule: Rule,
    pub call: &'static str,
    text: String,
    objects: Vec<u32>,
    answered: Option<CUresult>,
    /// The call that made the mistake, if it is not the one that runs now.
    site: Option<Site>,
    /// Other calls that the reader needs, each with its title.
    calls: Vec<(String, Frames)>,
}

impl Finding {
    pub fn new(rule: Rule, call: &'static str, text: impl Into<String>) -> Self {
        Self {
            rule,
            call,
            text: text.into(),
            objects: Vec::new(),
            answered: None,
            site: None,
            calls: Vec::new(),
        }
    }

    pub fn about(mut self, object: u32) -> Self {
        self.objects.push(object);
        self
    }

    /// The call did not reach the driver, and returned this code.
    pub fn answered(mut self, code: Option<CUresult>) -> Self {
        self.answered = code;
        self
    }

    /// It was made by an earlier call.
    pub fn at(mut self, site: &Site) -> Self {
        self.site = Some(site.clone());
        self
    }

    /// Another call, with words before its name.
    pub fn with(mut self, words: impl Display, site: &Site) -> Self {
        self.calls.push((format!("{words} {}:", site.call), site.stack));
        self
    }

    /// Adds the calls that made and ended its objects, as they are now.
    pub fn describe(&mut self, objects: &Objects) {
        let others = std::mem::take(&mut self.calls);
        for object in self.objects.iter().filter_map(|number| objects.get(*number)) {
            let made = Origin(object.number, &object.about, object.made.call);
            self.calls.push((made.to_string(), object.made.stack));
            if let Some((how, site)) = &object.ended {
                let how = if *how == How::Freed { "It was ended by" } else { "It went with its context in" };
                self.calls.push((format!("{how} {}:", site.call), site.stack));
            }
        }
        self.calls.extend(others);
    }
}

/// Sends a finding. The stack is that of the call which is running.
pub fn send(section: &mut Section, check: &Check, finding: &Finding) {
    let site = finding.site.clone().unwrap_or_else(|| Site::here(section, finding.call));
    let Some(mut fields) = begin(check.shared, finding.rule, &site, thread()) else { return };
    fields.add("text", &finding.text);
    if let Some(code) = finding.answered {
        fields.add("answered", format_args!("{code:?}"));
    }
    for (title, stack) in &finding.calls {
        fields.add_call(title, stack);
    }
}

/// Begins a message, or counts it as lost.
pub fn begin(shared: &Shared, rule: Rule, site: &Site, thread: i32) -> Option<Fields<impl Write>> {
    let Some(message) = shared.message() else {
        shared.lost.fetch_add(1, Relaxed);
        return None;
    };
    let mut fields = Fields(message);
    fields.add("process", std::process::id());
    fields.add("thread", thread);
    fields.add("rule", rule.info().id);
    fields.add("call", site.call);
    fields.add_stack(&site.stack);
    Some(fields)
}

/// Sends a line of the trace. If there is no room, it waits up to a second. If nobody has read since the last wait, it
/// does not wait again.
pub fn say(section: &mut Section, check: &Check, text: &str) {
    const MILLISECONDS: u32 = 1000;
    static IS_READ: AtomicBool = AtomicBool::new(true);
    let tries = if IS_READ.load(Relaxed) { MILLISECONDS } else { 1 };
    for _ in 0..tries {
        section.quiet();
        if let Some(message) = check.shared.message() {
            IS_READ.store(true, Relaxed);
            return Fields(message).add("text", text);
        }
        section.outside(|| pause(1000));
    }
    IS_READ.store(false, Relaxed);
    check.shared.lost.fetch_add(1, Relaxed);
}
