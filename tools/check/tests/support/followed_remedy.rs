//! Programs that break a rule, and that can do what the remedy of the rule says instead.

use std::env;

/// Set where the program follows the remedy.
pub const REMEDY: &str = "CUDA_EXTERNAL_CHECK_REMEDY";

pub fn follows_remedy() -> bool {
    env::var_os(REMEDY).is_some()
}
