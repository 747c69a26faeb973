// Two shaders: one fills the shared buffer and the shared texture, the other records what it reads from them.

override words: u32;  // in the buffer
override width: u32;  // of the texture, whose texels are numbered after the buffer's words
override height: u32;

struct Turn {
    seed: u32,  // what to write
    start: u32, // where to record what was read, in words
}

@group(0) @binding(0) var<uniform> turn: Turn;
@group(0) @binding(1) var<storage, read_write> buffer: array<u32>;
@group(0) @binding(2) var texture_out: texture_storage_2d<rgba8uint, write>;
@group(0) @binding(3) var texture_in: texture_2d<u32>;
@group(0) @binding(4) var<storage, read_write> record: array<u32>;

// The same function as in main.rs.
fn pattern(seed: u32, index: u32) -> u32 {
    let x = (index ^ (seed * 0x9e3779b9u)) * 0x85ebca6bu;
    return x ^ (x >> 13u);
}

// The invocations are a rectangle that covers the texture; in row order there are enough for the buffer's words.

@compute @workgroup_size(8, 8)
fn fill(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.y * groups.x * 8u + id.x;
    if index < words {
        buffer[index] = pattern(turn.seed, index);
    }
    if id.x < width && id.y < height {
        let texel = pattern(turn.seed, words + id.y * width + id.x);
        textureStore(texture_out, id.xy, (vec4(texel) >> vec4(0u, 8u, 16u, 24u)) & vec4(0xffu));
    }
}

@compute @workgroup_size(8, 8)
fn look(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.y * groups.x * 8u + id.x;
    if index < words {
        record[turn.start + index] = buffer[index];
    }
    if id.x < width && id.y < height {
        let texel = textureLoad(texture_in, id.xy, 0) << vec4(0u, 8u, 16u, 24u);
        record[turn.start + words + id.y * width + id.x] = texel.x | texel.y | texel.z | texel.w;
    }
}
