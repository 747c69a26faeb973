//! Programs that break one rule or several, and correct programs that come near. The test program runs itself as the
//! program that a variable names.

mod call_helpers;
mod descriptors;
mod handles;
mod mappings;
mod semaphores;

use cuda_external_check::rules::{RULES, Rule};

pub struct RuleCase {
    /// The name of the case. It is a rule's identifier if the case breaks that rule alone.
    pub name: &'static str,
    pub rule: Option<Rule>,
    /// The other rules that are reported.
    also: &'static [Rule],
    run: fn(),
    pub options: &'static [&'static str],
    pub variable: Option<(&'static str, &'static str)>,
    /// Whether the case runs on a GPU's driver too. Such a driver exports no semaphores, and has no faults on demand.
    pub on_gpu: bool,
    /// Whether the program can follow the remedy (`follows_remedy`), and then has no finding.
    pub has_remedy: bool,
}

/// Returns a case whose program breaks a rule.
const fn rule_case(rule: Rule, run: fn()) -> RuleCase {
    RuleCase { rule: Some(rule), ..named_case(RULES[rule as usize].id, &[], run) }
}

/// Returns a case with a name, for which these rules are reported.
const fn named_case(name: &'static str, also: &'static [Rule], run: fn()) -> RuleCase {
    RuleCase { name, rule: None, also, run, options: &[], variable: None, on_gpu: true, has_remedy: false }
}

impl RuleCase {
    const fn also_breaks(self, also: &'static [Rule]) -> Self {
        Self { also, ..self }
    }

    const fn with_options(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    const fn without_gpu(self) -> Self {
        Self { on_gpu: false, ..self }
    }

    const fn with_remedy(self) -> Self {
        Self { has_remedy: true, ..self }
    }

    /// Sets a variable of the driver in software. The case then does not run on a GPU.
    const fn with_driver_variable(self, name: &'static str, value: &'static str) -> Self {
        Self { variable: Some((name, value)), on_gpu: false, ..self }
    }

    const fn with_injected_fault(self, fault: &'static str) -> Self {
        self.with_driver_variable("CUDA_EXTERNAL_CPU_FAULTS", fault)
    }

    /// The identifiers of the rules that are reported, in their order.
    pub fn expected_rules(&self) -> Vec<&'static str> {
        let rules = self.rule.iter().chain(self.also);
        let mut expected: Vec<&str> = rules.map(|rule| rule.rule_info().id).collect();
        expected.sort_unstable();
        expected
    }
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
