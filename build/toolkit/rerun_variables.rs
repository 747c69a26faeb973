//! The variables whose change runs the search again.

use super::environment::{SearchEnvironment, VARIABLES, VariableRole};

/// Variables that libclang and bindgen read for every target. CPATH and C_INCLUDE_PATH cannot replace cuda.h, but they
/// can supply a header that a future cuda.h includes.
const LIBCLANG_VARIABLES: [&str; 5] =
    ["LIBCLANG_PATH", "LLVM_CONFIG_PATH", "CPATH", "C_INCLUDE_PATH", EXTRA_CLANG_ARGS];
const EXTRA_CLANG_ARGS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// Returns the variables of the search, of libclang and of bindgen that cargo must watch. PATH is not among them: an
/// editor and a terminal may have different values of PATH, and each would rebuild what the other has built, although
/// nvcc on PATH rarely matters. The crate pkg-config itself prints the variables that it reads.
pub fn rerun_variables(environment: &SearchEnvironment) -> Vec<String> {
    let triple = &environment.target.triple;
    let searched = VARIABLES.iter().filter(|(_, role)| *role != VariableRole::Path).map(|(name, _)| *name);
    let mut names: Vec<String> = searched.chain(LIBCLANG_VARIABLES).map(str::to_owned).collect();
    names.extend([triple, &triple.replace('-', "_")].map(|triple| format!("{EXTRA_CLANG_ARGS}_{triple}")));
    names
}
