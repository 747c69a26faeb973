//! The questions to a driver with a GPU and to the interpreter. Each answer is one line of text.

use std::collections::BTreeMap;

use crate::forms::{self, Form, hash};
use crate::random;

/// A CUDA driver, or the interpreter.
pub trait Machine: Sync {
    /// Loads a module and runs some of its kernels. A code of cuda.h where that fails.
    fn load<'a>(&'a self, text: &[u8]) -> Result<Box<dyn Loaded + 'a>, u32>;
}

pub trait Loaded {
    /// Runs a kernel with three arguments: the operands, the results, and memory of zeros. Returns the results and the start of
    /// the memory.
    fn run(&self, name: &str, input: &[u64], shared: u32) -> Result<(Vec<u8>, Vec<u8>), u32>;
}

/// An answer: a hash, or a code.
fn answer(result: Result<u32, u32>) -> String {
    match result {
        Ok(hash) => format!("{hash:08x}"),
        Err(code) => format!("!{code}"),
    }
}

pub fn table() -> Vec<Form> {
    forms::all(include_str!("forms.txt"))
}

/// Runs forms from one module, or, where it is refused, from two.
fn results(machine: &dyn Machine, list: &[Form]) -> Vec<Result<Vec<u8>, u32>> {
    let mut text = forms::HEADER.to_owned();
    for (index, form) in list.iter().enumerate() {
        text += &form.kernel(&format!("f{index}"));
    }
    let (first, second) = list.split_at(list.len() / 2);
    match machine.load(text.as_bytes()) {
        Err(code) if list.len() == 1 => vec![Err(code)],
        Err(_) => [results(machine, first), results(machine, second)].concat(),
        Ok(module) => {
            let mut inputs = BTreeMap::new();
            let mut one = |(index, form): (usize, &Form)| {
                let input = inputs.entry(form.operands.clone()).or_insert_with(|| form.input());
                let (out, _) = module.run(&format!("f{index}"), input, 0)?;
                Ok(form.compact(&out))
            };
            list.iter().enumerate().map(&mut one).collect()
        }
    }
}

/// The hashes of the results of every form, with the results themselves for `keep`: a line for each row of the table.
pub fn forms(machine: &dyn Machine, keep: &mut dyn FnMut(&Form, &[u8])) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    let mut row = String::new();
    for part in table().chunks(48) {
        for (form, result) in part.iter().zip(results(machine, part)) {
            if form.row != row {
                row.clone_from(&form.row);
                lines.push(format!("form {row}"));
            }
            let last = lines.last_mut().expect("a line");
            *last += &format!(" {}", answer(result.as_ref().map(|bytes| hash(bytes)).map_err(|code| *code)));
            keep(form, result.as_deref().unwrap_or_default());
        }
    }
    lines
}

/// The words that kernels of the corpus and random kernels work on.
fn words(threads: u64) -> Vec<u64> {
    (0..threads * 4).map(forms::random).collect()
}

/// Random kernels, 32 to a line, of the forms that are named.
pub fn random(
    machine: &dyn Machine,
    seeds: std::ops::Range<u64>,
    known: &dyn Fn(&Form) -> bool,
) -> Vec<String> {
    let list = Vec::from_iter(table().into_iter().filter(|form| random::usable(form) && known(form)));
    let input = words(512);
    let line = |start: u64| {
        let seeds = start..start + 32;
        let kernels = seeds.clone().map(|seed| random::kernel(&format!("r{seed}"), seed, &list));
        let text = [forms::HEADER, random::FUNCTIONS].concat() + &kernels.collect::<String>();
        let module = machine.load(text.as_bytes());
        let one = |seed: u64| match &module {
            Err(code) => format!(" !{code}"),
            Ok(module) => {
                let result = module.run(&format!("r{seed}"), &input, 0);
                format!(" {}", answer(result.map(|(out, _)| hash(&out))))
            }
        };
        format!("random {start}{}", seeds.map(one).collect::<String>())
    };
    seeds.step_by(32).map(line).collect()
}

/// The kernels of a file that NVRTC made: their names and answers.
pub fn module(machine: &dyn Machine, name: &str, text: &str) -> String {
    let input = words(4096);
    let module = match machine.load(text.as_bytes()) {
        Ok(module) => module,
        Err(code) => return format!("module {name} !{code}"),
    };
    let mut line = format!("module {name}");
    for rest in text.split(".entry ").skip(1) {
        let kernel =
            rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap_or("");
        let result = module.run(kernel, &input, 1024).map(|(out, memory)| hash(&[out, memory].concat()));
        line += &format!(" {kernel}={}", answer(result));
    }
    line
}

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n.const .align 4 .b32 fixed = 7;\n\
.global .align 8 .b8 word[8] = {119, 111, 114, 100, 0, 0, 0, 0};\n\
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n\
.func nothing() { ret; }\n\
.func deep(.param .b32 n);\n\
.func deep(.param .b32 n) { .local .align 8 .b8 row[64]; .reg .b32 %r; .reg .b64 %w; .reg .pred %p; ld.param.b32 %r, [n]; \
mov.u64 %w, row; st.local.u32 [%w], %r; setp.eq.u32 %p, %r, 0; @%p ret; sub.u32 %r, %r, 1; \
{ .param .b32 n1; st.param.b32 [n1], %r; call deep, (n1); } ld.local.u32 %r, [%w]; st.local.u32 [%w+4], %r; ret; }\n";

/// The cases of kernels that fault: a name, and a module with a kernel `f`.
pub fn faults() -> impl Iterator<Item = (&'static str, String)> {
    include_str!("faults.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, body) = line.split_once(": ").expect("a name");
        let text = format!(
            "{HEADER}.visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {{ .reg .b32 %x<4>; .reg .b64 %w, %v, %g; \
             .reg .b16 %h; .reg .pred %p; ld.param.u64 %g, [places]; mov.u32 %x1, 0; {body} ret; }}\n"
        );
        (name, text)
    })
}

/// The cases of texts: a name, and the text, which may not be UTF-8.
pub fn texts() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    include_str!("loads.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, text) = line.split_once('|').expect("a name");
        (name, unescape(text))
    })
}

fn unescape(text: &str) -> Vec<u8> {
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap_or("").as_bytes().to_vec();
    for part in parts {
        let (byte, used) = match part.as_bytes()[0] {
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            b'0' => (0, 1),
            _ => (u8::from_str_radix(&part[1..3], 16).expect("a byte"), 3),
        };
        bytes.push(byte);
        bytes.extend(&part.as_bytes()[used..]);
    }
    // The text ends with a zero, as in C.
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    bytes
}

/// The fault of a case: its code, or 0 for none.
pub fn fault(machine: &dyn Machine, text: &str) -> u32 {
    let run = || machine.load(text.as_bytes())?.run("f", &words(256), 0);
    run().err().unwrap_or(0)
}
