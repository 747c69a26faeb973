//! A finding on its way from the layer to the program, which prints it: one field a line. Writing allocates nothing, since a
//! process may end in a signal handler.

use std::fmt::{self, Display, Write};

use crate::shared::{DEPTH, Frames};

/// What a call did to an object, as the title of its stack, and the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub title: String,
    pub stack: Vec<u64>,
}

/// An object that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    pub name: String,
    /// How the program described it.
    pub about: String,
    pub made_by: String,
    pub made_at: Vec<u64>,
    pub ended_by: Option<String>,
    pub ended_at: Vec<u64>,
    pub went_with_context: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub process: u32,
    pub thread: i32,
    /// The rule's identifier, or nothing where the message is a line of the trace.
    pub rule: String,
    pub call: String,
    pub text: String,
    /// What the call returned, where the driver was not called.
    pub answered: Option<String>,
    pub stack: Vec<u64>,
    pub objects: Vec<Object>,
    /// Further calls that the reader needs.
    pub others: Vec<Call>,
}

/// Writes the fields of a message.
pub struct Fields<W: Write>(pub W);

impl<W: Write> Fields<W> {
    pub fn add(&mut self, field: &str, value: impl Display) {
        // A path may have any characters. A message that does not fit is cut off: no write fails.
        _ = write!(self.0, "{field}\t").and_then(|()| write!(OneLine(&mut self.0), "{value}"));
        _ = self.0.write_str("\n");
    }

    pub fn add_stack(&mut self, field: &str, stack: &Frames) {
        _ = write!(self.0, "{field}\t");
        for frame in stack.iter().take_while(|frame| **frame != 0) {
            _ = write!(self.0, "{frame:x} ");
        }
        _ = self.0.write_str("\n");
    }
}

struct OneLine<'a, W>(&'a mut W);

impl<W: Write> Write for OneLine<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut parts = text.split(['\n', '\t']);
        self.0.write_str(parts.next().unwrap_or_default())?;
        parts.try_for_each(|part| self.0.write_str(" ").and_then(|()| self.0.write_str(part)))
    }
}

impl Message {
    /// Reads what the layer wrote. Fields that are not known are left out.
    pub fn decode(text: &str) -> Self {
        let mut message = Self::default();
        for (field, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            let own = || value.to_owned();
            let frames = || value.split(' ').filter_map(|word| u64::from_str_radix(word, 16).ok());
            let stack = || frames().take(DEPTH).collect();
            match field {
                "process" => message.process = value.parse().unwrap_or_default(),
                "thread" => message.thread = value.parse().unwrap_or_default(),
                "rule" => message.rule = own(),
                "call" => message.call = own(),
                "text" => message.text = own(),
                "answered" => message.answered = Some(own()),
                "stack" => message.stack = stack(),
                "object" => message.objects.push(Object { name: own(), ..Object::default() }),
                "other" => message.others.push(Call { title: own(), stack: Vec::new() }),
                "other_at" => message.others.last_mut().into_iter().for_each(|other| other.stack = stack()),
                _ => message.objects.last_mut().into_iter().for_each(|object| match field {
                    "about" => object.about = own(),
                    "made_by" => object.made_by = own(),
                    "made_at" => object.made_at = stack(),
                    "ended_by" => object.ended_by = Some(own()),
                    "ended_at" => object.ended_at = stack(),
                    "went_with_context" => object.went_with_context = true,
                    _ => {}
                }),
            }
        }
        message
    }
}

#[test]
fn what_is_written_is_read() {
    let mut fields = Fields(String::new());
    let mut stack = [0; DEPTH];
    stack[..2].copy_from_slice(&[0x1000, u64::MAX]);
    fields.add("process", 7);
    fields.add("rule", "freed-twice");
    fields.add("text", "/tmp/a\nrule\tx");
    fields.add("object", "mapped buffer #2");
    fields.add_stack("made_at", &stack);
    fields.add("other", "The import failed in:");
    fields.add_stack("other_at", &stack);
    let read = Message::decode(&fields.0);
    assert_eq!((read.process, read.rule.as_str(), read.text.as_str()), (7, "freed-twice", "/tmp/a rule x"));
    assert_eq!(
        (read.objects[0].name.as_str(), &read.objects[0].made_at[..]),
        ("mapped buffer #2", &stack[..2])
    );
    assert_eq!(read.others[0].stack, stack[..2]);
}
