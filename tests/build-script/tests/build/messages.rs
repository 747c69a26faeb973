//! What a failing build says, word for word.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use cuda_external_sys_build::toolkit::environment::INCLUDE_DIR;
use libtest_mimic::Trial;
use test_support as support;

use crate::fake_tree::FakeTree;
use crate::policy::Policy;

pub fn all() -> Vec<Trial> {
    support::tests! {
        [] => nothing_found, nothing_found_for_another_target, nothing_found_on_windows,
            a_toolkit_that_cannot_be_used, own_variable, no_clang, policies;
    }
}

/// The message of `generate` on a machine with nothing but variables. The fixed places are below a directory that does not
/// exist, so that all paths in it are known.
fn nothing_found_with(items: &[&str], variables: &[(&str, &str)]) -> String {
    let mut tree = FakeTree::new(items.iter().copied());
    tree.fixed = "/nowhere".into();
    for (name, value) in variables {
        tree.set(name, value);
    }
    tree.failure(Policy::Generate)
}

fn nothing_found() {
    let path = "/usr/local/bin:/usr/bin:/bin:/home/some body/.local/bin:/home/some body/.cargo/bin";
    let text =
        nothing_found_with(&[], &[("PATH", path), ("CUDA_HOME", ""), ("CONDA_PREFIX", "/nowhere/a conda")]);
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
    assert_eq!(text, expected);
    // A path is never broken, however long it is.
    let long = format!("/nowhere/{}/{}", "a b".repeat(60), "c d".repeat(60));
    let path = format!("/usr/bin:{long}:/bin");
    let text = nothing_found_with(&[], &[("PATH", &path), ("CONDA_PREFIX", &long)]);
    assert_eq!(text.lines().filter(|line| line.contains(&long)).count(), 4, "{text}");
    // A directory that cannot be read is not one without toolkits.
    let text = FakeTree::new(["/opt/nvidia/hpc_sdk -> hpc_sdk"]).failure(Policy::Generate);
    let part = "/opt/nvidia/hpc_sdk/Linux_x86_64/* Too many levels of symbolic links (os error 40)";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{text}");
}

fn nothing_found_for_another_target() {
    let variables = [("AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME", "/nowhere/cuda")];
    let text = nothing_found_with(&["TARGET = aarch64-unknown-linux-gnu"], &variables);
    for part in [
        " for\naarch64-unknown-linux-gnu (built on x86_64-unknown-linux-gnu).\n\n",
        "also as\nAARCH64_UNKNOWN_LINUX_GNU_<name>:\n",
        "\n  AARCH64_UNKNOWN_LINUX_GNU_CUDA_HOME  /nowhere/cuda\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

fn nothing_found_on_windows() {
    let path = r"C:\Windows\system32;C:\Windows;C:\Program Files\Git\cmd;C:\Users\somebody\.cargo\bin";
    let variables = [("PATH", path), ("CUDA_PATH_V12_9", "/nowhere/v12.9")];
    let text = nothing_found_with(&["HOST = x86_64-pc-windows-msvc"], &variables);
    let (_, text) = text.split_once("\n  PATH ").expect(&text);
    let (text, _) = text.split_once("\n\nOr set one of\n").expect(text);
    let expected = r"                          C:\Windows\system32;C:\Windows;C:\Program Files\Git\cmd;
                                 C:\Users\somebody\.cargo\bin
  VIRTUAL_ENV                    unset
  CUDA_PATH_V12_9                /nowhere/v12.9

These places were looked at:
  nvcc on PATH    no such program
  pkg-config      it has no package cuda or cudart
  /nowhere/v12.9  no such directory
  /nowhere/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*
                  none

To install cuda.h, one of
  the CUDA installer             https://developer.nvidia.com/cuda-downloads
  conda                          conda install -c conda-forge cuda-cudart-dev
  pip, in a virtual environment  pip install nvidia-cuda-runtime";
    assert_eq!(text, expected);
}

/// One variable of another program leads nowhere, one to an old release, one to a header that clang cannot read.
fn a_toolkit_that_cannot_be_used() {
    let tree = FakeTree::new([
        "CUDA_HOME = /cuda with spaces/12",
        "/old/include/cuda.h = 11.2",
        "CUDA_ROOT = /old",
        "/link -> /old",
        "CUDA_TOOLKIT_ROOT_DIR = /link",
        "/refused/include/cuda.h = 12.2",
        "unreadable 12.2",
        "CUDA_TOOLKIT_PATH = /refused",
        "/good/include/cuda.h = 12.3",
        "CUDAToolkit_ROOT = /good",
    ]);
    let text = tree.failure(Policy::Generate);
    let (start, rest) = text.split_once("\n\nThese variables were read").expect(&text);
    assert_eq!(rest.matches(" looked at already").count(), 1, "{rest}");
    let refused = rest.lines().find(|line| line.starts_with("  /refused/include/cuda.h "));
    assert!(refused.is_some_and(|line| line.contains("  bindgen cannot read it: ")), "{rest}");
    let (_, end) = rest.rsplit_once("\n\n").expect(rest);
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
  /good/include/cuda.h

Correct or remove what cannot be used, or set CUDA_EXTERNAL_SYS_BINDINGS=auto to pass over it,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the crate's own bindings of CUDA 13.5.";
    assert_eq!(format!("{start}\n\n{end}"), expected);

    // In `auto` each is a warning.
    let expected = "\
passed over CUDA_HOME=/cuda with spaces/12: no such directory; using CUDA 12.3, found by CUDAToolkit_ROOT
passed over /old/include/cuda.h, found by CUDA_ROOT: CUDA 11.2 is older than CUDA 11.7, the oldest supported release; \
using CUDA 12.3, found by CUDAToolkit_ROOT
passed over /refused/include/cuda.h, found by CUDA_TOOLKIT_PATH: bindgen cannot read it: cuda.h:2:1: error: unknown \
type name 'this'; using CUDA 12.3, found by CUDAToolkit_ROOT (CUDA_EXTERNAL_SYS_BINDINGS=embedded silences this \
warning, generate fails with details)";
    assert_eq!(tree.auto().warnings.join("\n"), expected);
}

/// This crate's own variable is final: nothing else is searched, and where it is wrong the build fails in every policy.
fn own_variable() {
    let in_include = "cuda.h is in its include directory: set\n  <name>=/a toolkit/include\n\n";
    let not_the_file = "Name the directory, not the file: set\n  <name>=/a toolkit/include\n\n";
    let old = "CUDA 11.6 is older than CUDA 11.7, the oldest supported release";
    let no_c = "bindgen cannot read it: cuda.h:2:1: error: unknown type name 'this'\n    cuda.h:2:8: error: expected ';'";
    for (value, what, why, hint) in [
        ("/gone", "<name>=/gone", "no such directory", ""),
        ("/a toolkit", "<name>=/a toolkit", "no cuda.h in it", in_include),
        ("/a toolkit/include/cuda.h", "<name>=/a toolkit/include/cuda.h", "not a directory", not_the_file),
        ("/a toolkit/include;/gone", "<name>=/a toolkit/include;/gone", "no such directory", ""),
        ("cuda/include", "<name>=cuda/include", "not an absolute path", ""),
        ("/old", "/old/cuda.h, found by <name>", old, ""),
        ("/no C", "/no C/cuda.h, found by <name>", no_c, ""),
    ] {
        for name in [INCLUDE_DIR, "X86_64_UNKNOWN_LINUX_GNU_CUDA_EXTERNAL_SYS_INCLUDE_DIR"] {
            let mut tree = FakeTree::new([
                "/a toolkit/include/cuda.h = 12.0",
                "CUDA_HOME = /a toolkit",
                "/old/cuda.h = 11.6",
                "/no C/cuda.h = 12.8",
                "unreadable 12.8",
            ]);
            tree.add(&format!("{name} = {value}"));
            let expected = format!(
                "\
<name> leads to no usable cuda.h.

  {what}
  {why}

{hint}Correct <name>, or unset it to have the usual places searched,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the crate's own bindings of CUDA 13.5."
            );
            for policy in [Policy::Auto, Policy::Generate] {
                assert_eq!(tree.failure(policy), expected.replace("<name>", name));
            }
        }
    }
}

fn no_clang() {
    let mut tree = FakeTree::new(["no libclang", "/opt/cuda/include/cuda.h = 12.3"]);
    tree.set("LIBCLANG_PATH", "/no clang");
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
    // The crate's own variable is right: that libclang is missing is not its fault.
    tree.add("CUDA_EXTERNAL_SYS_INCLUDE_DIR = /opt/cuda/include");
    assert!(tree.failure(Policy::Generate).starts_with("bindgen can read no cuda.h."));
    assert_eq!(tree.auto().warnings.len(), 1);
}

fn policies() {
    use Policy::{Auto, Embedded, Generate};
    assert_eq!(Policy::parse(None), Ok(Auto));
    for (value, policy) in [("", Auto), ("auto", Auto), ("generate", Generate), ("embedded", Embedded)] {
        assert_eq!(Policy::parse(Some(value.as_ref())), Ok(policy));
    }
    for value in [&b"never"[..], b"Auto", b" auto", b"\xFF"] {
        let value = OsStr::from_bytes(value);
        let expected = format!(
            "\
CUDA_EXTERNAL_SYS_BINDINGS is {value:?}. It must be one of:

  auto      generate where a cuda.h and libclang are found, else embedded (the default)
  generate  generate, or fail
  embedded  use the bindings that come with the crate"
        );
        assert_eq!(Policy::parse(Some(value)), Err(expected));
    }
}
