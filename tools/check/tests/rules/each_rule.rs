//! Programs that break a rule are reported, and those that come near it are not. The program is this one: it runs the
//! case that a variable names.

use std::env;
use std::process::ExitCode;

use cuda_external_check::rules::{RULES, RuleGroup};

use crate::cases::{self, Case};
use crate::followed_remedy::REMEDY;
use crate::page_report::assert_page_has_report;
use crate::support::{self, run_checked};

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(cases::VARIABLE) {
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

fn run_case(case: &Case) {
    let mut program = test_support::this_program();
    program.env(cases::VARIABLE, case.name);
    program.envs(case.variable);
    let outcome = run_checked(case.options, &program);
    let expected = case.expected_rules();
    outcome.assert_rules(&expected).assert_ends();
    for rule in &expected {
        let block = format!("========= {rule} in c");
        assert!(outcome.stderr.contains(&block) || *rule == "not-freed", "{}", outcome.stderr);
    }
    if let Some(rule) = case.rule {
        assert_page_has_report(&outcome, rule.info().id);
    }
    // By default a finding shows in the exit code.
    assert_eq!(outcome.code, Some((!expected.is_empty()).into()));
}

fn run_remedied(case: &Case) {
    let mut program = test_support::this_program();
    program.env(cases::VARIABLE, case.name).env(REMEDY, "1");
    run_checked(case.options, &program).assert_rules(&[]).assert_ends();
}

/// The rules about both sides have their cases in tests/vulkan.
fn each_rule_has_a_case() {
    for row in RULES.iter().filter(|row| row.group != RuleGroup::BothSides) {
        let of_rule = cases::all_cases().filter(|case| case.rule == Some(row.rule)).count();
        assert_eq!(of_rule, 1, "{} has a program that breaks it", row.id);
    }
}
