//! The findings of all processes: printed as blocks, counted, and kept as JSON.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cuda_external_check::addresses::Modules;
use cuda_external_check::message::{Message, Object};
use cuda_external_check::options::SOCKET;
use cuda_external_check::rules::{Rule, Source};
use serde_json::{Value, json};

use super::symbols::Symbols;

/// How many blocks are printed of one rule in one function of a process. The others are counted.
const PRINTED: usize = 10;

/// How many frames of a stack are printed. The JSON has all that were kept.
const FRAMES: usize = 16;

/// Prints lines as this program's.
pub fn say(text: &str) {
    text.lines().for_each(|line| eprintln!("========= {line}"));
}

pub struct Reports {
    socket: UnixDatagram,
    directory: PathBuf,
    symbols: Symbols,
    seen: HashMap<(u32, String, String), usize>,
    /// How often each rule was broken.
    pub counts: BTreeMap<String, usize>,
    /// The findings that were printed, as JSON.
    pub findings: Vec<Value>,
}

impl Reports {
    /// Opens the socket that the layers send their findings to.
    pub fn open(directory: &Path) -> std::io::Result<Self> {
        let socket = UnixDatagram::bind(directory.join(SOCKET))?;
        socket.set_read_timeout(Some(Duration::from_millis(20)))?;
        Ok(Self {
            socket,
            directory: directory.to_owned(),
            symbols: Symbols::default(),
            seen: HashMap::new(),
            counts: BTreeMap::new(),
            findings: Vec::new(),
        })
    }

    /// Prints what comes until the program has ended and nothing is left.
    pub fn receive(&mut self, is_over: &AtomicBool) {
        let mut bytes = vec![0; 1 << 18];
        loop {
            let was_over = is_over.load(Ordering::Acquire);
            match self.socket.recv(&mut bytes) {
                Ok(length) => self.add(&Message::decode(&String::from_utf8_lossy(&bytes[..length]))),
                Err(_) if was_over => return,
                Err(_) => {}
            }
        }
    }

    pub fn add(&mut self, message: &Message) {
        let Some(rule) = Rule::named(&message.rule) else { return };
        *self.counts.entry(message.rule.clone()).or_default() += 1;
        let seen =
            self.seen.entry((message.process, message.rule.clone(), message.call.clone())).or_default();
        *seen += 1;
        if *seen <= PRINTED {
            self.print(rule, message);
        } else if *seen == PRINTED + 1 {
            say(&format!("{}: further ones in {} are counted only", message.rule, message.call));
        }
    }

    /// Prints a block by one write, so that it does not mix with what the program writes.
    fn print(&mut self, rule: Rule, message: &Message) {
        let row = rule.row();
        let maps = fs::read_to_string(self.directory.join(format!("maps.{}", message.process)));
        let modules = Modules::parse(&maps.unwrap_or_default());
        let mut frames = |stack: &[usize]| self.symbols.describe(stack, &modules, &self.directory);

        let mut block = vec![row.sentence.to_owned(), message.text.clone()];
        if let Some(code) = &message.answered {
            block.push(format!(
                "The driver was not called, since it may crash or harm the program. The call returned {code}."
            ));
        }
        block.push(format!("Remedy: {}", row.remedy));
        block.push(format!("About this rule: docs/check-rules.md#{} of cuda-external-sys.", row.id));
        let mut add = |title: String, frames: &[String]| {
            block.push(title);
            block.extend(frames.iter().take(FRAMES).map(|frame| format!("    {frame}")));
            if frames.len() > FRAMES {
                block.push("    ...".to_owned());
            }
        };
        let stack = frames(&message.stack);
        if !stack.is_empty() {
            add(format!("Call stack, process {}, thread {}:", message.process, message.thread), &stack);
        }
        let mut objects = Vec::new();
        for object in &message.objects {
            let Object { name, about, made_by, .. } = object;
            let (made_at, ended_at) = (frames(&object.made_at), frames(&object.ended_at));
            add(format!("The {name}, {about}, was made by {made_by}:"), &made_at);
            if let Some(call) = &object.ended_by {
                let how =
                    if object.went_with_context { "It went with its context in" } else { "It was ended by" };
                add(format!("{how} {call}:"), &ended_at);
            }
            objects.push(json_of(object, &made_at, &ended_at));
        }
        for other in &message.others {
            add(other.title.clone(), &frames(&other.stack));
        }
        let block: String = block.iter().map(|line| format!("=========     {line}\n")).collect();
        let block = format!("========= {} in {}\n{block}=========\n", row.id, message.call);
        _ = std::io::stderr().write_all(block.as_bytes());

        let source = if row.source == Source::Manual { "manual" } else { "measured" };
        self.findings.push(json!({
            "rule": row.id,
            "sentence": row.sentence,
            "source": source,
            "remedy": row.remedy,
            "call": message.call,
            "text": message.text,
            "process": message.process,
            "thread": message.thread,
            "answered": message.answered,
            "stack": stack,
            "objects": objects,
        }));
    }
}

fn json_of(object: &Object, made_at: &[String], ended_at: &[String]) -> Value {
    json!({
        "object": object.name,
        "about": object.about,
        "made_by": object.made_by,
        "made_at": made_at,
        "ended_by": object.ended_by,
        "ended_at": ended_at,
    })
}
