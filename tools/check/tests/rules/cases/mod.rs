//! Programs that break one rule or several, and correct programs that come near. The test program runs itself as the
//! program that a variable names.

mod call_helpers;
mod descriptors;
mod handles;
mod mappings;
mod semaphores;

use cuda_external_check::rules::Rule;

use crate::support;

pub type RuleCase = support::CheckedCase<fn()>;

const fn rule_case(rule: Rule, run: fn()) -> RuleCase {
    RuleCase::of_rule(rule, run)
}

const fn named_case(name: &'static str, also: &'static [Rule], run: fn()) -> RuleCase {
    RuleCase::named_case(name, also, run)
}

pub fn all_cases() -> impl Iterator<Item = &'static RuleCase> {
    [descriptors::CASES, handles::CASES, mappings::CASES, semaphores::CASES].into_iter().flatten()
}

/// Runs the case of this process.
pub fn run_named_case(name: &str) {
    let case = all_cases().find(|case| case.name == name).expect("a case has the name");
    (case.run)();
    println!("reached the end");
}
