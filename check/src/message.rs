//! A finding on its way from the layer to the program, which prints it: addresses in place of names, one field a line.

/// A call of the program's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// What the call did to the object, as the title of its stack.
    pub title: String,
    pub stack: Vec<usize>,
}

/// An object that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    pub name: String,
    /// How the program described it.
    pub about: String,
    pub made_by: String,
    pub made_at: Vec<usize>,
    pub ended_by: Option<String>,
    pub ended_at: Vec<usize>,
    pub went_with_context: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub process: u32,
    pub thread: i32,
    /// The rule's identifier.
    pub rule: String,
    pub call: String,
    pub text: String,
    /// What the call returned, where the driver was not called.
    pub answered: Option<String>,
    pub stack: Vec<usize>,
    pub objects: Vec<Object>,
    /// Further calls that the reader needs.
    pub others: Vec<Call>,
}

impl Message {
    pub fn encode(&self) -> String {
        let mut lines = Lines(String::new());
        lines.add("process", self.process);
        lines.add("thread", self.thread);
        lines.add("rule", &self.rule);
        lines.add("call", &self.call);
        lines.add("text", &self.text);
        self.answered.iter().for_each(|code| lines.add("answered", code));
        lines.add_stack("stack", &self.stack);
        for object in &self.objects {
            lines.add("object", &object.name);
            lines.add("about", &object.about);
            lines.add("made_by", &object.made_by);
            lines.add_stack("made_at", &object.made_at);
            object.ended_by.iter().for_each(|call| lines.add("ended_by", call));
            lines.add_stack("ended_at", &object.ended_at);
            lines.add("went_with_context", object.went_with_context);
        }
        for other in &self.others {
            lines.add("other", &other.title);
            lines.add_stack("other_at", &other.stack);
        }
        lines.0
    }

    /// Reads what `encode` wrote. Fields that are not known are left out.
    pub fn decode(text: &str) -> Self {
        let mut message = Self::default();
        for (field, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            let own = || value.to_owned();
            let stack = || value.split(' ').filter_map(|word| usize::from_str_radix(word, 16).ok()).collect();
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
                    "went_with_context" => object.went_with_context = value == "true",
                    _ => {}
                }),
            }
        }
        message
    }
}

struct Lines(String);

impl Lines {
    fn add(&mut self, field: &str, value: impl ToString) {
        // A path of the program's may have any characters.
        self.0 += &format!("{field}\t{}\n", value.to_string().replace(['\n', '\t'], " "));
    }

    fn add_stack(&mut self, field: &str, stack: &[usize]) {
        let words: Vec<String> =
            stack.iter().take_while(|address| **address != 0).map(|address| format!("{address:x}")).collect();
        self.add(field, words.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let object = Object {
            name: "mapped buffer #2".to_owned(),
            made_at: vec![0x1000, usize::MAX],
            ended_by: Some("cuMemFree_v2".to_owned()),
            went_with_context: true,
            ..Object::default()
        };
        let message = Message {
            process: 7,
            thread: -1,
            rule: "freed-twice".to_owned(),
            answered: Some("CUDA_ERROR_UNKNOWN".to_owned()),
            objects: vec![object.clone(), Object::default(), object],
            others: vec![Call { title: "The import failed in:".to_owned(), stack: vec![1] }, Call::default()],
            ..Message::default()
        };
        assert_eq!(Message::decode(&message.encode()), message);
    }

    #[test]
    fn a_line_break_in_a_path_is_no_field() {
        let message = Message { text: "/tmp/a\nrule\tx".to_owned(), ..Message::default() };
        let read = Message::decode(&message.encode());
        assert_eq!((read.rule.as_str(), read.text.as_str()), ("", "/tmp/a rule x"));
    }
}
