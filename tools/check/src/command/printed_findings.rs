//! Prints the findings of all processes as blocks, counts the findings, and keeps them as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cuda_external_check::finding_encoding::FindingMessage;
use cuda_external_check::rule_table::RULES;
use cuda_external_check::rules::{GUIDE_URL, Rule};
use cuda_external_check::shared_file::SharedFile;
use serde_json::{Value, json};

use super::symbolizer::{Symbolizer, source_line_of_frame};

/// `print_finding` prints and keeps at most this many findings of one rule in one function of a process. The summary
/// only counts the others.
const PRINTED: usize = 10;

/// A printed block has at most this many frames of a stack. The JSON has all frames that `describe_stack` returns.
const FRAMES: usize = 16;

/// Prints lines to stderr, each after a row of `=`. Ignores errors, since the reader of stderr may be gone.
pub fn print_notice(text: &str) {
    for line in text.lines() {
        _ = writeln!(std::io::stderr(), "========= {line}");
    }
}

pub fn print_rules() {
    for rule in RULES.iter() {
        let (id, name, place) = (rule.id, rule.source.rule_source_name(), rule.place);
        let (sentence, remedy) = (rule.full_description(), rule.remedy);
        _ = writeln!(std::io::stdout(), "{id} ({name}: {place})\n    {sentence}\n    Remedy: {remedy}\n");
    }
}

pub struct FindingPrinter {
    shared: &'static SharedFile,
    directory: PathBuf,
    symbols: Symbolizer,
    seen: HashMap<(u32, String, String), usize>,
    pub findings: Vec<Value>,
    /// The files of drivers that processes opened without the layer. The layer does not check calls of these drivers.
    pub bypasses: BTreeSet<PathBuf>,
}

impl FindingPrinter {
    pub fn new(shared: &'static SharedFile, directory: &Path) -> Self {
        Self {
            shared,
            directory: directory.to_owned(),
            symbols: Symbolizer::default(),
            seen: HashMap::new(),
            findings: Vec::new(),
            bypasses: BTreeSet::new(),
        }
    }

    /// Prints findings as they come. Returns when `is_over` is set, and the earlier findings are printed.
    pub fn print_findings_until_program_ends(&mut self, is_over: &AtomicBool) {
        loop {
            let was_over = is_over.load(Ordering::Acquire);
            self.shared.take_messages(|bytes| {
                let bytes: Vec<u8> = bytes.collect();
                let message = FindingMessage::decode_finding(&String::from_utf8_lossy(&bytes));
                // Broken debug information may cause a panic. Only this finding is then lost.
                if catch_unwind(AssertUnwindSafe(|| self.print_finding(&message))).is_err() {
                    self.shared.lost.fetch_add(1, Ordering::Relaxed);
                }
            });
            if was_over {
                return;
            }
            thread::park_timeout(Duration::from_millis(5));
        }
    }

    pub fn counts_by_rule(&self) -> BTreeMap<&'static str, u64> {
        let count = |rule: &Rule| self.shared.counts[rule.number].load(Ordering::Acquire);
        let counts = RULES.iter().map(|rule| (rule.id, count(rule)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// Counts findings that this process makes. The layer counts its findings when it sends them.
    pub fn add_to_rule_count(&self, rule: &Rule, count: u32) {
        self.shared.counts[rule.number].fetch_add(count.into(), Ordering::Relaxed);
    }

    /// Counts and prints a finding that this process makes, such as an object that was not freed.
    pub fn count_and_print_finding(&mut self, rule: &Rule, mut message: FindingMessage) {
        self.add_to_rule_count(rule, 1);
        message.rule = rule.id.to_owned();
        self.print_finding(&message);
    }

    fn print_finding(&mut self, message: &FindingMessage) {
        if let Some(path) = &message.bypass {
            self.bypasses.insert(path.canonicalize().unwrap_or(path.clone()));
            return;
        }
        let rule = RULES.iter().find(|rule| rule.id == message.rule);
        let Some(rule) = rule else { return print_notice(&message.text) };
        let seen =
            self.seen.entry((message.process, message.rule.clone(), message.call.clone())).or_default();
        *seen += 1;
        if *seen <= PRINTED {
            self.print_finding_block(rule, message);
        } else if *seen == PRINTED + 1 {
            print_notice(&format!("{}: further findings in {} are only counted", message.rule, message.call));
        }
    }

    /// Prints a finding in one write, so that it does not mix with the program's output, and keeps the finding as JSON.
    fn print_finding_block(&mut self, rule: &Rule, message: &FindingMessage) {
        let FindingMessage { call, text, process, thread, answered, .. } = message;
        let mut block = vec![rule.sentence.to_owned(), text.clone()];
        if let Some(code) = answered {
            block.push(format!(
                "The driver was not called, since it may crash or harm the program. The call returned {code}."
            ));
        }
        block.push(format!("Remedy: {}", rule.remedy));
        // The innermost source line whose file is on this machine: from the finding's stack, or else from the
        // stack of a related call.
        let mut source_line = None;
        let mut add = |title: &str, stack: &[u64]| {
            let frames = self.symbols.describe_stack(stack, self.shared, &self.directory);
            block.push(title.to_owned());
            block.extend(frames.iter().take(FRAMES).map(|frame| format!("    {frame}")));
            if frames.len() > FRAMES {
                block.push("    ...".to_owned());
            }
            source_line =
                source_line.take().or_else(|| frames.iter().find_map(|frame| source_line_of_frame(frame)));
            json!({ "title": title, "stack": frames })
        };
        let own = format!("Call stack, process {process}, thread {thread}:");
        let own = if message.stack.is_empty() { json!({}) } else { add(&own, &message.stack) };
        let calls: Vec<Value> = message.calls.iter().map(|(title, stack)| add(title, stack)).collect();
        block.push(format!("{GUIDE_URL}/check_rules/index.html#{}", rule.id));
        let block: String = block.iter().map(|line| format!("=========     {line}\n")).collect();
        let block = format!("========= {} in {call}\n{block}=========\n", rule.id);
        _ = std::io::stderr().write_all(block.as_bytes());

        let (file, line) = source_line.unzip();
        self.findings.push(json!({
            "rule": rule.id,
            "sentence": rule.sentence,
            "source": rule.source.rule_source_name(),
            "remedy": rule.remedy,
            "call": call,
            "text": text,
            "file": file,
            "line": line,
            "process": process,
            "thread": thread,
            "answered": answered,
            "stack": own["stack"],
            "calls": calls,
        }));
    }
}
