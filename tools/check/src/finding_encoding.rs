//! The text of a message to `cuda-external-check`, from the layer or the preloaded library. The code that writes a
//! message does not allocate, since a signal handler may call the layer.

use std::fmt::{self, Display, Write};
use std::path::PathBuf;

use crate::shared_file::{DEPTH, StackFrames};

#[derive(Debug, Default)]
pub struct FindingMessage {
    pub process: u32,
    pub thread: i32,
    /// The rule's identifier, or an empty string if the message is a notice.
    pub rule: String,
    pub call: String,
    pub text: String,
    /// The code that the layer returned to the program, if the layer did not call the driver.
    pub answered: Option<String>,
    pub stack: Vec<u64>,
    /// A title and a stack for each related call, such as the calls that made and ended an object.
    pub calls: Vec<(String, Vec<u64>)>,
    /// The path of a driver that a process opened without the layer. A message with this path is not a finding.
    pub bypass: Option<PathBuf>,
}

pub struct FindingFieldWriter<W: Write>(pub W);

impl<W: Write> FindingFieldWriter<W> {
    pub fn add_finding_field(&mut self, field: &str, value: impl Display) {
        // A value, for example a path, may contain newlines and tabs: `OneLineWriter` replaces them by spaces. A write
        // does not fail: the message's writer leaves out text that does not fit.
        _ = write!(self.0, "{field}\t").and_then(|()| write!(OneLineWriter(&mut self.0), "{value}"));
        _ = self.0.write_str("\n");
    }

    /// Adds the stack of the call that the last title describes. Before the first title, adds the finding's own stack.
    pub fn add_finding_stack(&mut self, stack: &StackFrames) {
        _ = self.0.write_str("stack\t");
        for frame in stack.iter().take_while(|frame| **frame != 0) {
            _ = write!(self.0, "{frame:x} ");
        }
        _ = self.0.write_str("\n");
    }

    pub fn add_related_call(&mut self, title: impl Display, stack: &StackFrames) {
        self.add_finding_field("title", title);
        self.add_finding_stack(stack);
    }
}

struct OneLineWriter<'a, W>(&'a mut W);

impl<W: Write> Write for OneLineWriter<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut parts = text.split(['\n', '\t']);
        self.0.write_str(parts.next().unwrap_or_default())?;
        parts.try_for_each(|part| self.0.write_str(" ").and_then(|()| self.0.write_str(part)))
    }
}

impl FindingMessage {
    /// Decodes a message from the layer or the preloaded library. Ignores a field with an unknown name.
    pub fn decode_finding(text: &str) -> Self {
        let mut message = Self::default();
        for (field, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            let own = || value.to_owned();
            match field {
                "process" => message.process = value.parse().unwrap_or_default(),
                "thread" => message.thread = value.parse().unwrap_or_default(),
                "rule" => message.rule = own(),
                "call" => message.call = own(),
                "text" => message.text = own(),
                "answered" => message.answered = Some(own()),
                "bypass" => message.bypass = Some(value.into()),
                "title" => message.calls.push((own(), Vec::new())),
                "stack" => {
                    let frames = value.split(' ').filter_map(|word| u64::from_str_radix(word, 16).ok());
                    let of_call = message.calls.last_mut().map(|(_, stack)| stack);
                    *of_call.unwrap_or(&mut message.stack) = frames.take(DEPTH).collect();
                }
                _ => {}
            }
        }
        message
    }
}

#[test]
fn a_written_message_reads_back_the_same() {
    let mut fields = FindingFieldWriter(String::new());
    let stack = |first| std::array::from_fn(|at| if at < 2 { first } else { 0 });
    fields.add_finding_field("process", 7);
    fields.add_finding_stack(&stack(0x1000));
    fields.add_finding_field("text", "/tmp/a\nrule\tx");
    fields.add_related_call("The import failed in:", &stack(u64::MAX));
    let read = FindingMessage::decode_finding(&fields.0);
    assert_eq!((read.process, read.rule.as_str(), read.text.as_str()), (7, "", "/tmp/a rule x"));
    assert_eq!((read.stack, &read.calls[0].1), (vec![0x1000; 2], &vec![u64::MAX; 2]));
}
