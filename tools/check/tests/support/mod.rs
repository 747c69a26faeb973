//! Runs a program under the check, on cuda-external-cpu (a CUDA driver in software) or on the machine's driver.
#![allow(dead_code)] // each test program uses a part

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use cuda_external_check::rule_table::RULES;
use cuda_external_check::rules::{Rule, RuleGroup};
use serde_json::Value;
use tempfile::TempDir;
use test_support::{Need, Trial};

/// The variable that names the case that this process runs.
pub const CASE: &str = "CUDA_EXTERNAL_CHECK_CASE";
/// If this variable is set, a program that breaks a rule does what the rule's remedy says instead.
pub const REMEDY: &str = "CUDA_EXTERNAL_CHECK_REMEDY";
/// If this variable is set, the tests use the machine's driver.
pub const ON_GPU: &str = "CUDA_EXTERNAL_CHECK_TEST_ON_GPU";
/// If this variable is set, tests write what they otherwise compare: reports on a page, and a list of functions.
const UPDATE: &str = "CUDA_EXTERNAL_CHECK_TEST_UPDATE";
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

    /// Asserts that docs/check-rules.md shows this run's report of the rule, or writes the report to the page. Words
    /// with digits may differ. Asserts nothing with NVIDIA's driver, whose reports may differ.
    #[track_caller]
    fn assert_page_has_report(&self, rule: &str) {
        // The trials run in threads, and each reads the page and may write it.
        static PAGE: Mutex<()> = Mutex::new(());
        if is_real_driver() {
            return;
        }
        let _locked = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
        let path = "docs/check-rules.md";
        let page = fs::read_to_string(test_support::repository().join(path)).expect("a page");
        let heading = format!("\n### {rule}\n");
        let section =
            page.split(&heading).nth(1).expect("cargo run -p generator writes the rule to the page");
        let mut lines = section.split_inclusive('\n');
        let paragraph = lines.next().expect("a paragraph");
        let shown = lines.next().filter(|line| line.starts_with("> ")).unwrap_or_default();
        let report = self.report_of(rule);
        if without_numbers(shown) != without_numbers(&report) {
            let [old, new] = [shown, &report].map(|report| format!("{heading}{paragraph}{report}"));
            let why = format!("{path} has {shown:?} below {rule}. The check printed:\n{report}");
            write_expected_text(path, &page.replacen(&old, &new, 1), &why);
        }
    }

    /// Returns the first finding of the rule, as a line of docs/check-rules.md.
    fn report_of(&self, rule: &str) -> String {
        let list = |value: &Value| value.as_array().expect("a list").clone().into_iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let finding = list(&self.json["findings"]).find(|one| one["rule"] == rule).expect("a finding");
        let titles =
            list(&finding["calls"]).map(|call| text(&call["title"]).trim_end_matches(':').to_owned() + ".");
        let sentences = [text(&finding["text"])].into_iter().chain(titles);
        format!("> `{rule} in {}: {}`\n", text(&finding["call"]), Vec::from_iter(sentences).join(" "))
    }
}

/// Returns the words of a report. A word that contains a digit is replaced by 0.
fn without_numbers(report: &str) -> Vec<&str> {
    let words = report.split_whitespace();
    words.map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "0" } else { word }).collect()
}

/// Writes a file of the repository if [`UPDATE`] is set. Otherwise fails, with the reason and the command that writes.
pub fn write_expected_text(path: &str, text: &str, why: &str) {
    let command = format!("{UPDATE}=1 cargo test -p cuda-external-check --test {}", env!("CARGO_CRATE_NAME"));
    assert!(env::var_os(UPDATE).is_some(), "{why}\n{path} can be written: {command}");
    fs::write(test_support::repository().join(path), text).expect("the file can be written");
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
    pub rule: Option<&'static Rule>,
    /// The other rules that the check reports.
    also: &'static [&'static Rule],
    pub run: F,
    options: &'static [&'static str],
    /// A variable that cuda-external-cpu reads.
    pub variable: Option<(&'static str, &'static str)>,
    /// Whether the program can follow the remedy (`follows_remedy`), and then has no finding.
    has_remedy: bool,
}

impl<F: Copy> CheckedCase<F> {
    pub const fn of_rule(rule: &'static Rule, run: F) -> Self {
        Self { rule: Some(rule), ..Self::named_case(rule.id, &[], run) }
    }

    pub const fn named_case(name: &'static str, also: &'static [&'static Rule], run: F) -> Self {
        Self { name, rule: None, also, run, options: &[], variable: None, has_remedy: false }
    }

    pub const fn also_breaks(self, also: &'static [&'static Rule]) -> Self {
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
        let mut rules = Vec::from_iter(self.rule.iter().chain(self.also).map(|rule| rule.id));
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

/// Exactly one case has each rule's name, for the rules about both CUDA and Vulkan or for the others.
pub fn each_rule_has_a_case(names: Vec<&'static str>, is_of_both_sides: bool) -> Trial {
    test_support::trial_if("each_rule_has_a_case", [], move || {
        for row in RULES.iter().filter(|row| (row.group == RuleGroup::BOTH_SIDES) == is_of_both_sides) {
            assert_eq!(names.iter().filter(|name| **name == row.id).count(), 1, "{}", row.id);
        }
    })
}
