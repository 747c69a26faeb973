//! Programs in other languages, by other loaders, with other ends; and what the options do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use tempfile::TempDir;
use test_support::{Need, compiler};

use crate::linked::the_layer_is_linked_as_it_must_be;
use crate::support::{Outcome, checked, fake_driver, program};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

pub fn main() -> ExitCode {
    let c = Need::new("c-compiler", &compiler());
    let python = Need::new("python", &python());
    let trials = test_support::tests! {
        [c] => a_linked_program, dlsym, get_proc_address, threads, forked_processes, a_process_that_is_left_running,
            forked_while_threads_call, closing_every_descriptor,
            an_end_without_exit_handlers, interrupted_forked_and_without_resources, a_killed_program, a_crash_that_is_wanted, repeated_findings_are_counted,
            suppressed_rules, exit_codes, a_trace, the_driver_by_its_path,
            the_blocks_name_functions_and_lines_of_the_json;
        [python] => ctypes;
        [] => the_layer_is_linked_as_it_must_be, installing_it_needs_no_bindgen, the_directory_is_the_users_alone_and_its_libraries_come_first,
            no_driver_is_the_programs_own_answer, a_program_that_is_not_there, without_a_call_of_cuda, wrong_options;
    };
    let mut trials = trials;
    // Those with cuGetProcAddress, which came with 11.3.
    for driver in ["470", "535", "550", "555"] {
        let library = test_support::driver_library(driver);
        let need = Need::new("driver-libraries", &library);
        let name = format!("get_proc_address_of_driver_{driver}");
        trials.push(test_support::test(&name, [&c, &need], move || {
            of_driver(&library.expect("the test needs it"))
        }));
    }
    test_support::run(trials, None)
}

fn python() -> Result<(), String> {
    let started = Command::new("python3").arg("--version").output();
    started.map(drop).map_err(|error| format!("python3: {error}"))
}

/// The C programs, compiled once.
pub fn c_program(name: &str) -> PathBuf {
    static DIRECTORY: OnceLock<TempDir> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        let directory = TempDir::new().expect("a temporary directory");
        for (name, source, is_linked) in
            [("linked", "import.c", true), ("loading", "import.c", false), ("stress", "stress.c", false)]
        {
            let mut command = compiler().expect("the test needs it").command();
            command.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]);
            command.arg(directory.path().join(name)).arg(Path::new(SOURCES).join(source));
            if is_linked {
                // The name that the linker notes is the library's own: libcuda.so.1.
                command.arg("-DLINKED").arg(fake_driver().join("libcuda.so.1"));
            } else {
                command.arg("-ldl");
            }
            assert!(command.status().expect("the compiler starts").success());
        }
        directory
    });
    directory.path().join(name)
}

fn run(options: &[&str], arguments: &[&str]) -> Outcome {
    checked(options, Command::new(c_program("loading")).args(arguments))
}

#[track_caller]
fn assert_ends(outcome: &Outcome) {
    assert!(outcome.stdout().contains("reached the end"), "{}\n{}", outcome.stdout(), outcome.stderr());
}

#[track_caller]
fn assert_leaks(outcome: &Outcome) {
    outcome.assert_rules(&["not-freed"]);
    assert_eq!(outcome.json["counts"]["not-freed"], 2, "the mapping and the import");
}

fn a_linked_program() {
    let whole = checked(&[], Command::new(c_program("linked")).arg("whole"));
    whole.assert_rules(&[]);
    assert_ends(&whole);
    assert_leaks(&checked(&[], Command::new(c_program("linked")).arg("leak")));
}

fn dlsym() {
    run(&[], &["whole"]).assert_rules(&[]);
    assert_leaks(&run(&[], &["leak"]));
}

/// By the address of the driver's function, which the layer knows.
fn get_proc_address() {
    run(&[], &["whole", "resolved"]).assert_rules(&[]);
    assert_leaks(&run(&[], &["leak", "resolved"]));
}

/// NVIDIA's own library: it hands out the addresses of its exported functions, by which the layer knows them.
fn of_driver(library: &Path) {
    let options = ["--driver", &library.to_string_lossy()];
    let outcome = checked(&options, Command::new(c_program("loading")).arg("resolve"));
    outcome.assert_rules(&[]);
    assert_ends(&outcome);
}

fn ctypes() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/import.py");
    let whole = checked(&[], Command::new("python3").arg(script));
    whole.assert_rules(&[]);
    assert_ends(&whole);
    checked(&[], Command::new("python3").args([script, "leak"])).assert_rules(&["not-freed"]);
}

fn threads() {
    let outcome = run(&[], &["threads"]);
    outcome.assert_rules(&[]);
    assert_ends(&outcome);
}

fn forked_processes() {
    for what in ["children", "exiting-children"] {
        let outcome = run(&[], &[what]);
        outcome.assert_rules(&[]);
        assert_ends(&outcome);
    }
}

/// What it has is not leaked yet.
fn a_process_that_is_left_running() {
    let outcome = run(&[], &["left-running"]);
    outcome.assert_rules(&[]);
    assert_ends(&outcome);
}

fn closing_every_descriptor() {
    let outcome = run(&[], &["closed-all"]);
    outcome.assert_rules(&[]);
    assert_ends(&outcome);
}

/// The layer's lock may be another thread's when a process forks. A child's own mistakes are reported.
fn forked_while_threads_call() {
    let outcome = run(&[], &["children-of-threads"]);
    outcome.assert_rules(&["after-fork", "import-size-zero"]);
    assert_eq!(outcome.json["counts"]["import-size-zero"], 50);
    assert_ends(&outcome);
}

/// None of them hangs or ends otherwise, and what is found is what each did.
fn interrupted_forked_and_without_resources() {
    for (what, rounds, rules) in [
        ("exit-in-handler", 20, &[][..]),
        ("close-in-handler", 1, &[]),
        ("cancel", 1, &["fd-not-open", "import-size-zero"]),
        ("forked", 1, &["after-fork", "fd-not-open", "import-size-zero"]),
        ("no-descriptor", 1, &["fd-not-open", "import-size-zero"]),
        ("no-file", 1, &["not-freed"]),
    ] {
        for _ in 0..rounds {
            // What the handler interrupted is not freed.
            let options: &[_] = if what == "exit-in-handler" { &["--suppress", "not-freed"] } else { &[] };
            let outcome =
                checked(options, Command::new("timeout").arg("60").arg(c_program("stress")).arg(what));
            outcome.assert_rules(rules);
            assert_eq!(
                outcome.output.status.code(),
                Some((!rules.is_empty()).into()),
                "{what}: {}",
                outcome.stderr()
            );
        }
    }
}

/// The layer has no code that runs then; the program reads what it left, and the call stack with it.
fn an_end_without_exit_handlers() {
    let outcome = run(&[], &["_exit"]);
    assert_leaks(&outcome);
    assert!(outcome.stderr().contains("without running its exit handlers"), "{}", outcome.stderr());
    assert!(
        outcome.stderr().contains(&line_of("import", "driver.h", "OK(cuImportExternalMemory(")),
        "{}",
        outcome.stderr()
    );
    assert_eq!(outcome.json["findings"][0]["objects"][0]["made_by"], "cuImportExternalMemory");
}

fn a_killed_program() {
    let outcome = run(&[], &["killed"]);
    outcome.assert_rules(&[]);
    assert!(outcome.stderr().contains("ended by signal 9 (SIGKILL)."), "{}", outcome.stderr());
    assert_eq!(outcome.output.status.code(), Some(137));
    // The check ignores this one, and the program does not. A shell's background job begins with it ignored.
    // SAFETY: sets the default, which is 0.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
    let outcome = run(&[], &["interrupted"]);
    assert!(outcome.stderr().contains("ended by signal 2."), "{}", outcome.stderr());
}

/// The finding is written before the crash, and the summary names the function.
fn a_crash_that_is_wanted() {
    let outcome = run(&["--let-crash"], &["twice"]);
    outcome.assert_rules(&["handle-destroyed-twice"]);
    let stderr = outcome.stderr();
    assert!(stderr.contains("ended by signal 6 (SIGABRT) in cuDestroyExternalMemory."), "{stderr}");
    let outcome = run(&[], &["twice"]);
    outcome.assert_rules(&["handle-destroyed-twice"]);
    assert!(outcome.stdout().contains("second: 400"), "{}", outcome.stdout());
}

fn repeated_findings_are_counted() {
    let outcome = run(&[], &["many"]);
    assert_eq!(outcome.json["counts"]["not-freed"], 60);
    assert_eq!(outcome.json["findings"].as_array().map(Vec::len), Some(10));
    assert!(include_str!("../../../docs/check.md").contains("At most ten blocks are printed"));
    assert!(outcome.stderr().contains("SUMMARY: 60 findings: not-freed 60"), "{}", outcome.stderr());
}

/// Nor libclang or a toolkit: the layer has the embedded bindings.
fn installing_it_needs_no_bindgen() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--prefix", "none", "--edges", "normal,build"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo starts");
    let packages = String::from_utf8_lossy(&output.stdout);
    assert!(packages.contains("cuda-external-sys v"), "{}", test_support::exit_report(&output));
    assert!(!packages.contains("bindgen v"), "{packages}");
}

/// The user's own preloaded libraries stay.
fn the_directory_is_the_users_alone_and_its_libraries_come_first() {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"stat -c %a "${LD_LIBRARY_PATH%%:*}"; echo "$LD_PRELOAD""#]);
    let outcome = checked(&[], shell.env("LD_PRELOAD", "libm.so.6"));
    let stdout = outcome.stdout();
    let (mode, preloaded) = stdout.split_once('\n').expect("two lines");
    assert_eq!(mode, "700");
    assert!(preloaded.trim_end().ends_with("/libcuda_preload.so:libm.so.6"), "{preloaded}");
}

fn suppressed_rules() {
    run(&["--suppress", "not-freed"], &["leak"]).assert_rules(&[]);
    run(&["--suppress=not-freed"], &["_exit"]).assert_rules(&[]);
    assert_leaks(&run(&["--suppress", "fd-not-open,count-zero"], &["leak"]));
}

fn exit_codes() {
    for (options, what, code) in [
        (&[][..], "whole", 0),
        (&[], "leak", 1),
        (&["--error-exitcode", "9"], "leak", 9),
        (&["--error-exitcode", "9"], "whole", 0),
        (&["--error-exitcode=0"], "leak", 0),
        (&["--error-exitcode", "9"], "failing", 9),
        (&["--error-exitcode", "0"], "failing", 7),
        (&[], "failing", 7),
    ] {
        assert_eq!(run(options, &[what]).output.status.code(), Some(code), "{options:?} {what}");
    }
}

fn a_trace() {
    let outcome = run(&["--log"], &["whole"]);
    let stderr = outcome.stderr();
    let calls: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix("========= cu")).collect();
    assert!(
        calls[0].starts_with("ImportExternalMemory(0x") && calls[0].ends_with(" = CUDA_SUCCESS"),
        "{stderr}"
    );
    assert!(calls[0].contains("type: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, fd: "), "{stderr}");
    assert!(calls[1].contains("{ offset: 0, size: 2097152, flags: 0x0 }"), "{stderr}");
    assert!(calls[2].starts_with("DestroyExternalMemory(0x"), "{stderr}");
    assert_eq!(calls.len(), 3, "{stderr}");
}

/// Such a process is seen while it runs, and at its end if it has exit handlers.
fn the_driver_by_its_path() {
    let path = fake_driver().join("libcuda.so.1").canonicalize().expect("it is there");
    for what in ["slow", "leak"] {
        let outcome = checked(&[], Command::new(c_program("loading")).arg(what).env("DRIVER", &path));
        outcome.assert_rules(&[]);
        let words = format!("A process opened {} by its path", path.display());
        assert!(outcome.stderr().contains(&words), "{what}: {}", outcome.stderr());
    }
}

/// A frame of a function, up to the address: the line of one of its calls, in the file that has it.
fn line_of(function: &str, file: &str, call: &str) -> String {
    let path = Path::new(SOURCES).join(file);
    let text = fs::read_to_string(&path).expect("the source");
    let at = text.lines().position(|line| line.contains(call)).expect("the call") + 1;
    format!("        {function} at {}:{at} [0x", path.display())
}

fn the_blocks_name_functions_and_lines_of_the_json() {
    let outcome = run(&[], &["twice-unread"]);
    let stderr = outcome.stderr();
    for part in [
        "========= handle-destroyed-twice in cuDestroyExternalMemory\n",
        "The driver was not called, since it may crash or harm the program. The call returned CUDA_ERROR_INVALID_HANDLE.",
        "    Remedy: Destroy each import",
        "Call stack, process ",
        &line_of("main", "import.c", "returns to the next line"),
        "The external memory #1, OPAQUE_FD ",
        "2097152 bytes, was made by cuImportExternalMemory:",
        &line_of("import", "driver.h", "OK(cuImportExternalMemory("),
        "It was ended by cuDestroyExternalMemory:",
        "========= SUMMARY: 1 finding: handle-destroyed-twice 1",
    ] {
        assert!(stderr.contains(part), "{part:?} is not in\n{stderr}");
    }
    let finding = &outcome.json["findings"][0];
    assert_eq!(finding["rule"], "handle-destroyed-twice");
    assert_eq!(finding["answered"], "CUDA_ERROR_INVALID_HANDLE");
    assert!(finding["stack"][0].as_str().is_some_and(|frame| frame.starts_with("main at ")), "{finding}");
    assert_eq!(finding["objects"][0]["ended_by"], "cuDestroyExternalMemory");
}

fn started(arguments: &[&str], library_path: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(program());
    command.args(arguments).env("LD_LIBRARY_PATH", library_path);
    let output = command.output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn no_driver_is_the_programs_own_answer() {
    let empty = TempDir::new().expect("a temporary directory");
    let (code, stderr) = started(&["sh", "-c", "exit 3"], empty.path());
    // A machine with a driver has nothing to show here.
    if !stderr.contains("SUMMARY") {
        assert!(stderr.contains("no CUDA driver library could be loaded: "), "{stderr}");
        assert!(stderr.contains("The program runs without the check."), "{stderr}");
    }
    assert_eq!(code, Some(3));
    fs::write(empty.path().join("not-a-driver"), "").expect("the directory can be written");
    let path = empty.path().join("not-a-driver");
    let (code, stderr) = started(&["--driver", &path.to_string_lossy(), "true"], empty.path());
    assert!(code == Some(2) && stderr.contains("not-a-driver"), "{stderr}");
}

fn a_program_that_is_not_there() {
    let (code, stderr) = started(&["/nonexistent/program"], fake_driver());
    assert!(code == Some(127) && stderr.contains("/nonexistent/program: No such file"), "{stderr}");
}

fn without_a_call_of_cuda() {
    let outcome = checked(&[], &Command::new("true"));
    outcome.assert_rules(&[]);
    assert!(outcome.stderr().contains("no call was checked"), "{}", outcome.stderr());
    assert_eq!(outcome.json["loaded"], "no");
}

fn wrong_options() {
    let (code, stderr) = started(&["--suppress", "nonsense", "true"], fake_driver());
    assert!(code == Some(2) && stderr.contains("`nonsense` is not a rule"), "{stderr}");
}
