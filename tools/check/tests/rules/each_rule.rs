//! The check reports the programs that break a rule, and not those that come near it. This test program runs itself as
//! each of them: a variable names the case.

use std::env;
use std::process::ExitCode;

use cuda_external_check::rules::{RULES, RuleGroup};

use crate::cases::{self, RuleCase};
use crate::support::{self, CASE, REMEDY};

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(CASE) {
        cases::run_named_case(&name);
        return ExitCode::SUCCESS;
    }
    let mut trials = vec![test_support::trial_if("each_rule_has_a_case", [], each_rule_has_a_case)];
    for case in cases::all_cases().filter(|case| case.on_gpu || !support::is_real_driver()) {
        let kind = if case.expected_rules().is_empty() { "correct" } else { "mistake" };
        trials.push(test_support::trial_if(&format!("{kind}/{}", case.name), [], || run_case(case)));
        if case.has_remedy {
            trials
                .push(test_support::trial_if(&format!("remedied/{}", case.name), [], || run_remedied(case)));
        }
    }
    test_support::run_trials(trials, None)
}

fn run_case(case: &RuleCase) {
    let mut program = test_support::this_program();
    support::run_case(case.name, program.envs(case.variable), case.options, &case.expected_rules());
}

fn run_remedied(case: &RuleCase) {
    let mut program = test_support::this_program();
    support::run_case(case.name, program.env(REMEDY, "1"), case.options, &[]);
}

/// The rules about both sides have their cases in tests/vulkan.
fn each_rule_has_a_case() {
    for row in RULES.iter().filter(|row| row.group != RuleGroup::BothSides) {
        let of_rule = cases::all_cases().filter(|case| case.rule == Some(row.rule)).count();
        assert_eq!(of_rule, 1, "{} has a program that breaks it", row.id);
    }
}
