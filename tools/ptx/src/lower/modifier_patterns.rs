//! Compares modifiers with patterns: `(.lo|.hi)` is one of two modifiers, `{int}` is a class, and `.ftz?` is optional.

use crate::alu::{ALU_TABLES, AluOp, AluRow, Opcode};

const PATTERN_CLASSES: &[(&str, &str)] = &[
    ("pairs", "(.u16x2|.s16x2)"),
    ("int", "(.u16|.u32|.u64|.s16|.s32|.s64)"),
    ("int32", "(.u32|.s32)"),
    ("signed", "(.s16|.s32|.s64)"),
    ("bits", "(.b16|.b32|.b64)"),
    ("word", "(.u32|.s32|.u64|.s64)"),
    ("byte", "(.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64)"),
    ("plain", "(.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)"),
    ("cell", "(.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f16|.f16x2|.bf16|.f32|.f64)"),
    ("halves", "(.f16|.f16x2)"),
    ("brains", "(.bf16|.bf16x2)"),
    ("rnd", "(.rn|.rz|.rm|.rp)"),
    ("whole", "(.rni|.rzi|.rmi|.rpi)"),
    ("order", "(.eq|.ne|.lt|.le|.gt|.ge)"),
    ("unsigned_order", "(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs)"),
    ("relation", "(.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan)"),
    ("and", "(.and|.or|.xor)"),
    ("load", "(.weak|.volatile|.relaxed|.acquire|.mmio.relaxed)"),
    ("store", "(.weak|.volatile|.relaxed|.release|.mmio.relaxed)"),
    ("scope", "(.cta|.cluster|.gpu|.sys)?"),
    ("space", "(.global|.const|.shared|.shared::cta|.local|.param|.param::entry|.param::func)?"),
    ("window", "(.global|.const|.shared|.shared::cta|.local|.param|.param::entry)"),
    ("cache", "(.ca|.cg|.cs|.cv|.lu|.wb|.wt)?"),
    ("L1", "(.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate)?"),
    ("L2", "(.L2::64B|.L2::128B|.L2::256B)?"),
    ("vec", "(.v2|.v4|.v8)?"),
    ("sem", "(.relaxed|.acquire|.release|.acq_rel)?{scope}{space}"),
    ("geometry", "(.1d|.2d|.3d|.a1d|.a2d)"),
];

struct PatternPart<'a> {
    choices: Vec<&'a str>,
    is_optional: bool,
}

fn parse_pattern<'a>(mut pattern: &'a str, out: &mut Vec<PatternPart<'a>>) {
    while !pattern.is_empty() {
        if let Some(rest) = pattern.strip_prefix('{') {
            let (class, after) = rest.split_once('}').expect("a closing brace");
            let known = PATTERN_CLASSES.iter().find(|(name, _)| *name == class);
            parse_pattern(known.unwrap_or_else(|| panic!("the class {class}")).1, out);
            pattern = after;
        } else if let Some(rest) = pattern.strip_prefix('(') {
            let (choices, after) = rest.split_once(')').expect("a closing bracket");
            pattern = after;
            out.push(PatternPart { choices: choices.split('|').collect(), is_optional: false });
        } else {
            let end = 1 + pattern[1..].find(['.', '(', '{', '?']).unwrap_or(pattern.len() - 1);
            out.push(PatternPart { choices: vec![&pattern[..end]], is_optional: false });
            pattern = &pattern[end..];
        }
        if let Some(after) = pattern.strip_prefix('?') {
            out.last_mut().expect("a part").is_optional = true;
            pattern = after;
        }
    }
}

fn matches_parts(parts: &[PatternPart], modifiers: &str) -> bool {
    let Some((first, rest)) = parts.split_first() else { return modifiers.is_empty() };
    let taken = first.choices.iter().filter_map(|choice| modifiers.strip_prefix(choice));
    // A modifier ends where the next one begins.
    let mut taken = taken.filter(|left| left.is_empty() || left.starts_with('.'));
    taken.any(|left| matches_parts(rest, left)) || (first.is_optional && matches_parts(rest, modifiers))
}

/// Returns whether one of the patterns allows these modifiers, each of which begins with a dot.
pub fn matches_any_pattern(patterns: &[&str], modifiers: &str) -> bool {
    patterns.iter().any(|pattern| {
        let mut all = Vec::new();
        parse_pattern(pattern, &mut all);
        matches_parts(&all, modifiers)
    })
}

/// Returns whether `name` is one of a row's `names`, which spaces separate.
pub fn is_named(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

pub fn split_opcode(opcode: &str) -> (&str, &str) {
    opcode.split_at(opcode.find('.').unwrap_or(opcode.len()))
}

pub fn find_alu_row(opcode: &str) -> Option<&'static AluRow> {
    let (name, modifiers) = split_opcode(opcode);
    let mut rows = ALU_TABLES.iter().copied().flatten().filter(|row| is_named(row.names, name));
    rows.find(|row| matches_any_pattern(row.patterns, modifiers))
}

pub fn alu_op_of(text: &str) -> AluOp {
    let opcode = Opcode::parse_opcode(text);
    let row = find_alu_row(text).unwrap_or_else(|| panic!("{text} is not in the table"));
    (row.select_op)(&opcode).with_flags(opcode.flags)
}

fn for_each_choice(parts: &[PatternPart], opcode: &str, each: &mut impl FnMut(&str)) {
    let Some((first, rest)) = parts.split_first() else { return each(opcode) };
    for choice in first.choices.iter().copied().chain(first.is_optional.then_some("")) {
        for_each_choice(rest, &format!("{opcode}{choice}"), each);
    }
}

/// Panics if the tables allow an opcode that has no function. Only a test calls this.
pub fn select_every_alu_op() {
    for row in ALU_TABLES.iter().copied().flatten() {
        for pattern in row.patterns {
            let mut parts = Vec::new();
            parse_pattern(pattern, &mut parts);
            for name in row.names.split(' ') {
                for_each_choice(&parts, name, &mut |opcode| {
                    assert!((row.select_op)(&Opcode::parse_opcode(opcode)).result_bit_width() > 0)
                });
            }
        }
    }
}
