//! What a failing build says, word for word.

use std::path::Path;

use libtest_mimic::Trial;
use test_support as support;

use crate::fake_tree::{ARM, FakeTree};
use crate::policy::Policy;
use crate::toolkit::GenerateError;

pub fn all() -> Vec<Trial> {
    support::tests! {
        [] => nothing_found, nothing_found_for_another_target, nothing_found_on_windows,
            a_toolkit_that_cannot_be_used, own_variable, no_clang, warnings;
    }
}

/// The message of `generate` on a machine whose fixed places are below a directory that does not exist, so that all
/// paths in it are known.
#[track_caller]
fn message(tree: &FakeTree) -> String {
    let text = tree.choose(Policy::Generate, Path::new("/nowhere")).err().expect("nothing is there");
    let text = tree.shown(&text);
    for line in text.lines() {
        assert!(line.chars().count() < 100, "wider than a terminal: {line}");
        assert_eq!(line, line.trim_end());
    }
    text
}

fn set(tree: &mut FakeTree, name: &str, value: &str) {
    tree.variables.insert(name.to_owned(), value.into());
}

fn nothing_found() {
    let mut tree = FakeTree::new([]);
    set(
        &mut tree,
        "PATH",
        "/usr/local/bin:/usr/bin:/bin:/home/some body/.local/bin:/home/some body/.cargo/bin",
    );
    set(&mut tree, "CUDA_HOME", "");
    set(&mut tree, "CONDA_PREFIX", "/nowhere/a conda");
    let expected = "\
No cuda.h was found for x86_64-unknown-linux-gnu.

Any cuda.h from CUDA 11.7 on works; no other part of a toolkit is needed.

These variables were read, the first 7 of them also as
X86_64_UNKNOWN_LINUX_GNU_<name>:
  CUDA_EXTERNAL_SYS_INCLUDE_DIR  unset
  CUDA_PATH                      unset
  CUDA_HOME                      empty
  CUDA_ROOT                      unset
  CUDA_TOOLKIT_PATH              unset
  CUDA_TOOLKIT_ROOT_DIR          unset
  CUDAToolkit_ROOT               unset
  CONDA_PREFIX                   /nowhere/a conda
  PATH                           /usr/local/bin:/usr/bin:/bin:/home/some body/.local/bin:
                                 /home/some body/.cargo/bin
  VIRTUAL_ENV                    unset

These places were looked at:
  /nowhere/a conda                            no such directory
  nvcc on PATH                                no such program
  pkg-config                                  it has no package cuda or cudart
  /nowhere/usr/local/cuda                     no such directory
  /nowhere/opt/cuda                           no such directory
  /nowhere/usr/local/cuda-*                   none
  /nowhere/opt/nvidia/hpc_sdk/Linux_x86_64/*  none
  /nowhere/usr/include                        no such directory
  /nowhere/usr/include/cuda                   no such directory
  /nowhere/usr/lib/cuda                       no such directory
  /nowhere/a conda/lib/python*                none

To install cuda.h, one of
  Debian, Ubuntu                      apt install nvidia-cuda-dev
  NVIDIA's packages for these         apt install cuda-cudart-dev-13-0
  NVIDIA's packages for Fedora, RHEL  dnf install cuda-cudart-devel-13-0
  Arch Linux                          pacman -S cuda
  conda                               conda install -c conda-forge cuda-cudart-dev
  pip, in a virtual environment       pip install nvidia-cuda-runtime

Or set one of
  CUDA_HOME=<directory>                      where <directory>/include/cuda.h is
  CUDA_EXTERNAL_SYS_INCLUDE_DIR=<directory>  where <directory>/cuda.h is
  CUDA_EXTERNAL_SYS_BINDINGS=embedded        to use the crate's own bindings of CUDA 13.5";
    assert_eq!(message(&tree), expected);
    // A path is never broken, however long it is.
    let long = format!("/nowhere/{}/{}", "a b".repeat(60), "c d".repeat(60));
    set(&mut tree, "CONDA_PREFIX", &long);
    set(&mut tree, "PATH", &format!("/usr/bin:{long}:/bin"));
    let text = tree.choose(Policy::Generate, Path::new("/nowhere")).err().expect("nothing is there");
    assert_eq!(text.lines().filter(|line| line.contains(&long)).count(), 4, "{text}");
}

fn nothing_found_for_another_target() {
    let mut tree = FakeTree::new([]);
    ARM.clone_into(&mut tree.target);
    set(&mut tree, "AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME", "");
    let text = message(&tree);
    for part in [
        "No cuda.h was found for aarch64-unknown-linux-gnu (built on x86_64-unknown-linux-gnu).\n\n",
        "also as\nAARCH64_UNKNOWN_LINUX_GNU_<name>:\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    set(&mut tree, "AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME", "/nowhere/cuda");
    let text = message(&tree);
    let part = "\n  AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME  /nowhere/cuda\n";
    assert!(text.contains(part), "{part}\nis not in\n{text}");
}

fn nothing_found_on_windows() {
    let mut tree = FakeTree::new(["HOST = x86_64-pc-windows-msvc"]);
    let path = r"C:\Windows\system32;C:\Windows;C:\Program Files\Git\cmd;C:\Users\somebody\.cargo\bin";
    set(&mut tree, "PATH", path);
    set(&mut tree, "CUDA_PATH_V12_9", "/nowhere/v12.9");
    let text = message(&tree);
    for part in [
        r"
  PATH                           C:\Windows\system32;C:\Windows;C:\Program Files\Git\cmd;
                                 C:\Users\somebody\.cargo\bin
  VIRTUAL_ENV                    unset
  CUDA_PATH_V12_9                /nowhere/v12.9

",
        "
These places were looked at:
  nvcc on PATH    no such program
  pkg-config      it has no package cuda or cudart
  /nowhere/v12.9  no such directory
  /nowhere/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*
                  none

To install cuda.h, one of
  the CUDA installer             https://developer.nvidia.com/cuda-downloads
  conda                          conda install -c conda-forge cuda-cudart-dev
  pip, in a virtual environment  pip install nvidia-cuda-runtime
",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

/// One variable of another program leads nowhere, one to an old release, one to a header that clang cannot read.
fn three_unusable() -> FakeTree {
    let mut tree = FakeTree::new([
        "CUDA_HOME = /cuda with spaces/12",
        "/old/include/cuda.h = 11.2",
        "CUDA_ROOT = /old",
        "/refused/include/cuda.h = 12.2",
        "CUDA_TOOLKIT_PATH = /refused",
        "/good/include/cuda.h = 12.3",
        "CUDAToolkit_ROOT = /good",
    ]);
    tree.refused.insert("12.2".to_owned(), || GenerateError::Header {
        why: "bindgen cannot read it: cuda.h:2:1: error: unknown type name 'this'".to_owned(),
        output: "cuda.h:2:8: error: expected ';'".to_owned(),
    });
    tree
}

fn a_toolkit_that_cannot_be_used() {
    let text = three_unusable().failure(Policy::Generate);
    let (start, end) = text.split_once("\n\nThese variables were read").expect(&text);
    let expected = "\
CUDA_EXTERNAL_SYS_BINDINGS=generate, and a cuda.h cannot be used for
x86_64-unknown-linux-gnu.

  CUDA_HOME=/cuda with spaces/12
  no such directory

  /old/include/cuda.h, found by CUDA_ROOT
  CUDA 11.2 is older than CUDA 11.7, the oldest supported release

  /refused/include/cuda.h, found by CUDA_TOOLKIT_PATH
  bindgen cannot read it: cuda.h:2:1: error: unknown type name 'this'
    cuda.h:2:8: error: expected ';'

CUDA_EXTERNAL_SYS_BINDINGS=auto would use CUDA 12.3, found by CUDAToolkit_ROOT:
  /good/include/cuda.h";
    assert_eq!(start, expected);
    let expected = "\
Correct or remove what cannot be used, or set CUDA_EXTERNAL_SYS_BINDINGS=auto to pass over it,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the crate's own bindings of CUDA 13.5.";
    assert_eq!(end.rsplit_once("\n\n").expect(end).1, expected);
}

fn own_variable() {
    let name = "CUDA_EXTERNAL_SYS_INCLUDE_DIR";
    for (value, reason) in [
        (
            "/a toolkit",
            "  CUDA_EXTERNAL_SYS_INCLUDE_DIR=/a toolkit
  no cuda.h in it

cuda.h is in its include directory: set
  CUDA_EXTERNAL_SYS_INCLUDE_DIR=/a toolkit/include",
        ),
        (
            "/a toolkit/include/cuda.h",
            "  CUDA_EXTERNAL_SYS_INCLUDE_DIR=/a toolkit/include/cuda.h
  not a directory

Name the directory, not the file: set
  CUDA_EXTERNAL_SYS_INCLUDE_DIR=/a toolkit/include",
        ),
        (
            "/old",
            "  /old/cuda.h, found by CUDA_EXTERNAL_SYS_INCLUDE_DIR
  CUDA 10.2 is older than CUDA 11.7, the oldest supported release",
        ),
    ] {
        let mut tree = FakeTree::new(["/a toolkit/include/cuda.h = 12.0", "/old/cuda.h = 10.2"]);
        tree.add(&format!("{name} = {value}"));
        let expected = format!(
            "\
CUDA_EXTERNAL_SYS_INCLUDE_DIR leads to no usable cuda.h.

{reason}

Correct CUDA_EXTERNAL_SYS_INCLUDE_DIR, or unset it to have the usual places searched,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the crate's own bindings of CUDA 13.5."
        );
        assert_eq!(tree.failure(Policy::Auto), expected);
        assert_eq!(tree.failure(Policy::Generate), expected);
    }
}

fn no_clang() {
    let mut tree = FakeTree::new(["/opt/cuda/include/cuda.h = 12.3"]);
    tree.refused.insert("12.3".to_owned(), || GenerateError::Clang {
        why: "bindgen found no libclang to read it with".to_owned(),
        output: "couldn't find libclang.so".to_owned(),
    });
    set(&mut tree, "LIBCLANG_PATH", "/no clang");
    let expected = "\
bindgen can read no cuda.h.

  /opt/cuda/include/cuda.h, found in /opt/cuda
  bindgen found no libclang to read it with
    couldn't find libclang.so

  LIBCLANG_PATH             /no clang
  BINDGEN_EXTRA_CLANG_ARGS  unset

Install libclang (Debian, Ubuntu: libclang-dev; Fedora: clang-devel; Arch: clang; pip: libclang),
or set LIBCLANG_PATH to the directory that holds libclang.so (libclang.dll),
or correct BINDGEN_EXTRA_CLANG_ARGS, whose --target= names the target as clang knows it,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the crate's own bindings of CUDA 13.5.";
    assert_eq!(tree.failure(Policy::Generate), expected);
}

fn warnings() {
    let warnings = three_unusable().auto().warnings;
    let used = "using CUDA 12.3, found by CUDAToolkit_ROOT";
    assert_eq!(
        warnings,
        [
            format!("passed over CUDA_HOME=/cuda with spaces/12: no such directory; {used}"),
            format!(
                "passed over /old/include/cuda.h, found by CUDA_ROOT: CUDA 11.2 is older than CUDA 11.7, the oldest \
                 supported release; {used}"
            ),
            format!(
                "passed over /refused/include/cuda.h, found by CUDA_TOOLKIT_PATH: bindgen cannot read it: cuda.h:2:1: \
                 error: unknown type name 'this'; {used} (CUDA_EXTERNAL_SYS_BINDINGS=embedded silences this warning, \
                 generate fails with details)"
            ),
        ]
    );
    let tree = FakeTree::new([]);
    assert_eq!(
        (tree.auto().source, tree.auto().warnings),
        ("embedded: no toolkit was found".to_owned(), Vec::new())
    );
}
