//! The options, and the text by which the program tells them to the layers.

use crate::rules::{RULES, Rule};

/// The variable that names the directory with the layer and the shared file.
pub const VARIABLE: &str = "CUDA_EXTERNAL_CHECK_DIRECTORY";

/// The options that change what the layer does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
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
    /// The text by which the layers get them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, is_on) in [("log", self.log), ("sync", self.sync), ("let-crash", self.let_crash)] {
            if is_on {
                text += &format!("{name}\n");
            }
        }
        for (word, rules) in [("suppress", &self.suppressed), ("enable", &self.enabled)] {
            rules.iter().for_each(|rule| text += &format!("{word} {}\n", rule.row().id));
        }
        text
    }

    pub fn parse(text: &str) -> Self {
        let has = |name: &str| text.lines().any(|line| line == name);
        let rules = |word: &str| {
            let names = text.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
            names.filter_map(Rule::named).collect()
        };
        Self {
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
        let options = Options {
            suppressed: rules("not-freed, fd-not-open").unwrap(),
            enabled: rules("mapping-overlap").unwrap(),
            log: true,
            sync: false,
            let_crash: true,
        };
        assert_eq!(Options::parse(&options.text()), options);
    }

    #[test]
    fn a_misspelled_rule_is_an_error_that_lists_them_all() {
        let error = rules("not-free").unwrap_err();
        assert!(error.starts_with("`not-free` is not a rule") && error.contains("not-freed"), "{error}");
    }
}
