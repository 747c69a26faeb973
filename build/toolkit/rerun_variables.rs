//! The variables whose change runs the search again.

use super::environment::{SearchEnvironment, VARIABLES, VariableRole};
use super::pkg_config_packages;

/// The variables that libclang and bindgen read by themselves. CPATH and C_INCLUDE_PATH cannot replace cuda.h, but
/// they can supply a header that a future cuda.h includes.
const LIBCLANG_VARIABLES: [&str; 5] =
    ["LIBCLANG_PATH", "LLVM_CONFIG_PATH", "CPATH", "C_INCLUDE_PATH", EXTRA_CLANG_ARGS];
const EXTRA_CLANG_ARGS: &str = "BINDGEN_EXTRA_CLANG_ARGS";

/// Every variable whose change runs the search again. PATH is not among them. An editor and a terminal have different
/// values of PATH, and each would rebuild what the other has built, although nvcc on PATH rarely matters.
pub fn rerun_variables(environment: &SearchEnvironment) -> Vec<String> {
    let target = &environment.target;
    let underscored = target.triple.replace('-', "_");
    let mut names: Vec<String> = Vec::new();
    for (name, role) in VARIABLES.iter().filter(|(_, role)| *role != VariableRole::Path) {
        names.push((*name).to_owned());
        if role.is_toolkit_variable() {
            names.push(environment.for_target(name));
        }
    }
    names.extend(environment.versioned_cuda_paths());
    names.extend(LIBCLANG_VARIABLES.map(str::to_owned));
    names.extend([&target.triple, &underscored].map(|triple| format!("{EXTRA_CLANG_ARGS}_{triple}")));
    names.extend(pkg_config_packages::variables_read(environment));
    names
}
