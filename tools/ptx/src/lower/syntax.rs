//! The patterns of the table: `(.lo|.hi){int}` is one of two modifiers and then one of the integers' types, `.ftz?` may be missing.

use crate::values::{Compute, Form, TABLES, Value};

/// The meaning of a name in braces.
const CLASSES: &[(&str, &str)] = &[
    ("pairs", "(.u16x2|.s16x2)"),
    ("int", "(.u16|.u32|.u64|.s16|.s32|.s64)"),
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
    ("relation", "(.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan)"),
    ("and", "(.and|.or|.xor)"),
    ("scope", "(.cta|.cluster|.gpu|.sys)?"),
    ("space", "(.global|.const|.shared|.shared::cta|.local|.param|.param::entry|.param::func)?"),
    ("cache", "(.ca|.cg|.cs|.cv|.lu|.wb|.wt)?"),
    ("L1", "(.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate)?"),
    ("L2", "(.L2::64B|.L2::128B|.L2::256B)?"),
    ("vec", "(.v2|.v4|.v8)?"),
    ("sem", "(.relaxed|.acquire|.release|.acq_rel)?{scope}{space}"),
    ("geometry", "(.1d|.2d|.3d|.a1d|.a2d)"),
];

/// A part of a pattern: its choices, and whether it may be missing.
struct Part<'a> {
    choices: Vec<&'a str>,
    is_optional: bool,
}

fn parts<'a>(mut pattern: &'a str, out: &mut Vec<Part<'a>>) {
    while !pattern.is_empty() {
        if let Some(rest) = pattern.strip_prefix('{') {
            let (class, after) = rest.split_once('}').expect("a closing brace");
            let known = CLASSES.iter().find(|(name, _)| *name == class);
            parts(known.unwrap_or_else(|| panic!("the class {class}")).1, out);
            pattern = after;
        } else if let Some(rest) = pattern.strip_prefix('(') {
            let (choices, after) = rest.split_once(')').expect("a closing bracket");
            pattern = after;
            out.push(Part { choices: choices.split('|').collect(), is_optional: false });
        } else {
            let end = 1 + pattern[1..].find(['.', '(', '{', '?']).unwrap_or(pattern.len() - 1);
            out.push(Part { choices: vec![&pattern[..end]], is_optional: false });
            pattern = &pattern[end..];
        }
        if let Some(after) = pattern.strip_prefix('?') {
            out.last_mut().expect("a part").is_optional = true;
            pattern = after;
        }
    }
}

fn follows(parts: &[Part], modifiers: &str) -> bool {
    let Some((first, rest)) = parts.split_first() else { return modifiers.is_empty() };
    let taken = first.choices.iter().filter_map(|choice| modifiers.strip_prefix(choice));
    // A modifier ends where the next one begins.
    let mut taken = taken.filter(|left| left.is_empty() || left.starts_with('.'));
    taken.any(|left| follows(rest, left)) || (first.is_optional && follows(rest, modifiers))
}

/// Returns whether one of the patterns allows these modifiers, each of which begins with a dot.
pub fn allow(patterns: &[&str], modifiers: &str) -> bool {
    patterns.iter().any(|pattern| {
        let mut all = Vec::new();
        parts(pattern, &mut all);
        follows(&all, modifiers)
    })
}

/// An opcode's name and its modifiers.
pub fn split(opcode: &str) -> (&str, &str) {
    opcode.split_at(opcode.find('.').unwrap_or(opcode.len()))
}

/// Returns the row of the tables of values that allows an opcode.
pub fn value(opcode: &str) -> Option<&'static Value> {
    let (name, modifiers) = split(opcode);
    let mut rows = TABLES.iter().copied().flatten().filter(|row| row.name == name);
    rows.find(|row| allow(row.takes, modifiers))
}

/// Returns what an opcode of the tables of values computes.
pub fn compute(opcode: &str) -> Compute {
    let form = Form::new(opcode);
    let compute = value(opcode).and_then(|row| (row.choose)(&form));
    compute.unwrap_or_else(|| panic!("{opcode} is not in the table")).with(form.flags)
}

/// Returns whether a pattern has a modifier among its choices.
pub fn mentions(pattern: &str, modifier: &str) -> bool {
    let mut all = Vec::new();
    parts(pattern, &mut all);
    all.iter()
        .flat_map(|part| &part.choices)
        .any(|choice| choice[1..].split('.').any(|part| part == modifier))
}
