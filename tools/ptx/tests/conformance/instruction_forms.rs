//! The instruction forms of instruction_forms.txt: the PTX of a kernel for each, and the operands on which it runs.

use std::collections::HashSet;

/// The number of threads in a block: fewer under Miri.
pub const BLOCK_THREADS: usize = if cfg!(miri) { 32 } else { 256 };
/// The bytes of one thread in the kernel's three buffers: its operands, its results, and its part of zeroed memory.
pub const OPERAND_BYTES: usize = 32;
pub const RESULT_BYTES: usize = 16;
pub const MEMORY_BYTES: usize = 64;

pub struct FormCase {
    pub name: String,
    /// The answer of an H200: the hash of the results, or `!` and an error code.
    pub answer: String,
    pub results: Vec<String>,
    pub operands: Vec<String>,
    pub body: String,
}

/// Returns the rows of instruction_forms.txt, each as a text without the answers and as forms with the answers.
pub fn parse_form_rows(table: &str) -> Vec<(&str, Vec<FormCase>)> {
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (row, answers) = line.split_once(" => ").unwrap_or((line, ""));
        let (names, _) = row.split_once(" : ").expect("names and a signature");
        let (mut answers, mut forms) = (answers.split(' '), Vec::new());
        for name in names.split(' ') {
            expand_alternatives(name, &mut Vec::new(), &mut |name, chosen| {
                if seen.insert(name.to_owned()) {
                    forms.push(FormCase::new(name, row, answers.next().unwrap_or(""), chosen));
                }
            });
        }
        rows.push((row, forms));
    }
    rows
}

/// Calls `each` for every choice of the alternatives `<a|b>` of a text.
fn expand_alternatives(text: &str, chosen: &mut Vec<String>, each: &mut dyn FnMut(&str, &[String])) {
    let Some((before, rest)) = text.split_once('<') else { return each(text, chosen) };
    let (alternatives, after) = rest.split_once('>').expect("a closing bracket");
    for alternative in alternatives.split('|') {
        chosen.push(alternative.to_owned());
        expand_alternatives(&format!("{before}{alternative}{after}"), chosen, each);
        chosen.pop();
    }
}

/// Returns the width of a type's value in bits and, for floats, the widths of the mantissa and the exponent. A packed
/// type has two such values. For `tf32`, the widths are those of `f32`. Returns `None` if `kind` is not the type of an
/// operand or a result.
fn bits_and_float_fields(kind: &str) -> Option<(usize, Option<(u32, u32)>)> {
    Some(match kind {
        "p" | "pred" => (1, None),
        "u16x2" | "s16x2" => (16, None),
        "f16" | "f16x2" => (16, Some((10, 5))),
        "bf16" | "bf16x2" => (16, Some((7, 8))),
        "f32" | "tf32" => (32, Some((23, 8))),
        "f64" => (64, Some((52, 11))),
        _ => (kind.strip_prefix(['u', 's', 'b'])?.parse().ok()?, None),
    })
}

/// Returns the width of a type in bits; a predicate's is 1.
fn type_bits(kind: &str) -> usize {
    let (bits, _) = bits_and_float_fields(kind).expect("a type");
    if kind.ends_with("x2") { 2 * bits } else { bits }
}

/// Returns the type of the register for a value of the type `kind`. The kernel keeps bytes in registers of 32 bits.
fn register_type(kind: &str) -> String {
    match type_bits(kind) {
        1 => "pred".to_owned(),
        8 => "b32".to_owned(),
        bits => format!("b{bits}"),
    }
}

impl FormCase {
    fn new(name: &str, row: &str, answer: &str, chosen: &[String]) -> Self {
        let (head, body) = row.split_once(" ; ").unwrap_or((row, ""));
        let (_, signature) = head.split_once(" : ").expect("a signature");
        let opcode = name.split('@').next().unwrap_or("");
        let types = Vec::from_iter(opcode.split('.').filter(|part| bits_and_float_fields(part).is_some()));
        let (first, last) = (types.first().copied().unwrap_or(""), types.last().copied().unwrap_or(""));
        let wide =
            if last.len() > 1 { format!("{}{}", &last[..1], 2 * type_bits(last)) } else { String::new() };
        let kind = |word: &str| match word {
            "T" => last.to_owned(),
            "F" => first.to_owned(),
            "W" => wide.clone(),
            other => other.to_owned(),
        };
        let mut words = signature.split_whitespace();
        let results = Vec::from_iter(words.next().expect("results").split('/').map(kind));
        let operands = Vec::from_iter(words.map(kind));
        let mut body = body.to_owned();
        if body.is_empty() {
            let letters = Vec::from_iter(["%r", "%a", "%b", "%c", "%d"].into_iter().take(operands.len() + 1));
            body = format!("$0 {};", letters.join(", "));
        }
        for (index, choice) in chosen.iter().enumerate() {
            body = body.replace(&format!("${}", index + 1), choice);
        }
        body = body.replace("$0", opcode).replace("$T", last);
        body = body.replace("BITS", &format!("b{}", if last.is_empty() { 32 } else { type_bits(last) }));
        body = ABBREVIATIONS.iter().fold(body, |body, (name, text)| body.replace(name, text));
        Self { name: name.to_owned(), answer: answer.to_owned(), results, operands, body }
    }

    /// Returns how many threads run the form: one for each value of a single 16-bit operand, and otherwise 4096.
    pub fn thread_count(&self) -> usize {
        if self.operands.len() == 1 && type_bits(&self.operands[0]) == 16 { 1 << 16 } else { 1 << 12 }
    }

    /// Returns the PTX of a module in which the kernel `f` runs the form.
    pub fn module_text(&self) -> String {
        let mut text = format!(
            "{HEADER}.visible .entry f(.param .u64 in, .param .u64 out, .param .u64 places) {{\n\
             .reg .pred %p, %q; .reg .b32 %x<4>; .reg .b64 %w, %y<4>, %global, %shared, %local;\n\
             mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; mov.u32 %x2, %tid.x; mad.lo.u32 %x0, %x0, %x1, %x2;\n\
             ld.param.u64 %y0, [in]; mul.wide.u32 %y1, %x0, 32; add.u64 %y0, %y0, %y1;\n\
             ld.param.u64 %y2, [out]; mul.wide.u32 %y1, %x0, 16; add.u64 %y2, %y2, %y1;\n\
             ld.param.u64 %global, [places]; mul.wide.u32 %y1, %x0, 64; add.u64 %global, %global, %y1;\n"
        );
        if self.body.contains("%shared") {
            text += ".shared .align 16 .b8 rows[16384]; mov.u64 %shared, rows;\n";
            text += "mad.wide.u32 %shared, %x2, 64, %shared;\n";
        }
        if self.body.contains("%local") {
            text += ".local .align 16 .b8 row[64]; mov.u64 %local, row;\n";
        }
        for (index, (letter, kind)) in "abcd".chars().zip(&self.operands).enumerate() {
            let (at, register) = (index * 8, register_type(kind));
            text += &format!(".reg .{register} %{letter};\n");
            text += &match type_bits(kind) {
                1 => format!(
                    "ld.global.u32 %x3, [%y0+{at}]; and.b32 %x3, %x3, 1; setp.ne.u32 %{letter}, %x3, 0;\n"
                ),
                _ => format!("ld.global.{register} %{letter}, [%y0+{at}];\n"),
            };
        }
        let mut stores = String::new();
        for (index, (letter, kind)) in "rs".chars().zip(&self.results).enumerate() {
            let (at, register) = (index * 8, register_type(kind));
            text += &format!(".reg .{register} %{letter};\n");
            stores += &match type_bits(kind) {
                1 => format!("selp.b32 %x3, 1, 0, %{letter}; st.global.u32 [%y2+{at}], %x3;\n"),
                _ => format!("st.global.{register} [%y2+{at}], %{letter};\n"),
            };
        }
        text + &format!("{}\n{stores}ret;\n}}\n", self.body)
    }

    /// Returns the operands of every thread: four words each.
    pub fn input_words(&self) -> Vec<u64> {
        if self.thread_count() == 1 << 16 {
            return (0..1 << 16).flat_map(|value: u64| [value | value << 16, 0, 0, 0]).collect();
        }
        let kinds = Vec::from_iter(self.operands.iter().map(|kind| OperandKind::new(kind)));
        (0..self.thread_count() as u64).flat_map(|thread| thread_operands(&kinds, thread)).collect()
    }

    pub fn result_bytes(&self, out: &[u8]) -> Vec<u8> {
        let widths = Vec::from_iter(self.results.iter().map(|kind| match type_bits(kind) {
            1 => 1,
            8 => 4,
            bits => bits / 8,
        }));
        let all = out.chunks(RESULT_BYTES).flat_map(|thread| {
            widths.iter().enumerate().map(move |(at, width)| &thread[at * 8..at * 8 + width])
        });
        all.flatten().copied().collect()
    }
}

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n\
.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
.func (.param .b32 q) sum(.param .b32 a, .param .b32 b) { .reg .b32 %x<3>; ld.param.b32 %x0, [a];\n\
ld.param.b32 %x1, [b]; add.u32 %x2, %x0, %x1; st.param.b32 [q], %x2; ret; }\n\
.func (.reg .b32 q) product(.reg .b32 a, .reg .b32 b)\n{ mad.lo.u32 q, a, b, a; ret; }\n\
.func (.param .b32 q) difference(.param .b32 a, .param .b32 b) { .reg .b32 %x<3>; ld.param.b32 %x0, [a];\n\
ld.param.b32 %x1, [b]; sub.u32 %x2, %x0, %x1; st.param.b32 [q], %x2; ret; }\n";

/// The abbreviations in instruction_forms.txt:
/// - `ATOMIC`: `%w` becomes the address of the thread's part of global or shared memory.
/// - `SPLIT`: the lanes above 12 jump to `L1`.
/// - `SWAP`: each thread stores `%a` in its part of shared memory. `%v` becomes the distance to another thread.
/// - `TAKE`: each thread loads from this other thread's part of shared memory.
const ABBREVIATIONS: [(&str, &str); 6] = [
    ("ATOMIC(.global)", "mov.u64 %w, %global;"),
    ("ATOMIC(.shared)", "mov.u64 %w, %shared;"),
    ("ATOMIC()", "mov.u64 %w, %global;"),
    ("SPLIT", ".reg .b32 %v; mov.u32 %v, %laneid; setp.gt.u32 %p, %v, 12; @%p bra L1;"),
    (
        "SWAP",
        ".reg .b32 %v; mov.u32 %v, %tid.x; xor.b32 %x0, %v, 37; sub.s32 %v, %x0, %v; st.shared.u32 [%shared], %a;",
    ),
    ("TAKE", "mad.wide.s32 %w, %v, 64, %shared; ld.shared.u32 %r, [%w];"),
];

pub fn splitmix64(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

struct OperandKind {
    name: String,
    /// The width in bits of one value, which is half of the register's width for a packed type.
    bits: usize,
    format: Option<(u32, u32)>,
    edges: Vec<u64>,
}

impl OperandKind {
    fn new(name: &str) -> Self {
        let (bits, format) = bits_and_float_fields(name).expect("a type");
        // Nothing reads the edge values of a predicate: `predicate_operand` chooses its value.
        let edges = format.map_or_else(|| integer_edges(bits.max(8)), float_edges);
        Self { name: name.to_owned(), bits, format, edges }
    }
}

fn float_edges((mantissa, exponent): (u32, u32)) -> Vec<u64> {
    let (one, bias) = (1_u64 << mantissa, (1_u64 << (exponent - 1)) - 1);
    let top = ((1_u64 << exponent) - 1) << mantissa;
    let power = |power: u64| (bias + power).min((1 << exponent) - 2) << mantissa;
    let unit = bias << mantissa;
    let mut edges = vec![0, 1, one / 2, one - 1, one, one + 1];
    edges.extend([top - 1, top, top | (one / 2), top | 1, top | (one - 1), unit, unit + 1, unit - 1]);
    edges.extend([unit - one, unit + one / 2, unit + one + one / 4, power(7), power(8) - one / 64 - 1]);
    edges.extend([power(15), power(16), power(31), power(31) - 1, power(32), power(63), power(64)]);
    edges.push(unit - (u64::from(mantissa) << mantissa));
    edges.extend(edges.clone().iter().map(|bits| bits | 1 << (mantissa + exponent)));
    edges
}

fn integer_edges(bits: usize) -> Vec<u64> {
    let (all, half) = (!0 >> (64 - bits), 1_u64 << (bits - 1));
    let mut edges = vec![
        0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000,
        0xffff, 0x10000,
    ];
    edges.extend([0xff_ffff, 0x7f_ffff, 0x80_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32]);
    edges.extend([half, half - 1, half + 1, all, all - 1, all - 2, all / 3, all / 3 * 2, all - 31]);
    edges.iter_mut().for_each(|bits| *bits &= all);
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn thread_operands(kinds: &[OperandKind], thread: u64) -> [u64; 4] {
    let mut values = [0; 4];
    let alone = kinds.len() == 1;
    for (place, kind) in kinds.iter().enumerate() {
        let seed = splitmix64(thread << 8 | place as u64);
        values[place] = match kind.name.as_str() {
            "p" | "pred" => predicate_operand(thread, seed),
            name if name.ends_with("x2") => {
                let low = seeded_value(kind, alone, thread, place, seed, values.map(|value| value & 0xffff));
                // The upper half gets another thread number, and so other combinations of edge values.
                let other = values.map(|value| value >> 16 & 0xffff);
                low | seeded_value(kind, alone, splitmix64(thread) >> 52, place, splitmix64(seed), other)
                    << 16
            }
            _ => seeded_value(kind, alone, thread, place, seed, values),
        };
        // The instruction must ignore the bits above a narrow operand.
        if kind.bits == 8 {
            values[place] |= seed & 0xffff_ff00;
        }
    }
    values
}

/// Returns a predicate. In a warp, the predicates are all false, all true, one true, one false, or mixed.
fn predicate_operand(thread: u64, seed: u64) -> u64 {
    let (warp, lane) = (thread / 32, thread % 32);
    match warp % 8 {
        0 => 0,
        1 => 1,
        2 => u64::from(lane == warp / 8 % 32),
        3 => u64::from(lane != warp / 8 % 32),
        4 => u64::from(lane < 13),
        _ => seed & 1,
    }
}

fn seeded_value(
    kind: &OperandKind,
    alone: bool,
    thread: u64,
    place: usize,
    seed: u64,
    before: [u64; 4],
) -> u64 {
    let count = kind.edges.len() as u64;
    let edge = kind.edges[((seed >> 8) % count) as usize];
    // In the first threads, the operand of a form with one operand takes each edge value. If a form has more operands,
    // and the first two have the same type, these two take every pair of edge values.
    if thread < if alone { count } else { count * count } {
        return match place {
            0 if alone => kind.edges[thread as usize],
            0 => kind.edges[(thread / count) as usize],
            1 => kind.edges[(thread % count) as usize],
            _ => edge,
        };
    }
    let mask = !0 >> (64 - kind.bits);
    let Some((mantissa, exponent)) = kind.format else {
        let value = match seed & 7 {
            0 | 1 => edge,
            2 | 3 => splitmix64(seed) >> (seed >> 8 & 63),
            4 => (splitmix64(seed) as i64 >> (seed >> 8 & 63)) as u64,
            5 if place > 0 => before[place - 1].wrapping_add(seed >> 8 & 3).wrapping_sub(1),
            _ => splitmix64(seed),
        };
        return value & mask;
    };
    let (fraction, most) = ((1_u64 << mantissa) - 1, (1_i64 << exponent) - 1);
    let bias = most / 2;
    let exponent_of = |bits: u64| (bits >> mantissa) as i64 & most;
    let spread = i64::from(mantissa) + 3;
    let near = (splitmix64(seed ^ 5) % (2 * spread as u64 + 1)) as i64 - spread;
    // Operands with few fraction bits often have a result that is halfway between two floats.
    let few = if seed & 16 == 0 { !0 } else { !0 << (splitmix64(seed ^ 8) % u64::from(mantissa)) };
    let digits = splitmix64(seed ^ 6) & fraction & few;
    let sign = (seed >> 7 & 1) << (mantissa + exponent);
    let with = |exponent: i64| (exponent.clamp(0, most) as u64) << mantissa | digits | sign;
    let value = match (seed & 7, place) {
        (0, _) => edge,
        (1 | 2, 0) | (1, _) => splitmix64(seed),
        // The second operand's exponent is near the first operand's exponent. The third operand's exponent is near the
        // exponent of the product of the first two operands.
        (2 | 3, 1) => with(exponent_of(before[0]) + near),
        (2..=4, 2) => with(exponent_of(before[0]) + exponent_of(before[1]) - bias + near),
        // The negative of the preceding operand, or a float near the negative.
        (4, 1..) => {
            (before[place - 1] ^ 1 << (mantissa + exponent)).wrapping_add(seed >> 8 & 3).wrapping_sub(1)
        }
        _ => with(bias + near),
    };
    value & mask
}

/// Returns the FNV-1a hash of the results, folded to 32 bits.
pub fn fnv1a_hash(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3_u64)
    });
    (hash ^ hash >> 32) as u32
}
