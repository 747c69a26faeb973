//! The options that change what the layer does. `cuda-external-check` passes them to the checked processes as numbers.

use crate::rules::{Rule, RuleActivation};

/// The variable that names the directory with the layer and the shared file.
pub const DIRECTORY_VARIABLE: &str = "CUDA_EXTERNAL_CHECK_DIRECTORY";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerOptions {
    /// A bit for each rule that is suppressed.
    pub suppressed: u64,
    /// A bit for each rule of `--enable`.
    pub enabled: u64,
    /// Whether the layer calls the driver even if the driver may crash.
    pub let_crash: bool,
    /// How many seccomp filters the program inherits, if they allow the system calls that mark files. Otherwise 0.
    pub filters_that_allow_marks: u64,
}

impl LayerOptions {
    pub fn to_words(&self) -> [u64; 4] {
        [self.suppressed, self.enabled, u64::from(self.let_crash), self.filters_that_allow_marks]
    }

    pub fn from_words([suppressed, enabled, let_crash, filters_that_allow_marks]: [u64; 4]) -> Self {
        Self { suppressed, enabled, let_crash: let_crash != 0, filters_that_allow_marks }
    }

    pub fn is_rule_enabled(&self, rule: &Rule) -> bool {
        let bit = 1 << rule.number;
        self.suppressed & bit == 0 && (rule.reported != RuleActivation::OnEnable || self.enabled & bit != 0)
    }
}
