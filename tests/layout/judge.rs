//! The verdict on one set of bindings against one header.

use std::fmt;
use std::path::Path;

use super::allowlist;
use super::compilers::{self, Bindings};
use super::facts::{self, About, Fact, Kind};
use super::header::{self, Header, Member};
use super::inventory::{self, Inventory, Record};

/// What was wrong, and which check says so.
#[derive(Clone, Debug)]
pub struct Problem {
    pub check: &'static str,
    pub what: String,
}

impl Problem {
    fn new(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.what)
    }
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub types: usize,
    pub fields: usize,
    pub constants: usize,
    pub signatures: usize,
    /// Signatures that cudaTypedefs.h was asked about as well.
    pub witnessed: usize,
    pub numbers: usize,
}

impl Counts {
    /// A comparison of nothing is no comparison.
    pub fn are_whole(&self) -> bool {
        let Self { types, fields, constants, signatures, .. } = *self;
        [types, fields, constants, signatures].iter().all(|count| *count > 0)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { types, fields, constants, signatures, witnessed, numbers } = self;
        write!(
            f,
            "{types} types, {fields} fields, {constants} constants, {signatures} signatures \
             ({witnessed} also by cudaTypedefs.h): {numbers} numbers"
        )
    }
}

/// A crate that is compiled with its bindings, and rustc's numbers for all that it declares.
pub struct Compiled {
    pub inventory: Inventory,
    facts: Vec<Fact>,
    numbers: Vec<u64>,
}

impl Compiled {
    /// What the facts are about, each once.
    pub fn items(&self) -> Vec<&About> {
        let mut items: Vec<&About> = self.facts.iter().map(|fact| &fact.about).collect();
        items.sort();
        items.dedup();
        items
    }
}

pub fn compile(bindings: &Bindings, folder: &Path) -> Result<Compiled, Problem> {
    let inventory = read(bindings)?;
    let refused = |words| Problem::new("rustc refuses", words);
    let rlib = compilers::compile_crate(bindings, folder).map_err(refused)?;
    let facts = facts::facts(&inventory);
    let asked: Vec<&Fact> = facts.iter().collect();
    let numbers = compilers::rust_numbers(&asked, &rlib, folder).map_err(refused)?;
    Ok(Compiled { inventory, facts, numbers })
}

/// The items of the bindings, with the struct that src/ writes by hand.
pub fn read(bindings: &Bindings) -> Result<Inventory, Problem> {
    let by_hand = include_str!("../../src/bindings/location.rs");
    inventory::read(&bindings.text, by_hand).map_err(|error| Problem::new("unknown item", error))
}

/// Compares bindings with the header that they were generated from.
pub fn verdict(bindings: &Bindings, include: &Path, folder: &Path) -> (Counts, Vec<Problem>) {
    let (header, inventory) = match (header_of(include), read(bindings)) {
        (Ok(header), Ok(inventory)) => (header, inventory),
        (Err(problem), _) | (_, Err(problem)) => return (Counts::default(), vec![problem]),
    };
    let mut problems = lacking(&inventory, &header);
    match compile(bindings, folder) {
        Ok(compiled) => {
            let (counts, differences) = compare(&compiled, &header, include, folder, |_| true);
            problems.extend(differences);
            (counts, problems)
        }
        Err(problem) => {
            problems.push(problem);
            (Counts::default(), problems)
        }
    }
}

/// Compares with what an older header has of the bindings.
pub fn shared(compiled: &Compiled, header: &Header, include: &Path, folder: &Path) -> (Counts, Vec<Problem>) {
    compare(compiled, header, include, folder, |about| has(header, about))
}

pub fn header_of(include: &Path) -> Result<Header, Problem> {
    compilers::header(include).map_err(|words| Problem::new("C compiler refuses", words))
}

fn compare(
    compiled: &Compiled,
    header: &Header,
    include: &Path,
    folder: &Path,
    wanted: impl Fn(&About) -> bool,
) -> (Counts, Vec<Problem>) {
    let witnesses = facts::witnesses(&compiled.inventory, header);
    let ours = compiled.facts.iter().zip(compiled.numbers.iter().copied());
    let theirs = witnesses.iter().map(|fact| (fact, 1));
    let asked: Vec<(&Fact, u64)> = ours.chain(theirs).filter(|(fact, _)| wanted(&fact.about)).collect();
    let facts: Vec<&Fact> = asked.iter().map(|(fact, _)| *fact).collect();
    let c = match compilers::c_numbers(&facts, include, folder) {
        Ok(numbers) => numbers,
        Err(words) => return (Counts::default(), vec![Problem::new("C compiler refuses", words)]),
    };
    let differ = asked.iter().zip(&c).filter(|((_, rust), c)| rust != *c);
    let problems = differ.map(|((fact, rust), c)| {
        let (check, what) = (check(fact.kind), &fact.what);
        match fact.kind {
            Kind::Type | Kind::Signature | Kind::Witness => Problem::new(check, format!("{what} is another")),
            _ => Problem::new(check, format!("{what} is {c} in C and {rust} in Rust")),
        }
    });
    let opaque = compiled.inventory.opaque.iter().filter(|tag| wanted(&About::Type(tag.to_string())));
    (count(&facts, opaque.count()), problems.collect())
}

fn check(kind: Kind) -> &'static str {
    match kind {
        Kind::Size => "size",
        Kind::Align => "alignment",
        Kind::Offset => "offset",
        Kind::Type => "C type",
        Kind::Sign => "enum's sign",
        Kind::Value => "value",
        Kind::Signature => "signature",
        Kind::Witness => "cudaTypedefs.h",
    }
}

/// What handles point to is compared as the target of their pointer types, and has no size.
fn count(facts: &[&Fact], opaque: usize) -> Counts {
    let of = |kind| facts.iter().filter(|fact| fact.kind == kind).count();
    Counts {
        types: of(Kind::Align) + opaque,
        fields: of(Kind::Offset),
        constants: of(Kind::Value),
        signatures: of(Kind::Signature),
        witnessed: of(Kind::Witness),
        numbers: facts.len(),
    }
}

/// Whether a header has it.
pub fn has(header: &Header, about: &About) -> bool {
    match about {
        About::Type(name) | About::Function(name) => header.has(name.strip_suffix("_ptsz").unwrap_or(name)),
        About::Constant(name) => header.has(name) || header.macros.contains(name),
        About::Field(record, path) => {
            header.record(record).is_some_and(|members| header::find(members, path).is_some())
        }
    }
}

/// Members that src/bindings/location.rs leaves out on purpose.
const LEFT_OUT: &[(&str, &str)] = &[("CUmemLocation", "localized")];

/// What the header has and the bindings lack: members, enumerators, and names on the surface's list.
fn lacking(inventory: &Inventory, header: &Header) -> Vec<Problem> {
    let mut problems = Vec::new();
    for record in &inventory.records {
        if facts::c_name(inventory, &record.name).is_none() {
            // The owner's turn is its turn.
            continue;
        }
        let (root, path) = facts::place(inventory, record);
        let Some(members) = header.record(&root) else {
            problems.push(Problem::new("missing type", format!("the header has no {root}")));
            continue;
        };
        let members = if path.is_empty() {
            Some(members)
        } else {
            header::find(members, &path).map(|member| member.members.as_slice())
        };
        for member in members.unwrap_or_default() {
            problems.extend(lacking_member(inventory, record, member));
        }
    }
    for an_enum in &inventory.enums {
        let name = &an_enum.name;
        let ours = |enumerator: &&String| an_enum.values.iter().any(|(our, _)| our == *enumerator);
        let theirs = header.enumerators(name).unwrap_or_default();
        if theirs.is_empty() {
            problems.push(Problem::new("missing type", format!("the header has no enum {name}")));
        }
        let foreign = an_enum.values.iter().filter(|(our, _)| !theirs.contains(our));
        problems
            .extend(foreign.map(|(one, _)| Problem::new("another enum", format!("{one} is none of {name}"))));
        let missing = theirs.iter().filter(|enumerator| !ours(enumerator));
        problems.extend(missing.map(|one| Problem::new("missing constant", format!("{one} of {name}"))));
    }
    let functions = allowlist::FUNCTIONS.iter().map(|(name, _)| name);
    let functions = functions.filter(|name| has(header, &About::Function(name.to_string())));
    let functions = functions.filter(|name| !inventory.functions.iter().any(|our| our.name == **name));
    problems.extend(functions.map(|name| Problem::new("missing function", *name)));
    // Types alone do not tell a copy's target from its source.
    for function in &inventory.functions {
        let plain = function.name.strip_suffix("_ptsz").unwrap_or(&function.name);
        let theirs = header.parameters(plain).unwrap_or_default();
        let ours: Vec<&String> = function.arguments.iter().map(|(name, _)| name).collect();
        if theirs.iter().ne(ours.iter().copied()) {
            let what = format!("{} has {theirs:?} in C and {ours:?} in Rust", function.name);
            problems.push(Problem::new("argument names", what));
        }
    }
    let macros = allowlist::MACROS.iter().filter(|name| header.macros.contains(**name));
    let macros = macros.filter(|name| !inventory.macros.iter().any(|(our, _)| our == *name));
    problems.extend(macros.map(|name| Problem::new("missing constant", *name)));
    let names: Vec<&String> = inventory
        .records
        .iter()
        .map(|record| &record.name)
        .chain(inventory.enums.iter().map(|an_enum| &an_enum.name))
        .collect();
    let types =
        allowlist::TYPES.iter().filter(|name| header.has(name) && !names.iter().any(|our| our == *name));
    problems.extend(types.map(|name| Problem::new("missing type", *name)));
    problems
}

fn lacking_member(inventory: &Inventory, record: &Record, member: &Member) -> Vec<Problem> {
    let has = |record: &Record, name: &str| {
        record.fields.iter().any(|(field, _)| field == name || field.strip_suffix('_') == Some(name))
    };
    match &member.name {
        Some(name) if has(record, name) || LEFT_OUT.contains(&(&record.name, name)) => Vec::new(),
        Some(name) => vec![Problem::new("missing field", format!("{name} of {}", record.name))],
        // Its members are the owner's in C; here they may be a record of their own.
        None => {
            let named = facts::unnamed(record)
                .and_then(|field| {
                    let name = format!("{}_{field}", record.name);
                    inventory.records.iter().find(|record| record.name == name)
                })
                .unwrap_or(record);
            member.members.iter().flat_map(|inner| lacking_member(inventory, named, inner)).collect()
        }
    }
}
