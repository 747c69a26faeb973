//! The table of the rules, which the files of the layer define.

use std::sync::LazyLock;

#[cfg(supported)]
use crate::layer::RULE_LISTS;
use crate::rules::Rule;

/// Without the layer there are no rules.
#[cfg(not(supported))]
const RULE_LISTS: &[&[&Rule]] = &[];

/// Every rule, by group and number.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut rules = RULE_LISTS.concat();
    rules.sort_by_key(|rule| (rule.group, rule.number));
    rules
});

/// Returns a bit for each rule that a comma-separated list names, or an error that lists all rules.
pub fn parse_rule_list(list: &str) -> Result<u64, String> {
    let mut names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let known = || Vec::from_iter(RULES.iter().map(|rule| rule.id)).join(", ");
    names.try_fold(0, |bits, id| {
        let rule = RULES.iter().find(|rule| rule.id == id);
        let rule = rule.ok_or_else(|| format!("`{id}` is not a rule. The rules are {}", known()))?;
        Ok(bits | 1 << rule.number)
    })
}

#[test]
fn the_rules_have_consecutive_numbers_and_different_identifiers() {
    let mut rules = RULES.clone();
    rules.sort_by_key(|rule| rule.number);
    assert_eq!(Vec::from_iter(rules.iter().map(|rule| rule.number)), Vec::from_iter(0..RULES.len()));
    rules.sort_by_key(|rule| rule.id);
    rules.dedup_by_key(|rule| rule.id);
    assert_eq!(rules.len(), RULES.len());
}
