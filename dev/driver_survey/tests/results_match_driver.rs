//! Compares the driver's answers with ANSWERS.md. The test needs a GPU and published answers of this machine.

use std::process::{Command, ExitCode};

use test_support::{Need, run_trials, trial_if};

fn main() -> ExitCode {
    let machine = Command::new(env!("CARGO_BIN_EXE_cuda-external-survey"))
        .arg("--machine")
        .output()
        .expect("the survey starts");
    let name = String::from_utf8_lossy(&machine.stdout).trim().replace('\n', " ");
    let (gpu, answers) = match machine.status.code() {
        Some(0) => (Ok(()), Ok(())),
        Some(1) => (Ok(()), Err(format!("dev/driver_survey/ANSWERS.md has no answers of {name}"))),
        _ => (Err(name.clone()), Err(name)),
    };
    let needs = [Need::new("gpu", &gpu), Need::new("driver", &answers)];
    let trial = trial_if("the_driver_answers_as_on_the_page", &needs, || {
        let output = Command::new(env!("CARGO_BIN_EXE_cuda-external-survey"))
            .arg("--check")
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let wrong = text.lines().filter(|line| line.ends_with(')') || line.starts_with("failed: "));
        let wrong = Vec::from_iter(wrong).join("\n");
        assert!(output.status.success(), "{wrong}\n{}", String::from_utf8_lossy(&output.stderr));
    });
    run_trials(vec![trial], Some(1))
}
