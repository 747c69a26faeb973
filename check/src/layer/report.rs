//! A finding: collected under the lock of the state, and sent to the program when the lock is given back.

use std::fmt::{Display, Write};
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_sys::CUresult;

use crate::about::About;
use crate::layer::call::{Site, pause};
use crate::layer::objects::{How, Object};
use crate::layer::process::Process;
use crate::message::Fields;
use crate::rules::Rule;
use crate::shared::Shared;

/// What a program did, and the objects that it did it with.
pub struct Finding {
    pub rule: Rule,
    pub call: &'static str,
    text: String,
    pub objects: Vec<u32>,
    answered: Option<CUresult>,
    others: Vec<(String, Site)>,
}

impl Finding {
    pub fn new(rule: Rule, call: &'static str, text: impl Into<String>) -> Self {
        Self { rule, call, text: text.into(), objects: Vec::new(), answered: None, others: Vec::new() }
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

    /// Another call that the reader needs, with words before its name.
    pub fn with(mut self, words: impl Display, site: Site) -> Self {
        self.others.push((format!("{words} {}:", site.call), site));
        self
    }
}

/// What a finding says of an object, as it was at that time.
pub struct Described {
    number: u32,
    about: About,
    made: Site,
    ended: Option<(How, Site)>,
}

impl Described {
    pub fn new(object: &Object) -> Self {
        let Object { number, about, made, ended, .. } = object;
        Self { number: *number, about: *about, made: made.clone(), ended: ended.clone() }
    }
}

/// Sends a finding. The stack is that of the call which is running.
pub fn send(process: &Process, finding: &Finding, objects: &[Described]) {
    let site = Site::here(finding.call);
    let Some(mut fields) = begin(process.shared, finding.rule, &site) else { return };
    fields.add("text", &finding.text);
    if let Some(code) = finding.answered {
        fields.add("answered", format_args!("{code:?}"));
    }
    for Described { number, about, made, ended } in objects {
        add_object(&mut fields, *number, about, made, ended.as_ref());
    }
    finding.others.iter().for_each(|(title, site)| add_other(&mut fields, title, site));
}

/// Begins a message, or counts it as lost.
pub fn begin(shared: &Shared, rule: Rule, site: &Site) -> Option<Fields<impl Write>> {
    let Some(message) = shared.message() else {
        shared.lost.fetch_add(1, Relaxed);
        return None;
    };
    let mut fields = Fields(message);
    fields.add("process", std::process::id());
    fields.add("thread", site.thread);
    fields.add("rule", rule.row().id);
    fields.add("call", site.call);
    fields.add_stack("stack", &site.stack);
    Some(fields)
}

pub fn add_object(
    fields: &mut Fields<impl Write>,
    number: u32,
    about: &About,
    made: &Site,
    ended: Option<&(How, Site)>,
) {
    fields.add("object", format_args!("{} #{number}", about.kind().name()));
    fields.add("about", about);
    fields.add("made_by", made.call);
    fields.add_stack("made_at", &made.stack);
    if let Some((how, site)) = ended {
        fields.add("ended_by", site.call);
        fields.add_stack("ended_at", &site.stack);
        if *how == How::WithContext {
            fields.add("went_with_context", "");
        }
    }
}

pub fn add_other(fields: &mut Fields<impl Write>, title: impl Display, site: &Site) {
    fields.add("other", title);
    fields.add_stack("other_at", &site.stack);
}

/// Sends a line of the trace, for which it waits a while where there is no room. Not to be called under a lock.
pub fn say(process: &Process, text: &str) {
    const MILLISECONDS: u32 = 1000;
    for _ in 0..MILLISECONDS {
        if let Some(message) = process.shared.message() {
            return Fields(message).add("text", text);
        }
        pause(1000);
    }
    process.shared.lost.fetch_add(1, Relaxed);
}
