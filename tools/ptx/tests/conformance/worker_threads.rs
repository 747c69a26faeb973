//! Tests that the results do not depend on the number of workers, that blocks take turns on one worker, that lanes read
//! 0 from an exited lane, and that invalid accesses fault.

use crate::instruction_forms::{BLOCK_THREADS, splitmix64};
use crate::interpreter_runner::InterpreterRunner;
use crate::ptx_runner::PtxRunner;

/// Every thread adds to cells in global memory that all blocks share, and changes cells in its block's shared memory.
const TEXT: &str = ".version 8.7\n.target sm_90\n.address_size 64\n\
.visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {\n\
.reg .b32 %x<8>; .reg .b64 %d<8>; .reg .pred %p; .shared .align 8 .b8 cells[32]; ld.param.u64 %d0, [in];\n\
ld.param.u64 %d1, [out]; ld.param.u64 %d2, [places]; mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x;\n\
mov.u32 %x2, %tid.x; mad.lo.u32 %x0, %x0, %x1, %x2; mul.wide.u32 %d3, %x0, 32; add.u64 %d0, %d0, %d3;\n\
mul.wide.u32 %d3, %x0, 16; add.u64 %d1, %d1, %d3; ld.global.u32 %x3, [%d0]; and.b32 %x4, %x3, 28;\n\
cvt.u64.u32 %d4, %x4; add.u64 %d5, %d2, %d4; mov.u64 %d6, cells; add.u64 %d6, %d6, %d4; setp.gt.u32 %p, %x2, 7;\n\
@%p bra L; mul.wide.u32 %d7, %x2, 4; mov.u64 %d3, cells; add.u64 %d7, %d7, %d3; st.shared.u32 [%d7], 0; L:\n\
bar.sync 0; red.global.add.u32 [%d5], %x3; atom.shared.xor.b32 %x5, [%d6], %x3; bar.sync 0;\n\
ld.shared.u32 %x5, [%d6]; st.global.u32 [%d1], %x5; atom.global.max.u32 %x6, [%d5+32], %x3;\n\
shfl.sync.bfly.b32 %x6, %x3, 5, 0x1f, -1; st.global.u32 [%d1+4], %x6; ret; }\n";

/// All blocks wait for the last block's store. Then lane 0 of each warp exits, and the other lanes read lane 0's value.
const LAST_FIRST: &str = ".version 8.7\n.target sm_90\n.address_size 64\n\
.visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {\n\
.reg .b32 %x<8>; .reg .b64 %d<4>; .reg .pred %p; ld.param.u64 %d1, [out]; ld.param.u64 %d2, [places];\n\
mov.u32 %x0, %ctaid.x; mov.u32 %x1, %nctaid.x; sub.u32 %x1, %x1, 1; setp.eq.u32 %p, %x0, %x1;\n\
@%p st.volatile.global.u32 [%d2], 1; WAIT: ld.volatile.global.u32 %x2, [%d2]; setp.eq.u32 %p, %x2, 0; @%p bra WAIT;\n\
mov.u32 %x1, %ntid.x; mov.u32 %x2, %tid.x; mad.lo.u32 %x0, %x0, %x1, %x2; mul.wide.u32 %d3, %x0, 16;\n\
add.u64 %d1, %d1, %d3; mov.u32 %x3, %laneid; add.u32 %x3, %x3, 1; setp.eq.u32 %p, %x3, 1; @%p bra END;\n\
vote.sync.any.pred %p, %p, -1; shfl.sync.idx.b32 %x4, %x3, 0, 0x1f, -2; shfl.sync.idx.b32 %x5, %x3, 1, 0x1f, -2;\n\
st.global.v2.u32 [%d1], {%x4, %x5}; END: ret; }\n";

#[test]
#[cfg_attr(miri, ignore = "half an hour: blocks that wait spend whole turns")]
fn blocks_take_turns_on_one_worker_and_an_exited_lane_gives_zero() {
    let input = vec![0; 64 * BLOCK_THREADS * 4];
    let runner = InterpreterRunner { workers: 1 };
    let (out, places) = runner.run_kernel(LAST_FIRST, "f", &input).expect("results");
    assert_eq!(places[0], 1);
    for (thread, words) in out.chunks(16).enumerate() {
        let second = if thread % 32 == 0 { 0 } else { 2 };
        assert_eq!((words[0], words[4]), (0, second), "thread {thread}");
    }
}

#[test]
fn any_number_of_workers_computes_the_same() {
    let blocks = if cfg!(miri) { 3 } else { 64 };
    let input = Vec::from_iter((0..blocks * BLOCK_THREADS as u64 * 4).map(splitmix64));
    let run = |workers| InterpreterRunner { workers }.run_kernel(TEXT, "f", &input);
    let (out, places) = run(1).expect("results");
    let sum = |cell: u64| {
        let words = input.iter().step_by(4).filter(|word| *word >> 2 & 7 == cell);
        words.fold(0_u32, |sum, word| sum.wrapping_add(*word as u32))
    };
    let expected = Vec::from_iter((0..8).flat_map(|cell| sum(cell).to_le_bytes()));
    assert_eq!(places[..32], expected);
    for workers in if cfg!(miri) { 2..3 } else { 2..6 } {
        assert!(run(workers).expect("results") == (out.clone(), places.clone()), "{workers} workers");
    }
}

#[test]
fn accesses_beyond_the_last_thread_fault() {
    let input = vec![0; BLOCK_THREADS * 4];
    // Shared memory is allocated in units of 128 bytes. `cells` has 16 whole units (2,048 bytes), so shared memory ends
    // where `cells` ends. The results have 16 bytes for each thread. At the offset `end` or `last`, the last thread
    // stores to the last 4 bytes of the memory.
    let (end, last) = (2048 - 4 * BLOCK_THREADS as i32, 12 * BLOCK_THREADS as i32);
    let shared = [(end, Ok(())), (end + 4, Err(700)), (-4, Err(715)), (2, Err(716))]
        .map(|case| ("shared", "cells", case));
    let global = [(last, Ok(())), (last + 4, Err(700)), (-4, Err(700)), (last + 2, Err(716))]
        .map(|case| ("global", "%d1", case));
    let local = [(end, Ok(())), (2, Err(716))].map(|case| ("local", "own", case));
    for (space, base, (offset, expected)) in shared.into_iter().chain(global).chain(local) {
        let text = format!(
            ".version 8.7\n.target sm_90\n\
             .visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {{ .reg .b32 %x;\n\
            .reg .b64 %d<4>; .shared .align 16 .b8 cells[2048]; .local .align 16 .b8 own[2048];\n\
             ld.param.u64 %d1, [out]; mov.u32 %x, %tid.x; mul.wide.u32 %d2, %x, 4; mov.u64 %d3, {base};\n\
            add.u64 %d2, %d2, %d3;  st.{space}.u32 [%d2+{offset}], %x; ret; }}\n"
        );
        let result = InterpreterRunner { workers: 1 }.run_kernel(&text, "f", &input);
        assert_eq!(result.map(drop), expected, "{space} {offset}");
    }
}
