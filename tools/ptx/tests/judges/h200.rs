//! The interpreter beside an H200: every instruction form, faults and refused texts, compared with the recorded
//! answers in h200.txt. The example `on_driver` makes that file on a machine with a GPU.

use std::collections::BTreeMap;

use crate::forms::{self, Form};
use crate::interpreter::Interpreter;
use crate::questions::{self, Machine};

/// The recorded lines that begin with a word: what follows it, by its first part.
fn recorded(word: &str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines =
        include_str!("h200.txt").lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    lines
        .map(|line| line.split_once(' ').expect("answers"))
        .map(|(name, rest)| (name, rest.split(' ').collect()))
        .collect()
}

/// The forms that an H200 ran, by name, with their answers.
fn recorded_forms() -> BTreeMap<String, &'static str> {
    let rows = recorded("form");
    let mut at = BTreeMap::<String, usize>::new();
    let answer = |form: Form| {
        let index = at.entry(form.row.clone()).or_default();
        *index += 1;
        (form.name, rows[form.row.as_str()][*index - 1])
    };
    questions::table().into_iter().map(answer).collect()
}

/// Approximations whose last bits are a GPU's own: the interpreter's are nearer to the exact value.
fn is_approximate(name: &str) -> bool {
    name.contains(".approx") || name.contains(".full")
}

#[test]
fn forms_are_those_of_an_h200() {
    let recorded = recorded_forms();
    let (mut equal, mut refused, mut different) = (0, Vec::new(), Vec::new());
    questions::forms(&Interpreter(1), &mut |form, results| {
        let hash = format!("{:08x}", forms::hash(results));
        match recorded[&form.name] {
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
    // Text for other GPUs and of newer versions runs.
    "version-9.1",
    "target-100",
    "target-100a",
    "newer-instruction",
    "sm75-instruction-of-90",
    "old-version-new-instruction",
    // Images that are not text are the driver's task.
    "magic-fatbin",
    // The kernel is refused by another code: 801 for what it does not run.
    "wgmma-on-90",
];

/// Compares codes with those of a GPU.
fn compare(word: &str, codes: impl Iterator<Item = (&'static str, u32)>) {
    let recorded = recorded(word);
    let mut different = Vec::new();
    for (name, code) in codes {
        if recorded[name] != [code.to_string()] && !UNLIKE.contains(&name) {
            different.push(format!("{name}: {code}, and {:?} on a GPU", recorded[name]));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn faults_are_those_of_an_h200() {
    let fault = |(name, text): (&'static str, String)| (name, questions::fault(&Interpreter(1), &text));
    compare("fault", questions::faults().map(fault));
}

#[test]
fn texts_are_refused_as_by_an_h200() {
    let code = |text: Vec<u8>| Interpreter(1).load(&text).err().unwrap_or(0);
    compare("text", questions::texts().map(|(name, text)| (name, code(text))));
}

/// Kernels of the corpus that use approximations. With exact instructions in their place, an H200 computes what the interpreter does.
const APPROXIMATE: [&str; 13] = [
    "black_scholes",
    "bodies",
    "box_muller",
    "exponentials",
    "fast",
    "fourier",
    "halves",
    "hyperbolic",
    "inverse",
    "logarithms",
    "more_doubles",
    "normal",
    "trigonometry",
];

/// The kernels that compile.py makes of corpus.cu.
#[test]
#[ignore = "needs PTX_CORPUS, a directory that tools/ptx/tests/judges/compile.py made"]
fn kernels_of_nvrtc_are_those_of_an_h200() {
    let directory = std::env::var("PTX_CORPUS").expect("PTX_CORPUS");
    let (mut equal, mut different) = (0, Vec::new());
    for (name, answers) in recorded("module") {
        let text = std::fs::read_to_string(format!("{directory}/{name}.ptx")).expect("a file of the corpus");
        let line = questions::module(&Interpreter(1), name, &text);
        for (mine, theirs) in line.split(' ').skip(2).zip(answers) {
            let (kernel, answer) = mine.split_once('=').expect("an answer");
            if mine == theirs {
                equal += 1;
            } else if answer != "!801" && !APPROXIMATE.contains(&kernel) {
                different.push(format!("{name}: {mine}, and {theirs}"));
            }
        }
    }
    assert!(different.is_empty() && equal >= 577, "{equal} equal, {different:#?}");
}

/// Without optimization an H200 computes what the interpreter does, also for 6,144 other kernels (driver 580.159). With optimization
/// 70 of 2,048 differ. NVIDIA's machine code shows why: the optimizer drops the `.ftz` of a comparison that it joins with another
/// predicate, takes the length of a constant `bfi` modulo 32, computes `bfe.s32` beyond a word as -1, keeps the upper half of a
/// register that a conversion to 8 or 16 bits writes, and makes one conversion of two that have different formats.
#[test]
fn random_kernels_are_those_of_an_h200() {
    let forms = recorded_forms();
    let known = |form: &Form| !forms[&form.name].starts_with('!');
    let recorded = recorded("random");
    let (mut equal, mut different) = (0, 0);
    for line in questions::random(&Interpreter(1), 0..recorded.len() as u64 * 32, &known) {
        let (start, answers) = line["random ".len()..].split_once(' ').expect("answers");
        for (mine, theirs) in answers.split(' ').zip(&recorded[start]) {
            *if mine == *theirs { &mut equal } else { &mut different } += 1;
        }
    }
    assert!(different == 0, "{equal} equal, {different} different");
}

/// Both operands are sums of their own. The difference is that of the machine code that ptxas 12.9 makes.
#[test]
fn two_places_in_one_instruction() {
    let text = ".version 8.7\n.target sm_90\n.address_size 64\n\
        .visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {\n\
        .reg .b64 %d<2>; .shared .align 16 .b16 cells[16]; ld.param.u64 %d0, [out];\n\
        sub.u64 %d1, cells+8, cells+4; st.global.u64 [%d0], %d1; ret; }\n";
    let module = Interpreter(1).load(text.as_bytes()).expect("a module");
    let (out, _) = module.run("f", &vec![0; forms::BLOCK * 4], 0).expect("results");
    assert_eq!(out[..8], 4_u64.to_le_bytes());
}
