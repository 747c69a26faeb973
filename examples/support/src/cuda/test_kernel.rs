//! A kernel in PTX, for the GPU tests.

use std::ffi::CStr;

/// The kernel `increase` adds a number to each of `count` words. PTX 6.3 is older than CUDA 11.7, the oldest release
/// that the crate supports, so every driver compiles it.
pub const INCREASE_PTX: &CStr = c"
.version 6.3
.target sm_75
.address_size 64
.visible .entry increase(.param .u64 words, .param .u32 count, .param .u32 by)
{
    .reg .pred %beyond;
    .reg .b32 %i, %threads, %block, %thread, %count, %by, %word;
    .reg .b64 %words, %offset;
    ld.param.u64 %words, [words];
    ld.param.u32 %count, [count];
    ld.param.u32 %by, [by];
    mov.u32 %block, %ctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.s32 %i, %block, %threads, %thread;
    setp.ge.u32 %beyond, %i, %count;
    @%beyond bra DONE;
    cvta.to.global.u64 %words, %words;
    mul.wide.u32 %offset, %i, 4;
    add.s64 %words, %words, %offset;
    ld.global.u32 %word, [%words];
    add.s32 %word, %word, %by;
    st.global.u32 [%words], %word;
DONE:
    ret;
}
";
