//! The interpreter beside an H200: every instruction form and faults, compared with the answers in the tables.

use crate::instruction_forms;
use crate::interpreter_runner::InterpreterRunner;
use crate::ptx_runner::{self, PtxRunner};

/// Approximations whose last bits are a GPU's own: the interpreter's are nearer to the exact value.
fn is_approximate(name: &str) -> bool {
    (name.contains(".approx") && name != "rsqrt.approx.f64") || name.contains(".full")
}

#[test]
fn forms_are_those_of_an_h200() {
    let (mut equal, mut refused, mut different) = (0, Vec::new(), Vec::new());
    ptx_runner::answer_forms(&InterpreterRunner { workers: 1 }, &mut |form, results| {
        let hash = format!("{:08x}", instruction_forms::fnv1a_hash(results));
        match form.answer.as_str() {
            // A text that no GPU runs need not be refused here.
            answer if answer.starts_with('!') => {}
            _ if results.is_empty() => refused.push(form.name.clone()),
            answer if answer == hash => equal += 1,
            _ if is_approximate(&form.name) || UNLIKE.contains(&form.name.as_str()) => {}
            _ => different.push(form.name.clone()),
        }
    });
    println!("{equal} equal, refused: {refused:?}");
    assert!(different.is_empty(), "{} differ: {different:#?}", different.len());
    assert!(equal > 2000, "{equal} equal");
}

/// Where the interpreter differs on purpose, or refuses less than NVIDIA's compiler does.
const UNLIKE: &[&str] = &[
    // A GPU's compiler joins a product and a sum.
    "mul.f32@contracted",
    // It checks each access: a GPU does not see an object that is zero.
    "surface-zero",
    "texture-zero",
    // For an unmapped address a GPU returns this code or another one.
    "misaligned-and-unmapped",
    "past-end",
    "call-odd",
];

#[test]
fn faults_are_those_of_an_h200() {
    let mut different = Vec::new();
    for ((name, expected), text) in ptx_runner::fault_cases() {
        let code = ptx_runner::fault_code(&InterpreterRunner { workers: 1 }, &text);
        if code != expected && !UNLIKE.contains(&name) {
            different.push(format!("{name}: {code}, and {expected} on a GPU"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

/// Both operands are sums. The difference is that of the machine code that ptxas 12.9 makes.
#[test]
fn two_places_in_one_instruction() {
    let text = ".version 8.7\n.target sm_90\n.address_size 64\n\
        .visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {\n\
        .reg .b64 %d<2>; .shared .align 16 .b16 cells[16]; ld.param.u64 %d0, [out];\n\
        sub.u64 %d1, cells+8, cells+4; st.global.u64 [%d0], %d1; ret; }\n";
    let module = InterpreterRunner { workers: 1 }.load_module(text.as_bytes()).expect("a module");
    let (out, _) = module.run_kernel("f", &vec![0; instruction_forms::BLOCK_THREADS * 4]).expect("results");
    assert_eq!(out[..8], 4_u64.to_le_bytes());
}
