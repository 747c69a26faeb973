//! The driver of this machine does what the committed file says. Where there is no GPU, or the file does not have this
//! machine, the test shows as ignored.

use std::process::{Command, ExitCode};

use test_support::{Need, run, test};

fn main() -> ExitCode {
    let machine = Command::new(env!("CARGO_BIN_EXE_cuda-external-survey"))
        .arg("--machine")
        .output()
        .expect("the survey starts");
    let name = String::from_utf8_lossy(&machine.stdout).trim().replace('\n', " ");
    let (gpu, answers) = match machine.status.code() {
        Some(0) => (Ok(()), Ok(())),
        Some(1) => (Ok(()), Err(format!("survey/results.json has no answers of {name}"))),
        _ => (Err(name.clone()), Err(name)),
    };
    let needs = [Need::new("gpu", &gpu), Need::new("driver", &answers)];
    let trial = test("the_driver_answers_as_in_the_committed_file", &needs, || {
        let output = Command::new(env!("CARGO_BIN_EXE_cuda-external-survey"))
            .arg("--check")
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let wrong: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("differs: ") || line.starts_with("failed: "))
            .collect();
        assert!(output.status.success(), "{}\n{}", wrong.join("\n"), String::from_utf8_lossy(&output.stderr));
    });
    let mock = test_support::mock_driver();
    let one_case = test("a_case_answers_and_says_how_it_ended", [&Need::new("mock-driver", &mock)], one_case);
    run(vec![trial, one_case], Some(1))
}

/// On the mock driver, which has one device.
fn one_case() {
    let driver = test_support::mock_driver().expect("the test needs it");
    let directory = driver.parent().expect("the driver is a file");
    for (group, case, out, code) in [
        ("sizes", "the whole of it", "CUDA_SUCCESS\nCUDA_SUCCESS\nright\n", 0),
        ("import-memory", "memory", "CUDA_SUCCESS\nclosed\nwritten\n", 0),
        ("import-memory", "eventfd", "CUDA_ERROR_UNKNOWN\nclosed\nuntouched\n", 0),
        ("import-memory", "closed number", "CUDA_ERROR_UNKNOWN\n-\nuntouched\n", 0),
        ("handle-types", "cuImportExternalMemory, NVSCIBUF", "CUDA_ERROR_INVALID_VALUE\n", 0),
        ("two-gpus", "memory of CUDA", "no CUDA device 1: this machine has 1\n", 3),
        ("sizes", "no such case", "", 2),
    ] {
        let mut survey = Command::new(env!("CARGO_BIN_EXE_cuda-external-survey"));
        let output = survey.args(["--case", group, case]).env("LD_LIBRARY_PATH", directory).output();
        let output = output.expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), out, "{case}");
        assert_eq!(output.status.code(), Some(code), "{case}");
    }
}
