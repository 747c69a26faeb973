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

/// Returns the rule with this identifier, or an error that lists all identifiers.
pub fn rule_by_id(id: &str) -> Result<&'static Rule, String> {
    let known = || RULES.iter().map(|rule| rule.id).collect::<Vec<_>>().join(", ");
    let rule = RULES.iter().copied().find(|rule| rule.id == id);
    rule.ok_or_else(|| format!("`{id}` is not a rule. The rules are {}", known()))
}

/// Returns a bit for each rule that a comma-separated list names, or the error for an unknown name.
pub fn parse_rule_list(list: &str) -> Result<u64, String> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(rule_by_id).try_fold(0, |rules, rule| Ok(rules | 1 << rule?.number))
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
