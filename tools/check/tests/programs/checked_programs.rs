//! Tests the check's options, and checks C and Python programs that load the driver and end in different ways.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use cuda_external_check::layer;
use cuda_external_sys::{CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_INVALID_VALUE, CUDA_SUCCESS};
use tempfile::TempDir;
use test_support::{Need, compile_shared_library, compiler_command, find_compiler};

use crate::support::{CheckedProgramRun, check_program, cpu_driver_directory, run_checked};
use crate::unwrapped_functions::each_function_of_the_driver_is_wrapped_or_has_a_reason;

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");

/// Arguments of program.c, and for each the rules that the check must report.
const MODES: &[(&str, &[&str])] = &[
    ("whole", &[]),
    ("leak", &["not-freed"]),
    // With `resolved`, the program finds the driver's functions by cuGetProcAddress, otherwise by dlsym.
    ("whole resolved", &[]),
    ("leak resolved", &["not-freed"]),
    ("threads", &[]),
    ("children", &[]),
    ("exiting_children", &[]),
    // The objects of a process that still runs are not leaked yet.
    ("left_running", &[]),
    // Signals, cancellations and forks interrupt the layer.
    (EXIT_IN_HANDLER, &[]),
    ("close_in_handler", &[]),
    ("cancel", &["fd-not-open", "import-size-zero"]),
    // Each child makes these mistakes itself.
    ("forked", &["after-fork", "fd-not-open", "import-size-zero"]),
    ("no_descriptor", &["fd-not-open", "import-size-zero"]),
    ("no_file", &["not-freed"]),
    ("no_openat", &[]),
    ("no_marks", &[]),
    ("small_stack", &[]),
    ("without_environment", &["not-freed"]),
];
const EXIT_IN_HANDLER: &str = "exit_in_handler";

pub fn main() -> ExitCode {
    let c = Need::new("c-compiler", &find_compiler());
    let python = Command::new("python3").arg("--version").output();
    let python = Need::new("python", &python.map_err(|error| format!("python3: {error}")));
    let mut trials = test_support::tests! {
        [c] => every_cuda_function_restores_the_signal_mask, a_program_linked_to_libcuda_is_checked,
            signals_go_to_the_program_alone, options_and_exit_codes, a_driver_opened_by_its_path_is_reported,
            an_unknown_python_release_is_named_in_the_stack, finding_blocks_have_functions_and_lines,
            an_address_sanitizer, a_thread_sanitizer, a_double_close_blames_the_program,
            a_close_by_the_layer_is_not_recorded;
        [c, python] => a_function_of_a_library_before_the_driver_is_found;
        [] => installing_it_needs_no_bindgen, without_a_driver_the_program_runs_unchecked,
            programs_that_cannot_be_started,
            the_directory_is_the_users_alone_and_its_libraries_come_first, without_a_call_of_cuda,
            each_function_of_the_driver_is_wrapped_or_has_a_reason;
    };
    for (what, rules) in MODES {
        let program = || run_mode_of_c_program(Command::new(compiled_program()), what, rules);
        trials.push(test_support::trial_if(&format!("modes/{what}"), [&c], program));
    }
    for minor in 9..=13 {
        let python = python_of_release(minor);
        let name = format!("functions_of_python_3_{minor}");
        trials.push(test_support::trial_if(&name, [&Need::new("python-releases", &python)], move || {
            assert_python_stacks(&python.expect("the test needs it"))
        }));
    }
    // These releases of NVIDIA's driver have cuGetProcAddress, which CUDA 11.3 added.
    for driver in ["470", "535", "550", "555"] {
        let library = test_support::driver_library(driver);
        let need = Need::new("driver-libraries", &library);
        let name = format!("get_proc_address_of_driver_{driver}");
        trials.push(test_support::trial_if(&name, [&c, &need], move || {
            get_proc_address_returns_layer_functions(&library.expect("the test needs it"))
        }));
    }
    test_support::run_trials(trials, None)
}

fn compile_file(name: &str, to: &Path, arguments: &[&str]) {
    let mut command = compiler_command();
    command.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-Wl,-z,now", "-o"]);
    command.arg(to).arg(Path::new(DIRECTORY).join(name)).args(arguments).arg("-ldl");
    assert!(command.status().expect("the compiler starts").success());
}

fn compiled_program() -> PathBuf {
    static COMPILED: OnceLock<TempDir> = OnceLock::new();
    let directory = COMPILED.get_or_init(|| {
        let directory = TempDir::new().expect("a temporary directory");
        compile_file("program.c", &directory.path().join("loading"), &[]);
        directory
    });
    directory.path().join("loading")
}

fn run_c_program(options: &[&str], arguments: &[&str]) -> CheckedProgramRun {
    run_checked(options, Command::new(compiled_program()).args(arguments))
}

fn run_mode_of_c_program(program: Command, what: &str, rules: &[&str]) {
    let is_interrupted = what == EXIT_IN_HANDLER;
    // In this mode a signal handler ends the program, which may not have freed its objects yet.
    let options: &[&str] = if is_interrupted { &["--suppress", "not-freed"] } else { &[] };
    for _ in 0..if is_interrupted { 20 } else { 1 } {
        // `timeout` kills the children too: they may block other signals and keep the output open.
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "60"]).arg(program.get_program()).args(program.get_args());
        command.args(what.split(' ')).env("ASAN_OPTIONS", "detect_leaks=0").env("TSAN_OPTIONS", "exitcode=0");
        let outcome = run_checked(options, &command);
        outcome.assert_rules(rules);
        assert_eq!(outcome.code, Some((!rules.is_empty()).into()), "{}{}", outcome.stdout, outcome.stderr);
        if !is_interrupted {
            outcome.assert_finished();
        }
        // In a report about the layer, ThreadSanitizer would print this name.
        assert!(!outcome.stderr.contains("(libcuda.so.1+"), "{}", outcome.stderr);
    }
}

/// Compiles program.c with further arguments of the compiler, and runs `modes` by the command `starter`.
fn run_modes_compiled_with(arguments: &[&str], starter: &[&str], modes: &[&str]) {
    let directory = TempDir::new().expect("a temporary directory");
    let program = directory.path().join("program");
    compile_file("program.c", &program, arguments);
    for (what, rules) in MODES.iter().filter(|(what, _)| modes.contains(what)) {
        let mut command = Command::new("env");
        command.args(starter).arg(&program);
        run_mode_of_c_program(command, what, rules);
    }
}

/// Also checks cancelability, and the mask while the driver runs. For Vulkan's functions, tests/vulkan checks the mask.
fn every_cuda_function_restores_the_signal_mask() {
    let directory = TempDir::new().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    let names = layer::wrapped_functions();
    let declared = names.iter().chain(&["cuDriverGetVersion"]).map(|name| format!("FUNCTION({name})\n"));
    fs::write(at("functions.h"), declared.collect::<String>()).expect("the directory can be written");
    let include = format!("-I{}", directory.path().display());
    compile_file("every_function.c", &at("driver.so"), &["-DDRIVER", "-shared", "-fPIC", &include]);
    compile_file("every_function.c", &at("program"), &["-rdynamic"]);
    let driver = at("driver.so").display().to_string();
    for code in [CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_ILLEGAL_ADDRESS] {
        for options in [&["--enable", "hand-over"][..], &["--let-crash"]] {
            let mut program = Command::new(at("program"));
            program.args(&names).env("CODE", code.0.to_string());
            let outcome = run_checked(&[&["--driver", &driver], options].concat(), &program);
            let expected = format!("compared {} times; reached the end\n", 2 * names.len());
            assert_eq!(outcome.stdout, expected, "{code:?} {options:?}\n{}", outcome.stderr);
        }
    }
}

fn a_program_linked_to_libcuda_is_checked() {
    // The linker notes the library's soname, libcuda.so.1.
    let driver = cpu_driver_directory().join("libcuda.so.1");
    run_modes_compiled_with(&["-DLINKED", &driver.to_string_lossy()], &[], &["whole", "leak"]);
}

/// A program with AddressSanitizer, whose runtime must be the first library of a process, runs under the check.
fn an_address_sanitizer() {
    run_modes_compiled_with(&["-fsanitize=address"], &[], &["whole", "exiting_children"]);
}

/// ThreadSanitizer sees neither the layer's locks nor the driver's, and must not report a race in these libraries.
fn a_thread_sanitizer() {
    // ThreadSanitizer may fail if addresses are randomized. `setarch -R` turns the randomization off.
    run_modes_compiled_with(&["-fsanitize=thread"], &["setarch", "-R"], &["threads"]);
}

/// A library opens a file, whose descriptor gets the number of an imported descriptor. First the program closes this
/// number by mistake, then the library closes it. The finding has the call stack of the program's `close`.
fn a_double_close_blames_the_program() {
    let directory = TempDir::new().expect("a temporary directory");
    let code = "#include <fcntl.h>\n#include <unistd.h>\n\
        int victim_file(int fd) { return fd < 0 ? open(\"/dev/null\", O_RDONLY) : close(fd); }\n";
    let library = directory.path().join("victim.so");
    compile_shared_library(code, &library, &[]);
    let outcome = run_checked(&[], Command::new(compiled_program()).arg("victim").env("VICTIM", &library));
    outcome.assert_rules(&["fd-closed-after-import"]).assert_finished();
    let (stack, mistake) =
        (&outcome.json["findings"][0]["stack"], expected_frame("victim", "This is the mistake."));
    assert!(stack[0].as_str().is_some_and(|frame| frame.starts_with(mistake.trim_start())), "{stack}");
}

/// Under a seccomp filter, as in containers, the layer opens and closes /proc/self/status during an import.
fn a_close_by_the_layer_is_not_recorded() {
    let mut filtered = Command::new(compiled_program());
    filtered.arg("under_filter").args([&check_program(), &compiled_program()]).arg("reimport");
    let output = filtered.env("LD_LIBRARY_PATH", cpu_driver_directory()).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("= fd-imported-before in"), "{output:?}");
}

/// A signal that comes before the check is ready for it ends neither the check nor the program.
fn signals_go_to_the_program_alone() {
    let directory = TempDir::new().expect("a temporary directory");
    let library = directory.path().join("signals.so");
    compile_file("signals.c", &library, &["-shared", "-fPIC"]);
    let script = "trap 'echo passed on; kill $!; exit 0' TERM; touch $READY; sleep 10 & wait";
    let mut program = Command::new("sh");
    program.args(["-c", script]).env("READY", directory.path().join("ready")).env("LD_PRELOAD", &library);
    let outcome = run_checked(&["--error-exitcode", "0"], &program);
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("passed on\n", Some(0)), "{}", outcome.stderr);
}

/// With NVIDIA's own library as the driver, cuGetProcAddress returns the layer's functions.
fn get_proc_address_returns_layer_functions(library: &Path) {
    let outcome = run_c_program(&["--driver", &library.to_string_lossy()], &["resolve"]);
    outcome.assert_rules(&[]).assert_finished();
}

/// The driver is a library that adds a function and needs the real driver, as in some container runtimes.
fn a_function_of_a_library_before_the_driver_is_found() {
    let directory = TempDir::new().expect("a temporary directory");
    // The linker notes the soname of libbehind.so. A symbolic link to the driver then replaces this file.
    let behind = directory.path().join("libbehind.so");
    compile_shared_library("", &behind, &["-Wl,-soname,libbehind.so"]);
    let own = format!("-Wl,-rpath,{}", directory.path().display());
    let arguments = ["-Wl,-soname,libcuda.so.1", "-Wl,--no-as-needed", &behind.to_string_lossy(), &own];
    let driver = directory.path().join("libcuda.so.1");
    compile_shared_library("int cuExtra(void) { return 42; }", &driver, &arguments);
    fs::remove_file(&behind).expect("it is there");
    symlink(cpu_driver_directory().join("libcuda.so.1"), &behind).expect("the directory can be written");
    let script = "import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); \
        assert cuda.cuExtra() == 42 and cuda.cuInit(0) == 0; cuda.cuDestroyExternalMemory(None)";
    let (code, stderr) =
        run_check_program(&["--error-exitcode", "7", "python3", "-c", script], directory.path());
    assert!(code == Some(7) && stderr.contains("handle"), "{stderr}");
}

/// Returns the interpreter of a release of CPython, which may be in /usr/bin, on the PATH or in pyenv's directory.
fn python_of_release(minor: u32) -> Result<String, String> {
    let script = format!(
        r#"for python in /usr/bin/python3.{minor} "$(command -v python3.{minor})" \
                   ~/.pyenv/versions/3.{minor}.*/bin/python3; do
               "$python" -c 'import ctypes' 2> /dev/null && echo "$python" && exit; done; exit 1"#
    );
    let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() { Ok(path) } else { Err(format!("no CPython 3.{minor}")) }
}

/// A finding's stack has the functions that functions.py prints, and no function of the interpreter itself.
fn assert_python_stacks(python: &str) {
    let program = Path::new(DIRECTORY).join("functions.py");
    let outcome = run_checked(&[], Command::new(python).arg("-B").arg(&program));
    outcome.assert_rules(&["handle-unknown"]).assert_finished();
    let findings = outcome.json["findings"].as_array().expect("a list");
    let lines = Vec::from_iter(outcome.stdout.lines().filter(|line| line.starts_with("File")));
    assert_eq!((findings.len(), lines.len()), (7, 7), "{}", outcome.stdout);
    for (finding, line) in findings.iter().zip(lines) {
        let stack: Vec<&str> =
            finding["stack"].as_array().expect("a list").iter().filter_map(|of| of.as_str()).collect();
        let expected: Vec<&str> = line.split('\t').collect();
        let count = expected.len().min(10);
        assert_eq!(stack[..count], expected[..count], "{stack:#?}");
        assert!(stack.iter().all(|frame| frame.starts_with("File ")), "{stack:#?}");
        assert!(finding["file"].is_string() && finding["line"].is_u64(), "{finding:#}");
    }
}

/// A library imitates a release of CPython that the check does not know.
fn an_unknown_python_release_is_named_in_the_stack() {
    let directory = TempDir::new().expect("a temporary directory");
    let code = "const char *Py_GetVersion(void) { return \"3.14.0 free-threading build (main)\"; }\n\
        void *PyGILState_GetThisThreadState(void) { return Py_GetVersion; }\n\
        int PyCode_Addr2Line(void *code, int byte) { __builtin_trap(); }\n";
    let library = directory.path().join("python.so");
    compile_shared_library(code, &library, &[]);
    let outcome = run_checked(&[], Command::new(compiled_program()).arg("twice").env("LD_PRELOAD", &library));
    outcome.assert_rules(&["handle-destroyed-twice"]).assert_finished();
    let words = "[The functions of CPython 3.14.0 free-threading build are not known to this check]";
    assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
}

/// `cargo install` of the check does not compile bindgen, so it needs no libclang: the layer has the embedded bindings.
fn installing_it_needs_no_bindgen() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--prefix", "none", "--edges", "normal,build"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo starts");
    let packages = String::from_utf8_lossy(&output.stdout);
    assert!(packages.contains("cuda-external-sys v"), "{}", test_support::describe_exit(&output));
    assert!(!packages.contains("bindgen v"), "{packages}");
}

/// Only the user can read the check's directory. In LD_PRELOAD, the user's library follows the check's library.
fn the_directory_is_the_users_alone_and_its_libraries_come_first() {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"stat -c %a "${LD_LIBRARY_PATH%%:*}"; echo "$LD_PRELOAD""#]);
    let outcome = run_checked(&[], shell.env("LD_PRELOAD", "libm.so.6"));
    let stdout = outcome.stdout;
    let (mode, preloaded) = stdout.split_once('\n').expect("two lines");
    assert_eq!(mode, "700");
    assert!(preloaded.trim_end().ends_with("/libcuda_preload.so:libm.so.6"), "{preloaded}");
}

/// Each row has the check's options, the mode of the C program, the exit code, and words of the report.
fn options_and_exit_codes() {
    for (options, what, code, words) in [
        (&["--error-exitcode", "9"][..], "leak", 9, "SUMMARY: 2 findings: not-freed 2"),
        (&["--error-exitcode", "9"], "whole", 0, "SUMMARY: no findings"),
        (&["--error-exitcode=0"], "leak", 0, "not-freed 2"),
        (&["--error-exitcode", "9"], "failing", 9, "not-freed 2"),
        (&["--error-exitcode", "0"], "failing", 7, "not-freed 2"),
        (&[], "failing", 7, "not-freed 2"),
        (&["--require"], "only_exported", 0, "SUMMARY: no findings"),
        (&["--suppress", "not-freed"], "leak", 0, "SUMMARY: no findings"),
        (&["--suppress=not-freed"], "without_exit_handlers", 0, "SUMMARY: no findings"),
        (&["--suppress", "fd-not-open,count-zero"], "leak", 1, "not-freed 2"),
        (&[], "many", 1, "SUMMARY: 60 findings: not-freed 60"),
        (&[], "killed", 137, "ended by signal 9 (SIGKILL)."),
        // No code of the layer runs when this program ends: the check reads the list of live objects.
        (&[], "without_exit_handlers", 1, "when the process ended without running its exit handlers."),
        // The finding is written before the crash.
        (&["--let-crash"], "twice", 134, "ended by signal 6 (SIGABRT) in cuDestroyExternalMemory."),
        (&["--let-crash"], "twice", 134, "SUMMARY: 1 finding: handle-destroyed-twice 1"),
    ] {
        let outcome = run_c_program(options, &[what]);
        assert_eq!(outcome.code, Some(code), "{options:?} {what}");
        assert!(outcome.stderr.contains(words), "{options:?} {what}: {}", outcome.stderr);
        let printed = outcome.json["findings"].as_array().map(Vec::len);
        assert!(what != "many" || printed == Some(10), "{printed:?}");
    }
}

fn a_driver_opened_by_its_path_is_reported() {
    let directory = TempDir::new().expect("a temporary directory");
    let path = directory.path().canonicalize().expect("it is there").join("libcuda.so.580.95.05");
    fs::copy(cpu_driver_directory().join("libcuda.so.1"), &path).expect("the directory can be written");
    for what in ["leak", "layered"] {
        let outcome = run_checked(&[], Command::new(compiled_program()).arg(what).env("DRIVER", &path));
        outcome.assert_rules(&[]);
        let words = format!("A process opened {} by its path", path.display());
        assert!(outcome.stderr.contains(&words), "{what}: {}", outcome.stderr);
    }
}

/// Returns the printed frame of a function, up to the address, with the line of program.c that has this call.
fn expected_frame(function: &str, call: &str) -> String {
    let path = Path::new(DIRECTORY).join("program.c");
    let text = fs::read_to_string(&path).expect("the source");
    let at = text.lines().position(|line| line.contains(call)).expect("the call") + 1;
    format!("        {function} at {}:{at} [0x", path.display())
}

fn finding_blocks_have_functions_and_lines() {
    let outcome = run_c_program(&[], &["twice"]);
    outcome.assert_finished();
    let stderr = outcome.stderr;
    for part in [
        "/check_rules/index.html#handle-destroyed-twice\n=========\n",
        "========= handle-destroyed-twice in cuDestroyExternalMemory\n",
        "since it may crash or harm the program. The call returned CUDA_ERROR_INVALID_HANDLE.",
        "    Remedy: Destroy each import",
        "Call stack, process ",
        &expected_frame("twice", "returns to the next line"),
        // The C library's frame that called main.
        "/libc.so.6\n",
        "The external memory #1, OPAQUE_FD ",
        "2097152 bytes, was made by cuImportExternalMemory:",
        &expected_frame("import_exported", "OK(cuImportExternalMemory("),
        "That object was ended by cuDestroyExternalMemory:",
        "========= SUMMARY: 1 finding: handle-destroyed-twice 1",
    ] {
        assert!(stderr.contains(part), "{part:?} is not in\n{stderr}");
    }
    let finding = &outcome.json["findings"][0];
    assert_eq!(finding["answered"], "CUDA_ERROR_INVALID_HANDLE");
    let line = format!("{}:{} [0x", finding["file"].as_str().unwrap_or_default(), finding["line"]);
    assert!(expected_frame("twice", "returns to the next line").ends_with(&line), "{finding:#}");
    assert!(finding["stack"][0].as_str().is_some_and(|frame| frame.starts_with("twice at ")), "{finding}");
}

fn run_check_program(arguments: &[&str], library_path: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(check_program());
    let output = command.args(arguments).env("LD_LIBRARY_PATH", library_path).output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn without_a_driver_the_program_runs_unchecked() {
    let empty = TempDir::new().expect("a temporary directory");
    let (code, stderr) = run_check_program(&["sh", "-c", "exit 3"], empty.path());
    // On a machine with NVIDIA's driver, the check finds that driver.
    if stderr.contains("nothing was checked: no driver") {
        assert!(stderr.contains("no CUDA driver library could be loaded: "), "{stderr}");
        assert!(stderr.contains("The program runs without the check."), "{stderr}");
        assert_eq!(run_check_program(&["--require", "true"], empty.path()).0, Some(3));
    }
    assert_eq!(code, Some(3));
    fs::write(empty.path().join("not-a-driver"), "").expect("the directory can be written");
    let path = empty.path().join("not-a-driver");
    let (code, stderr) = run_check_program(&["--driver", &path.to_string_lossy(), "true"], empty.path());
    assert!(code == Some(2) && stderr.contains("not-a-driver"), "{stderr}");
}

fn programs_that_cannot_be_started() {
    for (arguments, expected, words) in [
        (&["/nonexistent/program"][..], 127, "/nonexistent/program: No such file"),
        (&["--suppress", "nonsense", "true"], 2, "`nonsense` is not a rule. The rules are fd-not-open"),
        (&["--error-exitcode", "256", "true"], 2, "256 is not in 0..=255"),
        (&["--nonsense", "true"], 2, "unexpected argument '--nonsense'"),
        (&["--", "--let-crash"], 127, "--let-crash: No such file"),
    ] {
        let (code, stderr) = run_check_program(arguments, cpu_driver_directory());
        assert!(code == Some(expected) && stderr.contains(words), "{stderr}");
    }
}

fn without_a_call_of_cuda() {
    let outcome = run_checked(&[], &Command::new("true"));
    outcome.assert_rules(&[]);
    assert!(outcome.stderr.contains("no call was checked"), "{}", outcome.stderr);
    assert_eq!(outcome.json["loaded"], "no");
}
