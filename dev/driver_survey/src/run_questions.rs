use std::fs::read_to_string;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::groups::{Question, QuestionGroup};
use crate::results_file::{MachineDescription, MachineResults};
use crate::subprocess::{self, QuestionOutcome};
use example_support::cuda::{Cuda, device_count};
use example_support::vulkan::{self, Instance};
use example_support::{Error, Result};

/// The argument that makes this program run one question of a group.
pub const QUESTION_OPTION: &str = "--question";

pub fn describe_machine(in_software: bool) -> Result<MachineDescription> {
    let gpus = device_count()?;
    let cuda = Cuda::retain_primary(0)?;
    let release = cuda_external_sys::load().map_or(0, |driver| driver.version());
    if in_software != cuda.name.contains("cuda-external-cpu") || cuda.name.contains("mock driver") {
        let wanted = if in_software { "the driver in software" } else { "a GPU" };
        return Err(Error::Missing(format!("{} is not {wanted}", cuda.name)));
    }
    let cuda_version = format!("{}.{}", release / 1000, release % 1000 / 10);
    // WSL has no such file.
    let driver =
        read_to_string("/sys/module/nvidia/version").unwrap_or_else(|_| format!("CUDA {cuda_version}"));
    Ok(MachineDescription {
        gpu: cuda.name.trim_start_matches("NVIDIA ").to_owned(),
        gpus,
        driver: driver.trim().to_owned(),
        cuda: cuda_version,
        vulkan: vulkan_version(&cuda.uuid).unwrap_or_else(|_| "none".to_owned()),
    })
}

fn vulkan_version(uuid: &[u8; 16]) -> Result<String> {
    let instance = Instance::create_instance()?;
    let candidates = instance.physical_devices()?;
    let version = vulkan::device_with_uuid(&candidates, uuid)?.version;
    let (major, minor) = (ash::vk::api_version_major(version), ash::vk::api_version_minor(version));
    Ok(format!("{major}.{minor}.{}", ash::vk::api_version_patch(version)))
}

/// Returns the answers and the failures. `on_answer` gets each answer, or what the machine lacks for the question.
pub fn run_all_questions(
    machine: MachineDescription,
    groups: &[QuestionGroup],
    on_answer: fn(&str),
) -> (MachineResults, Vec<String>) {
    let questions =
        groups.iter().flat_map(|group| group.questions.iter().map(|question| (group.name, question)));
    let (alone, together): (Vec<_>, Vec<_>) = questions.partition(|(_, question)| question.alone);
    let results = Mutex::new((MachineResults::new(machine), Vec::new()));
    for (questions, threads) in [(together, MOST_THREADS), (alone, 1)] {
        run_in_threads(&questions, threads, |(group, question)| {
            let outcome = run_question(group, question);
            let name = &question.name;
            let (results, failures) = &mut *results.lock().expect("no thread panics");
            match outcome {
                QuestionOutcome::Answer(answer) => {
                    on_answer(&format!("{group}: {name}: {answer}"));
                    results.add_answer(group, name, answer);
                }
                QuestionOutcome::NotMeasured(why) => {
                    on_answer(&format!("{group}: {name}: not measured: {why}"))
                }
                QuestionOutcome::Failed(why) => failures.push(format!("{group}: {name}: {why}")),
            }
        });
    }
    let (results, mut failures) = results.into_inner().expect("no thread panics");
    failures.sort();
    (results, failures)
}

/// The largest number of processes at once. With more, the processes wait for one another in the driver.
const MOST_THREADS: usize = 12;

/// Calls a function with each item, in as many threads as there are processors, but at most `most`.
fn run_in_threads<T: Sync>(items: &[T], most: usize, run: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let run_next = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            run(item);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(most);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(run_next))));
}

fn run_question(group: &str, question: &Question) -> QuestionOutcome {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command.args([QUESTION_OPTION, group, &question.name, &question.limit.to_string()]);
    subprocess::run_question_process(&mut command)
}
