//! Tests that need something of the machine, for example a GPU, a header or a compiler.
//!
//! A test with an unmet need is ignored. It fails instead if `CUDA_EXTERNAL_SYS_REQUIRE` requires the first unmet need.

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// The environment variable with the needs that this machine must meet: `gpu,vulkan`, `all`, or `all,-gpu`.
pub const REQUIRE: &str = "CUDA_EXTERNAL_SYS_REQUIRE";

/// Every need, and what meets it.
pub const NEEDS: [(&str, &str); 18] = [
    ("c-compiler", "a C compiler: CC, or cc on PATH"),
    ("cpu-vulkan", "a Vulkan device that is a CPU, such as Mesa's lavapipe"),
    ("device-memory", "enough free memory on the GPU"),
    ("driver", "a GPU and a driver that dev/driver_survey/ANSWERS.md has answers of"),
    ("driver-libraries", "NVIDIA's libraries of several drivers: dev/scripts/fetch-drivers"),
    ("gpu", "a GPU that CUDA's driver opens"),
    ("headers", "the headers of the releases: dev/scripts/fetch-headers"),
    ("libclang", "libclang: a distribution's package, or LIBCLANG_PATH"),
    ("machine-without-driver", "no CUDA driver, for tests of its absence"),
    ("mock-driver", "the mock driver that the tests compile"),
    ("namespaces", "user and mount namespaces: unshare -rm of util-linux"),
    ("opengl", "OpenGL on the GPU"),
    ("python", "python3"),
    ("python-releases", "CPython 3.8 to 3.13, such as those that pyenv installs"),
    ("second-gpu", "a second GPU that CUDA's driver opens"),
    ("vulkan", "the GPU in Vulkan"),
    ("vulkan-validation", "Vulkan's validation layer, such as Debian's package vulkan-validationlayers"),
    ("wine", "Wine, for what Windows alone does"),
];

/// Something that tests need of the machine, or of the build, and the reason if it is missing.
#[derive(Clone, Debug)]
pub struct Need {
    name: &'static str,
    missing: Option<String>,
    can_be_required: bool,
}

impl Need {
    /// Makes a need that [`NEEDS`] lists. If `found` is an error, the need is unmet, and the tests' report shows why.
    pub fn new<T>(name: &'static str, found: &Result<T, String>) -> Self {
        assert!(NEEDS.iter().any(|(known, _)| *known == name), "`{name}` is not in test_support::NEEDS");
        Self { name, missing: found.as_ref().err().cloned(), can_be_required: true }
    }

    /// Makes a need for a cargo feature of the crate under test. If `is_on` is false, the need is unmet. [`REQUIRE`]
    /// does not apply to the need, since a feature depends on the build and not on the machine.
    pub fn cargo_feature(name: &'static str, is_on: bool) -> Self {
        let missing = (!is_on).then(|| "it is off in this build".to_owned());
        Self { name, missing, can_be_required: false }
    }
}

fn split_need_names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Returns whether [`REQUIRE`] requires this need. An entry with the need's name, or `all`, requires the need. A later
/// entry can exclude the need: `all,-gpu` does not require `gpu`. If a test's first unmet need is required, the test
/// fails.
pub fn is_required(need: &str) -> bool {
    let list = env::var(REQUIRE).unwrap_or_default();
    let words = split_need_names(&list).filter_map(|word| match word.strip_prefix('-') {
        Some(left_out) => (left_out == need).then_some(false),
        None => (word == need || word == "all").then_some(true),
    });
    // The last entry about a need counts.
    words.last().unwrap_or(false)
}

/// Returns an error's text if `required`, the value of [`REQUIRE`], has a name that is not a need.
fn unknown_need(required: &str) -> Option<String> {
    let is_known = |name: &str| name == "all" || NEEDS.iter().any(|(known, _)| *known == name);
    let name = split_need_names(required).find(|name| !is_known(name.strip_prefix('-').unwrap_or(name)))?;
    let known = NEEDS.map(|(name, meaning)| format!("\n  {name:24} {meaning}")).concat();
    Some(format!(
        "{REQUIRE} names `{name}`, which is not a need. It takes `all`, `all,-gpu`, or some of{known}"
    ))
}

/// Makes a test that runs if the machine meets every need.
pub fn trial_if<'a>(
    name: &str,
    needs: impl IntoIterator<Item = &'a Need>,
    run: impl FnOnce() + Send + 'static,
) -> Trial {
    let missing = needs.into_iter().find_map(|need| Some((need, need.missing.as_ref()?)));
    let Some((need, reason)) = missing else {
        return Trial::test(name, || {
            run();
            Ok(())
        });
    };
    if need.can_be_required && is_required(need.name) {
        let text = format!("{REQUIRE} names `{}`, which this machine does not have: {reason}", need.name);
        return Trial::test(name, || Err(Failed::from(text)));
    }
    let line = reason.lines().next().unwrap_or_default();
    Trial::test(name, || Ok(())).with_ignored_flag(true).with_kind(format!("no {}: {line}", need.name))
}

/// Makes tests with the names of their functions, grouped by what they need or by the function that registers them:
///
/// ```ignore
/// support::tests! {
///     [] => layouts, order;
///     [compiler, headers] => stub; // variables of the type `Need`
///     gpu_test => copies; // gpu_test("module::copies", copies)
/// }
/// ```
#[macro_export]
macro_rules! tests {
    (@ [$($need:expr),*] $name:expr, $run:ident) => { $crate::trial_if($name, [$(&$need),*], $run) };
    (@ $register:ident $name:expr, $run:ident) => { $register($name, $run) };
    ($($by:tt => $($run:ident),+;)+) => {
        vec![$($(
            $crate::tests!(@ $by $crate::path_in_test_program(concat!(module_path!(), "::", stringify!($run))), $run)
        ),+),+]
    };
}

/// Removes the first part of a path, the test program's name. [`tests!`](crate::tests!) calls this function.
pub fn path_in_test_program(path: &str) -> &str {
    path.split_once("::").map_or(path, |(_, rest)| rest)
}

/// Runs the trials with the options on the command line. `threads` replaces the option `--test-threads`.
pub fn run_trials(trials: Vec<Trial>, threads: Option<usize>) -> ExitCode {
    if let Some(error) = unknown_need(&env::var(REQUIRE).unwrap_or_default()) {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads = threads.or(arguments.test_threads);
    // Clears `--ignored`, which would run the empty bodies of the tests that cannot run here.
    (arguments.ignored, arguments.include_ignored) = (false, false);
    libtest_mimic::run(&arguments, trials).exit_code()
}
