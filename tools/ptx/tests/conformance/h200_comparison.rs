//! Compares the interpreter with an H200: each form of instruction_forms.txt, and each case of kernel_faults.txt.

use crate::instruction_forms;
use crate::interpreter_runner::InterpreterRunner;
use crate::ptx_runner;

/// Returns whether the interpreter's result of an instruction may differ from the H200's. The H200's result of such an
/// instruction is an approximation, and the interpreter's result is more exact.
fn is_approximate(name: &str) -> bool {
    (name.contains(".approx") && name != "rsqrt.approx.f64") || name.contains(".full")
}

#[test]
fn forms_are_those_of_an_h200() {
    let (mut equal, mut refused, mut different) = (0, Vec::new(), Vec::new());
    ptx_runner::answer_table_rows(&InterpreterRunner { workers: 1 }, &mut |form, results| {
        let hash = format!("{:08x}", instruction_forms::fnv1a_hash(results));
        match form.answer.as_str() {
            // The interpreter need not refuse a form that the H200 refuses.
            answer if answer.starts_with('!') => {}
            _ if results.is_empty() => refused.push(form.name.clone()),
            answer if answer == hash => equal += 1,
            _ if is_approximate(&form.name) || UNLIKE.contains(&form.name.as_str()) => {}
            _ => different.push(form.name.clone()),
        }
    });
    println!("{equal} equal, refused: {refused:?}");
    assert!(different.is_empty(), "{} differ: {different:#?}", different.len());
    assert_eq!((equal, refused.len()), (2349, 34));
}

/// Forms and cases in which the interpreter differs from the H200 on purpose, or because a GPU's answer varies.
const UNLIKE: &[&str] = &[
    // Only ptxas fuses a product and a sum that have the same target register.
    "mul.f32@contracted",
    // The interpreter reports a fault for an access to the surface or texture object 0. The H200 reported none.
    "surface-zero",
    "texture-zero",
    // For these addresses, a GPU's error code varies. kernel_faults.txt has one of the codes.
    "misaligned-and-unmapped",
    "past-end",
    "call-odd",
];

#[test]
fn faults_are_those_of_an_h200() {
    let mut different = Vec::new();
    for ((name, expected), text) in ptx_runner::fault_cases() {
        let code = ptx_runner::error_code_of_run(&InterpreterRunner { workers: 1 }, &text);
        if code != expected && !UNLIKE.contains(&name) {
            different.push(format!("{name}: {code}, and {expected} on a GPU"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}
