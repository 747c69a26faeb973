//! The variables whose change runs the search again.

use super::environment::{SearchEnvironment, VARIABLES, VariableRole};

/// Variables that libclang and bindgen read. CPATH and C_INCLUDE_PATH matter if a future cuda.h includes more headers.
const LIBCLANG_VARIABLES: [&str; 5] =
    ["LIBCLANG_PATH", "LLVM_CONFIG_PATH", "CPATH", "C_INCLUDE_PATH", EXTRA_CLANG_ARGS];
const EXTRA_CLANG_ARGS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// Returns the variables whose change makes cargo run build.rs again: those in [`VARIABLES`] except PATH, and those
/// that libclang and bindgen read. PATH is left out: an editor and a terminal may have different values of PATH, and
/// each would rebuild what the other built.
pub fn rerun_variables(environment: &SearchEnvironment) -> Vec<String> {
    let triple = &environment.target.triple;
    let searched = VARIABLES.iter().filter(|(_, role)| *role != VariableRole::Path).map(|(name, _)| *name);
    let mut names: Vec<String> = searched.chain(LIBCLANG_VARIABLES).map(str::to_owned).collect();
    names.extend([triple, &triple.replace('-', "_")].map(|triple| format!("{EXTRA_CLANG_ARGS}_{triple}")));
    names
}
