//! Every variable: set, empty, wrong, and two that disagree.

use crate::drawn::{ARM, Drawn, LINUX, WINDOWS};
use crate::toolkit::{Role, VARIABLES};

const ARM_PREFIX: &str = "AARCH64_UNKNOWN_LINUX_GNU_";

fn explicit() -> impl Iterator<Item = (&'static str, Role)> {
    VARIABLES.into_iter().filter(|(_, role)| role.explicit())
}

/// A machine that has a usable toolkit in `cuda` and another in a fixed place.
fn machine(host: &'static str, target: &'static str) -> Drawn {
    let machine = Drawn::crossing(host, target);
    machine.header("cuda/include", "12.3");
    machine.file("cuda/bin/nvcc", b"");
    machine.header("cuda/lib/python3.12/site-packages/nvidia/cu13/include", "13.1");
    machine.header("usr/local/cuda/include", "11.7");
    machine
}

#[test]
fn set() {
    for (name, role) in VARIABLES {
        let mut machine = machine(LINUX, LINUX);
        let (value, include, version, by) = match role {
            Role::IncludeDir => ("cuda/include", "cuda/include", "12.3", name),
            Role::Root | Role::Conda => ("cuda", "cuda/include", "12.3", name),
            Role::Nvcc => ("cuda/bin", "cuda/include", "12.3", "nvcc on PATH"),
            Role::Venv => ("cuda", "usr/local/cuda/include", "11.7", "/usr/local/cuda"),
        };
        machine.set_to(name, value);
        machine.finds(include, version, by);
    }
}

#[test]
fn set_to_a_path_with_a_slash_at_its_end() {
    for (name, role) in explicit() {
        let mut machine = machine(LINUX, LINUX);
        machine.set_to(name, if role == Role::IncludeDir { "cuda/include/" } else { "cuda/" });
        let found = machine.finds("cuda/include", "12.3", name);
        assert_eq!(found.root, Some(machine.at("cuda")));
    }
}

#[test]
fn set_for_one_target_alone() {
    for (name, role) in explicit() {
        let mut machine = machine(LINUX, ARM);
        let name = format!("{ARM_PREFIX}{name}");
        machine.set_to(&name, if role == Role::IncludeDir { "cuda/include" } else { "cuda" });
        machine.finds("cuda/include", "12.3", &name);
        assert!(machine.watched().contains(&name));
    }
}

#[test]
fn set_for_another_target() {
    let mut machine = machine(LINUX, LINUX);
    machine.set_to(&format!("{ARM_PREFIX}CUDA_HOME"), "cuda");
    machine.finds("usr/local/cuda/include", "11.7", "/usr/local/cuda");
}

#[test]
fn set_for_the_host_and_for_the_target() {
    let mut machine = machine(LINUX, ARM);
    machine.header("host/include", "12.9");
    machine.set_to("CUDA_PATH", "host");
    machine.set_to(&format!("{ARM_PREFIX}CUDAToolkit_ROOT"), "cuda");
    machine.finds("cuda/include", "12.3", &format!("{ARM_PREFIX}CUDAToolkit_ROOT"));
}

#[test]
fn empty() {
    let mut machine = machine(LINUX, LINUX);
    for (name, _) in VARIABLES {
        machine.set(name, "");
        machine.set(&format!("X86_64_UNKNOWN_LINUX_GNU_{name}"), "");
    }
    machine.finds("usr/local/cuda/include", "11.7", "/usr/local/cuda");
    std::fs::remove_dir_all(machine.at("usr")).unwrap();
    let text = machine.not_found();
    for (name, _) in VARIABLES {
        assert!(text.contains(&format!(" {name} empty ")), "{name}: {text}");
    }
}

#[test]
fn an_explicit_one_that_is_wrong_is_never_skipped() {
    for (name, role) in explicit() {
        for (value, why) in [
            ("missing", "no such folder"),
            ("usr/local/cuda/include/cuda.h", "not a folder"),
            ("usr/local", if role == Role::Root { "no such folder" } else { "no cuda.h in it" }),
        ] {
            for name in [name.to_string(), format!("X86_64_UNKNOWN_LINUX_GNU_{name}")] {
                let mut machine = machine(LINUX, LINUX);
                machine.set_to(&name, value);
                let text = machine.unusable();
                assert!(text.contains(&format!(" {name}=/{value} ")), "{text}");
                assert!(text.contains(why), "{text}");
                assert!(text.contains(&format!("Without {name}, CUDA 11.7 would be used, from")), "{text}");
                assert!(text.contains("CUDA_EXTERNAL_SYS_BINDINGS=embedded"), "{text}");
            }
        }
    }
}

#[test]
fn an_explicit_one_that_is_not_absolute_is_wrong() {
    for value in ["cuda", "./cuda", "~/cuda", "$HOME/cuda", "\"/usr/local/cuda\"", "12.9"] {
        let mut machine = machine(LINUX, LINUX);
        machine.set("CUDA_HOME", value);
        let text = machine.unusable();
        assert!(text.contains(&format!(" {value} not an absolute path ")), "{text}");
    }
}

#[test]
fn a_searched_one_that_is_wrong_is_passed_over_and_reported() {
    for (name, _) in VARIABLES.into_iter().filter(|(_, role)| !role.explicit()) {
        let mut machine = machine(LINUX, LINUX);
        machine.set_to(name, "missing");
        machine.finds("usr/local/cuda/include", "11.7", "/usr/local/cuda");
        std::fs::remove_dir_all(machine.at("usr")).unwrap();
        let text = machine.not_found();
        assert!(text.contains(&format!(" {name} /missing ")), "{name}: {text}");
    }
}

#[test]
fn only_on_windows_a_stale_cuda_path_is_skipped() {
    let mut windows = machine(WINDOWS, WINDOWS);
    windows.set_to("CUDA_PATH", "uninstalled");
    let text = windows.not_found();
    assert!(text.contains(" /uninstalled no such folder "), "{text}");
    windows.set_to("CUDA_HOME", "cuda");
    windows.finds("cuda/include", "12.3", "CUDA_HOME");
    windows.set_to("CUDA_HOME", "uninstalled");
    let text = windows.unusable();
    assert!(text.starts_with("CUDA_HOME leads to no cuda.h"), "{text}");
    let mut linux = machine(LINUX, LINUX);
    linux.set_to("CUDA_PATH", "uninstalled");
    linux.set_to("CUDA_HOME", "cuda");
    let text = linux.unusable();
    assert!(text.starts_with("CUDA_PATH leads to no cuda.h"), "{text}");
}

#[test]
fn two_that_disagree_are_one_warning() {
    let mut machine = machine(LINUX, LINUX);
    machine.set_to("CUDAToolkit_ROOT", "usr/local/cuda");
    machine.set_to("CUDA_HOME", "cuda");
    let found = machine.find().unwrap();
    assert_eq!(found.found_by, "CUDA_HOME");
    let warning = "CUDA_HOME=/cuda is used; it disagrees with CUDAToolkit_ROOT=/usr/local/cuda";
    assert_eq!(found.warnings.len(), 1);
    assert_eq!(machine.without_root(&found.warnings[0]), warning);

    machine.set_to("CUDA_ROOT", "missing");
    let found = machine.find().unwrap();
    let warning = "CUDA_HOME=/cuda is used; \
                   it disagrees with CUDA_ROOT=/missing and CUDAToolkit_ROOT=/usr/local/cuda";
    assert_eq!(found.warnings.len(), 1);
    assert_eq!(machine.without_root(&found.warnings[0]), warning);
}

#[cfg(unix)]
#[test]
fn two_that_lead_to_one_cuda_h_agree() {
    let mut machine = machine(LINUX, LINUX);
    machine.link("link", "/cuda");
    machine.link("conda/targets/x86_64-linux/include/cuda.h", "/cuda/include/cuda.h");
    machine.set_to("CUDA_PATH", "link");
    machine.set_to("CUDA_HOME", "cuda/");
    machine.set_to("CUDA_TOOLKIT_ROOT_DIR", "conda");
    machine.finds("link/include", "12.3", "CUDA_PATH");
}

#[test]
fn all_that_are_read_but_path_are_watched() {
    let mut machine = machine(WINDOWS, WINDOWS);
    machine.set("CUDA_PATH_V12_9", "");
    machine.set("CUDA_PATH_V_DRIVE", "C:");
    let watched = machine.watched();
    // PATH is read, and not watched.
    assert_eq!(watched.len(), VARIABLES.len() - 1 + explicit().count() + 1);
    for (name, _) in VARIABLES.iter().filter(|(name, _)| *name != "PATH") {
        assert!(watched.iter().any(|watched| watched == name));
    }
    assert!(watched.contains(&"X86_64_PC_WINDOWS_MSVC_CUDA_HOME".to_string()));
    assert!(watched.contains(&"CUDA_PATH_V12_9".to_string()));
    machine.find().unwrap_err();
    let read = machine.read.take();
    assert!(read.len() > VARIABLES.len());
    for name in read {
        assert!(name == "PATH" || watched.contains(&name), "{name}");
    }
}
