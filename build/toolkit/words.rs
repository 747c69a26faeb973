//! What the user reads where no toolkit can be used. Lines stay below 100 columns, unless a path itself is longer:
//! a path is never broken, so that it can be copied.

use std::path::{Path, PathBuf};

use super::{INCLUDE_DIR, Machine, Miss, OLDEST, Role, Target, Toolkit, VARIABLES, Version, header, places};

const WIDTH: usize = 98;

const WITHOUT: &str = "CUDA_EXTERNAL_SYS_BINDINGS=embedded";

/// Nothing was asked for and nothing is there.
pub(super) fn not_found(machine: &Machine, misses: &[Miss]) -> String {
    let variables = VARIABLES.map(|(name, role)| (name.to_string(), shown(machine, name, role)));
    let versioned = places::versioned_cuda_paths(machine).into_iter().map(|name| {
        let value = shown(machine, &name, Role::Root);
        (name, value)
    });
    let misses = misses.iter().map(|miss| (miss.what.clone(), miss.why.clone()));
    let in_root = ("CUDA_HOME=<folder>".to_string(), "where <folder>/include/cuda.h is");
    let in_include = |name: &str| (format!("{name}=<folder>"), "where <folder>/cuda.h is");
    let without = (WITHOUT.to_string(), "to do without cuda.h");
    let (hint, settings) = if machine.target.cross() {
        let hint = "cuda.h is the same file on all platforms: the host's will do, if you say so.\n\n";
        (hint, vec![in_include(&machine.for_target(INCLUDE_DIR)), without])
    } else {
        ("", vec![in_root, in_include(INCLUDE_DIR), without])
    };
    let explicit = VARIABLES.iter().filter(|(_, role)| role.explicit()).count();
    format!(
        "No cuda.h was found for {}.\n\n\
         That of CUDA {OLDEST} or newer is enough; no other part of a toolkit is needed.\n\n\
         These variables were read, the first {explicit} of them also as\n{}:\n{}\n\n\
         These places were looked at:\n{}\n\n\
         To install cuda.h, one of\n{}\n\n\
         {hint}Or set one of\n{}",
        target(&machine.target),
        machine.for_target("<name>"),
        table(variables.into_iter().chain(versioned), '\n'),
        table(misses, ' '),
        installations(&machine.target),
        table(settings, ' '),
    )
}

/// A variable is set to what cannot be used.
pub(super) fn wrong(
    machine: &Machine,
    name: &str,
    value: &Path,
    role: Role,
    misses: &[Miss],
    otherwise: Option<Toolkit>,
) -> String {
    let misses = misses.iter().map(|miss| (miss.what.clone(), miss.why.clone()));
    let meant = meant(machine, name, value, role).unwrap_or_default();
    let otherwise = otherwise.map(|toolkit| {
        let Toolkit { version, include, .. } = toolkit;
        format!("Without {name}, CUDA {version} would be used, from\n  {}\n\n", include.display())
    });
    format!(
        "{name} leads to no cuda.h for {}.\n\n  {name}={}\n\n\
         These places were looked at:\n{}\n\n{meant}{}\
         Correct {name}, or unset it to have the usual places searched,\n\
         or set {WITHOUT} to do without cuda.h.",
        target(&machine.target),
        value.display(),
        table(misses, ' '),
        otherwise.unwrap_or_default(),
    )
}

/// There is a cuda.h, of a release that is not supported.
pub(super) fn too_old(include: &Path, by: &str, version: Version) -> String {
    format!(
        "This cuda.h is of CUDA {version}; the oldest that can be used is that of CUDA {OLDEST}.\n\n  {}\n  \
         found by {by}\n\n\
         Install a newer toolkit, or name the folder of a newer cuda.h in {INCLUDE_DIR},\n\
         or set {WITHOUT} to do without cuda.h.",
        include.join("cuda.h").display()
    )
}

fn target(target: &Target) -> String {
    let Target { triple, host, .. } = target;
    if triple == host { triple.clone() } else { format!("{triple} (built on {host})") }
}

fn shown(machine: &Machine, name: &str, role: Role) -> String {
    let Some(value) = (machine.var)(name) else {
        return "unset".to_string();
    };
    let value = PathBuf::from(value).display().to_string();
    match role {
        _ if value.is_empty() => "empty".to_string(),
        Role::Nvcc => {
            let between = if machine.target.host_is_windows() { ';' } else { ':' };
            wrapped(&value, between, WIDTH - INCLUDE_DIR.len() - 4).join("\n")
        }
        _ => value,
    }
}

/// What the variable was probably meant to be, where cuda.h is close by.
fn meant(machine: &Machine, name: &str, value: &Path, role: Role) -> Option<String> {
    let usable = |include: &Path| header::version(include).is_ok();
    let below = value.join("include");
    let text = match role {
        Role::IncludeDir if usable(&below) => {
            format!("cuda.h is in its include folder: set\n  {name}={}", below.display())
        }
        Role::IncludeDir => {
            let folder = value.parent().filter(|_| value.ends_with("cuda.h"))?;
            format!("The folder is wanted, not the file: set\n  {name}={}", folder.display())
        }
        _ if machine.target.cross() && usable(&below) => {
            let variable = machine.for_target(INCLUDE_DIR);
            format!(
                "Its include folder is the host's. cuda.h is the same file on all platforms, so you may set\n  \
                 {variable}={}",
                below.display()
            )
        }
        _ => {
            let mut above = value.ancestors().skip(1).take(2);
            let root = above.find(|folder| usable(&folder.join("include")))?;
            format!("The folder above include is wanted: set\n  {name}={}", root.display())
        }
    };
    Some(text + "\n\n")
}

fn installations(target: &Target) -> String {
    let windows = target.host_is_windows();
    let everywhere = [
        ("conda", "conda install -c conda-forge cuda-cudart-dev"),
        ("pip, in a virtual environment", "pip install nvidia-cuda-runtime"),
    ];
    let on_windows = [("the CUDA installer", "https://developer.nvidia.com/cuda-downloads")];
    let on_linux = [
        ("Debian, Ubuntu", "apt install nvidia-cuda-dev"),
        ("NVIDIA's packages for these", "apt install cuda-cudart-dev-13-0"),
        ("NVIDIA's packages for Fedora, RHEL", "dnf install cuda-cudart-devel-13-0"),
        ("Arch Linux", "pacman -S cuda"),
    ];
    let here = if windows { &on_windows[..] } else { &on_linux[..] };
    table(here.iter().chain(&everywhere).copied(), ' ')
}

/// Two aligned columns; what is too wide for its line goes on below, where the right one may be broken.
fn table<A: Into<String>, B: Into<String>>(rows: impl IntoIterator<Item = (A, B)>, breaks: char) -> String {
    let rows = rows.into_iter().map(|(left, right)| (left.into(), right.into()));
    let rows: Vec<(String, String)> = rows.collect();
    let lefts = rows.iter().map(|(left, _)| left.chars().count());
    let column = lefts.filter(|width| *width <= WIDTH / 2).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (left, right) in &rows {
        let mut right = wrapped(right, breaks, WIDTH - column - 4).into_iter();
        if left.chars().count() <= column {
            let first = right.next().unwrap_or_default();
            lines.push(format!("  {left:column$}  {first}"));
        } else {
            lines.push(format!("  {left}"));
        }
        lines.extend(right.map(|more| format!("  {:column$}  {more}", "")));
    }
    lines.join("\n")
}

/// Lines no wider than `width` where that can be had by breaking them after `breaks`.
fn wrapped(text: &str, breaks: char, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut room = 0;
        for word in line.split_inclusive(breaks) {
            let length = word.chars().count();
            if length > room {
                lines.push(String::new());
                room = width;
            }
            lines.last_mut().expect("the first word finds no room").push_str(word);
            room = room.saturating_sub(length);
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}
