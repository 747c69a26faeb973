//! Findings: mistakes of the program, and the messages that carry them to `cuda-external-check`.

use std::fmt::{Display, Write};
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::HookScope;
use cuda_external_sys::CUresult;

use crate::finding_encoding::FindingFieldWriter;
use crate::layer::host_process::current_process::{ActiveCheck, CallSite, thread_id};
use crate::layer::state_tracker::tracked_objects::{ObjectEnd, ObjectTable};
use crate::object_description::object_origin_line;
use crate::rules::Rule;
use crate::shared_file::{SharedFile, StackFrames};

pub struct Finding {
    pub rule: &'static Rule,
    pub call: &'static str,
    text: String,
    objects: Vec<u32>,
    /// The code that the layer returned to the program, or `None` if the layer called the driver.
    pub answered: Option<CUresult>,
    /// The call that made the mistake, if it is not the running call.
    site: Option<CallSite>,
    /// Other calls that explain the finding: their titles and their call stacks.
    calls: Vec<(String, StackFrames)>,
}

impl Finding {
    pub fn new(rule: &'static Rule, call: &'static str, text: impl Into<String>) -> Self {
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

    pub fn about_object(mut self, object: u32) -> Self {
        self.objects.push(object);
        self
    }

    pub fn at_earlier_call(mut self, site: &CallSite) -> Self {
        self.site = Some(site.clone());
        self
    }

    /// Adds another call. Its title is `words` and the call's name.
    pub fn with_other_call(mut self, words: impl Display, site: &CallSite) -> Self {
        self.calls.push((format!("{words} {}:", site.call), site.stack));
        self
    }

    pub fn add_object_calls(&mut self, objects: &ObjectTable) {
        let others = std::mem::take(&mut self.calls);
        for object in self.objects.iter().filter_map(|number| objects.get_object(*number)) {
            let made = object_origin_line(object.number, &object.about, object.made.call);
            self.calls.push((made, object.made.stack));
            if let Some((how, site)) = &object.ended {
                let how = if *how == ObjectEnd::Freed { "was ended by" } else { "ended with its context in" };
                self.calls.push((format!("That object {how} {}:", site.call), site.stack));
            }
        }
        self.calls.extend(others);
    }
}

/// Sends a finding. Unless the finding is about an earlier call, the message has the running call's stack.
pub fn send_finding(section: &mut HookScope, check: &ActiveCheck, finding: &Finding) {
    let site = finding.site.clone().unwrap_or_else(|| CallSite::capture_call_site(section, finding.call));
    let Some(mut fields) = begin_message(check.shared, finding.rule, &site, thread_id()) else { return };
    fields.add_finding_field("text", &finding.text);
    if let Some(code) = finding.answered {
        fields.add_finding_field("answered", format_args!("{code:?}"));
    }
    for (title, stack) in &finding.calls {
        fields.add_related_call(title, stack);
    }
}

/// Begins the message of a finding. If the shared file has no room, counts the message as lost and returns `None`.
pub fn begin_message(
    shared: &SharedFile,
    rule: &Rule,
    site: &CallSite,
    thread: i32,
) -> Option<FindingFieldWriter<impl Write>> {
    let Some(message) = shared.claim_message_slot() else {
        shared.lost.fetch_add(1, Relaxed);
        return None;
    };
    let mut fields = FindingFieldWriter(message);
    fields.add_finding_field("process", std::process::id());
    fields.add_finding_field("thread", thread);
    fields.add_finding_field("rule", rule.id);
    fields.add_finding_field("call", site.call);
    fields.add_finding_stack(&site.stack);
    Some(fields)
}

/// Sends a notice: a line that is not a finding. If the shared file has no room, sends nothing.
pub fn send_notice(shared: &SharedFile, text: impl Display) {
    if let Some(message) = shared.claim_message_slot() {
        FindingFieldWriter(message).add_finding_field("text", text);
    }
}
