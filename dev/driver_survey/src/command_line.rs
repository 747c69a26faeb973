//! The program's arguments, and the actions that they choose.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;

use crate::groups::QuestionGroup;
use crate::results_file::{self, MachineResults};
use crate::subprocess::EXIT_MISSING;
use crate::{answers_page, expected_differences, groups, run_questions};
use example_support::Error;

const NOTES: &str = "\
The survey takes some minutes, up to 5 GiB of the GPU's memory, and the GPU's time: other programs on the GPU get
slower. Each question runs in a separate process. Some processes crash or hang, which is the answer to their question:
a process that hangs is killed after some seconds, and the kernel's log may show a segmentation fault. The survey
changes no setting, installs nothing, and removes what it allocates. If the driver has a fault, an invalid call may
end other programs' work on the GPU: do not run the survey where that matters.

A question whose needs the machine lacks (Vulkan, a second GPU) is not in the file. Without a GPU the survey measures
nothing and exits with 0. The file has the names and versions of the GPU and of the drivers, and no name, address or number
of this machine. To send it, attach it to an issue, or make a pull request with --add.";

/// Measures what this machine's CUDA driver does with external memory and semaphores, and writes the
/// answers to cuda-external-survey.json.
#[derive(clap::Parser)]
#[command(name = "cuda-external-survey", after_help = NOTES)]
struct Arguments {
    /// Measure these groups
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    only: Vec<String>,
    /// Print the answers that differ from this machine's published answers; exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Compare the answers of the driver in software with a GPU's, and write nothing. Needs cuda-external-cpu
    #[arg(long, conflicts_with = "check")]
    software: bool,
    /// Add files to the tables of dev/driver_survey/ANSWERS.md, in a checkout
    #[arg(long, value_name = "FILE", num_args = 0.., exclusive = true)]
    add: Option<Vec<PathBuf>>,
    /// Print the GPU's name and the driver's version; exit with 1 if no answers of this machine are published. If
    /// nothing can be measured, print the reason and exit with 2
    #[arg(long, exclusive = true)]
    machine: bool,
    /// Run one question of a group in this process, with this limit in seconds
    #[arg(long, hide = true, num_args = 3, allow_hyphen_values = true, exclusive = true)]
    question: Vec<String>,
}

pub fn run_command() -> ExitCode {
    let arguments = Arguments::parse();
    if let [group, question, limit] = &arguments.question[..] {
        answer_in_this_process(group, question, limit.parse().expect("a number of seconds"));
    }
    if arguments.machine {
        let (text, code) = match run_questions::describe_machine(false) {
            Ok(machine) => {
                let key = machine.machine_key();
                let is_published = published_answers(&key).is_some();
                (key, u8::from(!is_published))
            }
            Err(error) => (error.to_string(), 2),
        };
        println!("{text}");
        return ExitCode::from(code);
    }
    let result = match &arguments {
        Arguments { add: Some(files), .. } => add_result_files(files),
        Arguments { software: true, .. } => compare_software_driver(&arguments),
        _ => run_survey(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cuda-external-survey: {message}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    fn chosen_groups(&self) -> Result<Vec<QuestionGroup>, String> {
        let mut groups = groups::all_question_groups();
        let names = Vec::from_iter(groups.iter().map(|group| group.name));
        if let Some(unknown) = self.only.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("no group is called {unknown}, but these are: {}", names.join(", ")));
        }
        groups.retain(|group| self.only.is_empty() || self.only.iter().any(|name| name == group.name));
        Ok(groups)
    }
}

/// Runs one question in this process, which the survey has started for the question, and ends the process.
fn answer_in_this_process(group: &str, name: &str, limit: u32) -> ! {
    groups::set_hang_alarm(limit);
    // Some questions crash, and a core dump would be large.
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: setrlimit reads the limits from a live variable.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &no_core) };
    let mut questions = groups::all_question_groups()
        .into_iter()
        .filter(|all| all.name == group)
        .flat_map(|all| all.questions);
    let question = questions.find(|question| question.name == name);
    let failed = || Err(Error::Failed("no such question".to_owned()));
    end_subprocess(question.map_or_else(failed, |question| (question.run)()))
}

/// Ends this process. From the exit status, the parent process learns how the question ended.
fn end_subprocess(result: example_support::Result<()>) -> ! {
    let code = match result {
        Ok(()) => 0,
        Err(Error::Missing(what)) => {
            println!("{}", what.replace('\n', " "));
            EXIT_MISSING.into()
        }
        Err(Error::Failed(what)) => {
            eprintln!("{what}");
            1
        }
    };
    // SAFETY: the call only ends the process. `_exit` skips the driver's exit handler, which might wait forever.
    unsafe { libc::_exit(code) }
}

fn run_survey(arguments: &Arguments) -> Result<(), String> {
    let machine = match run_questions::describe_machine(false) {
        Ok(machine) => machine,
        Err(Error::Missing(what)) => {
            println!("This machine lacks what the survey needs; nothing was measured.\n{what}");
            return Ok(());
        }
        Err(Error::Failed(what)) => return Err(what),
    };
    let groups = arguments.chosen_groups()?;
    println!("{}, driver {}", machine.machine_label(), machine.driver);
    let measured = run_questions::run_all_questions(machine, &groups, |answer| println!("{answer}"));
    let (new, failures) = &measured;
    if arguments.check {
        let key = new.machine.machine_key();
        let expected = published_answers(&key).ok_or_else(|| format!("no answers of {key} are published"))?;
        return expected_differences::print_answer_differences(&groups, &expected, &measured, &[]);
    }
    failures.iter().for_each(|failure| println!("failed: {failure}"));
    let path = "cuda-external-survey.json";
    new.write_results_file(path.as_ref())?;
    println!("The answers are in {path}");
    if failures.is_empty() { Ok(()) } else { Err(format!("{} questions failed", failures.len())) }
}

/// Compares the answers of cuda-external-cpu, a CUDA driver in software, with a GPU's. Writes no file.
fn compare_software_driver(arguments: &Arguments) -> Result<(), String> {
    let machine = run_questions::describe_machine(true).map_err(|error| error.to_string())?;
    let mut groups = arguments.chosen_groups()?;
    // Each question's `limit` is meant for a GPU. A CPU takes longer for the same bytes.
    groups.iter_mut().flat_map(|group| &mut group.questions).for_each(|question| question.limit *= 4);
    let expected = published_answers(expected_differences::EXPECTED_MACHINE)
        .ok_or("the answers of the GPU are missing")?;
    expected_differences::print_answer_differences(
        &groups,
        &expected,
        &run_questions::run_all_questions(machine, &groups, |_| {}),
        expected_differences::DIFFERENCES,
    )
}

/// Returns a machine's answers in the ANSWERS.md that this program was built with.
fn published_answers(key: &str) -> Option<MachineResults> {
    let published = answers_page::read_page(answers_page::PAGE, &groups::all_question_groups());
    published.into_iter().find(|results| results.machine.machine_key() == key)
}

/// Adds the results in these files to ANSWERS.md in the checkout that this program was built from.
fn add_result_files(files: &[PathBuf]) -> Result<(), String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("ANSWERS.md");
    let named = |error| format!("{}: {error}", page.display());
    let text = std::fs::read_to_string(&page).map_err(named)?;
    let groups = groups::all_question_groups();
    let mut machines = answers_page::read_page(&text, &groups);
    for path in files {
        results_file::add_results(&mut machines, MachineResults::read_results_file(path)?);
    }
    std::fs::write(&page, answers_page::write_page(&text, &groups, &machines)).map_err(named)
}
