//! The driver of this machine does what the committed file says. Where there is no GPU, or no file of this machine, the
//! test shows as ignored.

use std::process::{Command, ExitCode};

use test_support::{Need, run, test};

fn main() -> ExitCode {
    let name =
        Command::new(env!("CARGO_BIN_EXE_survey")).arg("--machine").output().expect("the survey starts");
    let name = String::from_utf8_lossy(&name.stdout).trim().to_owned();
    let (first, rest) = name.split_once('\n').unwrap_or((&name, ""));
    let gpu =
        if first.ends_with(".json") { Ok(()) } else { Err(format!("{first} {rest}").trim().to_owned()) };
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/results/").to_owned() + first;
    let has_file = if std::path::Path::new(&file).exists() { Ok(()) } else { Err(format!("no {file}")) };
    let needs = [Need::new("gpu", &gpu), Need::new("driver", &has_file)];
    let trial = test("the_driver_answers_as_in_the_committed_file", &needs, || {
        let output = Command::new(env!("CARGO_BIN_EXE_survey")).arg("--check").output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let wrong: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("differs: ") || line.starts_with("failed: "))
            .collect();
        assert!(output.status.success(), "{}\n{}", wrong.join("\n"), String::from_utf8_lossy(&output.stderr));
    });
    run(vec![trial], Some(1))
}
