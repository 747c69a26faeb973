//! Cases: functions that break one or more rules, and correct functions that nearly break one.

mod call_helpers;
mod descriptors;
mod handles;
mod mappings;
mod semaphores;

use std::env;
use std::process::ExitCode;

use cuda_external_check::rules::Rule;

use crate::support::{self, CASE};

pub type RuleCase = support::CheckedCase<fn()>;

const fn rule_case(rule: &'static Rule, run: fn()) -> RuleCase {
    RuleCase::of_rule(rule, run)
}

const fn named_case(name: &'static str, also: &'static [&'static Rule], run: fn()) -> RuleCase {
    RuleCase::named_case(name, also, run)
}

pub fn all_cases() -> impl Iterator<Item = &'static RuleCase> {
    [descriptors::CASES, handles::CASES, mappings::CASES, semaphores::CASES].into_iter().flatten()
}

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(CASE) {
        let case = all_cases().find(|case| case.name == name).expect("a case has the name");
        // A case runs in this context, unless it makes another one current.
        call_helpers::retain_primary_context();
        (case.run)();
        println!("reached the end");
        return ExitCode::SUCCESS;
    }
    // The rules about both CUDA and Vulkan have their cases in tests/vulkan.
    let mut trials = vec![support::each_rule_has_a_case(all_cases().map(|case| case.name).collect(), false)];
    let cases = all_cases().filter(|case| case.on_gpu || !support::is_real_driver());
    trials.extend(cases.flat_map(|case| case.trials(&[], test_support::this_program)));
    test_support::run_trials(trials, None)
}
