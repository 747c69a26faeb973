//! Loads, stores, atomic operations, addresses, surfaces and textures.

use super::lowering::Lowering;
use super::names::Name;
use super::operands::TRUTH;
use crate::error::Result;
use crate::parse::{Number, Operand};
use crate::program::{Atomic, Geometry, Operation, Outside, Source, Space, Texels};
use crate::spaces::{self, LOCAL, PARAMETERS, SHARED, WINDOW};
use crate::values::{Form, LONG, Sort, Type, WORD, lanes};

/// The spaces, each with its window of generic addresses. Constants are in global memory.
const SPACES: &[(&str, (Space, u64))] = &[
    ("global", (Space::Global, 0)),
    ("const", (Space::Global, 0)),
    ("shared", (Space::Shared, SHARED)),
    ("shared::cta", (Space::Shared, SHARED)),
    ("local", (Space::Local, LOCAL)),
    ("param", (Space::Parameters, PARAMETERS)),
    ("param::entry", (Space::Parameters, PARAMETERS)),
    ("param::func", (Space::Parameters, PARAMETERS)),
];
const VECTORS: &[(&str, usize)] = &[("v2", 2), ("v4", 4), ("v8", 8)];

fn space_of(form: &Form) -> Space {
    form.one(SPACES).map_or(Space::Generic, |(space, _)| space)
}

pub fn load<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let kind = form.kind();
    let address = lowering.place(&operands[1], space_of(form))?;
    let list = lowering.vector(&operands[0], form.one(VECTORS).unwrap_or(1))?;
    let to = list.iter().map(|to| lowering.register_or_wider(to, kind.want())).collect::<Result<_>>()?;
    lowering.push(Operation::Load { address, bytes: kind.bytes(), signed: kind.is_signed(), to });
    if form.has("acquire") {
        lowering.push(Operation::Fence);
    }
    Ok(())
}

pub fn store<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let kind = form.kind();
    let list = lowering.vector(&operands[1], form.one(VECTORS).unwrap_or(1))?;
    let from = list.iter().map(|from| lowering.source_or_wider(from, kind.want())).collect::<Result<_>>()?;
    let address = lowering.place(&operands[0], space_of(form))?;
    if form.has("release") {
        lowering.push(Operation::Fence);
    }
    lowering.push(Operation::Store { address, bytes: kind.bytes(), from });
    Ok(())
}

/// The operations of `atom`, `red` and `redux`.
pub const ATOMICS: &[(&str, Atomic)] = &[
    ("add", Atomic::Add),
    ("min", Atomic::Min),
    ("max", Atomic::Max),
    ("inc", Atomic::Inc),
    ("dec", Atomic::Dec),
    ("exch", Atomic::Exchange),
    ("cas", Atomic::Compare),
    ("and", Atomic::And),
    ("or", Atomic::Or),
    ("xor", Atomic::Xor),
];

pub fn atomic<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let (kind, operation) = (form.kind(), form.one(ATOMICS).unwrap_or(Atomic::Add));
    // `red` has no result.
    let (to, rest) = match (form.name, operands) {
        ("atom", [to, rest @ ..]) => (Some(lowering.to(to, kind.want())?), rest),
        _ => (None, operands),
    };
    if rest.len() != if operation == Atomic::Compare { 3 } else { 2 } {
        return lowering.arity(form, operands);
    }
    let b = lowering.source(&rest[1], kind.want())?;
    let c = rest.get(2).map_or(Ok(b), |c| lowering.source(c, kind.want()))?;
    let address = lowering.place(&rest[0], space_of(form))?;
    lowering.push(Operation::Atomic { address, operation, kind, to, b, c });
    Ok(())
}

/// `cp.async`
pub fn copy<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let Operand::Number(Number::Int(bytes @ (4 | 8 | 16))) = operands[2] else {
        return lowering.unsupported(form.opcode);
    };
    let given = lowering.optional(operands, 3)?;
    let to = lowering.place(&operands[0], Space::Shared)?;
    let from = lowering.place(&operands[1], Space::Global)?;
    lowering.push(Operation::Copy { to, from, bytes: bytes as usize, given });
    Ok(())
}

/// `cvta`
pub fn to_generic<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let window = form.one(SPACES).map_or(0, |(_, window)| window);
    let to = lowering.to(&operands[0], Type::U64.want())?;
    if let (Operand::Name(name), false) = (&operands[1], form.has("to")) {
        if let Ok(Name::Frame(offset)) = lowering.find(name) {
            lowering.push(Operation::Frame { to, offset, window: LOCAL << WINDOW });
            return Ok(());
        }
    }
    let from = lowering.source(&operands[1], Type::U64.want())?;
    // A function's parameters are in its frame.
    let window = if window == PARAMETERS && !lowering.is_entry { LOCAL } else { window };
    let (compute, operand) = match (window, form.has("to")) {
        (0, _) => (lanes!(|a: u64| a), from),
        (_, true) => (lanes!(|a: u64, b: u64| a & b), lowering.constant(!(0xffff << WINDOW))),
        (_, false) => (lanes!(|a: u64, b: u64| a | b), lowering.constant(window << WINDOW)),
    };
    lowering.compute(compute, to, &[from, operand]);
    Ok(())
}

/// `isspacep`
pub fn is_in_space<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    // The windows, a bit for each. Constants are in global memory: what is one is not known.
    let windows =
        [("global", 1), ("shared", 2), ("shared::cta", 2), ("local", 4), ("param", 8), ("param::entry", 8)];
    let windows = form.one(&windows).unwrap_or(0);
    let to = lowering.to(&operands[0], TRUTH)?;
    let from = lowering.source(&operands[1], Type::U64.want())?;
    let is_in = lanes!(|flags; a: u64| flags >> spaces::window(a) & 1 != 0);
    lowering.compute(is_in.with(windows), to, &[from]);
    Ok(())
}

const GEOMETRIES: &[(&str, Geometry)] = &[
    ("1d", Geometry { dimensions: 1, layered: false }),
    ("2d", Geometry { dimensions: 2, layered: false }),
    ("3d", Geometry { dimensions: 3, layered: false }),
    ("a1d", Geometry { dimensions: 1, layered: true }),
    ("a2d", Geometry { dimensions: 2, layered: true }),
];

/// The object of `[object]` or `[object, {x, y}]`, and the coordinates. The older references by name are refused.
fn object<'a>(
    lowering: &mut Lowering<'a>,
    form: &Form,
    operand: &Operand<'a>,
    sort: Sort,
) -> Result<(Source, Geometry, [Source; 4])> {
    let Operand::Address(parts, 0) = operand else { return lowering.invalid("an image expected") };
    let object = match &parts[0] {
        Operand::Name(name) if matches!(lowering.find(name)?, Name::Register(..)) => {
            lowering.source(&parts[0], LONG)?
        }
        _ => return lowering.unsupported("an image that is not an object in a register"),
    };
    let Some(geometry) = form.one(GEOMETRIES) else { return Ok((object, GEOMETRIES[0].1, [0; 4])) };
    let list = match &parts[1..] {
        [Operand::Vector(list)] => list.as_slice(),
        [one] => std::slice::from_ref(one),
        _ => return lowering.unsupported("an image with offsets or another reference value"),
    };
    let least = geometry.dimensions + usize::from(geometry.layered);
    // Three coordinates are padded to four.
    if list.len() < least || list.len() > 4 {
        return lowering.invalid(format!("{least} coordinates expected"));
    }
    let mut at = [0; 4];
    for (index, (at, operand)) in at.iter_mut().zip(list).enumerate() {
        let is_layer = geometry.layered && index == 0;
        *at = lowering.source(operand, (32, if is_layer { Sort::Bits } else { sort }))?;
    }
    let first = at[0];
    at[list.len()..].fill(first);
    Ok((object, geometry, at))
}

/// `suld`, `sust`, `tex`, `suq` and `txq`
pub fn image<'a>(lowering: &mut Lowering<'a>, form: &Form, operands: &[Operand<'a>]) -> Result {
    let bytes = form.kind().bytes();
    let outside = [("trap", Outside::Trap), ("clamp", Outside::Clamp), ("zero", Outside::Zero)];
    let outside = form.one(&outside).unwrap_or(Outside::Trap);
    let integers = form.kind() == Type::S32;
    let (place, results, what) = match form.name {
        "suld" => (1, 0, Texels::Load(bytes, outside)),
        "sust" => (0, 1, Texels::Store(bytes, outside)),
        "tex" => {
            if form.has("level") == (operands.len() == 2) {
                return lowering.unsupported(form.opcode);
            }
            // The level of integer coordinates is an integer.
            let sort = form.kind().sort();
            let level = operands.get(2).map(|level| lowering.source(level, (32, sort))).transpose()?;
            (1, 0, Texels::Sample { integers, level })
        }
        _ => {
            let axis = form.one(&[("width", 0), ("height", 1), ("depth", 2)]).unwrap_or(0);
            (1, 0, Texels::Query { is_surface: form.name == "suq", axis })
        }
    };
    let sort = if form.name == "tex" { form.kind().sort() } else { Sort::Integer };
    let (object, geometry, at) = object(lowering, form, &operands[place], sort)?;
    let texel = (form.kind().bits().max(16), Sort::Bits);
    let list = lowering.vector(&operands[results], form.one(VECTORS).unwrap_or(1))?;
    let mut registers = Vec::new();
    for operand in list {
        registers.push(match what {
            Texels::Store(..) => lowering.source(operand, texel)?,
            Texels::Load(..) => lowering.to(operand, texel)?,
            _ => lowering.to(operand, WORD)?,
        });
    }
    lowering.push(Operation::Image { what, object, geometry, at, registers: registers.into() });
    Ok(())
}
