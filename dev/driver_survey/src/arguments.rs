//! The program's arguments, and the actions that they choose.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;

use crate::case::Group;
use crate::child::MISSING;
#[cfg(target_os = "linux")]
use crate::random;
use crate::results::{self, Results};
use crate::{groups, measure, software, tables};
use example_support::Error;

const NOTES: &str = "\
It takes some minutes, up to 5 GiB of the GPU's memory, and the GPU's time: other programs on it get slower. Each case
runs in a process of its own. Some of them crash or hang, which are answers: a process that hangs is killed after some
seconds, and the kernel's log may show a segmentation fault. It changes no setting, installs nothing, and removes what
it allocates. On a machine whose driver is at fault, an invalid call may end other programs' work on the GPU: do not
run it where that matters.

What a machine lacks (Vulkan, OpenGL, a second GPU) is written as not measured. Without a GPU it measures nothing and
exits with 0. The file has the names and versions of the GPU and of the drivers, and no name, address or number of
this machine. To send it, attach it to an issue, or make a pull request with --add and --tables.";

/// Measures what this machine's CUDA driver does with external memory and semaphores, and writes the answers of all
/// groups to cuda-external-survey.json.
#[derive(clap::Parser)]
#[command(name = "cuda-external-survey", after_help = NOTES)]
struct Arguments {
    /// Measure these groups
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    only: Vec<String>,
    /// Print where the answers differ from this machine's published ones; exit with 1 where they do
    #[arg(long)]
    check: bool,
    /// Compare the answers of the driver in software with a GPU's, and write nothing. Run it by cuda-external-cpu
    #[arg(long, conflicts_with = "check")]
    software: bool,
    /// Add files to dev/driver_survey/results.json, in a checkout
    #[arg(long, value_name = "FILE", num_args = 1.., exclusive = true)]
    add: Vec<PathBuf>,
    /// Write the tables of the documentation from dev/driver_survey/results.json, in a checkout
    #[arg(long, exclusive = true)]
    tables: bool,
    /// Print what the file calls this machine; exit with 1 where the published answers do not have it, with 2 and the
    /// reason where nothing can be measured
    #[arg(long, exclusive = true)]
    machine: bool,
    /// Run the random programs with these numbers, FIRST..END, and print their answers, a line for each
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "RANGE", conflicts_with = "check")]
    random: Option<String>,
    /// Compare the answers with a file that --random has printed
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FILE", requires = "random")]
    against: Option<PathBuf>,
    /// Instead of random programs: calls of one function with up to two wrong arguments
    #[cfg(target_os = "linux")]
    #[arg(long, requires = "random")]
    order: bool,
    /// Run one case of a group in this process
    #[arg(long, hide = true, num_args = 2, allow_hyphen_values = true, exclusive = true)]
    case: Vec<String>,
}

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let [group, case] = &arguments.case[..] {
        run_case(group, case);
    }
    if arguments.machine {
        let (text, code) = match measure::machine() {
            Ok(machine) => (machine.key(), u8::from(!matches!(published(&machine.key()), Ok(Some(_))))),
            Err(error) => (error.to_string(), 2),
        };
        println!("{text}");
        return ExitCode::from(code);
    }
    let result = match &arguments {
        #[cfg(target_os = "linux")]
        Arguments { random: Some(programs), against, order, .. } => {
            random::run(random::GROUPS[usize::from(*order)], programs, against.as_deref())
        }
        Arguments { tables: true, .. } => write_tables(),
        Arguments { software: true, .. } => software(&arguments),
        Arguments { add, .. } if !add.is_empty() => merge(add),
        _ => survey(&arguments),
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
    fn groups(&self) -> Result<Vec<Group>, String> {
        let mut groups = groups::all();
        let names = Vec::from_iter(groups.iter().map(|group| group.name));
        if let Some(unknown) = self.only.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("no group is called {unknown}, but these are: {}", names.join(", ")));
        }
        groups.retain(|group| self.only.is_empty() || self.only.iter().any(|name| name == group.name));
        Ok(groups)
    }
}

/// In the child: runs the case with this name.
fn run_case(group: &str, name: &str) -> ! {
    no_core();
    #[cfg(target_os = "linux")]
    if random::GROUPS.contains(&group) {
        end(random::run_programs(group, name));
    }
    let mut cases = groups::all().into_iter().filter(|all| all.name == group).flat_map(|all| all.cases);
    let case = cases.find(|case| case.name == name);
    let failed = || Err(Error::Failed("no such case".to_owned()));
    end(case.map_or_else(failed, |case| (case.run)()))
}

/// A crash is expected in some cases, and its core would be large.
fn no_core() {
    #[cfg(target_os = "linux")]
    {
        let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the function reads the limits.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &no_core) };
    }
}

/// Ends the child.
fn end(result: example_support::Result<()>) -> ! {
    let code = match result {
        Ok(()) => 0,
        Err(Error::Missing(what)) => {
            println!("{}", what.replace('\n', " "));
            MISSING.into()
        }
        Err(Error::Failed(what)) => {
            eprintln!("{what}");
            1
        }
    };
    // Nothing is destroyed: the order might not be the one under test, and a destroying function might wait for work
    // that never ends. Each line of the answer has been flushed.
    #[cfg(target_os = "linux")]
    // SAFETY: the call only ends the process.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(target_os = "linux"))]
    std::process::exit(code)
}

fn survey(arguments: &Arguments) -> Result<(), String> {
    let machine = match measure::machine() {
        Ok(machine) => machine,
        Err(Error::Missing(what)) => {
            println!("This machine lacks what the survey needs; nothing was measured.\n{what}");
            return Ok(());
        }
        Err(Error::Failed(what)) => return Err(what),
    };
    let groups = arguments.groups()?;
    println!("{}, driver {}", machine.label(), machine.driver);
    let measured = measure::all(machine, &groups, |answer| println!("{answer}"));
    let (new, failures) = &measured;
    if arguments.check {
        let expected = published(&new.machine.key())?;
        let expected =
            expected.ok_or_else(|| format!("no answers of {} are published", new.machine.key()))?;
        return software::compare(&groups, &expected, &measured, &[]);
    }
    failures.iter().for_each(|failure| println!("failed: {failure}"));
    let path = "cuda-external-survey.json";
    std::fs::write(path, results::text(std::slice::from_ref(new)))
        .map_err(|error| format!("{path}: {error}"))?;
    println!("The answers are in {path}");
    if failures.is_empty() { Ok(()) } else { Err(format!("{} cases failed", failures.len())) }
}

/// Compares the driver in software with a GPU. Its answers are never among the measured ones.
fn software(arguments: &Arguments) -> Result<(), String> {
    let machine = measure::software().map_err(|error| error.to_string())?;
    let mut groups = arguments.groups()?;
    groups.retain(|group| !software::OF_GPUS.contains(&group.name));
    // A CPU takes longer for the same bytes.
    groups.iter_mut().flat_map(|group| &mut group.cases).for_each(|case| case.limit *= 4);
    let expected = published(software::MACHINE)?.ok_or("the answers of the GPU are missing")?;
    software::compare(&groups, &expected, &measure::all(machine, &groups, |_| {}), software::DIFFERENCES)
}

/// The published answers of a machine.
fn published(key: &str) -> Result<Option<Results>, String> {
    Ok(results::published()?.into_iter().find(|results| results.machine.key() == key))
}

/// The file in the checkout that this program was built from.
fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results.json")
}

fn merge(files: &[PathBuf]) -> Result<(), String> {
    for path in files {
        for results in results::read(path)? {
            results::add(&file(), &results)?;
        }
    }
    Ok(())
}

fn write_tables() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (groups, machines) = (groups::all(), results::read(&file())?);
    for path in tables::PAGES {
        let named = |error| format!("{path}: {error}");
        let text = std::fs::read_to_string(root.join(path)).map_err(named)?;
        std::fs::write(root.join(path), tables::page(&text, &groups, &machines)).map_err(named)?;
    }
    Ok(())
}
