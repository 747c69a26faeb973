//! What the program tells the layer: a directory by a variable, and a file in it.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::rules::{RULES, Rule};

/// The variable that names the directory with the layer, the options and what the layer writes.
pub const VARIABLE: &str = "CUDA_EXTERNAL_CHECK_DIRECTORY";

/// The file in the directory that the layers send their findings to.
pub const SOCKET: &str = "findings";

/// The options that change what the layer does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub directory: PathBuf,
    pub suppressed: Vec<Rule>,
    /// Of those that are reported only where they are asked for.
    pub enabled: Vec<Rule>,
    /// Prints each call of the family.
    pub log: bool,
    /// Waits for the work of each call.
    pub sync: bool,
    /// Calls the driver where it may crash.
    pub let_crash: bool,
}

impl Options {
    pub fn write(&self) -> io::Result<()> {
        let mut text = String::new();
        for (name, is_on) in [("log", self.log), ("sync", self.sync), ("let-crash", self.let_crash)] {
            if is_on {
                text += &format!("{name}\n");
            }
        }
        for (word, rules) in [("suppress", &self.suppressed), ("enable", &self.enabled)] {
            rules.iter().for_each(|rule| text += &format!("{word} {}\n", rule.row().id));
        }
        fs::write(self.directory.join("options"), text)
    }

    /// The options of this process, or none where no directory is named.
    pub fn of_this_process() -> Option<Self> {
        let directory = PathBuf::from(env::var_os(VARIABLE)?);
        let text = fs::read_to_string(directory.join("options")).ok()?;
        Some(Self::parse(&directory, &text))
    }

    fn parse(directory: &Path, text: &str) -> Self {
        let has = |name: &str| text.lines().any(|line| line == name);
        let rules = |word: &str| {
            let names = text.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
            names.filter_map(Rule::named).collect()
        };
        Self {
            directory: directory.to_owned(),
            suppressed: rules("suppress"),
            enabled: rules("enable"),
            log: has("log"),
            sync: has("sync"),
            let_crash: has("let-crash"),
        }
    }

    pub fn reports(&self, rule: Rule) -> bool {
        !self.suppressed.contains(&rule) && (!rule.is_opt_in() || self.enabled.contains(&rule))
    }
}

/// The rules of a list with commas, or the error for a name that is not a rule's.
pub fn rules(list: &str) -> Result<Vec<Rule>, String> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let known: Vec<&str> = RULES.iter().map(|row| row.id).collect();
            Rule::named(name)
                .ok_or_else(|| format!("`{name}` is not a rule. The rules are {}", known.join(", ")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let directory = env::temp_dir().join(format!("cuda-external-check-options-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let options = Options {
            directory: directory.clone(),
            suppressed: rules("not-freed, fd-not-open").unwrap(),
            enabled: rules("mapping-overlap").unwrap(),
            log: true,
            sync: false,
            let_crash: true,
        };
        options.write().unwrap();
        let text = fs::read_to_string(directory.join("options")).unwrap();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(Options::parse(&directory, &text), options);
    }

    #[test]
    fn a_misspelled_rule_is_an_error_that_lists_them_all() {
        let error = rules("not-free").unwrap_err();
        assert!(error.starts_with("`not-free` is not a rule") && error.contains("not-freed"), "{error}");
    }
}
