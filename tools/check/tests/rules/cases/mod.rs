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

fn cases_with_any_driver() -> impl Iterator<Item = &'static RuleCase> {
    [descriptors::CASES, handles::CASES, mappings::CASES, semaphores::CASES].into_iter().flatten()
}

/// Returns the cases for cuda-external-cpu alone: NVIDIA's driver exports no semaphores, and has no faults on demand.
fn cases_without_gpu() -> impl Iterator<Item = &'static RuleCase> {
    let all = [descriptors::CASES_WITHOUT_GPU, handles::CASES_WITHOUT_GPU, mappings::CASES_WITHOUT_GPU];
    all.into_iter().chain([semaphores::CASES_WITHOUT_GPU]).flatten()
}

pub fn main() -> ExitCode {
    let all = || cases_with_any_driver().chain(cases_without_gpu());
    if let Ok(name) = env::var(CASE) {
        let case = all().find(|case| case.name == name).expect("a case has the name");
        // A case runs in this context, unless it makes another one current.
        call_helpers::retain_primary_context();
        (case.run)();
        println!("reached the end");
        return ExitCode::SUCCESS;
    }
    // The rules about both CUDA and Vulkan have their cases in tests/vulkan.
    let mut trials = vec![support::each_rule_has_a_case(all().map(|case| case.name).collect(), false)];
    let without_gpu = cases_without_gpu().filter(|_| !support::is_real_driver());
    let cases = cases_with_any_driver().chain(without_gpu);
    trials.extend(cases.flat_map(|case| case.trials(&[], test_support::this_program)));
    test_support::run_trials(trials, None)
}
