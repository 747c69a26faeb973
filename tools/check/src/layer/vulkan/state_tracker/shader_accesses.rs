//! The resources that a shader uses: the bindings that its SPIR-V reads and writes.
//!
//! A resource counts if an instruction that the entry point can reach reads or writes it. Pointers are followed
//! through functions, but not through memory and selections.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A binding of a descriptor set, and what the shader does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderBinding {
    pub set: u32,
    pub binding: u32,
    pub reads: bool,
    pub writes: bool,
}

/// Instructions by their numbers in the specification.
mod op {
    pub const ENTRY_POINT: u32 = 15;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_PARAMETER: u32 = 55;
    pub const FUNCTION_CALL: u32 = 57;
    pub const VARIABLE: u32 = 59;
    pub const IMAGE_TEXEL_POINTER: u32 = 60;
    pub const LOAD: u32 = 61;
    pub const STORE: u32 = 62;
    pub const COPY_MEMORY: u32 = 63;
    pub const ACCESS_CHAIN: u32 = 65;
    pub const IN_BOUNDS_PTR_ACCESS_CHAIN: u32 = 70;
    pub const DECORATE: u32 = 71;
    pub const COPY_OBJECT: u32 = 83;
    pub const SAMPLED_IMAGE: u32 = 86;
    pub const IMAGE_WRITE: u32 = 99;
    pub const IMAGE: u32 = 100;
    pub const ATOMIC_LOAD: u32 = 227;
    pub const ATOMIC_STORE: u32 = 228;
    pub const ATOMIC_XOR: u32 = 242;
}
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
/// The storage class of images, whose handles are loaded before they are used.
const UNIFORM_CONSTANT: u32 = 0;

/// A function's own accesses, and the functions that it calls.
#[derive(Default)]
struct ShaderFunction {
    parameters: Vec<u32>,
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    calls: BTreeSet<u32>,
}

#[derive(Default)]
struct ShaderModule<'a> {
    entries: Vec<(Vec<u8>, u32)>,
    /// The set and the binding of each variable.
    places: HashMap<u32, [Option<u32>; 2]>,
    handles: BTreeSet<u32>,
    functions: HashMap<u32, ShaderFunction>,
    instructions: Vec<(u32, &'a [u32])>,
    /// The variable that a pointer, or what is loaded from it, comes from. The first one of several.
    origins: HashMap<u32, u32>,
}

/// The entry points by their names, with what they use. Empty for what is no SPIR-V.
pub fn bindings_of_entry_points(code: &[u32]) -> Vec<(Vec<u8>, Vec<ShaderBinding>)> {
    let mut module = ShaderModule { instructions: instructions(code), ..ShaderModule::default() };
    module.declare();
    // A function may stand before those that call it.
    let mut known = 0;
    while module.follow() > known {
        known = module.origins.len();
    }
    module.note_accesses();
    module.entries.iter().map(|(name, function)| (name.clone(), module.used_by(*function))).collect()
}

fn instructions(code: &[u32]) -> Vec<(u32, &[u32])> {
    const MAGIC: u32 = 0x0723_0203;
    const HEADER: usize = 5;
    let mut all = Vec::new();
    let mut rest = if code.first() == Some(&MAGIC) { code.get(HEADER..).unwrap_or_default() } else { &[] };
    while let Some(first) = rest.first() {
        let Some(operands) = rest.get(1..(first >> 16) as usize) else { break };
        all.push((first & 0xffff, operands));
        rest = &rest[1 + operands.len()..];
    }
    all
}

impl ShaderModule<'_> {
    fn declare(&mut self) {
        let mut function = 0;
        for (op, operands) in &self.instructions {
            match (*op, *operands) {
                (op::ENTRY_POINT, [_, function, name @ ..]) => {
                    let bytes = name.iter().flat_map(|word| word.to_le_bytes());
                    self.entries.push((bytes.take_while(|byte| *byte != 0).collect(), *function));
                }
                (op::DECORATE, [target, DESCRIPTOR_SET, set]) => {
                    self.places.entry(*target).or_default()[0] = Some(*set);
                }
                (op::DECORATE, [target, BINDING, binding]) => {
                    self.places.entry(*target).or_default()[1] = Some(*binding);
                }
                (op::VARIABLE, [_, variable, class, ..]) if self.places.contains_key(variable) => {
                    self.origins.insert(*variable, *variable);
                    if *class == UNIFORM_CONSTANT {
                        self.handles.insert(*variable);
                    }
                }
                (op::FUNCTION, [_, id, ..]) => {
                    function = *id;
                    self.functions.insert(function, ShaderFunction::default());
                }
                (op::FUNCTION_PARAMETER, [_, id]) => {
                    self.functions.entry(function).or_default().parameters.push(*id);
                }
                _ => {}
            }
        }
    }

    /// Follows each pointer and each loaded handle one step further. Returns of how many the origin is known.
    fn follow(&mut self) -> usize {
        for (op, operands) in &self.instructions {
            match (*op, *operands) {
                (
                    op::ACCESS_CHAIN..=op::IN_BOUNDS_PTR_ACCESS_CHAIN
                    | op::IMAGE_TEXEL_POINTER
                    | op::LOAD
                    | op::COPY_OBJECT
                    | op::SAMPLED_IMAGE
                    | op::IMAGE,
                    [_, result, from, ..],
                ) => {
                    if let Some(origin) = self.origins.get(from).copied() {
                        self.origins.entry(*result).or_insert(origin);
                    }
                }
                (op::FUNCTION_CALL, [_, _, callee, arguments @ ..]) => {
                    let parameters = self.functions.get(callee).map_or(&[][..], |of| &of.parameters);
                    for (parameter, argument) in parameters.iter().zip(arguments) {
                        if let Some(origin) = self.origins.get(argument).copied() {
                            self.origins.entry(*parameter).or_insert(origin);
                        }
                    }
                }
                _ => {}
            }
        }
        self.origins.len()
    }

    fn note_accesses(&mut self) {
        let mut function = 0;
        for (op, operands) in &self.instructions {
            let (mut read, mut written) = (None, None);
            match (*op, *operands) {
                (op::FUNCTION, [_, id, ..]) => function = *id,
                (op::FUNCTION_CALL, [_, _, callee, ..]) => {
                    self.functions.entry(function).or_default().calls.insert(*callee);
                }
                (op::LOAD, [_, _, from, ..]) => {
                    read = self.origins.get(from).filter(|variable| !self.handles.contains(variable));
                }
                (op::STORE | op::IMAGE_WRITE | op::ATOMIC_STORE, [to, ..]) => written = self.origins.get(to),
                (op::COPY_MEMORY, [to, from, ..]) => {
                    (read, written) = (self.origins.get(from), self.origins.get(to));
                }
                // Samples, fetches, gathers and reads of images, and the sparse ones.
                (87..=98 | 305..=315 | 320, [_, _, image, ..]) => read = self.origins.get(image),
                (op::ATOMIC_LOAD, [_, _, at, ..]) => read = self.origins.get(at),
                (op::ATOMIC_STORE..=op::ATOMIC_XOR, [_, _, at, ..]) => {
                    (read, written) = (self.origins.get(at), self.origins.get(at));
                }
                _ => {}
            }
            let of = self.functions.entry(function).or_default();
            of.reads.extend(read);
            of.writes.extend(written);
        }
    }

    fn used_by(&self, entry: u32) -> Vec<ShaderBinding> {
        let (mut reached, mut next) = (BTreeSet::new(), vec![entry]);
        let mut used: BTreeMap<[u32; 2], [bool; 2]> = BTreeMap::new();
        while let Some(function) = next.pop() {
            let Some(of) = self.functions.get(&function).filter(|_| reached.insert(function)) else {
                continue;
            };
            next.extend(&of.calls);
            for (which, variables) in [&of.reads, &of.writes].into_iter().enumerate() {
                for variable in variables {
                    if let Some([Some(set), Some(binding)]) = self.places.get(variable) {
                        used.entry([*set, *binding]).or_default()[which] = true;
                    }
                }
            }
        }
        let binding = |([set, binding], [reads, writes]): ([u32; 2], [bool; 2])| ShaderBinding {
            set,
            binding,
            reads,
            writes,
        };
        used.into_iter().map(binding).collect()
    }
}

/// The code of this shader, compiled by `glslangValidator -V --target-env vulkan1.1 -g0`:
///
/// ```glsl
/// layout(std430, set = 0, binding = 0) readonly buffer From { uint from[]; };
/// layout(std430, set = 1, binding = 2) buffer To { uint to[]; };
/// layout(rgba8, set = 0, binding = 1) uniform writeonly image2D drawn;
/// layout(set = 0, binding = 4) uniform sampler2D sampled;
/// layout(set = 0, binding = 5) uniform sampler2D unused;
/// layout(r32ui, set = 0, binding = 6) uniform uimage2D counts;
/// layout(local_size_x = 64) in;
/// void put(writeonly image2D into, vec4 color) { imageStore(into, ivec2(0), color); }
/// void main() {
///     to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x];
///     put(drawn, texture(sampled, vec2(0)));
///     imageAtomicAdd(counts, ivec2(0), 1u);
/// }
/// ```
#[test]
fn a_binding_counts_where_an_instruction_uses_it() {
    let bytes = include_bytes!("shader_accesses.spv").chunks_exact(4);
    let code = Vec::from_iter(bytes.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    let binding = |set, binding, reads, writes| ShaderBinding { set, binding, reads, writes };
    let expected = vec![
        binding(0, 0, true, false),
        binding(0, 1, false, true),
        binding(0, 4, true, false),
        binding(0, 6, true, true),
        binding(1, 2, false, true),
    ];
    assert_eq!(bindings_of_entry_points(&code), [(b"main".to_vec(), expected)]);
    // In Miri each takes half a second.
    for end in (0..code.len()).step_by(if cfg!(miri) { 50 } else { 1 }) {
        bindings_of_entry_points(&code[..end]);
    }
}
