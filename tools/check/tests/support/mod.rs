//! Runs a program under the check, on cuda-external-cpu (a CUDA driver in software) or on the machine's driver.
#![allow(dead_code)] // each test program uses a part

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use cuda_external_check::rules::{RULES, Rule, RuleGroup};
use serde_json::Value;
use tempfile::TempDir;
use test_support::{Need, Trial};

/// The variable that names the case that this process runs.
pub const CASE: &str = "CUDA_EXTERNAL_CHECK_CASE";
/// If this variable is set, a program that breaks a rule does what the rule's remedy says instead.
pub const REMEDY: &str = "CUDA_EXTERNAL_CHECK_REMEDY";
/// If this variable is set, the tests use the machine's driver.
pub const ON_GPU: &str = "CUDA_EXTERNAL_CHECK_TEST_ON_GPU";
/// The variable with the path of `cuda-external-check`, if the file is not where cargo built it.
pub const PROGRAM: &str = "CUDA_EXTERNAL_CHECK_TEST_PROGRAM";

pub fn is_real_driver() -> bool {
    env::var_os(ON_GPU).is_some()
}

pub fn follows_remedy() -> bool {
    env::var_os(REMEDY).is_some()
}

/// Returns a directory that has the driver of cuda-external-cpu as libcuda.so.1.
pub fn cpu_driver_directory() -> &'static Path {
    static DIRECTORY: OnceLock<TempDir> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        let directory = TempDir::new().expect("a temporary directory");
        // A copy, not a link: if a program opens the driver by its path, the check must see the driver's file name.
        fs::copy(test_support::cargo::build_software_driver(), directory.path().join("libcuda.so.1"))
            .expect("a copy");
        directory
    });
    directory.path()
}

pub fn check_program() -> PathBuf {
    env::var_os(PROGRAM).map_or_else(|| env!("CARGO_BIN_EXE_cuda-external-check").into(), PathBuf::from)
}

#[derive(Debug)]
pub struct CheckedProgramRun {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub json: Value,
}

impl CheckedProgramRun {
    /// Asserts that the check reported exactly the rules `expected`, which are sorted by name.
    #[track_caller]
    pub fn assert_rules(&self, expected: &[&str]) -> &Self {
        let counts = self.json["counts"].as_object().unwrap_or_else(|| panic!("no counts: {self:?}"));
        assert_eq!(Vec::from_iter(counts.keys()), expected, "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn assert_finished(&self) {
        assert!(self.stdout.contains("reached the end"), "{}\n{}", self.stdout, self.stderr);
    }

    /// Asserts that this run printed the report that docs/check-rules.md shows for the rule. Does not compare words
    /// with digits. Asserts nothing with NVIDIA's driver, since the report may differ.
    #[track_caller]
    fn assert_page_has_report(&self, rule: &str) {
        if is_real_driver() {
            return;
        }
        let page =
            fs::read_to_string(test_support::repository().join("docs/check-rules.md")).expect("a page");
        let section = page.split(&format!("\n### {rule}\n")).nth(1).unwrap_or_default();
        let report = section.lines().take(2).find_map(|line| line.strip_prefix("> `")).unwrap_or_default();
        let words = |text: &str| {
            let words = text.split_whitespace().filter(|word| *word != "=========");
            let known =
                words.map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "0" } else { word });
            Vec::from_iter(known.map(|word| word.trim_end_matches(['.', ':', '`']))).join(" ")
        };
        let (call, rest) =
            report.split_once(": ").unwrap_or_else(|| panic!("{rule} has no report on the page"));
        for part in rest.split(". ").chain([call]) {
            assert!(words(&self.stderr).contains(&words(part)), "the page: {part}\n{}", self.stderr);
        }
    }
}

pub fn run_checked(options: &[&str], command: &Command) -> CheckedProgramRun {
    let directory = TempDir::new().expect("a temporary directory");
    let json = directory.path().join("findings.json");
    let mut check = test_support::command_by_runner(&check_program());
    check.args(options).arg("--json").arg(&json).arg("--");
    check.arg(command.get_program()).args(command.get_args());
    check.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if !is_real_driver() && !command.get_envs().any(|(name, _)| name == "LD_LIBRARY_PATH") {
        check.env("LD_LIBRARY_PATH", cpu_driver_directory());
    }
    let output = check.output().expect("the program starts");
    let text = fs::read_to_string(&json).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    CheckedProgramRun { code: output.status.code(), stdout, stderr, json }
}

/// A case: a program that breaks rules, or a correct program. The program is the test binary, which starts itself under
/// the check. The environment variable [`CASE`] then has the case's name.
#[derive(Clone, Copy)]
pub struct CheckedCase<F> {
    /// The name of the case. One case of each rule has the rule's identifier as its name.
    pub name: &'static str,
    pub rule: Option<Rule>,
    /// The other rules that the check reports.
    also: &'static [Rule],
    pub run: F,
    options: &'static [&'static str],
    /// A variable that cuda-external-cpu reads.
    pub variable: Option<(&'static str, &'static str)>,
    /// Whether the case runs on NVIDIA's driver too, which exports no semaphores and has no faults on demand.
    pub on_gpu: bool,
    /// Whether the program can follow the remedy (`follows_remedy`), and then has no finding.
    has_remedy: bool,
}

impl<F: Copy> CheckedCase<F> {
    pub const fn of_rule(rule: Rule, run: F) -> Self {
        Self { rule: Some(rule), ..Self::named_case(RULES[rule as usize].id, &[], run) }
    }

    pub const fn named_case(name: &'static str, also: &'static [Rule], run: F) -> Self {
        Self { name, rule: None, also, run, options: &[], variable: None, on_gpu: true, has_remedy: false }
    }

    pub const fn also_breaks(self, also: &'static [Rule]) -> Self {
        Self { also, ..self }
    }

    pub const fn rename_case(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    pub const fn with_options(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    pub const fn with_driver_variable(self, name: &'static str, value: &'static str) -> Self {
        Self { variable: Some((name, value)), ..self }
    }

    pub const fn without_gpu(self) -> Self {
        Self { on_gpu: false, ..self }
    }

    pub const fn with_remedy(self) -> Self {
        Self { has_remedy: true, ..self }
    }

    /// Returns a trial of the case as it is and, if the case has a remedy, a trial of the case with the remedy.
    pub fn trials(self, needs: &[&Need], program: fn() -> Command) -> Vec<Trial> {
        let is_correct = self.rule.is_none() && self.also.is_empty();
        let as_it_is = self.case_trial(if is_correct { "correct" } else { "mistake" }, needs, program());
        let remedied = self.has_remedy.then(|| {
            let mut program = program();
            program.env(REMEDY, "1");
            Self { rule: None, also: &[], ..self }.case_trial("remedied", needs, program)
        });
        [as_it_is].into_iter().chain(remedied).collect()
    }

    pub fn case_trial(self, kind: &str, needs: &[&Need], mut program: Command) -> Trial {
        let mut rules = Vec::from_iter(self.rule.iter().chain(self.also).map(|rule| rule.rule_info().id));
        rules.sort_unstable();
        let Self { name, options, variable, .. } = self;
        test_support::trial_if(&format!("{kind}/{name}"), needs.iter().copied(), move || {
            let run = run_checked(options, program.env(CASE, name).envs(variable));
            run.assert_rules(&rules).assert_finished();
            if rules.contains(&name) {
                run.assert_page_has_report(name);
            }
            // By default a finding shows in the exit code.
            assert_eq!(run.code, Some((!rules.is_empty()).into()));
        })
    }
}

/// Asserts that exactly one case has each rule's name, for the rules about both CUDA and Vulkan or for the others.
pub fn assert_each_rule_has_a_case(cases: impl Iterator<Item = &'static str>, is_of_both_sides: bool) {
    let names = Vec::from_iter(cases);
    for row in RULES.iter().filter(|row| (row.group == RuleGroup::BothSides) == is_of_both_sides) {
        assert_eq!(names.iter().filter(|name| **name == row.id).count(), 1, "{}", row.id);
    }
}
