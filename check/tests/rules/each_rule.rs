//! Each rule: a program that breaks it is reported so, and one that does not is not. The programs are this one, which runs a
//! case where a variable names it.

use std::env;
use std::fs;
use std::process::ExitCode;

use cuda_external_check::rules::{GROUPS, RULES, Rule, Source};

use crate::cases::{self, Case};
use crate::support::{self, checked};

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(cases::VARIABLE) {
        cases::run(&name);
        return ExitCode::SUCCESS;
    }
    let mut trials = Vec::new();
    if !support::is_real() {
        trials.push(test_support::test("each_has_a_case", [], each_has_a_case));
        trials.push(test_support::test("the_page_has_the_rules", [], the_page_has_the_rules));
    }
    for case in cases::all().into_iter().filter(|case| case.on_gpu || !support::is_real()) {
        for which in ["bad", "good"] {
            let name = format!("{}/{which}", case.rule.row().id);
            let (rule, options, gpus) = (case.rule, case.options, case.gpus);
            let mut expected = if which == "bad" { case.also.to_vec() } else { case.also_good.to_vec() };
            expected.extend((which == "bad").then_some(rule));
            trials.push(test_support::test(&name.clone(), [], move || run(&name, options, gpus, expected)));
        }
    }
    for variant in cases::variants().filter(|variant| variant.on_gpu || !support::is_real()) {
        trials.push(test_support::test(variant.name, [], || {
            run(variant.name, &[], "1", variant.rules.to_vec())
        }));
    }
    test_support::run(trials, None)
}

fn run(name: &str, options: &[&str], gpus: &str, expected: Vec<Rule>) {
    let mut program = test_support::this_program();
    program.env(cases::VARIABLE, name).env("FAKE_GPUS", gpus);
    let outcome = checked(options, &program);
    let mut expected: Vec<&str> = expected.iter().map(|rule| rule.row().id).collect();
    expected.sort_unstable();
    outcome.assert_rules(&expected);
    assert!(outcome.stdout().contains("reached the end"), "{}", outcome.stderr());
    for rule in &expected {
        assert!(
            outcome.stderr().contains(&format!("========= {rule} in c")) || *rule == "not-freed",
            "{}",
            outcome.stderr()
        );
    }
    // By default a finding shows in the exit code.
    assert_eq!(outcome.output.status.code(), Some((!expected.is_empty()).into()));
}

fn each_has_a_case() {
    let cases: Vec<Case> = cases::all();
    // Those of both sides have theirs in tests/vulkan.
    for row in RULES.iter().filter(|row| !row.rule.is_of_both_sides()) {
        let of_rule = cases.iter().filter(|case| case.rule == row.rule).count();
        assert_eq!(of_rule, 1, "{} has a bad and a good program", row.id);
    }
}

/// The page of the guide ends with the rules. `CUDA_EXTERNAL_SYS_BLESS=1` writes it.
fn the_page_has_the_rules() {
    let path = test_support::repository().join("docs/check-rules.md");
    let page = fs::read_to_string(&path).expect("the page");
    let mut expected = page.split("\n## ").next().unwrap_or_default().to_owned();
    for row in RULES {
        if let Some((_, group)) = GROUPS.iter().find(|(first, _)| *first == row.id) {
            expected += &format!("\n## {group}\n\n");
        }
        let source = if row.source == Source::Manual { "Manual" } else { "Measured" };
        let (sentence, remedy) = (row.sentence, row.remedy);
        expected += &format!("### {}\n{sentence} *{source}.* **Remedy**: {remedy}\n", row.id);
    }
    if env::var_os("CUDA_EXTERNAL_SYS_BLESS").is_some() {
        fs::write(&path, &expected).expect("the page can be written");
    }
    assert!(
        page == expected,
        "CUDA_EXTERNAL_SYS_BLESS=1 cargo test -p cuda-external-check --test rules writes it"
    );
}
