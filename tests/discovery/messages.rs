//! What the user reads, word by word.

use crate::drawn::{ARM, Drawn, LINUX, WINDOWS};
use crate::toolkit::{Failure, VARIABLES};

/// The message on a machine whose fixed places are below a folder that does not exist: all its paths are known.
#[cfg(unix)]
#[track_caller]
fn nowhere(machine: &Drawn) -> String {
    let failure = machine.find_below(std::path::Path::new("/nowhere")).unwrap_err();
    assert_narrow(&failure);
    failure.to_string()
}

/// No line is wider than a terminal, nor ends in spaces.
#[track_caller]
fn assert_narrow(failure: &Failure) {
    for line in failure.to_string().lines() {
        assert!(line.chars().count() < 100, "{line}");
        assert_eq!(line, line.trim_end());
    }
}

#[cfg(unix)]
#[test]
fn nothing_found() {
    let mut machine = Drawn::up(LINUX);
    machine.set("PATH", "/usr/local/bin:/usr/bin:/bin:/home/somebody/.local/bin:/home/somebody/.cargo/bin");
    machine.set("CUDA_HOME", "");
    machine.set("CONDA_PREFIX", "/nowhere/conda");
    machine.pkg_config(Err(
        "\nPackage cuda was not found in the pkg-config search path.\nNo package 'cuda' found\n".to_string(),
    ));
    let expected = "\
No cuda.h was found for x86_64-unknown-linux-gnu.

That of CUDA 11.7 or newer is enough; no other part of a toolkit is needed.

These variables were read, the first 7 of them also as
X86_64_UNKNOWN_LINUX_GNU_<name>:
  CUDA_EXTERNAL_SYS_INCLUDE_DIR  unset
  CUDA_PATH                      unset
  CUDA_HOME                      empty
  CUDA_ROOT                      unset
  CUDA_TOOLKIT_PATH              unset
  CUDA_TOOLKIT_ROOT_DIR          unset
  CUDAToolkit_ROOT               unset
  CONDA_PREFIX                   /nowhere/conda
  PATH                           /usr/local/bin:/usr/bin:/bin:/home/somebody/.local/bin:
                                 /home/somebody/.cargo/bin
  VIRTUAL_ENV                    unset

These places were looked at:
  /nowhere/conda                              no such folder
  nvcc on PATH                                not there
  pkg-config                                  Package cuda was not found in the pkg-config search
                                              path.
                                              No package 'cuda' found
  /nowhere/usr/local/cuda                     no such folder
  /nowhere/opt/cuda                           no such folder
  /nowhere/usr/local/cuda-*                   none
  /nowhere/opt/nvidia/hpc_sdk/Linux_x86_64/*  none
  /nowhere/usr/include                        no such folder
  /nowhere/usr/include/cuda                   no such folder
  /nowhere/usr/lib/cuda                       no such folder
  /nowhere/conda/lib/python*                  none

To install cuda.h, one of
  Debian, Ubuntu                      apt install nvidia-cuda-dev
  NVIDIA's packages for these         apt install cuda-cudart-dev-13-0
  NVIDIA's packages for Fedora, RHEL  dnf install cuda-cudart-devel-13-0
  Arch Linux                          pacman -S cuda
  conda                               conda install -c conda-forge cuda-cudart-dev
  pip, in a virtual environment       pip install nvidia-cuda-runtime

Or set one of
  CUDA_HOME=<folder>                      where <folder>/include/cuda.h is
  CUDA_EXTERNAL_SYS_INCLUDE_DIR=<folder>  where <folder>/cuda.h is
  CUDA_EXTERNAL_SYS_BINDINGS=embedded     to do without cuda.h";
    assert_eq!(nowhere(&machine), expected);
}

#[cfg(unix)]
#[test]
fn nothing_found_for_another_target() {
    let mut machine = Drawn::crossing(LINUX, ARM);
    machine.set("VIRTUAL_ENV", "/nowhere/venv");
    let text = nowhere(&machine);
    let parts = [
        "No cuda.h was found for aarch64-unknown-linux-gnu (built on x86_64-unknown-linux-gnu).\n\n",
        "also as\nAARCH64_UNKNOWN_LINUX_GNU_<name>:\n",
        "\n  /nowhere/usr/include                        the host's own\n",
        "\n  PyPI wheel in VIRTUAL_ENV                   the host's own\n",
        "

cuda.h is the same file on all platforms: the host's will do, if you say so.

Or set one of
  AARCH64_UNKNOWN_LINUX_GNU_CUDA_EXTERNAL_SYS_INCLUDE_DIR=<folder>
                                       where <folder>/cuda.h is
  CUDA_EXTERNAL_SYS_BINDINGS=embedded  to do without cuda.h",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_found_on_windows() {
    let mut machine = Drawn::up(WINDOWS);
    machine
        .set("PATH", r"C:\Windows\system32;C:\Windows;C:\Program Files\Git\cmd;C:\Users\somebody\.cargo\bin");
    machine.set("CUDA_PATH", "/nowhere/v12.9");
    machine.set("CUDA_PATH_V12_9", "/nowhere/v12.9");
    let expected = r"No cuda.h was found for x86_64-pc-windows-msvc.

That of CUDA 11.7 or newer is enough; no other part of a toolkit is needed.

These variables were read, the first 7 of them also as
X86_64_PC_WINDOWS_MSVC_<name>:
  CUDA_EXTERNAL_SYS_INCLUDE_DIR  unset
  CUDA_PATH                      /nowhere/v12.9
  CUDA_HOME                      unset
  CUDA_ROOT                      unset
  CUDA_TOOLKIT_PATH              unset
  CUDA_TOOLKIT_ROOT_DIR          unset
  CUDAToolkit_ROOT               unset
  CONDA_PREFIX                   unset
  PATH                           C:\Windows\system32;C:\Windows;C:\Program Files\Git\cmd;
                                 C:\Users\somebody\.cargo\bin
  VIRTUAL_ENV                    unset
  CUDA_PATH_V12_9                /nowhere/v12.9

These places were looked at:
  /nowhere/v12.9  no such folder
  nvcc on PATH    not there
  pkg-config      Package cuda was not found
  /nowhere/v12.9  no such folder
  /nowhere/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*
                  none

To install cuda.h, one of
  the CUDA installer             https://developer.nvidia.com/cuda-downloads
  conda                          conda install -c conda-forge cuda-cudart-dev
  pip, in a virtual environment  pip install nvidia-cuda-runtime

Or set one of
  CUDA_HOME=<folder>                      where <folder>/include/cuda.h is
  CUDA_EXTERNAL_SYS_INCLUDE_DIR=<folder>  where <folder>/cuda.h is
  CUDA_EXTERNAL_SYS_BINDINGS=embedded     to do without cuda.h";
    assert_eq!(nowhere(&machine), expected);
}

#[cfg(unix)]
#[test]
fn a_wrong_variable() {
    let mut machine = Drawn::up(LINUX);
    machine.set("CUDA_HOME", "/nowhere/cuda");
    let expected = "\
CUDA_HOME leads to no cuda.h for x86_64-unknown-linux-gnu.

  CUDA_HOME=/nowhere/cuda

These places were looked at:
  /nowhere/cuda  no such folder

Correct CUDA_HOME, or unset it to have the usual places searched,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to do without cuda.h.";
    assert_eq!(nowhere(&machine), expected);
}

#[test]
fn every_variable_is_in_the_report() {
    for machine in [Drawn::up(LINUX), Drawn::crossing(LINUX, ARM), Drawn::up(WINDOWS)] {
        let text = machine.not_found();
        for (name, _) in VARIABLES {
            assert!(text.contains(&format!(" {name} unset ")), "{name}: {text}");
        }
    }
}

/// A variable is set, in a machine that has a toolkit in `cuda`: the message has a hint.
#[track_caller]
fn assert_hint(name: &str, value: &str, hint: &str) {
    let mut machine = Drawn::up(LINUX);
    machine.header("cuda/include", "12.0");
    machine.set_to(name, value);
    let text = machine.unusable();
    assert!(text.contains(hint), "{text}");
}

#[test]
fn an_include_folder_that_is_a_root() {
    let name = "CUDA_EXTERNAL_SYS_INCLUDE_DIR";
    let hint = "cuda.h is in its include folder: set CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert_hint(name, "cuda", hint);
    let hint = "cuda.h is in its include folder: set X86_64_UNKNOWN_LINUX_GNU_\
                CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert_hint(&format!("X86_64_UNKNOWN_LINUX_GNU_{name}"), "cuda", hint);
}

#[test]
fn an_include_folder_that_is_cuda_h_itself() {
    let hint = "The folder is wanted, not the file: set CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert_hint("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "cuda/include/cuda.h", hint);
}

#[test]
fn a_root_that_is_something_in_it() {
    let hint = "The folder above include is wanted: set CUDA_HOME=/cuda ";
    for value in ["cuda/include", "cuda/include/cuda.h", "cuda/bin", "cuda/bin/nvcc", "cuda/lib64"] {
        assert_hint("CUDA_HOME", value, hint);
    }
}

#[test]
fn a_root_that_is_for_the_host_only() {
    let mut machine = Drawn::crossing(LINUX, ARM);
    machine.header("cuda/include", "12.0");
    machine.header("cuda/targets/x86_64-linux/include", "12.0");
    machine.set_to("CUDA_HOME", "cuda");
    let text = machine.unusable();
    let hint = "Its include folder is the host's. cuda.h is the same file on all platforms, so you may set \
                AARCH64_UNKNOWN_LINUX_GNU_CUDA_EXTERNAL_SYS_INCLUDE_DIR=/cuda/include ";
    assert!(text.contains("/cuda/targets/sbsa-linux/include no such folder"), "{text}");
    assert!(text.contains(hint), "{text}");
}

#[test]
fn a_wrong_variable_with_a_toolkit_elsewhere() {
    let mut machine = Drawn::up(LINUX);
    machine.header("usr/local/cuda/include", "12.9");
    machine.set_to("CUDA_ROOT", "missing");
    let text = machine.unusable();
    assert!(
        text.contains("Without CUDA_ROOT, CUDA 12.9 would be used, from /usr/local/cuda/include "),
        "{text}"
    );
}

#[test]
fn a_release_that_is_too_old() {
    let mut machine = Drawn::up(LINUX);
    machine.header("cuda/include", "11.2");
    machine.set_to("CUDA_PATH", "cuda");
    let text = machine.without_root(&machine.find().unwrap_err().to_string()).replace('\\', "/");
    let expected = "\
This cuda.h is of CUDA 11.2; the oldest that can be used is that of CUDA 11.7.

  /cuda/include/cuda.h
  found by CUDA_PATH

Install a newer toolkit, or name the folder of a newer cuda.h in CUDA_EXTERNAL_SYS_INCLUDE_DIR,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to do without cuda.h.";
    assert_eq!(text, expected);
}

#[test]
fn a_long_path_is_not_broken() {
    let mut machine = Drawn::up(LINUX);
    let long = format!("missing/{}", "a".repeat(200));
    machine.set_to("CONDA_PREFIX", &long);
    let text = machine.not_found();
    assert!(text.contains(&format!(" CONDA_PREFIX /{long} ")), "{text}");
    assert!(text.contains(&format!(" /{long} no such folder ")), "{text}");
}
