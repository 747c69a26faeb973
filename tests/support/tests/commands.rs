//! The commands that tests run: the C compiler, rustc and the programs of another target, as the environment names them; and
//! the build script, with the variables that cargo sets.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::Duration;

use test_support::build_script::{BuildScript, Run, host};
use test_support::layout::{compilers, releases};
use test_support::{compiler, exit_report, headers, repository, shared_library, this_program};

const CHILD: &str = "CUDA_EXTERNAL_SYS_TEST_CHILD";

/// Runs one of the tests here again, as a child with these variables, and returns what it printed on lines that begin
/// with `: `. The test returns there.
fn child(test: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let mut command = this_program();
    for name in ["CC", "CFLAGS", "RUSTC", "CUDA_EXTERNAL_SYS_TEST_TARGET"] {
        command.env_remove(name);
    }
    let output =
        command.args(["--exact", test, "--nocapture"]).env(CHILD, "1").envs(variables.iter().copied());
    let output = output.output().expect("this program runs again");
    assert!(output.status.success(), "{}", exit_report(&output));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    out.lines().filter_map(|line| line.strip_prefix(": ")).map(str::to_owned).collect()
}

fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

#[test]
fn the_environment_names_compilers_and_runners() {
    const NAME: &str = "the_environment_names_compilers_and_runners";
    if is_child() {
        println!("\n: {:?}", compilers::cc());
        println!(": {:?}", compilers::rustc());
        println!(": {:?}", compilers::program(Path::new("/a/program")));
        println!(": {}", releases::target());
        return;
    }
    let rustc = r#""rustc" "--edition=2024" "--cap-lints=allow" "-Cpanic=abort""#;
    let expected = [r#""cc""#, rustc, r#""/a/program""#, &host()];
    assert_eq!(child(NAME, &[]), expected);
    let variables = [
        ("CC", "cc -DONE -DTWO"),
        ("CFLAGS", "-O1 -g"),
        ("RUSTC", "/a/rustc"),
        ("CUDA_EXTERNAL_SYS_TEST_TARGET", "aarch64-unknown-linux-gnu"),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "a-linker"),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "emulator -L root"),
    ];
    let rustc = r#""/a/rustc" "--edition=2024" "--cap-lints=allow" "-Cpanic=abort" "--target=aarch64-unknown-linux-gnu" "-Clinker=a-linker""#;
    let expected = [
        r#""cc" "-DONE" "-DTWO" "-O1" "-g""#,
        rustc,
        r#""emulator" "-L" "root" "/a/program""#,
        "aarch64-unknown-linux-gnu",
    ];
    assert_eq!(child(NAME, &variables), expected);
}

/// Another target directory has what was built there. What was fetched lies in either.
#[test]
fn what_was_fetched_is_found_beside_another_target_directory() {
    const NAME: &str = "what_was_fetched_is_found_beside_another_target_directory";
    const RELEASE: &str = "CUDA_EXTERNAL_SYS_TEST_RELEASE";
    if is_child() {
        println!("\n: {:?}", headers(&env::var(RELEASE).expect("the parent sets it")));
        return;
    }
    let kept = repository().join("target/headers");
    fs::create_dir_all(&kept).expect("a directory");
    let kept = tempfile::tempdir_in(kept).expect("a temporary directory");
    let release = kept.path().file_name().and_then(|name| name.to_str()).expect("a name");
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let target = elsewhere.path().to_str().expect("UTF-8");
    let ask = || child(NAME, &[("CARGO_TARGET_DIR", target), (RELEASE, release)]);
    let error = format!("no target/headers/{release}/cuda.h: run scripts/fetch-headers");
    assert_eq!(ask(), [format!("{:?}", Err::<(), _>(error))]);
    for directory in [kept.path(), &elsewhere.path().join("headers").join(release)] {
        fs::create_dir_all(directory).expect("a directory");
        fs::write(directory.join("cuda.h"), "").expect("a file");
        assert_eq!(ask(), [format!("{:?}", Ok::<_, ()>(directory))]);
    }
}

#[test]
fn a_compiler_that_does_not_start_is_named() {
    const NAME: &str = "a_compiler_that_does_not_start_is_named";
    if is_child() {
        println!("\n: {}", compiler().unwrap_err());
        return;
    }
    assert_eq!(child(NAME, &[("CC", "false -x")]), ["false -x --version: exit status: 1"]);
    let error = child(NAME, &[("CC", "/no/such/cc")]);
    assert!(error[0].starts_with("/no/such/cc: No such file"), "{error:?}");
}

#[test]
fn a_command_that_fails_is_an_error_with_what_it_printed() {
    let of = |text: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", text]);
        command
    };
    assert_eq!(compilers::run(&mut of("echo fine")), Ok("fine\n".to_owned()));
    let error = compilers::run(&mut of("echo out; echo wrong >&2; exit 3")).unwrap_err();
    assert_eq!(error, "exit status: 3\nout\nwrong");
    assert!(catch_unwind(|| compilers::succeed(&mut of("exit 1"))).is_err());
    let directory = tempfile::tempdir().unwrap();
    let library = directory.path().join("library.so");
    assert!(catch_unwind(|| shared_library("not C", &library)).is_err());
    shared_library("int one(void) { return 1; }", &library);
    assert!(fs::read(&library).unwrap().starts_with(b"\x7fELF"));
}

/// Programs that stand for the build script: they print their environment, or fail.
fn variables(run: &Run) -> BTreeMap<String, String> {
    let lines = run.lines();
    lines
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn the_build_script_has_cargos_variables_and_the_tests() {
    if !is_child() {
        child("the_build_script_has_cargos_variables_and_the_tests", &[("LIBCLANG_PATH", "/a/libclang")]);
        return;
    }
    let script = BuildScript::new("/usr/bin/env", "aarch64-unknown-linux-gnu");
    let run = script.env("ONE", "1").generate_from(Path::new("/include")).run();
    let mut found = variables(&run);
    assert_eq!(found.remove("OUT_DIR").as_deref(), run.out.path().to_str());
    assert_eq!(found.remove("PATH").as_deref(), env::var("PATH").ok().as_deref());
    assert_eq!(found.remove("LIBCLANG_PATH").as_deref(), Some("/a/libclang"));
    let root = repository().to_str().unwrap();
    let host = host();
    let expected = [
        ("CARGO_CFG_TARGET_ARCH", "aarch64"),
        ("CARGO_CFG_TARGET_ENV", "gnu"),
        ("CARGO_CFG_TARGET_OS", "linux"),
        ("CARGO_CFG_TARGET_POINTER_WIDTH", "64"),
        ("CARGO_MANIFEST_DIR", root),
        ("CUDA_EXTERNAL_SYS_BINDINGS", "generate"),
        ("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "/include"),
        ("HOST", &host),
        ("ONE", "1"),
        ("OPT_LEVEL", "0"),
        ("PROFILE", "debug"),
        ("TARGET", "aarch64-unknown-linux-gnu"),
    ];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    let os =
        |target| variables(&BuildScript::new("/usr/bin/env", target).run())["CARGO_CFG_TARGET_OS"].clone();
    assert_eq!([os("x86_64-pc-windows-msvc"), os("x86_64-apple-darwin")], ["windows", "macos"]);
    // With the environment of the test, too.
    let whole = variables(&BuildScript::of_this_build("/usr/bin/env", "x86_64-unknown-linux-gnu").run());
    assert_eq!(whole.get("CARGO_PKG_NAME").map(String::as_str), Some("test-support"));
    let directory = BuildScript::new("/bin/pwd", "x86_64-unknown-linux-gnu").run().lines();
    assert_eq!(directory.trim(), root);
}

#[test]
fn a_run_that_ends_otherwise_panics() {
    let target = "x86_64-unknown-linux-gnu";
    let run = |program: &str| BuildScript::new(program, target).run();
    assert_eq!(run("/bin/false").failure(), "");
    assert!(catch_unwind(|| run("/bin/false").lines()).is_err());
    assert!(catch_unwind(|| run("/bin/true").failure()).is_err());
    // It succeeds and writes no bindings.
    assert!(run("/bin/true").bindings.is_none());
    assert!(catch_unwind(|| run("/bin/true").expect_bindings()).is_err());
    // It writes bindings and fails.
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script");
    fs::write(&script, "#!/bin/sh\necho >\"$OUT_DIR/bindings.rs\"\nexit \"$STATUS\"\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |status| BuildScript::new(script.to_str().unwrap(), target).env("STATUS", status).run();
    assert_eq!(run("0").expect_bindings(), "\n");
    assert!(catch_unwind(|| run("1").expect_bindings()).is_err());
}

#[test]
fn this_program_runs_again_by_cargos_runner() {
    const NAME: &str = "this_program_runs_again_by_cargos_runner";
    if is_child() {
        println!("\n: {:?}", this_program());
        return;
    }
    let path = env::current_exe().unwrap();
    let arch = env::consts::ARCH.to_uppercase();
    let runner = format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER");
    assert_eq!(child(NAME, &[(&runner, "")]), [format!("{path:?}")]);
    // The child is started without it, and names it.
    let mut command = std::process::Command::new(&path);
    command.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1").env(runner, "an-emulator -L root");
    let out = command.output().unwrap().stdout;
    let line = format!("\n: \"an-emulator\" \"-L\" \"root\" {path:?}\n");
    assert!(String::from_utf8_lossy(&out).contains(&line), "no {line}");
}

#[test]
fn a_process_that_hangs_is_ended_and_says_so() {
    if is_child() {
        test_support::abort_after(Duration::from_millis(20));
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    let mut command = this_program();
    command.args(["--exact", "a_process_that_hangs_is_ended_and_says_so", "--nocapture"]).env(CHILD, "1");
    let output = command.output().unwrap();
    assert!(!output.status.success() && exit_report(&output).contains("this process hangs"), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn descriptors_and_memory_are_counted() {
    if !is_child() {
        // Alone in its process: other tests open files too.
        child("descriptors_and_memory_are_counted", &[]);
        return;
    }
    // It is not over by then.
    test_support::abort_after(Duration::from_secs(600));
    std::thread::sleep(Duration::from_millis(50));
    let before = (test_support::open_descriptors(), test_support::resident_bytes());
    let file = fs::File::open("/dev/null").unwrap();
    assert_eq!(test_support::open_descriptors(), before.0 + 1);
    drop(file);
    assert_eq!(test_support::open_descriptors(), before.0);
    let bytes = std::hint::black_box(vec![1_u8; 64 << 20]);
    let more = test_support::resident_bytes() - before.1;
    assert!((60 << 20..100 << 20).contains(&more), "{more} bytes more with {}", bytes.len());
    drop(bytes);
    let left = test_support::resident_bytes().saturating_sub(before.1);
    assert!(left < 30 << 20, "{left} bytes more when they are gone");
    let number = fs::read_dir("/proc/self/fd").unwrap().count() - 1;
    assert_eq!(test_support::open_descriptors(), number);
}

#[test]
fn the_target_directory_is_cargos() {
    const NAME: &str = "the_target_directory_is_cargos";
    if is_child() {
        println!("\n: {}", test_support::target().display());
        println!(": {}", test_support::mock_driver_directory().display());
        println!(": {:?}", headers("0.0").unwrap_err());
        println!(": {:?}", test_support::driver_library("1.2"));
        println!(": {:?}", test_support::mock_driver());
        return;
    }
    let root = repository();
    assert!(root.join("tests/support/Cargo.toml").is_file());
    let [target, elsewhere] = [root.join("target"), tempfile::tempdir().unwrap().keep()];
    fs::create_dir_all(elsewhere.join("drivers/1.2")).unwrap();
    let library = elsewhere.join("drivers/1.2/libcuda.so.1");
    fs::write(&library, "").unwrap();
    let no_headers = r#""no target/headers/0.0/cuda.h: run scripts/fetch-headers""#;
    let expected = |target: &Path, driver: String, mock: String| {
        let mock_directory = target.join("mock-driver").join(env::consts::ARCH);
        let [target, mock_directory] = [target, &mock_directory].map(|path| path.display().to_string());
        [target, mock_directory, no_headers.to_owned(), driver, mock]
    };
    let directory = elsewhere.to_str().unwrap();
    let found = format!("Ok({library:?})");
    let named = child(
        NAME,
        &[("CARGO_TARGET_DIR", directory), ("CUDA_EXTERNAL_SYS_TEST_DRIVER", library.to_str().unwrap())],
    );
    assert_eq!(named, expected(&elsewhere, found.clone(), found));
    let missing = child(NAME, &[("CARGO_TARGET_DIR", ""), ("CUDA_EXTERNAL_SYS_TEST_DRIVER", "/no/such")]);
    let why = "cargo test --test calls makes one, or set CUDA_EXTERNAL_SYS_TEST_DRIVER";
    let no_driver = r#"Err("no target/drivers/1.2/libcuda.so.1: run scripts/fetch-drivers")"#;
    let no_mock = format!("Err(\"/no/such is not there: {why}\")");
    assert_eq!(missing, expected(&target, no_driver.to_owned(), no_mock));
    fs::remove_dir_all(elsewhere).unwrap();
}
