//! Scripts fail where they should: on a wrong argument, and where a program that they run fails.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use test_support::{exit_report, repository};

fn run(script: &str, arguments: &[&str]) -> Output {
    Command::new(repository().join(script)).args(arguments).output().expect("the script starts")
}

#[track_caller]
fn check(output: &Output, status: i32, words: &str) {
    let report = exit_report(output);
    assert!(output.status.code() == Some(status) && report.contains(words), "no {words:?} in {report}");
}

#[test]
fn a_wrong_argument_is_refused() {
    check(&run("scripts/pack-gpu-tests", &[]), 2, "usage: scripts/pack-gpu-tests DIRECTORY");
    check(&run("scripts/pack-gpu-tests", &["--release"]), 2, "usage: scripts/pack-gpu-tests DIRECTORY");
    check(&run("scripts/sanitizers", &["valgrin"]), 2, "valgrin is none of: valgrind address thread miri");
    check(&run("scripts/fetch-headers", &["11.6"]), 1, "11.6: not one of ");
}

fn program(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().expect("a directory")).expect("the directory is the test's");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// A script with another cargo, whose text this is.
fn with_cargo(cargo: &str, directory: &Path, script: &str, arguments: &[&str]) -> Output {
    program(directory, "bin/cargo", cargo);
    let path = format!("{}:{}", directory.join("bin").display(), std::env::var("PATH").expect("it is set"));
    let mut command = Command::new(repository().join(script));
    command.args(arguments).env("PATH", path).env("CARGO_TARGET_DIR", directory.join("target"));
    command.output().expect("the script starts")
}

#[test]
fn what_is_packed_is_what_cargo_built() {
    let directory = TempDir::new().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    for name in ["built/gpu-0123", "built/opaque_fd", "built/d3d12", "built/another"] {
        program(directory.path(), name, "echo built");
    }
    for name in ["packed/tests/gpu", "packed/tests/renamed", "packed/examples/renamed"] {
        program(directory.path(), name, "echo stale");
    }
    let message = |kind: &str, name: &str| {
        format!(r#"echo '{{"target":{{"kind":["{kind}"]}},"executable":"{}"}}'"#, at(name).display())
    };
    let cargo = format!(
        "case $1 in\ntest)\n{}\n{};;\nbuild)\n{}\n{}\nesac",
        message("lib", "built/another"),
        message("test", "built/gpu-0123"),
        message("example", "built/opaque_fd"),
        message("example", "built/d3d12"),
    );
    let packed = at("packed");
    let arguments = [packed.to_str().expect("UTF-8")];
    check(&with_cargo(&cargo, directory.path(), "scripts/pack-gpu-tests", &arguments), 0, "");
    // Direct3D's example is Windows' own.
    for (kind, name) in [("tests", "gpu"), ("examples", "opaque_fd")] {
        let files = fs::read_dir(packed.join(kind)).expect("it is packed");
        let names: Vec<_> = files.map(|file| file.expect("its entry").file_name()).collect();
        assert_eq!(names, [name], "{kind}");
        let text = fs::read_to_string(packed.join(kind).join(name)).expect("a file");
        assert!(text.contains("echo built"), "{text}");
    }
    let run = fs::read(packed.join("run")).expect("it is packed");
    assert_eq!(run, fs::read(repository().join("scripts/run-packed")).expect("the script"));
}

#[test]
fn a_package_that_lacks_a_file_or_has_another_one_is_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let mut git = Command::new("git");
    git.args(["ls-files", "src", "build", "docs", "examples"]).current_dir(repository());
    let files = String::from_utf8(git.output().expect("git starts").stdout).expect("paths in UTF-8");
    let others = ["build.rs", "wrapper.h", "README.md", "CHANGELOG.md", "Cargo.toml"];
    let files: Vec<_> = files.lines().chain(others).collect();
    let pack = |files: &[&str]| {
        let cargo = format!("[ $1$3 = packagecuda-external-sys ] || exit 9\necho '{}'", files.join("\n"));
        with_cargo(&cargo, directory.path(), "scripts/package", &[])
    };
    check(&pack(&files), 1, "LICENSE is not in the package");
    check(&pack(&[&files[..], &["LICENSE", "tests/a.rs"]].concat()), 1, "no user needs it");
    // The next package's list is then asked for.
    check(&pack(&[&files[..], &["LICENSE"]].concat()), 9, "");
}

#[test]
fn packages_of_their_own_that_are_not_formatted_fail() {
    let directory = TempDir::new().expect("a temporary directory");
    let cargo = r#"case "$*" in "fmt "*"--check"*) exit 9 ;; *) exit 8 ;; esac"#;
    for script in ["scripts/example-packages", "scripts/downstream"] {
        check(&with_cargo(cargo, directory.path(), script, &[]), 9, "");
    }
}

/// What it asks of the linked programs has no answer where objdump fails.
#[test]
fn where_nothing_tells_what_is_linked_the_check_of_users_fails() {
    let directory = TempDir::new().expect("a temporary directory");
    program(directory.path(), "bin/objdump", "exit 3");
    program(directory.path(), "target/downstream/debug/with_cudarc", "exit 0");
    // Only the build without a header of one's own is refused.
    let cargo = r#"
        case "$CUDA_EXTERNAL_SYS_BINDINGS $*" in embedded*layout_check)
            echo "so there is no cuda.h of one's own to compare with" && exit 1 ;;
        esac
    "#;
    check(&with_cargo(cargo, directory.path(), "scripts/downstream", &[]), 3, "two modes in one program");
}

/// CI with programs that succeed: how it calls cargo, and what it makes of each script that fails.
#[test]
fn ci_asks_for_everything_and_fails_where_a_part_does() {
    const CARGO: &str = r#"
        echo "$*|$RUSTDOCFLAGS|$CUDA_EXTERNAL_SYS_EDITS|$CUDA_EXTERNAL_SYS_REQUIRE|$LIBCLANG_PATH" >>"$CALLS"
        case $1 in run) printf 'checked one way\nchecked another\n' ;; esac
        echo 'test result: ok. 2000 passed; 0 failed; 0 ignored; 0 measured'
    "#;
    let mut git = Command::new("git");
    git.args(["ls-files", "scripts"]).current_dir(repository());
    let files = String::from_utf8(git.output().expect("git starts").stdout).expect("paths in UTF-8");
    let run = |failing: &str| {
        let directory = TempDir::new().expect("a temporary directory");
        let at = |name: &str| directory.path().join(name);
        for name in files.lines() {
            let text = match name {
                name if name == failing => "exit 1",
                "scripts/new-layout" => "[ $1 != --missing ] && cargo \"$@\"",
                _ => "[ \"$1\" != --missing ]",
            };
            program(directory.path(), name, text);
        }
        for name in [".ci/run", "scripts/steps.sh", "scripts/tests.sh"] {
            program(directory.path(), name, "");
            fs::copy(repository().join(name), at(name)).expect("a copy");
        }
        for (name, text) in
            [("cargo", CARGO), ("apt-get", ""), ("rustup", "echo x86_64-pc-windows-gnu"), ("find", "")]
        {
            program(&at("bin"), name, text);
        }
        let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").expect("it is set"));
        let mut command = Command::new("bash");
        command.arg(at(".ci/run")).env("PATH", path).env("CALLS", at("calls"));
        // CI itself runs this test.
        for name in ["REQUIRE", "EDITS"].map(|name| format!("CUDA_EXTERNAL_SYS_{name}")) {
            command.env_remove(name);
        }
        for name in ["CARGO_TARGET_DIR", "LIBCLANG_PATH", "RUSTDOCFLAGS"] {
            command.env_remove(name);
        }
        let output = command.output().expect("bash starts");
        (output, fs::read_to_string(at("calls")).unwrap_or_default())
    };

    let (output, calls) = run("");
    check(&output, 0, " passed, 0 failed, 0 ignored\n");
    let of = |command: &str| calls.lines().filter(|line| line.starts_with(command)).collect::<Vec<_>>();
    assert_eq!(of("fmt"), ["fmt --all --check||||"]);
    assert_eq!(of("clippy").len(), 5);
    for line in of("clippy") {
        assert!(line.contains(" --all-targets ") && line.contains(" -- -D warnings|"), "{line}");
    }
    assert_eq!(of("doc").len(), 2);
    assert!(of("doc").iter().all(|line| line.contains("|-D warnings|")), "{:?}", of("doc"));
    // No libclang was found, so there is a fetched one.
    assert!(of("test").iter().all(|line| line.ends_with("/target/libclang")), "{:?}", of("test"));
    // Of these, one has the mock driver as its GPU.
    let with_mock_driver = |line: &&str| line.contains("|120|all,-gpu,-vulkan,gpu|");
    assert_eq!(of("test").into_iter().filter(with_mock_driver).count(), 1);
    let tests = of("test").into_iter().filter(|line| line.contains("|120|all,-gpu,-vulkan|"));
    assert_eq!(tests.count(), of("test").len() - 1);

    // Those that CI calls by their names. It asks scripts/new-layout and scripts/sanitizers first whether they can run.
    let parts = ["workflow", "lint-scripts", "fetch-headers", "new-layout", "sanitizers", "downstream"];
    let parts = parts.into_iter().chain(["example-packages", "package", "targets/all", "msrv"]);
    std::thread::scope(|scope| {
        for name in parts {
            scope.spawn(move || check(&run(&format!("scripts/{name}")).0, 1, "FAILED, "));
        }
    });
}

/// The packed programs of scripts/pack-gpu-tests, each of which ends in another way.
#[test]
fn packed_programs_that_fail_or_hang_are_counted() {
    let directory = TempDir::new().expect("a temporary directory");
    program(
        directory.path(),
        "tests/fine",
        "echo 'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured'",
    );
    program(directory.path(), "tests/required", r#"echo "needs $CUDA_EXTERNAL_SYS_REQUIRE""#);
    program(directory.path(), "examples/lacking", "echo 'This machine lacks a GPU'");
    program(directory.path(), "examples/bad", "exit 3");
    program(directory.path(), "examples/hanging", "exec sleep 60");
    fs::copy(repository().join("scripts/run-packed"), directory.path().join("run")).expect("a copy");
    let command = |names: &[&str]| {
        let mut command = Command::new(directory.path().join("run"));
        command.args(names).env("LIMIT", "1").env_remove("CUDA_EXTERNAL_SYS_REQUIRE");
        command
    };
    let run = |names: &[&str]| command(names).output().expect("the script starts");
    let line = |name: &str, verdict: &str| format!("\n{name:28} {verdict}, ");
    let fine = run(&["fine", "required", "lacking"]);
    check(&fine, 0, &line("fine", "ok"));
    check(&fine, 0, "3 passed; 0 failed; 1 ignored\n");
    check(&fine, 0, "\nneeds gpu,vulkan\n");
    let nothing = command(&["required"]).env("CUDA_EXTERNAL_SYS_REQUIRE", "").output();
    check(&nothing.expect("the script starts"), 0, "\nneeds \n");
    check(&fine, 0, &line("lacking", "lacks something"));
    check(&run(&["bad"]), 1, &line("bad", "failed (3)"));
    check(&run(&["hanging"]), 1, &line("hanging", "did not end within 1 s"));
    check(&run(&["no-such-program"]), 2, "no program has such a name: no-such-program");
    check(&run(&[]), 1, &line("fine", "ok"));
}

/// As patches, which `git apply` takes.
#[test]
fn a_seed_draws_the_same_faults() {
    let faults = |seed, count| {
        let output = run("scripts/faults", &["--seed", seed, "--count", count, "--list"]);
        check(&output, 0, "@@ -");
        output.stdout
    };
    assert_eq!(faults("1", "9"), faults("1", "9"));
    assert_ne!(faults("1", "9"), faults("2", "9"));
    let patch = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(&patch, faults("1", "1")).expect("the file is the test's");
    let mut git = Command::new("git");
    git.args(["apply", "--check", "--unidiff-zero", "-p0"]).arg(patch.path()).current_dir(repository());
    check(&git.output().expect("git starts"), 0, "");
    check(
        &run("scripts/faults", &["--seed", "1", "--only", "no/such", "--list"]),
        1,
        "no file begins with no/such",
    );
}

/// pip, which makes a wheel of what it is asked for.
const PIP: &str = r#"
import pathlib, sys, zipfile
to = next(word[7:] for word in sys.argv if word.startswith("--dest="))
with zipfile.ZipFile(pathlib.Path(to) / "a.whl", "w") as wheel:
    api = "D3D11" if "--platform=win_amd64" in sys.argv else "EGL"
    for name in ["cuda.h", "cudaTypedefs.h", "cudaGL.h", "cudaGLTypedefs.h", f"cuda{api}.h", f"cuda{api}Typedefs.h", "another.h"]:
        wheel.writestr("nvidia/include/" + name, sys.argv[-1])
"#;

#[test]
fn headers_are_fetched_whole_and_the_newest_ones_anew() {
    let directory = TempDir::new().expect("a temporary directory");
    let pip = directory.path().join("pip");
    fs::create_dir(&pip).expect("the directory is the test's");
    fs::write(pip.join("__init__.py"), "").expect("a file");
    fs::write(pip.join("__main__.py"), PIP).expect("a file");
    let fetch = |release: &str| {
        let mut command = Command::new(repository().join("scripts/fetch-headers"));
        command.arg(release).env("PYTHONPATH", directory.path()).env("CARGO_TARGET_DIR", directory.path());
        command.output().expect("the script starts")
    };
    let of = |release: &str| directory.path().join("headers").join(release);
    for release in ["13.5", "newest"] {
        fs::create_dir_all(of(release)).expect("the directory is the test's");
        fs::write(of(release).join("cuda.h"), "here before").expect("a file");
        check(&fetch(release), 0, "fetched from nvidia-cuda-runtime");
        let mut names: Vec<_> =
            fs::read_dir(of(release)).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        let apis =
            ["D3D11", "EGL", "GL", ""].map(|api| [format!("cuda{api}.h"), format!("cuda{api}Typedefs.h")]);
        let mut wanted = apis.concat().into_iter().map(std::ffi::OsString::from).collect::<Vec<_>>();
        wanted.sort();
        assert_eq!(names, wanted);
        assert!(fs::read_to_string(of(release).join("cuda.h")).unwrap().starts_with("nvidia-cuda-runtime"));
    }
    check(&fetch("13.5"), 0, "here already");
    check(&fetch("newest"), 0, "fetched from");
}

/// apt and dpkg, which know every package; and cp, which fails half-way where it is told to.
#[test]
fn a_drivers_library_that_is_cut_off_is_not_used() {
    let directory = TempDir::new().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    // The last word is `package/suite`.
    let apt = r#"
        for last; do :; done
        case "$*" in *indextargets*) echo http://localhost/debian ;; *download*) : >"${last%/*}_1.deb" ;; esac
    "#;
    program(directory.path(), "bin/apt-get", apt);
    let dpkg = r#"case $1 in -x) mkdir -p "$3/lib" && echo whole >"$3/lib/libcuda.so.$(basename "$3").1" ;; *) echo amd64 ;; esac"#;
    program(directory.path(), "bin/dpkg", dpkg);
    program(
        directory.path(),
        "bin/cp",
        r#"[ -z "$CUTS" ] || { printf wh >"$2"; exit 1; }; exec /bin/cp "$@""#,
    );
    let fetch = |cuts: &str| {
        let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").expect("it is set"));
        let mut command = Command::new(repository().join("scripts/fetch-drivers"));
        command.env("PATH", path).env("CARGO_TARGET_DIR", directory.path()).env("CUTS", cuts);
        command.output().expect("the script starts")
    };
    check(&fetch("yes"), 1, "");
    check(&fetch(""), 0, "libcuda.so.450.1, of libnvidia-tesla-450-cuda1 in sid");
    let library = fs::read_to_string(at("drivers/450/libcuda.so.1")).expect("it was fetched");
    assert_eq!(library, "whole\n");
    check(&fetch("yes"), 0, "drivers/450: here already");
}

/// With another test of steps.sh, which fails.
#[test]
fn where_the_steps_are_wrong_nothing_runs() {
    for script in ["tests/run.sh", ".ci/run"] {
        let directory = TempDir::new().expect("a temporary directory");
        program(directory.path(), "scripts/steps-test", "exit 3");
        program(
            directory.path(),
            script,
            &fs::read_to_string(repository().join(script)).expect("the script"),
        );
        let output = Command::new("bash").arg(directory.path().join(script)).output().expect("bash starts");
        assert_eq!(output.status.code(), Some(3), "{}", exit_report(&output));
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{}", exit_report(&output));
    }
}
