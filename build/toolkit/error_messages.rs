//! Writes the error messages of the search for cuda.h. Paths and quoted output are not wrapped, so that users can copy
//! the paths and the output.

use std::path::{Path, PathBuf};

use super::cuda_header;
use super::cuda_release::{CudaRelease, OLDEST};
use super::environment::{BuildTarget, INCLUDE_DIR, SearchEnvironment, VARIABLES};
use super::search::{PassedOverToolkit, ToolkitSearch, UsableToolkit};
use crate::policy::VARIABLE as POLICY;

const WIDTH: usize = 98;

/// The error if libclang is missing, or cannot read any header.
pub fn libclang_missing(search: &ToolkitSearch) -> String {
    let names = ["LIBCLANG_PATH", "BINDGEN_EXTRA_CLANG_ARGS"];
    let rows = names.map(|name| (name.to_owned(), describe_variable_value(search.environment, name)));
    format!(
        "bindgen can read no cuda.h.\n\n{}\n\n{}\n\n\
         Install libclang (Debian, Ubuntu: libclang-dev; Fedora: clang-devel; Arch: clang; pip: libclang),\n\
         or set LIBCLANG_PATH to the directory that holds libclang.so (libclang.dll),\n\
         or correct BINDGEN_EXTRA_CLANG_ARGS, whose --target= names the target as clang knows it,\n\
         or {}.",
        describe_passed_over(search),
        align_columns(&rows),
        suggest_embedded()
    )
}

pub fn own_variable_wrong(value: &Path, search: &ToolkitSearch) -> String {
    let hint = suggest_directory_with_header(value).map(|hint| hint + "\n\n").unwrap_or_default();
    format!(
        "{INCLUDE_DIR} leads to no usable cuda.h.\n\n{}\n\n{hint}\
         Correct {INCLUDE_DIR}, or unset it to have the usual places searched,\n\
         or {}.",
        describe_passed_over(search),
        suggest_embedded()
    )
}

/// Returns the error for `CUDA_EXTERNAL_SYS_BINDINGS=generate`, if the search found no cuda.h or passed over a place.
pub fn cannot_generate(search: &ToolkitSearch) -> String {
    let environment = search.environment;
    let target = describe_target(&environment.target);
    let searched = format!(
        "{}\n\nThese places were looked at:\n{}",
        variable_table(environment),
        align_columns(&search.looked_at)
    );
    if search.passed_over.is_empty() {
        return format!(
            "No cuda.h was found for {target}.\n\n\
             Any cuda.h from CUDA {OLDEST} on works; no other part of a toolkit is needed.\n\n\
             {searched}\n\n{}",
            suggest_remedies(environment)
        );
    }
    let used = search.used.as_ref().map(|(UsableToolkit { version, include, found_by, .. }, _)| {
        let path = include.join("cuda.h");
        format!("{POLICY}=auto would use CUDA {version}, found {found_by}:\n  {}\n\n", path.display())
    });
    format!(
        "{POLICY}=generate, and a cuda.h cannot be used for\n{target}.\n\n{}\n\n{}{searched}\n\n\
         Correct or remove what cannot be used, or set {POLICY}=auto to pass over it,\n\
         or {}.",
        describe_passed_over(search),
        used.unwrap_or_default(),
        suggest_embedded()
    )
}

fn suggest_embedded() -> String {
    let embedded = CudaRelease::of_embedded_bindings();
    format!("set {POLICY}=embedded to use the crate's own bindings of CUDA {embedded}")
}

fn describe_passed_over(search: &ToolkitSearch) -> String {
    let one = |it: &PassedOverToolkit| {
        let output = it.output.lines().map(|line| format!("\n    {line}"));
        format!("  {}\n  {}{}", it.path_and_origin(), it.why, output.collect::<String>())
    };
    search.passed_over.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

fn variable_table(environment: &SearchEnvironment) -> String {
    let rows = VARIABLES.map(|(name, _)| (name.to_owned(), describe_variable_value(environment, name)));
    format!("These variables were read:\n{}", align_columns(&rows))
}

fn describe_variable_value(environment: &SearchEnvironment, name: &str) -> String {
    let Some(value) = (environment.var)(name) else {
        return "unset".to_owned();
    };
    let value = PathBuf::from(value).display().to_string();
    if value.is_empty() { "empty".to_owned() } else { value }
}

/// Returns a suggestion for `INCLUDE_DIR`, if its value is one directory too high or the path of a cuda.h.
fn suggest_directory_with_header(value: &Path) -> Option<String> {
    let below = value.join("include");
    if cuda_header::read_cuda_version(&below).is_ok() {
        return Some(format!("cuda.h is in its include directory: set\n  {INCLUDE_DIR}={}", below.display()));
    }
    let directory = value.parent().filter(|_| value.ends_with("cuda.h"))?;
    Some(format!("Name the directory, not the file: set\n  {INCLUDE_DIR}={}", directory.display()))
}

fn suggest_remedies(environment: &SearchEnvironment) -> String {
    let embedded = CudaRelease::of_embedded_bindings();
    let everywhere = [
        ("conda", "conda install -c conda-forge cuda-cudart-dev"),
        ("pip, in a virtual environment", "pip install nvidia-cuda-runtime"),
    ];
    let on_windows = [("the CUDA installer", "https://developer.nvidia.com/cuda-downloads")];
    let release = format!("{}-{}", embedded.major, embedded.minor);
    let on_linux: [(&str, &str); 4] = [
        ("Debian, Ubuntu", "apt install nvidia-cuda-dev"),
        ("NVIDIA's packages for these", &format!("apt install cuda-cudart-dev-{release}")),
        ("NVIDIA's packages for Fedora, RHEL", &format!("dnf install cuda-cudart-devel-{release}")),
        ("Arch Linux", "pacman -S cuda"),
    ];
    let here = if environment.target.host_is_windows() { &on_windows[..] } else { &on_linux[..] };
    let mut rows = Vec::new();
    for (left, right) in here.iter().chain(&everywhere) {
        rows.push(((*left).to_owned(), (*right).to_owned()));
    }
    let settings = [
        ("CUDA_HOME=<directory>".to_owned(), "where <directory>/include/cuda.h is".to_owned()),
        (format!("{INCLUDE_DIR}=<directory>"), "where <directory>/cuda.h is".to_owned()),
        (format!("{POLICY}=embedded"), format!("to use the crate's own bindings of CUDA {embedded}")),
    ];
    format!(
        "To install cuda.h, one of\n{}\n\nOr set one of\n{}",
        align_columns(&rows),
        align_columns(&settings)
    )
}

fn describe_target(target: &BuildTarget) -> String {
    let BuildTarget { triple, host, .. } = target;
    if triple == host { triple.clone() } else { format!("{triple} (built on {host})") }
}

/// Returns two aligned columns. A text that is too wide for the left column is on a separate line.
fn align_columns(rows: &[(String, String)]) -> String {
    let widths = rows.iter().map(|(left, _)| left.chars().count());
    let column = widths.filter(|width| *width <= WIDTH / 2).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (left, right) in rows {
        let mut right = right.lines();
        if left.chars().count() <= column {
            lines.push(format!("  {left:column$}  {}", right.next().unwrap_or_default()));
        } else {
            lines.push(format!("  {left}"));
        }
        lines.extend(right.map(|more| format!("  {:column$}  {more}", "")));
    }
    lines.join("\n")
}
