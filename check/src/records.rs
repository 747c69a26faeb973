//! Findings as JSON, and the file in which the layer leaves them for the program.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::rules::Rule;

/// A value of JSON that is being written.
#[derive(Default)]
pub struct Json(String);

impl Json {
    pub fn object(fill: impl FnOnce(&mut Self)) -> Self {
        let mut json = Self("{".to_owned());
        fill(&mut json);
        json.0.push('}');
        json
    }

    fn key(&mut self, key: &str) {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        self.string(key);
        self.0.push(':');
    }

    fn string(&mut self, text: &str) {
        self.0.push('"');
        for c in text.chars() {
            match c {
                '"' => self.0.push_str("\\\""),
                '\\' => self.0.push_str("\\\\"),
                '\n' => self.0.push_str("\\n"),
                c if c < ' ' => _ = write!(self.0, "\\u{:04x}", c as u32),
                c => self.0.push(c),
            }
        }
        self.0.push('"');
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.string(value);
    }

    pub fn number(&mut self, key: &str, value: i64) {
        self.key(key);
        _ = write!(self.0, "{value}");
    }

    pub fn texts(&mut self, key: &str, values: &[String]) {
        self.key(key);
        self.0.push('[');
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.string(value);
        }
        self.0.push(']');
    }

    /// An array of values that are JSON already.
    pub fn array(&mut self, key: &str, values: &[String]) {
        self.key(key);
        self.0.push('[');
        self.0 += &values.join(",");
        self.0.push(']');
    }

    /// A value that is JSON already.
    pub fn json(&mut self, key: &str, value: &str) {
        self.key(key);
        self.0 += value;
    }

    pub fn finish(self) -> String {
        self.0
    }
}

/// The line that the layer appends for a finding: the rule, and its JSON where it was printed.
pub fn line(rule: Rule, json: &str) -> String {
    format!("{}\t{json}\n", rule.row().id)
}

/// What the layer of all processes left in a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// How often each rule was broken.
    pub counts: BTreeMap<String, usize>,
    /// The findings that were printed, as JSON.
    pub findings: Vec<String>,
}

impl Records {
    /// The name of the file of one process.
    pub fn file_name(process: u32) -> String {
        format!("findings.{process}")
    }

    pub fn read(directory: &Path) -> Self {
        let mut records = Self::default();
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut files: Vec<_> =
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("findings.")).collect();
        files.sort_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok());
        for file in files {
            let text = fs::read(file.path()).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().for_each(|line| records.add(line));
        }
        records
    }

    pub fn add(&mut self, line: &str) {
        // The last line of a process that was ended may be cut.
        let Some((rule, json)) = line.split_once('\t') else { return };
        *self.counts.entry(rule.to_owned()).or_default() += 1;
        if json.ends_with('}') {
            self.findings.push(json.to_owned());
        }
    }

    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_escaped() {
        let json = Json::object(|json| {
            json.text("a\"b", "\\ \n \u{1} é");
            json.number("n", -1);
            json.texts("t", &["x".to_owned(), "y".to_owned()]);
            json.array("o", &["{}".to_owned()]);
        });
        assert_eq!(json.finish(), r#"{"a\"b":"\\ \n \u0001 é","n":-1,"t":["x","y"],"o":[{}]}"#);
    }

    #[test]
    fn repeated_findings_count_and_cut_lines_do_not() {
        let mut records = Records::default();
        for text in [line(Rule::NotFreed, "{\"a\":1}"), line(Rule::NotFreed, ""), "not-fr".to_owned()] {
            records.add(text.trim_end_matches('\n'));
        }
        assert_eq!(records.total(), 2);
        assert_eq!(records.findings, ["{\"a\":1}"]);
    }
}
