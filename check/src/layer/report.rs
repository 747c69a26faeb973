//! A finding, sent to the program that prints it.

use std::os::unix::net::UnixDatagram;

use cuda_external_sys::CUresult;

use crate::journal::Journal;
use crate::layer::objects::{How, Object, Objects};
use crate::layer::site::{Site, site};
use crate::message::{self, Call, Message};
use crate::options::{Options, SOCKET};
use crate::rules::Rule;

/// What a program did, and the objects that it did it with.
pub struct Finding {
    pub rule: Rule,
    site: Site,
    text: String,
    objects: Vec<u32>,
    answered: Option<CUresult>,
    others: Vec<(String, Site)>,
}

impl Finding {
    pub fn new(rule: Rule, call: &'static str, text: String) -> Self {
        Self::at(rule, site(call), text)
    }

    /// About an earlier call.
    pub fn at(rule: Rule, site: Site, text: String) -> Self {
        Self { rule, site, text, objects: Vec::new(), answered: None, others: Vec::new() }
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

    /// Another call that the reader needs.
    pub fn with(mut self, title: String, site: Site) -> Self {
        self.others.push((title, site));
        self
    }

    fn message(self, objects: &Objects) -> Message {
        let call = |(title, site): (String, Site)| Call { title, stack: site.stack.to_vec() };
        Message {
            process: std::process::id(),
            thread: self.site.thread,
            rule: self.rule.row().id.to_owned(),
            call: self.site.call.to_owned(),
            text: self.text,
            answered: self.answered.map(|code| format!("{code:?}")),
            stack: self.site.stack.to_vec(),
            objects: self.objects.iter().filter_map(|number| objects.get(*number)).map(described).collect(),
            others: self.others.into_iter().map(call).collect(),
        }
    }
}

fn described(object: &Object) -> message::Object {
    let ended = object.ended.as_ref();
    message::Object {
        name: object.name(),
        about: object.about.to_string(),
        made_by: object.made.call.to_owned(),
        made_at: object.made.stack.frames.to_vec(),
        ended_by: ended.map(|(_, origin)| origin.call.to_owned()),
        ended_at: ended.map(|(_, origin)| origin.stack.frames.to_vec()).unwrap_or_default(),
        went_with_context: ended.is_some_and(|(how, _)| *how == How::WithContext),
    }
}

/// Where findings go.
#[derive(Default)]
pub struct Output {
    pub options: Options,
    is_on: bool,
}

impl Output {
    pub fn new(options: Options) -> Self {
        Self { options, is_on: true }
    }

    pub fn report(&self, finding: Finding, objects: &Objects, journal: Option<&mut Journal>) {
        if !self.is_on || !self.options.reports(finding.rule) {
            return;
        }
        journal.into_iter().for_each(|journal| journal.copy_memory_map(&finding.site.stack));
        let message = finding.message(objects).encode();
        // The socket is not kept: the program may close every descriptor. Where nobody listens, the check has ended.
        if let Ok(socket) = UnixDatagram::unbound() {
            _ = socket.send_to(message.as_bytes(), self.options.directory.join(SOCKET));
        }
    }
}

/// Prints one line as the layer's.
pub fn say(text: &str) {
    _ = std::io::Write::write_all(&mut std::io::stderr(), format!("========= {text}\n").as_bytes());
}
