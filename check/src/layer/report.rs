//! A finding, as a block on stderr and as JSON for the program.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use cuda_external_sys::CUresult;

use crate::addresses::Modules;
use crate::layer::objects::{How, Object, Objects, Site};
use crate::layer::state::site;
use crate::options::Options;
use crate::records::{Json, Records, line};
use crate::rules::{Rule, Source};
use crate::stack::Stack;
use crate::sys;

/// How many blocks are printed of one rule in one function. The others are counted.
const PRINTED: u32 = 10;

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
}

/// Where findings go.
#[derive(Default)]
pub struct Output {
    pub options: Options,
    layer: Option<PathBuf>,
    printed: HashMap<(Rule, &'static str), u32>,
    is_on: bool,
}

/// A stack with a title, ready to be printed.
struct Titled {
    title: String,
    frames: Vec<String>,
}

impl Output {
    pub fn new(options: Options) -> Self {
        Self { options, layer: path_of_this_library(), printed: HashMap::new(), is_on: true }
    }

    pub fn report(&mut self, finding: Finding, objects: &Objects) {
        let rule = finding.rule;
        if !self.is_on || !self.options.reports(rule) {
            return;
        }
        let printed = self.printed.entry((rule, finding.site.call)).or_default();
        *printed += 1;
        if *printed > PRINTED {
            if *printed == PRINTED + 1 {
                say(&format!("{}: further ones in {} are counted only", rule.row().id, finding.site.call));
            }
            return self.leave(&line(rule, ""));
        }
        let mut modules = Modules::parse(&fs::read_to_string("/proc/self/maps").unwrap_or_default());
        let mut frames = |stack: &Stack| modules.describe(stack, self.layer.as_deref());
        let stack = frames(&finding.site.stack);
        let about: Vec<&Object> = finding.objects.iter().filter_map(|number| objects.get(*number)).collect();
        let mut stacks = Vec::new();
        for object in &about {
            let title = format!("The {}, {}, was made by {}:", object.name(), object.about, object.made.call);
            stacks.push(Titled { title, frames: frames(&object.made.stack) });
            if let Some((how, site)) = &object.ended {
                let how =
                    if *how == How::WithContext { "It went with its context in" } else { "It was ended by" };
                stacks.push(Titled { title: format!("{how} {}:", site.call), frames: frames(&site.stack) });
            }
        }
        for (title, site) in &finding.others {
            stacks.push(Titled { title: title.clone(), frames: frames(&site.stack) });
        }
        print(&finding, &stack, &stacks);
        let objects: Vec<String> = about.iter().map(|object| json_of(object, &mut frames)).collect();
        self.leave(&line(rule, &json(&finding, &stack, &objects)));
    }

    /// Appends a line to this process's file. One write is one line, also where threads write at once.
    fn leave(&self, line: &str) {
        let path = self.options.directory.join(Records::file_name(std::process::id()));
        if let Ok(mut file) = fs::OpenOptions::new().append(true).create(true).open(path) {
            _ = file.write_all(line.as_bytes());
        }
    }
}

/// Prints one line as the layer's.
pub fn say(text: &str) {
    _ = std::io::stderr().write_all(format!("========= {text}\n").as_bytes());
}

/// One write, so that blocks of several threads and processes do not mix.
fn print(finding: &Finding, stack: &[String], stacks: &[Titled]) {
    let row = finding.rule.row();
    let mut text = format!("========= {} in {}\n", row.id, finding.site.call);
    let mut add = |line: &str| text += &format!("=========     {line}\n");
    add(row.sentence);
    add(&finding.text);
    if let Some(code) = finding.answered {
        add(&format!(
            "The driver was not called, since it may crash or harm the program. The call returned {code:?}."
        ));
    }
    add(&format!("Remedy: {}", row.remedy));
    if !stack.is_empty() {
        add(&format!("Call stack, process {}, thread {}:", std::process::id(), finding.site.thread));
        stack.iter().for_each(|frame| add(&format!("    {frame}")));
    }
    for Titled { title, frames } in stacks {
        add(title);
        frames.iter().for_each(|frame| add(&format!("    {frame}")));
    }
    text += "=========\n";
    _ = std::io::stderr().write_all(text.as_bytes());
}

fn json(finding: &Finding, stack: &[String], objects: &[String]) -> String {
    let row = finding.rule.row();
    let json = Json::object(|json| {
        json.text("rule", row.id);
        json.text("sentence", row.sentence);
        json.text("source", if row.source == Source::Manual { "manual" } else { "measured" });
        json.text("remedy", row.remedy);
        json.text("call", finding.site.call);
        json.text("text", &finding.text);
        json.number("process", std::process::id().into());
        json.number("thread", finding.site.thread.into());
        if let Some(code) = finding.answered {
            json.text("answered", &format!("{code:?}"));
        }
        json.texts("stack", stack);
        json.array("objects", objects);
    });
    json.finish()
}

fn json_of(object: &Object, frames: &mut impl FnMut(&Stack) -> Vec<String>) -> String {
    let json = Json::object(|json| {
        json.text("object", &object.name());
        json.text("about", &object.about);
        json.text("made_by", object.made.call);
        json.texts("made_at", &frames(&object.made.stack));
        if let Some((_, site)) = &object.ended {
            json.text("ended_by", site.call);
            json.texts("ended_at", &frames(&site.stack));
        }
    });
    json.finish()
}

fn path_of_this_library() -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;
    let mut info = sys::DlInfo::default();
    // SAFETY: an address of this library, and a struct to be filled, whose strings stay while the library is loaded.
    unsafe {
        (sys::dladdr(path_of_this_library as *const _, &mut info) != 0)
            .then(|| OsStr::from_bytes(CStr::from_ptr(info.file_name).to_bytes()))
            .and_then(|path| fs::canonicalize(path).ok())
    }
}
