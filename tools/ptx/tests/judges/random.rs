//! Random kernels: instructions of the table on random registers, with branches, loops, calls, local, global and
//! shared memory, barriers and the instructions of a warp. Their results do not depend on the order of threads. A driver
//! compiles them without optimization: NVIDIA's optimizer changes what some of them compute.

use crate::forms::{Form, bits, random};

const COUNT: u64 = 6;

pub struct Generator<'a> {
    state: u64,
    forms: &'a [Form],
    text: String,
    labels: usize,
    depth: usize,
}

/// What a random kernel does not have: instructions of a warp, what the interpreter refuses, and results that are a GPU's own.
const LEFT_OUT: &str = ".approx .full .oob .relu .tf32 .pack .xorsign u16x2 s16x2 bf16.bf16 bf16.f16 rm.bf16 rp.bf16 \
fns vote shfl match redux bar elect nanosleep activemask mad24.hi.sat lop3. cvt.f32.f32";

/// The forms that a random kernel may have: one exact instruction with one result.
pub fn usable(form: &Form) -> bool {
    let name = form.name.as_str();
    let plain = form.body.matches(';').count() == 1 && form.body.starts_with(&format!("{name} "));
    let left_out = name.starts_with('v') || LEFT_OUT.split(' ').any(|part| name.contains(part));
    plain && !left_out && form.results.len() == 1
}

impl<'a> Generator<'a> {
    fn below(&mut self, count: u64) -> u64 {
        self.state = random(self.state);
        (self.state >> 20) % count
    }

    fn register(&mut self, kind: &str) -> String {
        let class = match bits(kind) {
            1 => "p",
            16 => "h",
            64 => "d",
            _ => "u",
        };
        format!("%{class}{}", self.below(COUNT))
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn instruction(&mut self) {
        let forms = self.forms;
        let form = &forms[self.below(forms.len() as u64) as usize];
        let opcode = &form.name;
        let mut operands = vec![self.register(&form.results[0])];
        let is_shift = ["shl.b64", "shr.b64", "shr.u64", "shr.s64"].contains(&opcode.as_str());
        for kind in &form.operands {
            operands.push(match self.below(8) {
                // NVIDIA's compiler shifts by the value of a float (F2I), not by its bits. An integer has none.
                _ if is_shift && kind == "u32" => {
                    let from = self.register(kind);
                    self.line(&format!("and.b32 %x3, {from}, 127;"));
                    "%x3".to_owned()
                }
                0 if bits(kind) >= 32
                    && !kind.starts_with('f')
                    && !kind.starts_with("bf")
                    && !kind.ends_with("x2") =>
                {
                    format!("{}", self.below(70))
                }
                _ => self.register(kind),
            });
        }
        // NVIDIA's compiler drops the predicate before `set` and `testp`.
        let guarded = self.below(6) == 0 && !opcode.starts_with("set.") && !opcode.starts_with("testp");
        let guard = if guarded {
            format!("@{}%p{} ", ["", "!"][self.below(2) as usize], self.below(COUNT))
        } else {
            String::new()
        };
        self.line(&format!("{guard}{opcode} {};", operands.join(", ")));
    }

    fn compare(&mut self) -> u64 {
        let (p, a, b) = (self.below(COUNT), self.register("u32"), self.register("u32"));
        let test = ["lt.s32", "ne.u32", "ge.u32", "gt.s32"][self.below(4) as usize];
        self.line(&format!("setp.{test} %p{p}, {a}, {b};"));
        p
    }

    fn branch(&mut self) {
        let p = self.compare();
        let (other, end) = (self.label(), self.label());
        self.line(&format!("@%p{p} bra {other};"));
        self.depth += 1;
        self.statements(5);
        self.line(&format!("bra {end};\n{other}:"));
        self.statements(5);
        self.depth -= 1;
        self.line(&format!("{end}:"));
    }

    fn repeat(&mut self) {
        let (start, end, depth) = (self.label(), self.label(), self.depth);
        let by = self.register("u32");
        self.line(&format!("and.b32 %n{depth}, {by}, 3;\n{start}:"));
        self.depth += 1;
        self.statements(6);
        self.depth -= 1;
        if self.below(2) == 0 {
            let p = self.compare();
            self.line(&format!("@%p{p} bra {end};"));
        }
        self.line(&format!(
            "sub.u32 %n{depth}, %n{depth}, 1;\nsetp.ge.s32 %q, %n{depth}, 0;\n@%q bra {start};\n{end}:"
        ));
    }

    /// A place in the thread's own memory, by a register.
    fn memory(&mut self) {
        let (index, from, to) = (self.register("u32"), self.register("u64"), self.register("u64"));
        let (space, base) =
            [("local", "%l"), ("global", "%g"), ("", "%lg"), ("", "%g"), ("shared", "%m"), ("", "%mg")]
                [self.below(6) as usize];
        let space = if space.is_empty() { String::new() } else { format!(".{space}") };
        let store = ["u8", "u16", "u32", "u64"][self.below(4) as usize];
        let load = ["u8", "s8", "u16", "s16", "u32", "s32", "u64"][self.below(7) as usize];
        self.line(&format!("and.b32 %x0, {index}, 0x38;\ncvt.u64.u32 %w, %x0;\nadd.u64 %w, %w, {base};"));
        // NVIDIA's compiler also stores the value of a float, not its lower bits.
        self.line(&match store {
            "u64" => format!("st{space}.u64 [%w], {from};"),
            _ => format!("cvt.u32.u64 %x2, {from};\nst{space}.{store} [%w], %x2;"),
        });
        let again = self.below(8) * 8;
        self.line(&format!(
            "ld{space}.{load} {to}, [%w];\nld{space}.u64 %w, [{base}+{again}];\nxor.b64 {to}, {to}, %w;"
        ));
    }

    fn call(&mut self) {
        let (a, b, to) = (self.register("u32"), self.register("u64"), self.register("u32"));
        let function = self.below(2);
        self.line(&format!("{{\n.param .b32 q0;\n.param .b32 q1;\n.param .b64 q2;\nst.param.b32 [q1], {a};\nst.param.b64 [q2], {b};"));
        self.line(&format!("call (q0), help{function}, (q1, q2);\nld.param.b32 {to}, [q0];\n}}"));
    }

    /// Where all threads are: what a block or a warp does together.
    fn together(&mut self) {
        let (a, b, to, d) =
            (self.register("u32"), self.register("u32"), self.register("u32"), self.register("u64"));
        let (p, q, k) = (self.below(COUNT), self.below(COUNT), 1 + self.below(255));
        let clamp = ["0x1f", "0", "0x181f", "0x1c07"][self.below(4) as usize];
        let mode = ["up", "down", "bfly", "idx"][self.below(4) as usize];
        match self.below(9) {
            0 => self.line(&format!(
                "xor.b32 %x1, %t, {k};\nmul.wide.u32 %w, %x1, 64;\nadd.u64 %w, %w, %base;\nst.shared.u64 [%m+8], {d};\nbar.sync 0;\n\
                 ld.shared.u64 {d}, [%w+8];\nbar.sync 0;"
            )),
            1 => self.line(&format!("shfl.sync.{mode}.b32 {to}|%p{p}, {a}, {b}, {clamp}, -1;")),
            2 => self.line(&format!("vote.sync.ballot.b32 {to}, %p{p}, -1;\nvote.sync.any.pred %p{q}, %p{p}, -1;")),
            3 => self.line(&format!("and.b32 {a}, {a}, 7;\nmatch.any.sync.b32 {to}, {a}, -1;")),
            4 => self.line(&format!("redux.sync.{}.u32 {to}, {a}, -1;", ["add", "min", "max"][k as usize % 3])),
            5 => self.line(&format!("bar.red.popc.u32 {to}, 0, %p{p};\nbar.red.or.pred %p{q}, 0, !%p{p};")),
            6 => self.line(&format!(
                "and.b32 %x1, {a}, 56;\ncvt.u64.u32 %w, %x1;\nadd.u64 %w, %w, %cells;\nred.shared.{} [%w], {b};\nbar.sync 0;\n\
                 ld.shared.u32 {to}, [%w];\nbar.sync 0;",
                ["add.u32", "xor.b32", "or.b32"][k as usize % 3]
            )),
            7 => {
                let (other, end, lane) = (self.label(), self.label(), k % 31);
                let low = (2_u32 << lane) - 1;
                self.line(&format!(
                    "setp.gt.u32 %q, %lane, {lane};\n@%q bra {other};\nvote.sync.ballot.b32 {to}, %p{p}, {low};\nbra {end};\n{other}:\n\
                     redux.sync.xor.b32 {to}, {a}, {};\n{end}:\nbar.warp.sync -1;",
                    !low
                ));
            }
            _ => self.line(&format!("atom.global.add.u32 {to}, [%g+{}], {b};", 4 * (k % 16))),
        }
    }

    fn statements(&mut self, count: u64) {
        for _ in 0..1 + self.below(count) {
            match self.below(20) {
                0 | 1 if self.depth < 3 => self.branch(),
                2 if self.depth < 3 => self.repeat(),
                3 => self.call(),
                4 | 5 => self.memory(),
                6..=8 if self.depth == 0 => self.together(),
                _ => self.instruction(),
            }
        }
    }
}

/// The functions that the kernels call.
pub const FUNCTIONS: &str = ".func (.param .b32 q) help1(.param .b32 a, .param .b64 b);\n\
.func (.param .b32 q) help0(.param .b32 a, .param .b64 b) {\n.reg .b32 %u<4>; .reg .b64 %d; .reg .pred %p;\nld.param.b32 %u0, [a]; ld.param.b64 %d, [b];\n\
cvt.u32.u64 %u1, %d; mad.lo.u32 %u2, %u0, 1664525, %u1; setp.lt.s32 %p, %u2, 0; @%p bra L; popc.b32 %u2, %u2; L: st.param.b32 [q], %u2; ret; }\n\
.func (.param .b32 q) help1(.param .b32 a, .param .b64 b) {\n.reg .b32 %u<4>; .reg .b64 %d; .reg .pred %p;\nld.param.b32 %u0, [a]; ld.param.b64 %d, [b];\n\
and.b32 %u1, %u0, 3; setp.eq.u32 %p, %u1, 0; @%p bra L; sub.u32 %u0, %u0, %u1; add.u64 %d, %d, 77;\n{ .param .b32 q0; .param .b32 q1; .param .b64 q2; \
st.param.b32 [q1], %u0; st.param.b64 [q2], %d; call (q0), help0, (q1, q2); ld.param.b32 %u0, [q0]; }\nL: xor.b32 %u0, %u0, 99; st.param.b32 [q], %u0; ret; }\n";

/// A kernel of the signature of the forms' kernels.
pub fn kernel(name: &str, seed: u64, forms: &[Form]) -> String {
    let mut all = Generator { state: random(seed ^ 0x5eed), forms, text: String::new(), labels: 0, depth: 0 };
    all.line(&format!(".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 places)\n{{"));
    all.line(".reg .b32 %u<6>, %x<4>, %n<3>, %t, %lane;\n.reg .b64 %d<6>, %w, %g, %m, %mg, %l, %lg, %base, %cells, %out;\n.reg .b16 %h<6>;\n.reg .pred %p<6>, %q;");
    all.line(
        ".shared .align 16 .b8 rows[16384];\n.shared .align 16 .b8 cells[64];\n.local .align 16 .b8 row[64];",
    );
    all.line("mov.u32 %x0, %ctaid.x;\nmov.u32 %x1, %ntid.x;\nmov.u32 %t, %tid.x;\nmov.u32 %lane, %laneid;\nmad.lo.u32 %x0, %x0, %x1, %t;");
    all.line("ld.param.u64 %d0, [in];\nmul.wide.u32 %w, %x0, 32;\nadd.u64 %d0, %d0, %w;\nld.param.u64 %out, [out];\nmul.wide.u32 %w, %x0, 16;\nadd.u64 %out, %out, %w;");
    all.line("ld.param.u64 %g, [places];\nmul.wide.u32 %w, %x0, 64;\nadd.u64 %g, %g, %w;\nmov.u64 %base, rows;\nmul.wide.u32 %w, %t, 64;\nadd.u64 %m, %base, %w;");
    all.line("cvta.shared.u64 %mg, %m;\nmov.u64 %l, row;\ncvta.local.u64 %lg, %l;\nmov.u64 %cells, cells;\nand.b32 %x1, %t, 7;\nmul.wide.u32 %w, %x1, 8;");
    all.line("add.u64 %w, %w, %cells;\nmov.u64 %d5, 0;\nst.shared.u64 [%w], %d5;");
    for at in 0..8 {
        all.line(&format!("st.local.u64 [%l+{0}], %d5;\nst.shared.u64 [%m+{0}], %d5;", at * 8));
    }
    all.line("bar.sync 0;\nld.global.v2.u64 {%d1, %d2}, [%d0];\nld.global.v2.u64 {%d3, %d4}, [%d0+16];\nmov.b64 {%u0, %u1}, %d1;\nmov.b64 {%u2, %u3}, %d2;\nmov.b64 {%u4, %u5}, %d3;\nmov.u64 %d0, %d4;");
    for k in 0..COUNT {
        all.line(&format!("cvt.u16.u32 %h{k}, %u{k};\nsetp.lt.s32 %p{k}, %u{k}, {};", k * 1000));
    }
    all.statements(60);
    all.statements(30);
    for k in 0..COUNT {
        all.line(&format!("selp.u32 %x0, 1, 0, %p{k};\ncvt.u32.u16 %x1, %h{k};\nmad.lo.u32 %u{k}, %u{k}, 31, %x0;\nxor.b32 %u{k}, %u{k}, %x1;"));
        all.line(&format!(
            "cvt.u64.u32 %w, %u{k};\nmad.lo.u64 %d0, %d0, 1099511628211, %w;\nxor.b64 %d0, %d0, %d{k};"
        ));
    }
    all.line(
        "ld.local.u64 %d2, [%l+8];\nxor.b64 %d1, %d1, %d2;\nst.global.v2.u64 [%out], {%d0, %d1};\nret;\n}",
    );
    all.text
}
