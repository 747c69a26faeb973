//! The check reports the programs that break a rule, and not those that come near it.

use std::env;
use std::process::ExitCode;

use crate::cases::{self, RuleCase};
use crate::support::{self, CASE};

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(CASE) {
        cases::run_named_case(&name);
        return ExitCode::SUCCESS;
    }
    let mut trials = vec![test_support::trial_if("each_rule_has_a_case", [], || {
        // The rules about both sides have their cases in tests/vulkan.
        support::assert_each_rule_has_a_case(cases::all_cases().map(|case| case.name), false);
    })];
    let runs_here = |case: &&RuleCase| case.on_gpu || !support::is_real_driver();
    let cases = cases::all_cases().filter(runs_here);
    trials.extend(cases.flat_map(|case| case.trials(&[], test_support::this_program)));
    test_support::run_trials(trials, None)
}
