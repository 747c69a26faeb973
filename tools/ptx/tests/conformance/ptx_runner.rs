//! A trait that a GPU's driver and the interpreter implement, and what both run: instruction forms and fault cases.

use crate::instruction_forms::{self, FormCase, fnv1a_hash, parse_form_rows};

/// A kernel's results and the start of its memory after the launch, or an error code of cuda.h.
pub type KernelAnswer = Result<(Vec<u8>, Vec<u8>), u32>;

pub trait PtxRunner {
    /// Runs a kernel with three arguments: the addresses of the operands, of the results, and of zeroed memory.
    fn run_kernel(&self, text: &str, name: &str, operands: &[u64]) -> KernelAnswer;
}

pub const FORM_TABLE: &str = include_str!("instruction_forms.txt");

/// Returns the rows of instruction_forms.txt with the runner's answers, and passes each form's results to `on_form`.
pub fn answer_table_rows(runner: &dyn PtxRunner, on_form: &mut dyn FnMut(&FormCase, &[u8])) -> Vec<String> {
    let mut lines = Vec::new();
    for (row, forms) in parse_form_rows(FORM_TABLE) {
        let mut line = format!("{row} =>");
        for form in forms {
            let answer = runner.run_kernel(&form.module_text(), "f", &form.input_words());
            let result = answer.map(|(out, _)| form.result_bytes(&out));
            line += &match &result {
                Ok(bytes) => format!(" {:08x}", fnv1a_hash(bytes)),
                Err(code) => format!(" !{code}"),
            };
            on_form(&form, result.as_deref().unwrap_or_default());
        }
        lines.push(line);
    }
    lines
}

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n.const .align 4 .b32 fixed = 7;\n\
.global .align 8 .b8 word[8] = {119, 111, 114, 100, 0, 0, 0, 0};\n\
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n\
.func nothing() { ret; }\n.func deep(.param .b32 n);\n\
.func deep(.param .b32 n) { .local .align 8 .b8 row[64]; .reg .b32 %r; .reg .b64 %w; .reg .pred %p;\n\
ld.param.b32 %r, [n]; mov.u64 %w, row; st.local.u32 [%w], %r; setp.eq.u32 %p, %r, 0; @%p ret; sub.u32 %r, %r, 1;\n\
{ .param .b32 n1; st.param.b32 [n1], %r; call deep, (n1); } ld.local.u32 %r, [%w]; st.local.u32 [%w+4], %r; ret; }\n";

/// Returns the cases of kernel_faults.txt. For each case, returns the name, an H200's error code (0 for no error), and
/// the PTX of a module whose kernel `f` runs the case.
pub fn fault_cases() -> impl Iterator<Item = ((&'static str, u32), String)> {
    include_str!("kernel_faults.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (head, body) = line.split_once(": ").expect("a name");
        let (name, code) = head.split_once(' ').expect("a code");
        let text = format!(
            "{HEADER}.visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {{ .reg .b32 %x<4>; \
             .reg .b64 %w, %v, %g; .reg .b16 %h; .reg .pred %p; ld.param.u64 %g, [places]; mov.u32 %x1, 0;\n\
             {body} ret; }}\n"
        );
        ((name, code.parse().expect("a number")), text)
    })
}

/// Returns the error code with which a case ends, or 0.
pub fn error_code_of_run(runner: &dyn PtxRunner, text: &str) -> u32 {
    let input = Vec::from_iter((0..1024).map(instruction_forms::splitmix64));
    runner.run_kernel(text, "f", &input).err().unwrap_or(0)
}
