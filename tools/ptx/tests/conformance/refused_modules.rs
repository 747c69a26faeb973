//! Tests that a kernel, or the whole module, is refused.

use crate::instruction_forms::BLOCK_THREADS;
use crate::interpreter_runner::InterpreterRunner;
use crate::ptx_runner::PtxRunner;

#[test]
fn functions_without_a_body_refuse_a_kernel_or_the_module() {
    for (name, kernel, other) in [
        ("cudaLaunchDeviceV2", Err(801), Ok(())),
        ("__cudaCDP2LaunchDeviceV2_ptsz", Err(801), Ok(())),
        ("elsewhere", Err(218), Err(218)),
    ] {
        let text = format!(
            ".version 1.4\n.target sm_10, map_f64_to_f32\n.extern .func (.param .u32 r) {name}(.param .u64 a);\n\
             .entry other() {{ ret; }}\n.entry f() {{ .param .u64 a; .param .u32 r; call (r), {name}, (a); ret; }}\n"
        );
        let runner = InterpreterRunner { workers: 1 };
        let run = |name| runner.run_kernel(&text, name, &[0; BLOCK_THREADS * 4]).map(drop);
        assert_eq!((run("f"), run("other")), (kernel, other), "{name}");
    }
}

#[test]
fn each_opcode_of_a_pattern_has_a_function() {
    cuda_external_ptx::select_every_alu_op();
}
