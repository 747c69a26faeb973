//! What runs PTX: a driver with a GPU, or the interpreter. The questions for both. Each answer is one line of text.

use std::collections::BTreeMap;

use crate::instruction_forms::{self, InstructionForm, fnv1a_hash, parse_forms};

/// A CUDA driver, or the interpreter.
pub trait PtxRunner: Sync {
    /// Loads a module. Returns a code of cuda.h where that fails.
    fn load_module<'a>(&'a self, text: &[u8]) -> Result<Box<dyn LoadedModule + 'a>, u32>;
}

pub trait LoadedModule {
    /// Runs a kernel with three arguments: the operands, the results, and memory of zeros. Returns the results and the start of
    /// the memory.
    fn run_kernel(&self, name: &str, input: &[u64]) -> Result<(Vec<u8>, Vec<u8>), u32>;
}

pub fn all_forms() -> Vec<InstructionForm> {
    parse_forms(include_str!("instruction_forms.txt"))
}

/// Runs forms from one module, or, where it is refused, from two.
fn run_forms(runner: &dyn PtxRunner, list: &[InstructionForm]) -> Vec<Result<Vec<u8>, u32>> {
    let mut text = instruction_forms::HEADER.to_owned();
    for (index, form) in list.iter().enumerate() {
        text += &form.kernel_text(&format!("f{index}"));
    }
    let (first, second) = list.split_at(list.len() / 2);
    match runner.load_module(text.as_bytes()) {
        Err(code) if list.len() == 1 => vec![Err(code)],
        Err(_) => [run_forms(runner, first), run_forms(runner, second)].concat(),
        Ok(module) => {
            let mut inputs = BTreeMap::new();
            let mut run_form = |(index, form): (usize, &InstructionForm)| {
                let input = inputs.entry(form.operands.clone()).or_insert_with(|| form.input_words());
                let (out, _) = module.run_kernel(&format!("f{index}"), input)?;
                Ok(form.result_bytes(&out))
            };
            list.iter().enumerate().map(&mut run_form).collect()
        }
    }
}

/// Every row of the table with the answers, which are hashes of results. The results themselves are for `on_form`.
pub fn answer_forms(runner: &dyn PtxRunner, on_form: &mut dyn FnMut(&InstructionForm, &[u8])) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    let mut row = String::new();
    for part in all_forms().chunks(48) {
        for (form, result) in part.iter().zip(run_forms(runner, part)) {
            if form.row != row {
                row.clone_from(&form.row);
                lines.push(format!("{row} =>"));
            }
            *lines.last_mut().expect("a line") += &match &result {
                Ok(bytes) => format!(" {:08x}", fnv1a_hash(bytes)),
                Err(code) => format!(" !{code}"),
            };
            on_form(form, result.as_deref().unwrap_or_default());
        }
    }
    lines
}

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n.const .align 4 .b32 fixed = 7;\n\
.global .align 8 .b8 word[8] = {119, 111, 114, 100, 0, 0, 0, 0};\n\
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n\
.func nothing() { ret; }\n\
.func deep(.param .b32 n);\n\
.func deep(.param .b32 n) { .local .align 8 .b8 row[64]; .reg .b32 %r; .reg .b64 %w; .reg .pred %p; ld.param.b32 %r, [n]; \
mov.u64 %w, row; st.local.u32 [%w], %r; setp.eq.u32 %p, %r, 0; @%p ret; sub.u32 %r, %r, 1; \
{ .param .b32 n1; st.param.b32 [n1], %r; call deep, (n1); } ld.local.u32 %r, [%w]; st.local.u32 [%w+4], %r; ret; }\n";

/// The cases of kernels that fault: a name with an H200's code, and a module with a kernel `f`.
pub fn fault_cases() -> impl Iterator<Item = ((&'static str, u32), String)> {
    include_str!("kernel_faults.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (head, body) = line.split_once(": ").expect("a name");
        let (name, code) = head.split_once(' ').expect("a code");
        let text = format!(
            "{HEADER}.visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {{ .reg .b32 %x<4>; .reg .b64 %w, %v, %g; \
             .reg .b16 %h; .reg .pred %p; ld.param.u64 %g, [places]; mov.u32 %x1, 0; {body} ret; }}\n"
        );
        ((name, code.parse().expect("a number")), text)
    })
}

/// The code with which a case ends, or 0.
pub fn fault_code(runner: &dyn PtxRunner, text: &str) -> u32 {
    let input = Vec::from_iter((0..1024).map(instruction_forms::splitmix64));
    let run = || runner.load_module(text.as_bytes())?.run_kernel("f", &input);
    run().err().unwrap_or(0)
}
