//! What the user reads, word by word. The paths in it are those of Unix.

use std::path::Path;

use crate::drawn::{ARM, Drawn, LINUX, WINDOWS};

/// The message on a machine whose fixed places are below a folder that does not exist: all its paths are known.
#[track_caller]
fn nowhere(machine: &Drawn) -> String {
    let text = machine.find_below(Path::new("/nowhere")).unwrap_err().to_string();
    for line in text.lines() {
        assert!(line.chars().count() < 100, "wider than a terminal: {line}");
        assert_eq!(line, line.trim_end());
    }
    text
}

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
