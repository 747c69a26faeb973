//! Runs the cases (`support::CheckedCase`), each in a separate process under the check.

use std::env;
use std::process::{Command, ExitCode};

use example_support::cuda::Cuda;
use example_support::vulkan::{Instance, Vulkan};
use test_support::Need;

use crate::support::{self, CASE};
use crate::two_sided_cases::{self, VkCase};
use crate::{frame_order_cases, memory_use_cases};

/// If this variable is set, a case opens Vulkan before CUDA, as many programs do.
const VULKAN_FIRST: &str = "CUDA_EXTERNAL_CHECK_VULKAN_FIRST";

pub fn main() -> ExitCode {
    if let Ok(name) = env::var(CASE) {
        return run_named_case(&name);
    }
    let opened = open_both_apis().map_err(|error| error.to_string());
    let vulkan = Need::new("vulkan", &opened);
    // On cuda-external-cpu, the cases that need two devices set `CUDA_EXTERNAL_CPU_DEVICES`.
    let has_two = opened.as_ref().is_ok_and(|(cuda, _)| cuda.name.contains("cuda-external-cpu"))
        || example_support::cuda::device_count().is_ok_and(|count| count > 1);
    let second = Need::new("second-gpu", &has_two.then_some(()).ok_or("this machine has one".to_owned()));
    let mut trials = vec![support::each_rule_has_a_case(all_cases().map(|case| case.name).collect(), true)];
    let mut program = program_of_case();
    program.env(VULKAN_FIRST, "1");
    trials.extend(all_cases().next().map(|case| case.case_trial("vulkan-opened-first", &[&vulkan], program)));
    trials.extend(all_cases().flat_map(|case| {
        let needs = [&vulkan, if case.variable.is_some() { &second } else { &vulkan }];
        case.trials(&needs, program_of_case)
    }));
    test_support::run_trials(trials, None)
}

fn all_cases() -> impl Iterator<Item = VkCase> {
    [two_sided_cases::all_cases(), frame_order_cases::all_cases(), memory_use_cases::all_cases()]
        .into_iter()
        .flatten()
}

/// Returns a command that starts this test program. The same LD_LIBRARY_PATH leads it to the same CUDA driver.
fn program_of_case() -> Command {
    let mut program = test_support::this_program();
    program.env("LD_LIBRARY_PATH", env::var_os("LD_LIBRARY_PATH").unwrap_or_default());
    program
}

fn open_both_apis() -> example_support::Result<(Cuda, Vulkan)> {
    let cuda = Cuda::retain_primary(0)?;
    let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
    Ok((cuda, vulkan))
}

fn run_named_case(name: &str) -> ExitCode {
    let case = all_cases().find(|case| case.name == name).expect("a case has the name");
    let instance = env::var_os(VULKAN_FIRST).map(|_| {
        Instance::create_instance().and_then(|instance| instance.physical_devices().map(|_| instance))
    });
    assert!(instance.is_none_or(|opened| opened.is_ok()), "Vulkan cannot be opened");
    let ended = open_both_apis().and_then(|(cuda, vulkan)| (case.run)(&cuda, &vulkan));
    // SAFETY: zeros are a valid signal set. `pthread_sigmask` fills `mask` before `sigismember` reads it.
    let is_blocked = unsafe {
        let mut mask = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &mut mask);
        libc::sigismember(&mask, libc::SIGTERM) != 0
    };
    match ended {
        Ok(()) if is_blocked => println!("a function of the layer has left signals blocked"),
        Ok(()) => println!("reached the end"),
        Err(error) => println!("{error}"),
    }
    ExitCode::SUCCESS
}
