//! Tests reads of textures with levels and filters, at integer and float coordinates, and accesses to surfaces.

use std::sync::Arc;

use crate::interpreter_runner::TestMemory;
use cuda_external_ptx::{AddressMode, ChannelFormat, Image, MipLevel, Module, SamplerState};

/// Thread n of the kernel `filtered` reads the texture at x = n / 64.
const KERNEL_TEXT: &str = ".version 8.7\n.target sm_90\n.address_size 64\n\
.visible .entry levels(.param .u64 texture, .param .u64 out) {\n\
.reg .b32 %x<6>; .reg .f32 %f<8>; .reg .b64 %d<3>; ld.param.u64 %d0, [texture]; ld.param.u64 %d1, [out];\n\
mov.u32 %x0, %tid.x; mul.wide.u32 %d2, %x0, 8; add.u64 %d1, %d1, %d2; and.b32 %x1, %x0, 7; bfe.u32 %x2, %x0, 3, 2;\n\
shr.u32 %x3, %x0, 5; tex.level.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%x1, %x2}], %x3; st.global.f32 [%d1], %f0;\n\
cvt.rn.f32.u32 %f4, %x1; add.f32 %f4, %f4, 0f3F000000; mul.f32 %f4, %f4, 0f3E000000; cvt.rn.f32.u32 %f5, %x2;\n\
add.f32 %f5, %f5, 0f3F000000; mul.f32 %f5, %f5, 0f3E800000; cvt.rn.f32.u32 %f6, %x3;\n\
tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}], %f6; st.global.f32 [%d1+4], %f0; ret; }\n\
.visible .entry filtered(.param .u64 texture, .param .u64 out, .param .f32 y) {\n\
.reg .b32 %x<5>; .reg .f32 %f<2>; .reg .b64 %d<3>; ld.param.f32 %f1, [y];\n\
ld.param.u64 %d0, [texture]; ld.param.u64 %d1, [out]; mov.u32 %x0, %tid.x; mul.wide.u32 %d2, %x0, 4;\n\
add.u64 %d1, %d1, %d2; cvt.rn.f32.u32 %f0, %x0; mul.f32 %f0, %f0, 0f3C800000;\n\
tex.2d.v4.u32.f32 {%x1, %x2, %x3, %x4}, [%d0, {%f0, %f1}]; st.global.u32 [%d1], %x1; ret; }\n\
.visible .entry wide(.param .u64 surface, .param .u64 out) { .reg .b32 %x<2>; .reg .b64 %d<3>;\n\
ld.param.u64 %d0, [surface]; ld.param.u64 %d1, [out]; mov.u32 %x0, 0; mov.u32 %x1, 0x12343f80;\n\
sust.b.2d.b16.trap [%d0, {%x0, %x0}], {%x1}; suld.b.2d.b16.trap {%d2}, [%d0, {%x0, %x0}]; shl.b64 %d2, %d2, 16;\n\
st.global.u64 [%d1], %d2; ret; }\n\
.visible .entry second_row(.param .u64 surface, .param .u64 out) { .reg .b32 %x<3>; .reg .b64 %d<2>;\n\
ld.param.u64 %d0, [surface]; ld.param.u64 %d1, [out]; mov.u32 %x0, 0; mov.u32 %x1, 1;\n\
suld.b.2d.b32.trap {%x2}, [%d0, {%x0, %x1}]; st.global.u32 [%d1], %x2; add.u32 %x2, %x2, 1;\n\
sust.b.2d.b32.trap [%d0, {%x0, %x1}], {%x2}; ret; }\n";

const SAMPLER: SamplerState = SamplerState {
    address_modes: [AddressMode::Clamp; 3],
    is_linear: false,
    is_linear_between_levels: false,
    reads_integers: false,
    is_normalized: true,
    level_bias: 0.0,
    level_range: [0.0, 1.0],
    border_color: [0.0; 4],
};

/// Runs a kernel that reads or writes an image, and returns what the kernel writes to the buffer of its results.
fn run_on_image(kernel: &str, image: Image, threads: u32, y: f32) -> [u32; 256] {
    let module = Module::load_ptx(KERNEL_TEXT).expect("a module");
    let mut out = [0; 256];
    let results = out.as_mut_ptr().expose_provenance() as u64;
    let mut memory = TestMemory::from_range(results..results + 1024);
    memory.image = Some(Arc::new(image));
    let kernel = module.kernel(kernel).expect("a kernel").expect("it runs");
    memory.run_kernel(kernel, 1, [threads, 1, 1], &[7, results, y.to_bits().into()], 1).expect("no fault");
    out
}

/// Returns the texel at a place in one of two levels, of 8 × 4 and of 4 × 2 texels.
fn texel_value(level: usize, x: usize, y: usize) -> f32 {
    (100 * level + 10 * y + x) as f32
}

fn run_on_two_levels(kernel: &str) -> [u32; 256] {
    let mut texels = Vec::new();
    for (level, width) in [(0, 8), (1, 4)] {
        texels.extend((0..width * width / 2).map(|at| texel_value(level, at % width, at / width)));
    }
    let start = texels.as_mut_ptr().expose_provenance() as u64;
    let level = |start, width| MipLevel {
        start,
        row_pitch: width * 4,
        slice_pitch: 0,
        extent: [width, width / 2, 1],
    };
    let (levels, sampling) = (vec![level(start, 8), level(start + 128, 4)], Some(SAMPLER));
    let format = ChannelFormat::Float;
    let image = Image { levels, format, channel_count: 1, texel_bytes: 4, sampling, owners: Vec::new() };
    run_on_image(kernel, image, 64, 0.0)
}

#[test]
fn integer_coordinates_take_an_integer_level() {
    for (thread, read) in run_on_two_levels("levels")[..128].chunks(2).enumerate() {
        let (x, y, level) = (thread & 7, thread >> 3 & 3, thread >> 5);
        let clamped = texel_value(level, x.min(7 >> level), y.min(3 >> level));
        let expected = [clamped, texel_value(level, x >> level, y >> level)];
        assert_eq!(read, expected.map(f32::to_bits), "thread {thread}");
    }
}

/// ptxas accepts registers of 32 and 64 bits for texels of 16 bits.
#[test]
fn registers_of_a_surface_may_be_wider_than_its_texels() {
    assert_eq!(run_on_two_levels("wide")[..2], [0x3f80_0000, 0]);
}

#[test]
fn rows_of_a_surface_may_begin_at_any_byte() {
    let mut texels = *b"first_row2__";
    let start = texels.as_mut_ptr().expose_provenance() as u64;
    let levels = vec![MipLevel { start, row_pitch: 5, slice_pitch: 0, extent: [5, 2, 1] }];
    let (format, owners) = (ChannelFormat::Unsigned, Vec::new());
    let image = Image { levels, format, channel_count: 1, texel_bytes: 1, sampling: None, owners };
    assert_eq!(run_on_image("second_row", image, 1, 0.0)[0].to_le_bytes(), *b"_row");
    assert_eq!(texels, *b"first`row2__");
}

#[test]
#[should_panic(expected = "no fault")]
fn a_channel_of_16_bytes_is_refused() {
    let mut texel = [0_u64; 2];
    let start = texel.as_mut_ptr().expose_provenance() as u64;
    let levels = vec![MipLevel { start, row_pitch: 16, slice_pitch: 0, extent: [1, 1, 1] }];
    let (format, sampling) = (ChannelFormat::Unsigned, Some(SAMPLER));
    let image = Image { levels, format, channel_count: 1, texel_bytes: 16, sampling, owners: Vec::new() };
    run_on_image("filtered", image, 1, 0.0);
}

/// Compares reads at places between texels with those of an H100 (driver 580.159.04). A row has four texels.
#[test]
fn filtered_texels_are_rounded_as_a_gpu_rounds_them() {
    use ChannelFormat::{Half, Signed, Unsigned};
    const FRACTIONS: bool = false;
    const INTEGERS: bool = true;
    let filtered = |format, reads_integers, texel_bytes: usize, texels: &[u32], y: f32| {
        let bits = 8 * texel_bytes;
        let pack_row = |row: &[u32]| {
            let masked = row.iter().rev().map(|texel| u128::from(texel & u32::MAX >> (32 - bits)));
            masked.fold(0, |all, texel| all << bits | texel)
        };
        let mut rows = Vec::from_iter(texels.chunks(4).map(pack_row));
        let start = rows.as_mut_ptr().expose_provenance() as u64;
        let levels = vec![MipLevel { start, row_pitch: 16, slice_pitch: 0, extent: [4, rows.len(), 1] }];
        let sampler = SamplerState { is_linear: true, reads_integers, is_normalized: false, ..SAMPLER };
        let sampling = Some(sampler);
        let image = Image { levels, format, channel_count: 1, texel_bytes, sampling, owners: Vec::new() };
        run_on_image("filtered", image, 256, y)
    };
    for (format, reads_integers, texel_bytes, texels, answers) in [
        (Unsigned, FRACTIONS, 1, [0, 255, 3, 200], [0x3f0f_ff90, 0x3f30_f0b1, 0x3e49_c8ca]),
        (Unsigned, INTEGERS, 1, [0, 255, 3, 200], [0x8f, 0xb0, 0x32]),
        (Signed, FRACTIONS, 1, [0, 127, !127, !2], [0x3f0f_ff20, 0x3ebe_bd7d, 0xbf21_a343]),
        (Signed, INTEGERS, 1, [0, 127, !127, !2], [0x47, 0x2f, !79]),
        (Signed, FRACTIONS, 2, [0, 0x7fff, !0x7fff, !2], [0x3f0f_ff20, 0x3ebf_fd80, 0xbf20_0140]),
        (Signed, INTEGERS, 2, [0, 0x7fff, !0x7fff, !2], [0x47ff, 0x2fff, !0x4fff]),
        (Unsigned, FRACTIONS, 4, [0, !0, 3, 3_000_000_000], [0x8fff_ffff, 0xb000_0000, 0x3000_0002]),
        (Signed, INTEGERS, 4, [0, !(1 << 31), 1 << 31, !2], [0x47ff_ffff, 0x2fff_ffff, 0xafff_ffff]),
        (Half, INTEGERS, 2, [1, 0x8001, 0x8003, 5], [0x8000_0000, 0xb400_0000, 0xb440_0000]),
    ] {
        let out = filtered(format, reads_integers, texel_bytes, &texels, 0.5);
        assert_eq!([out[68], out[116], out[148]], answers, "{format:?}, {texel_bytes}");
    }
    // Between four texels, the weights are rounded too.
    for (place, y, [a, b, c, d], answer) in [
        (74, 176, [40448, 8960, 8192, 13056], 14080),
        (46, 176, [40448, 8960, 8192, 13056], 16922),
        (42, 67, [3328, 9472, 37120, 4864], 11632),
        (78, 34, [13312, 9216, 0, 35328], 12296),
    ] {
        let out = filtered(Unsigned, INTEGERS, 2, &[a, b, 0, 0, c, d, 0, 0], 0.5 + y as f32 / 256.0);
        assert_eq!(out[place], answer, "{place}, {y}");
    }
}
