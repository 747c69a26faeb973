//! Constructs of GCC, NVRTC and old samples that no other test has: a kernel's body, and the words that it stores.

use crate::instruction_forms::BLOCK_THREADS;
use crate::interpreter_runner::InterpreterRunner;
use crate::ptx_runner::PtxRunner;

const FUNCTIONS: &str = ".version 1.4\n.target sm_10, map_f64_to_f32\n\
.extern .func (.param .u64 r) malloc(.param .u64 n);\n.extern .func free(.param .u64 p);\n\
.func (.param .u32 q) sum(.param .u64 a, .param .u64 b) { .reg .u64 %a, %b; .reg .u32 %r;\n\
ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; add.u64 %a, %a, %b; cvt.u32.u64 %r, %a; st.param.u32 [q], %r; ret; }\n";

/// The values are those of an H200. The manual has those of `malloc`, of the NaN and of `cp.async`.
const CASES: &[(&str, [u32; 2])] = &[
    (
        ".reg .u64 %R<3>; .param .u64 %P<2>; .param .u32 %v; mov.u64 %R1, 40; mov.u64 %R2, 2;\n\
         st.param.u64 [%P0], %R1; st.param.u64 [%P1], %R2; call (%v), sum, (%P0, %P1); ld.param.u32 %x, [%v];\n\
         st.global.u32 [%o], %x;",
        [42, 0],
    ),
    (
        ".reg .v2 .u32 %r94; .reg .u32 %r940; mov.u32 %r940, 3; mov.v2.u32 %r94, {7, -1};\n\
         add.u32 %r94.x, %r94.x, %r940; st.global.v2.u32 [%o], %r94;",
        [10, !0],
    ),
    (
        ".param .u64 a; .param .u64 b; .reg .u64 %p, %q; mov.u64 %p, 64; st.param.u64 [a], %p; call (b), malloc, (a);\n\
         ld.param.u64 %p, [b]; mov.u32 %x, 42; st.u32 [%p+60], %x; ld.u32 %x, [%p+60]; st.global.u32 [%o], %x;\n\
         st.param.u64 [a], %p; call free, (a); mov.u64 %q, 8388609; st.param.u64 [a], %q; call (b), malloc, (a);\n\
         ld.param.u64 %q, [b]; cvt.u32.u64 %x, %q; st.global.u32 [%o+4], %x;",
        [42, 0],
    ),
    (
        ".reg .u32 %a, %b, %c; mov.u32 %a, 40; mov.u32 %b, 3; mov.u32 %c, 5; vadd.u32.u32.u32.add %x, %a, %b, %c;\n\
         st.global.u32 [%o], %x; vsub.u32.u32.u32.add %x, %a, %b, %c; st.global.u32 [%o+4], %x;",
        [48, 42],
    ),
    // A second size is that of the source. The other bytes become zero. Two shared variables do not overlap.
    (
        ".reg .u64 %s; .reg .u32 %y; .shared .align 8 .b8 cells[8], more[8]; mov.u64 %s, cells; mov.u32 %x, 42;\n\
         mov.u32 %y, 9; st.global.v2.u32 [%o], {%x, %y}; st.shared.v2.u32 [%s], {%y, %y};\n\
         cp.async.ca.shared.global [%s], [%o], 8, 4; cp.async.wait_all; st.shared.u32 [more], %y;\n\
         ld.shared.v2.u32 {%x, %y}, [%s]; st.global.v2.u32 [%o], {%x, %y};",
        [42, 0],
    ),
    // Both operands are sums. The difference is that of the machine code that ptxas 12.9 makes.
    (
        ".reg .u64 %d; .shared .align 16 .b16 cells[16]; sub.u64 %d, cells+8, cells+4; st.global.u64 [%o], %d;",
        [4, 0],
    ),
    (
        ".reg .f64 %d; mov.f64 %d, 0dBFF0000000000000; rsqrt.approx.ftz.f64 %d, %d; st.global.f64 [%o], %d;",
        [0, 0x7fff_ffff],
    ),
];

#[test]
fn each_construct_computes_its_words() {
    for (body, words) in CASES {
        let text = format!(
            "{FUNCTIONS}.entry f(.param .u64 in, .param .u64 out, .param .u64 places) {{\n\
             .reg .u64 %o; .reg .u32 %x; .reg .pred %other; ld.param.u64 %o, [out];\n\
             mov.u32 %x, %tid.x; setp.ne.u32 %other, %x, 0; @%other exit;\n{body} exit; }}\n"
        );
        let runner = InterpreterRunner { workers: 1 };
        let (out, _) = runner.run_kernel(&text, "f", &[0; BLOCK_THREADS * 4]).expect(body);
        assert_eq!(out[..8], words.map(u32::to_le_bytes).concat(), "{body}");
    }
}

/// A launch by a kernel refuses that kernel. A function that nobody has refuses the module.
#[test]
fn functions_without_a_body_refuse_a_kernel_or_the_module() {
    for (name, kernel, other) in [
        ("cudaLaunchDeviceV2", Err(801), Ok(())),
        ("__cudaCDP2LaunchDeviceV2_ptsz", Err(801), Ok(())),
        ("elsewhere", Err(218), Err(218)),
    ] {
        let text = format!(
            ".version 8.0\n.target sm_75\n.extern .func (.param .u32 r) {name}(.param .u64 a);\n\
             .entry other() {{ ret; }}\n.entry f() {{ .param .u64 a; .param .u32 r; call (r), {name}, (a); ret; }}\n"
        );
        let runner = InterpreterRunner { workers: 1 };
        let run = |name| runner.run_kernel(&text, name, &[0; BLOCK_THREADS * 4]).map(drop);
        assert_eq!((run("f"), run("other")), (kernel, other), "{name}");
    }
}

#[test]
fn a_register_that_is_declared_twice_refuses_the_module() {
    let text = ".version 8.0\n.target sm_75\n.entry f() { .reg .b32 %x, %y; .reg .b32 %x; ret; }\n";
    let answer = InterpreterRunner { workers: 1 }.run_kernel(text, "f", &[0; BLOCK_THREADS * 4]);
    assert_eq!(answer.map(drop), Err(218));
}
