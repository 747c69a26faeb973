//! A program that breaks a rule is reported so, and one that breaks none is not. The programs are this one, which runs a case
//! where a variable names it.

use std::env;
use std::process::ExitCode;

use cuda_external_check::rules::RULES;
use interop::Error;
use interop::cuda::Cuda;
use interop::vulkan::Vulkan;
use test_support::Need;

use crate::cases::{self, Step};
use crate::support;

const VARIABLE: &str = "CUDA_EXTERNAL_CHECK_CASE";

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(VARIABLE) {
        return run(&name);
    }
    let opened = open().map_err(|error| error.to_string());
    let vulkan = Need::new("vulkan", &opened);
    // The driver in software has as many devices as it is told.
    let has_two = opened.as_ref().is_ok_and(|(cuda, _)| cuda.name.contains("cuda-external-cpu"))
        || interop::cuda::device_count().is_ok_and(|count| count > 1);
    let second = Need::new("second-gpu", &has_two.then_some(()).ok_or("this machine has one".to_owned()));
    let mut trials = vec![test_support::test("each_has_a_case", [], each_has_a_case)];
    for case in cases::all() {
        let mut expected: Vec<&str> = case.also.iter().map(|rule| rule.row().id).collect();
        expected.push(case.rule.row().id);
        expected.sort_unstable();
        let (name, options, devices) = (case.rule.row().id, case.options, case.devices);
        let needs = [&vulkan, if devices > 1 { &second } else { &vulkan }];
        trials.push(test_support::test(name, needs, move || check(name, options, devices, &expected)));
    }
    for (name, _) in cases::HAND_OVERS {
        trials.push(test_support::test(name, [&vulkan], || {
            check(name, &["--enable", "hand-over"], 1, &["hand-over"]);
        }));
    }
    let all = &["--enable", "hand-over,wait-before-signal,mapping-overlap"];
    trials.push(test_support::test("all_right", [&vulkan], || check("all_right", all, 1, &[])));
    // Opt-in rules are silent where nobody asks for them.
    trials.push(test_support::test("not_asked_for", [&vulkan], || check("without_a_wait", &[], 1, &[])));
    test_support::run(trials, None)
}

fn each_has_a_case() {
    for row in RULES.iter().filter(|row| row.rule.is_of_both_sides()) {
        assert_eq!(cases::all().iter().filter(|case| case.rule == row.rule).count(), 1, "{}", row.id);
    }
}

fn check(name: &str, options: &[&str], devices: usize, expected: &[&str]) {
    let mut program = test_support::this_program();
    program.env(VARIABLE, name);
    // The driver of the machine, or the one in software that scripts/on-cpu starts this with.
    program.env("LD_LIBRARY_PATH", env::var_os("LD_LIBRARY_PATH").unwrap_or_default());
    program.env("CUDA_EXTERNAL_CPU_DEVICES", devices.to_string());
    let outcome = support::checked(options, &program);
    outcome.assert_rules(expected);
    outcome.assert_ends();
}

fn open() -> interop::Result<(Cuda, Vulkan)> {
    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    Ok((cuda, vulkan))
}

fn run(name: &str) -> ExitCode {
    let ended = (|| -> interop::Result<()> {
        let (cuda, vulkan) = open()?;
        let steps: Option<&[Step]> =
            cases::HAND_OVERS.iter().find(|(of, _)| *of == name).map(|(_, steps)| *steps);
        match steps {
            Some(steps) => cases::round_trip(&vulkan, steps),
            None if name == "all_right" => cases::all_right(&cuda, &vulkan),
            None => {
                let case = cases::all().into_iter().find(|case| case.rule.row().id == name);
                let case = case.ok_or_else(|| Error::Failed(format!("no case {name}")))?;
                (case.run)(&cuda, &vulkan)
            }
        }
    })();
    match ended {
        Ok(()) => println!("reached the end"),
        Err(error) => println!("{error}"),
    }
    ExitCode::SUCCESS
}
