//! What the build script says, read as a user reads it: each message, word for word. tests/discovery has the search's
//! own, on machines of every kind; these are the ones that a build ends with.

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("0 passed: the machines of these tests are Linux machines");
}

#[cfg(target_os = "linux")]
use test_support as support;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    support::run(trials::all(), None)
}

#[cfg(target_os = "linux")]
mod trials {
    use std::path::Path;

    use libtest_mimic::Trial;

    use crate::support;
    use crate::support::build_script::{BuildScript, host};

    pub fn all() -> Vec<Trial> {
        let anywhere: [(&str, fn()); 2] =
            [("an_unknown_wish", an_unknown_wish), ("embedded_as_wished", embedded_as_wished)];
        let mut trials: Vec<Trial> =
            anywhere.into_iter().map(|(name, run)| support::test(name, &[], run)).collect();
        #[cfg(feature = "bindgen")]
        trials.extend(searching::all());
        #[cfg(not(feature = "bindgen"))]
        trials.push(support::test("generating_without_the_feature", &[], generating_without_the_feature));
        #[cfg(feature = "link")]
        trials.extend(linking::all());
        trials
    }

    /// A run on this machine for itself; with no program on PATH, but where `link` needs a compiler's.
    fn script() -> BuildScript {
        let script = test_support::build_script!(&host());
        if cfg!(feature = "link") { script } else { script.env("PATH", "/nonexistent") }
    }

    /// The script's error, with this machine's names left out.
    #[track_caller]
    fn error(script: BuildScript, folder: &Path) -> String {
        let output = script.run().output;
        assert!(!output.status.success(), "it succeeded: {}", String::from_utf8_lossy(&output.stdout));
        plain(&String::from_utf8_lossy(&output.stderr), folder)
    }

    fn plain(text: &str, folder: &Path) -> String {
        text.replace(&folder.display().to_string(), "<folder>").replace(&host(), "<host>")
    }

    /// The script's warnings.
    #[track_caller]
    fn warnings(script: BuildScript) -> Vec<String> {
        let output = script.run().output;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        lines.lines().filter_map(|line| line.strip_prefix("cargo::warning=")).map(str::to_owned).collect()
    }

    fn an_unknown_wish() {
        let error = error(script().env("CUDA_EXTERNAL_SYS_BINDINGS", "maybe"), Path::new("/-"));
        assert_eq!(
            error,
            r#"
CUDA_EXTERNAL_SYS_BINDINGS is "maybe", which is none of:

  auto      generate where a toolkit and libclang are found, else embedded (the default)
  generate  generate, or fail
  embedded  search nothing, run nothing

"#
        );
    }

    fn embedded_as_wished() {
        let script = script().env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded").env("CUDA_HOME", "/nowhere");
        assert_eq!(warnings(script), [""; 0]);
    }

    #[cfg(not(feature = "bindgen"))]
    fn generating_without_the_feature() {
        let error = error(script().env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), Path::new("/-"));
        assert_eq!(
            error,
            "
CUDA_EXTERNAL_SYS_BINDINGS=generate, but the cargo feature `bindgen` of cuda-external-sys is off.
Switch the feature on, or set CUDA_EXTERNAL_SYS_BINDINGS=embedded.

"
        );
    }

    #[cfg(feature = "bindgen")]
    mod searching {
        use std::fs;

        use tempfile::{TempDir, tempdir};

        use super::*;
        use crate::support::Need;

        pub fn all() -> Vec<Trial> {
            let libclang = Need::new("libclang", &support::libclang());
            let bare = Need::new("machine-without-toolkit", &no_toolkit());
            let headers = Need::new("headers", &support::headers("13.5"));
            vec![
                support::test("a_toolkit_that_is_found", &[libclang.clone(), headers.clone()], found),
                support::test("no_toolkit", std::slice::from_ref(&bare), none),
                support::test("no_toolkit_and_none_wanted_embedded", &[bare], none_but_generate),
                support::test("a_documentation_server", &[], documentation_server),
                support::test("a_wrong_setting", &[], wrong_setting),
                support::test("a_release_that_is_too_old", &[], too_old),
                support::test("no_libclang", &[], no_libclang),
                support::test("no_libclang_and_generate", &[], no_libclang_but_generate),
                support::test("a_broken_header", &[libclang], broken_header),
                support::test("a_toolkit_for_the_host_only", &[], host_only),
                support::test("two_settings_that_disagree", &[headers], disagree),
            ]
        }

        fn no_toolkit() -> Result<(), String> {
            let run = script().run();
            let text = String::from_utf8_lossy(&run.output.stdout).into_owned();
            if text.contains("no CUDA toolkit was found") {
                Ok(())
            } else {
                Err("this machine has a toolkit".to_owned())
            }
        }

        /// A root whose cuda.h says that it is of CUDA 12.0, and then `text`.
        fn root(text: &str) -> TempDir {
            let folder = tempdir().expect("a temporary folder");
            fs::create_dir(folder.path().join("include")).expect("the folder is ours");
            let header = folder.path().join("include/cuda.h");
            fs::write(header, format!("#define CUDA_VERSION 12000\n{text}")).expect("the folder is ours");
            folder
        }

        fn found() {
            let include = support::headers("13.5").expect("the test needs it");
            let run =
                test_support::build_script!(&host()).env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", &include).run();
            let text = plain(&String::from_utf8_lossy(&run.output.stdout), &include);
            let told: Vec<&str> =
                text.lines().filter(|line| line.contains("=cuda_") || line.contains("metadata=")).collect();
            let expected = [
                "cargo::rustc-cfg=cuda_bindings=\"generated\"",
                "cargo::metadata=VERSION=13050",
                "cargo::metadata=BINDINGS=generated",
                "cargo::rustc-cfg=cuda_since=\"12.2\"",
                "cargo::rustc-cfg=cuda_since=\"13.0\"",
                "cargo::rustc-cfg=cuda_since=\"13.4\"",
                "cargo::metadata=INCLUDE=<folder>",
            ];
            assert_eq!(told[..expected.len()], expected);
            assert!(!text.contains("warning"), "{text}");
        }

        fn none() {
            assert_eq!(
                warnings(script()),
                ["using the embedded bindings of CUDA 13.5: no CUDA toolkit was found \
                  (CUDA_EXTERNAL_SYS_BINDINGS=embedded: this is meant; \
                  CUDA_EXTERNAL_SYS_BINDINGS=generate: stop and say more)"]
            );
        }

        /// The places differ from machine to machine: what stands around them is compared.
        fn none_but_generate() {
            let script = script().env("PATH", "/nonexistent");
            let error = error(script.env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), Path::new("/-"));
            let (before, after) = error.split_once("\nThese places were looked at:\n").expect(&error);
            let (places, after) = after.split_once("\n\n").expect(&error);
            assert_eq!(
                before.replace(&host().to_uppercase().replace('-', "_"), "<HOST>"),
                "
No cuda.h was found for <host>.

That of CUDA 11.7 or newer is enough; no other part of a toolkit is needed.

These variables were read, the first 7 of them also as
<HOST>_<name>:
  CUDA_EXTERNAL_SYS_INCLUDE_DIR  unset
  CUDA_PATH                      unset
  CUDA_HOME                      unset
  CUDA_ROOT                      unset
  CUDA_TOOLKIT_PATH              unset
  CUDA_TOOLKIT_ROOT_DIR          unset
  CUDAToolkit_ROOT               unset
  CONDA_PREFIX                   unset
  PATH                           /nonexistent
  VIRTUAL_ENV                    unset
"
            );
            assert!(places.lines().any(|line| line.starts_with("  /usr/local/cuda ")), "{error}");
            assert_eq!(
                after,
                "To install cuda.h, one of
  Debian, Ubuntu                      apt install nvidia-cuda-dev
  NVIDIA's packages for these         apt install cuda-cudart-dev-13-0
  NVIDIA's packages for Fedora, RHEL  dnf install cuda-cudart-devel-13-0
  Arch Linux                          pacman -S cuda
  conda                               conda install -c conda-forge cuda-cudart-dev
  pip, in a virtual environment       pip install nvidia-cuda-runtime

Or set one of
  CUDA_HOME=<folder>                      where <folder>/include/cuda.h is
  CUDA_EXTERNAL_SYS_INCLUDE_DIR=<folder>  where <folder>/cuda.h is
  CUDA_EXTERNAL_SYS_BINDINGS=embedded     to do without cuda.h

"
            );
        }

        fn documentation_server() {
            let script = script().env("DOCS_RS", "1");
            assert_eq!(warnings(script), ["using the embedded bindings of CUDA 13.5: DOCS_RS is set"]);
        }

        fn wrong_setting() {
            let folder = tempdir().expect("a temporary folder");
            let error = error(script().env("CUDA_HOME", folder.path().join("nowhere")), folder.path());
            // Where this machine has a toolkit, a paragraph says which one would be used otherwise.
            let error = error.split("\n\n").filter(|paragraph| !paragraph.starts_with("Without CUDA_HOME"));
            assert_eq!(
                error.collect::<Vec<_>>().join("\n\n"),
                "
CUDA_HOME leads to no cuda.h for <host>.

  CUDA_HOME=<folder>/nowhere

These places were looked at:
  <folder>/nowhere  no such folder

Correct CUDA_HOME, or unset it to have the usual places searched,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to do without cuda.h.

"
            );
        }

        fn too_old() {
            let folder = tempdir().expect("a temporary folder");
            fs::write(folder.path().join("cuda.h"), "#define CUDA_VERSION 10020\n").expect("it is ours");
            let error = error(script().env("CUDA_EXTERNAL_SYS_INCLUDE_DIR", folder.path()), folder.path());
            assert_eq!(
                error,
                "
This cuda.h is of CUDA 10.2; the oldest that can be used is that of CUDA 11.7.

  <folder>/cuda.h
  found by CUDA_EXTERNAL_SYS_INCLUDE_DIR

Install a newer toolkit, or name the folder of a newer cuda.h in CUDA_EXTERNAL_SYS_INCLUDE_DIR,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to do without cuda.h.

"
            );
        }

        fn no_libclang() {
            let (root, empty) = (root(""), tempdir().expect("a temporary folder"));
            let script = script().env("CUDA_HOME", root.path()).env("LIBCLANG_PATH", empty.path());
            assert_eq!(
                warnings(script),
                ["using the embedded bindings of CUDA 13.5: CUDA 12.0 is here (found by CUDA_HOME), \
                  but libclang, which bindgen needs to read it, is not \
                  (CUDA_EXTERNAL_SYS_BINDINGS=embedded: this is meant; \
                  CUDA_EXTERNAL_SYS_BINDINGS=generate: stop and say more)"]
            );
        }

        fn no_libclang_but_generate() {
            let (root, empty) = (root(""), tempdir().expect("a temporary folder"));
            let script = script().env("CUDA_HOME", root.path()).env("LIBCLANG_PATH", empty.path());
            let error = error(script.env("CUDA_EXTERNAL_SYS_BINDINGS", "generate"), empty.path());
            // bindgen's own words, a paragraph between ours, are bindgen's to choose.
            let paragraphs: Vec<&str> = error.split("\n\n").collect();
            assert_eq!(
                paragraphs[..2].join("\n\n"),
                "
CUDA_EXTERNAL_SYS_BINDINGS=generate, and bindgen cannot find libclang, which it needs to read cuda.h.

  LIBCLANG_PATH  <folder>"
            );
            assert!(paragraphs[2].contains("libclang.so"), "{error}");
            assert_eq!(
                paragraphs[3..].join("\n\n"),
                "Install it (Debian, Ubuntu: libclang-dev; Fedora: clang-devel; Arch: clang; pip: libclang),
or set LIBCLANG_PATH to the folder that holds libclang.so (libclang.dll),
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the bindings of CUDA 13.5 that come with the crate.

"
            );
        }

        fn broken_header() {
            let root = root("this is no C;\n");
            let script = test_support::build_script!(&host()).env("CUDA_HOME", root.path());
            let error = error(script, root.path());
            // Clang has printed its errors already, by itself.
            let ours = error.split_once("\nbindgen cannot read").expect(&error).1;
            assert_eq!(
                ours,
                " this cuda.h (CUDA 12.0, found by CUDA_HOME).

  <folder>/include/cuda.h

  <folder>/include/cuda.h:2:1: error: unknown type name 'this'
  <folder>/include/cuda.h:2:8: error: expected ';' after top level declarator

Reinstall that toolkit, name another one by CUDA_HOME,
or set CUDA_EXTERNAL_SYS_BINDINGS=embedded to use the bindings of CUDA 13.5 that come with the crate.

"
            );
        }

        fn host_only() {
            let (target, of_host, folders) = if cfg!(target_arch = "x86_64") {
                ("aarch64-unknown-linux-gnu", "x86_64-linux", ["sbsa-linux", "aarch64-linux"].as_slice())
            } else {
                ("x86_64-unknown-linux-gnu", "sbsa-linux", ["x86_64-linux"].as_slice())
            };
            let root = root("");
            fs::create_dir_all(root.path().join("targets").join(of_host)).expect("the folder is ours");
            let script =
                test_support::build_script!(target).env("PATH", "/nonexistent").env("CUDA_HOME", root.path());
            let error = error(script, root.path());
            let paragraphs: Vec<&str> = error.split("\n\n").collect();
            assert_eq!(
                paragraphs[0],
                format!("\nCUDA_HOME leads to no cuda.h for {target} (built on <host>).")
            );
            for folder in folders {
                let path = format!("<folder>/targets/{folder}/include");
                assert!(paragraphs[2].contains(&path), "{error}");
            }
            let prefix = target.to_uppercase().replace('-', "_");
            assert_eq!(
                paragraphs[3],
                format!(
                    "Its include folder is the host's. cuda.h is the same file on all platforms, so you may set\n  \
                     {prefix}_CUDA_EXTERNAL_SYS_INCLUDE_DIR=<folder>/include"
                )
            );
        }

        fn disagree() {
            let include = support::headers("13.5").expect("the test needs it");
            let (right, other) = (tempdir().expect("a temporary folder"), root(""));
            std::os::unix::fs::symlink(include, right.path().join("include")).expect("the folder is ours");
            let script = test_support::build_script!(&host())
                .env("CUDA_PATH", right.path())
                .env("CUDA_HOME", other.path());
            let expected = format!(
                "CUDA_PATH={} is used; it disagrees with CUDA_HOME={}",
                right.path().display(),
                other.path().display()
            );
            let warnings = warnings(script);
            assert!(warnings.contains(&expected), "{warnings:#?}");
        }
    }

    #[cfg(feature = "link")]
    mod linking {
        use std::fs;

        use tempfile::tempdir;

        use super::*;

        pub fn all() -> Vec<Trial> {
            vec![
                support::test("link_without_a_compiler", &[], without_a_compiler),
                support::test("link_with_a_compiler_that_fails", &[], a_compiler_that_fails),
                support::test("link_where_there_is_no_driver", &[], no_driver),
            ]
        }

        fn script() -> BuildScript {
            super::script().env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded")
        }

        fn without_a_compiler() {
            let folder = tempdir().expect("a temporary folder");
            assert_eq!(
                error(script().env("CC", folder.path().join("cc")), folder.path()),
                "
The feature `link` found no libcuda.so to link with, and could not make a stub of it.

No toolkit was found that could have one.

The C compiler, which would make one:
  <folder>/cc: No such file or directory (os error 2)

Install a C compiler for the target (or name it by CC), or a toolkit with its stubs,
or use the feature `load`, which needs neither.

"
            );
        }

        fn a_compiler_that_fails() {
            use std::os::unix::fs::PermissionsExt;

            let folder = tempdir().expect("a temporary folder");
            let compiler = folder.path().join("cc");
            fs::write(&compiler, "#!/bin/sh\necho 'cc: out of coffee' >&2\nexit 1\n").expect("it is ours");
            fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it is ours");
            let error = error(script().env("CC", compiler), folder.path());
            assert!(
                error.contains("\nThe C compiler, which would make one:\n  cc: out of coffee\n\n"),
                "{error}"
            );
        }

        fn no_driver() {
            let script = test_support::build_script!("aarch64-apple-darwin")
                .env("CUDA_EXTERNAL_SYS_BINDINGS", "embedded");
            assert_eq!(
                error(script, Path::new("/-")),
                "
The feature `link` needs a CUDA driver to link with, and NVIDIA makes none for macos.
Use the feature `load`: it builds everywhere, and says at run time that there is no driver.

"
            );
        }
    }
}
