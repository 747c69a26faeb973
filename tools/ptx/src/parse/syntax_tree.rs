//! The syntax tree of a PTX text. Names are slices of the text.

use super::tokenizer::NumberLiteral;

#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    Name(&'a str),
    /// One register of a vector register: `%v.y` is number 1 of `%v`.
    Component(&'a str, u32),
    Not(&'a str),
    Number(NumberLiteral),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// `(a, b)` of a call.
    List(Vec<Operand<'a>>),
    /// An address in a variable, `a+4` or `a[1]`: the variable's name, and the offset in bytes.
    Within(&'a str, i64),
    /// `a[%r+1]`: a variable, the size of its elements, the register with the index, and the number added to the index.
    Element(&'a str, u32, &'a str, i64),
    /// `[a+4]`, or with coordinates `[a, {x, y}]`.
    Address(Vec<Operand<'a>>, i64),
    /// `p|q`
    Pair(Box<[Operand<'a>; 2]>),
}

#[derive(Clone, Debug)]
pub struct ParsedInstruction<'a> {
    pub line: u32,
    /// The predicate, and whether it is negated.
    pub guard: Option<(&'a str, bool)>,
    pub opcode: &'a str,
    pub operands: Vec<Operand<'a>>,
}

#[derive(Clone, Debug)]
pub enum Statement<'a> {
    Label(&'a str),
    Instruction(ParsedInstruction<'a>),
    /// A variable, or registers: `.reg .b32 %r<5>` or `.reg .v2 .b32 %v`.
    Variable(ParsedVariable<'a>),
    Block(Vec<Statement<'a>>),
    /// A list of labels for `brx.idx`.
    Targets(&'a str, Vec<&'a str>),
}

/// The number of the linker's input that declares a name, and whether the name is local to this input, weak or extern.
/// The first input has the number 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolLinkage {
    pub input: u32,
    pub is_local: bool,
    pub is_weak: bool,
    pub is_extern: bool,
}

impl SymbolLinkage {
    /// Returns the number of the input that alone sees the name, or 0 if all inputs see the name.
    pub fn private_to_input(self) -> u32 {
        if self.is_local { self.input } else { 0 }
    }

    /// Returns whether two declarations of one name with these linkages declare the same symbol.
    pub fn is_same_symbol(self, other: Self) -> bool {
        self.input == other.input || (!self.is_local && !other.is_local)
    }
}

#[derive(Clone, Debug, Default)]
pub struct ParsedVariable<'a> {
    pub line: u32,
    pub linkage: SymbolLinkage,
    pub space: &'a str,
    pub name: &'a str,
    pub kind: &'a str,
    pub alignment: usize,
    pub size: usize,
    /// The number of variables: 2 in `.param .b64 %p<2>`.
    pub count: Option<u32>,
    /// The number of elements of a vector, or 1.
    pub vector: u32,
    /// The initial values, each with the size of `kind`.
    pub values: Vec<InitialValue<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InitialValue<'a> {
    Number(NumberLiteral),
    /// The address of a variable or a function, by name, and the number of bytes added to the address.
    Address(&'a str, i64),
}

#[derive(Clone, Debug, Default)]
pub struct ParsedFunction<'a> {
    pub line: u32,
    pub linkage: SymbolLinkage,
    pub name: &'a str,
    pub is_entry: bool,
    pub parameters: Vec<ParsedVariable<'a>>,
    pub results: Vec<ParsedVariable<'a>>,
    pub body: Option<Vec<Statement<'a>>>,
    /// The only allowed block size: `.reqntid`.
    pub required: Option<[u32; 3]>,
    /// The largest number of threads in a block: the product of the sizes of `.maxntid` or `.reqntid`.
    pub most: Option<u32>,
    /// The line and the name of a directive that this interpreter does not support.
    pub refused: Option<(u32, &'a str)>,
}

#[derive(Clone, Debug, Default)]
pub struct ParsedModule<'a> {
    pub version: f64,
    pub target: &'a str,
    /// Whether `.target` has the option `debug`.
    pub is_debug: bool,
    pub variables: Vec<ParsedVariable<'a>>,
    pub functions: Vec<ParsedFunction<'a>>,
}

/// Returns the size of a type in bytes. Most names contain the number of bits: the size is 4 for `u32` and for `f16x2`.
pub fn type_bytes(kind: &str) -> Option<usize> {
    let kind = kind.trim_start_matches('.');
    match kind {
        "pred" => return Some(1),
        "texref" | "surfref" | "samplerref" => return Some(8),
        _ => {}
    }
    let digits = kind.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let (bits, times) = digits.split_once('x').unwrap_or((digits, "1"));
    let size = bits.parse::<usize>().ok()? / 8 * times.parse::<usize>().ok()?;
    (1..=16).contains(&size).then_some(size)
}
