use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use cuda_external_check::layer;
use cuda_external_check::layer_options::LayerOptions;
use cuda_external_check::rule_table::{RULES, parse_rule_list};
use cuda_external_check::rules::RuleActivation;

/// Runs a program, and reports its mistakes with CUDA's external memory and semaphores.
///
/// Processes that the program starts are checked too. Findings go to stderr.
#[derive(Debug, Parser)]
#[command(name = "cuda-external-check", version)]
pub struct CommandLine {
    /// Exit with N if there are findings, or with the program's own code if N is 0 (without this option:
    /// with 1 if there are findings and the program itself succeeded)
    #[arg(long = "error-exitcode", value_name = "N", verbatim_doc_comment)]
    pub error_code: Option<u8>,
    /// Leave rules out: names with commas between them; may be repeated
    #[arg(long, value_name = "RULES", value_parser = parse_rule_list)]
    suppress: Vec<u64>,
    #[arg(long, value_name = "RULES", value_parser = parse_rule_list, help = enable_option_help())]
    enable: Vec<u64>,
    /// If the program itself succeeded, exit with 3 where no call was checked or a process bypassed the check
    #[arg(long, verbatim_doc_comment)]
    pub require: bool,
    /// Write the findings to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Call the driver even where it may crash
    #[arg(long)]
    let_crash: bool,
    /// Load the driver from FILE instead of searching for it
    #[arg(long, value_name = "FILE")]
    pub driver: Option<PathBuf>,
    /// Print the rules and their remedies
    #[arg(long)]
    pub list_rules: bool,
    /// Find out in at most ten seconds why Vulkan and CUDA cannot share memory on this machine; exit with 1 if they
    /// cannot. --json FILE writes all facts
    #[arg(long, verbatim_doc_comment)]
    pub machine: bool,
    /// The program, with its arguments
    #[arg(value_name = "PROGRAM", required_unless_present_any = ["list_rules", "machine"], trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

fn enable_option_help() -> String {
    let names = |when| {
        let rules = RULES.iter().filter(|rule| rule.reported == when);
        Vec::from_iter(rules.map(|rule| rule.id)).join(", ")
    };
    format!(
        "Report also rules that correct programs may break with care:\n{}.\nFor {}: also merely possible accesses",
        names(RuleActivation::OnEnable),
        names(RuleActivation::MoreOnEnable)
    )
}

impl CommandLine {
    pub fn layer_options(&self) -> LayerOptions {
        let all = |lists: &[u64]| lists.iter().fold(0, |all, rules| all | rules);
        let (suppressed, enabled) = (all(&self.suppress), all(&self.enable));
        LayerOptions {
            suppressed,
            enabled,
            let_crash: self.let_crash,
            filters_that_allow_marks: layer::filters_that_allow_marks(),
        }
    }
}
