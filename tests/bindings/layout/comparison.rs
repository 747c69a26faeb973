//! Compares bindings with a C header: what each declares, and what both compilers make of it.

use std::path::Path;

use super::allowlist;
use super::compilers::{self, Bindings};
use super::facts::{self, About, Fact, Kind};
use super::header::{self, Header, Member};
use super::inventory::{self, Inventory, Record};
pub use super::problem::{Counts, Difference, Problem};

/// Bindings that the crate was compiled with, and rustc's numbers for all that they declare.
pub struct Compiled {
    pub inventory: Inventory,
    pub facts: Vec<Fact>,
    pub numbers: Vec<u64>,
}

impl Compiled {
    /// What the facts are about, each once.
    pub fn items(&self) -> Vec<&About> {
        let mut items: Vec<&About> = self.facts.iter().map(|fact| &fact.about).collect();
        items.sort();
        items.dedup();
        items
    }

    /// The numbers of other bindings that declare the same and have other values, without compiling them. Nothing if they
    /// declare something else.
    pub fn with_values_of(&self, inventory: &Inventory) -> Option<Vec<u64>> {
        let mut same = inventory.clone();
        same.macros.clone_from(&self.inventory.macros);
        for (ours, theirs) in same.enums.iter_mut().zip(&self.inventory.enums) {
            ours.values.clone_from(&theirs.values);
        }
        let names = |inventory: &Inventory| -> Vec<String> {
            inventory::constants(inventory).map(|constant| constant.name.clone()).collect()
        };
        if same != self.inventory || names(inventory) != names(&self.inventory) {
            return None;
        }
        let mut values = inventory::constants(inventory).map(|constant| match constant.of {
            Some(_) => u64::from(constant.value as u32),
            None => constant.value as u64,
        });
        let number = |(fact, number): (&Fact, &u64)| match fact.kind {
            Kind::Value => values.next(),
            _ => Some(*number),
        };
        self.facts.iter().zip(&self.numbers).map(number).collect()
    }
}

pub fn compile(bindings: &Bindings, directory: &Path) -> Result<Compiled, Problem> {
    let inventory = read(bindings)?;
    let rlib = compilers::compile_crate(bindings, directory).map_err(Problem::Rustc)?;
    let facts = facts::facts(&inventory);
    let asked: Vec<&Fact> = facts.iter().collect();
    let numbers = compilers::rust_numbers(&asked, &rlib, directory).map_err(Problem::Rustc)?;
    Ok(Compiled { inventory, facts, numbers })
}

/// The items of the bindings, with the struct that src/ writes by hand.
pub fn read(bindings: &Bindings) -> Result<Inventory, Problem> {
    let by_hand = include_str!("../../../src/bindings/location.rs");
    inventory::read(&bindings.text, by_hand).map_err(Problem::Unknown)
}

/// Compares bindings with the newest header, from which they were generated.
pub fn problems(bindings: &Bindings, include: &Path, directory: &Path) -> (Counts, Vec<Problem>) {
    let (header, inventory) = match (header_of(include), read(bindings)) {
        (Ok(header), Ok(inventory)) => (header, inventory),
        (Err(problem), _) | (_, Err(problem)) => return (Counts::default(), vec![problem]),
    };
    let mut problems = missing(&inventory, &header);
    problems.extend(added(&inventory, &header));
    let compared = compile(bindings, directory)
        .and_then(|compiled| compare(&compiled, &compiled.numbers, &header, include, directory));
    match compared {
        Ok((counts, differences)) => {
            problems.extend(differences.into_iter().map(Problem::Differs));
            (counts, problems)
        }
        Err(problem) => {
            problems.push(problem);
            (Counts::default(), problems)
        }
    }
}

pub fn header_of(include: &Path) -> Result<Header, Problem> {
    compilers::header(include).map_err(Problem::CCompiler)
}

/// Compares numbers of what `compiled` declares with what the header has of it.
pub fn compare(
    compiled: &Compiled,
    numbers: &[u64],
    header: &Header,
    include: &Path,
    directory: &Path,
) -> Result<(Counts, Vec<Difference>), Problem> {
    let typedefs = facts::typedefs(&compiled.inventory, header);
    let ours = compiled.facts.iter().zip(numbers.iter().copied());
    let theirs = typedefs.iter().map(|fact| (fact, 1));
    let asked: Vec<(&Fact, u64)> = ours.chain(theirs).filter(|(fact, _)| has(header, &fact.about)).collect();
    let facts: Vec<&Fact> = asked.iter().map(|(fact, _)| *fact).collect();
    let c = compilers::c_numbers(&facts, include, directory).map_err(Problem::CCompiler)?;
    let differ = asked.iter().zip(c).filter(|((_, rust), c)| rust != c);
    let differences = differ.map(|((fact, rust), c)| Difference {
        kind: fact.kind,
        item: fact.item.clone(),
        about: fact.about.clone(),
        c,
        rust: *rust,
    });
    let opaque = compiled.inventory.opaque.iter().filter(|tag| has(header, &About::Type(tag.to_string())));
    Ok((count(&facts, opaque.count()), differences.collect()))
}

/// What handles point to is compared as the target of their pointer types, and has no size.
fn count(facts: &[&Fact], opaque: usize) -> Counts {
    let of = |kind| facts.iter().filter(|fact| fact.kind == kind).count();
    Counts {
        types: of(Kind::Align) + opaque,
        fields: of(Kind::Offset),
        constants: of(Kind::Value),
        signatures: of(Kind::Signature),
        typedefs: of(Kind::Typedef),
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
        // Every header that has the newest function of a name gives it that name.
        About::PlainName(plain) => {
            let listed = allowlist::FUNCTIONS.iter().find(|(_, name)| *name == Some(plain));
            listed.is_some_and(|(symbol, _)| header.has(symbol)) && header.macros.contains(plain)
        }
    }
}

/// Members that src/bindings/location.rs leaves out on purpose.
const LEFT_OUT: &[(&str, &str)] = &[("CUmemLocation", "localized")];

/// What the bindings have and the header lacks: types and enumerators. Nothing, where the header is the newest.
pub fn added(inventory: &Inventory, header: &Header) -> Vec<Problem> {
    let mut problems = Vec::new();
    for record in inventory.records.iter().filter(|record| inventory.owner(&record.name).is_none()) {
        if header.record(&record.name).is_none() {
            problems.push(Problem::missing("type in C", &record.name));
        }
    }
    for an_enum in &inventory.enums {
        let theirs = header.enumerators(&an_enum.name).unwrap_or_default();
        let foreign = an_enum.values.iter().filter(|(our, _)| !theirs.contains(our));
        let name = &an_enum.name;
        problems
            .extend(foreign.map(|(one, _)| Problem::missing("enumerator in C", format!("{one} of {name}"))));
    }
    problems
}

/// What the header has and the bindings lack: members, enumerators, and names on the allowlist.
pub fn missing(inventory: &Inventory, header: &Header) -> Vec<Problem> {
    let mut problems = Vec::new();
    for record in &inventory.records {
        if facts::c_name(inventory, &record.name).is_none() {
            // The owner's turn is its turn.
            continue;
        }
        let (root, path) = facts::place(inventory, record);
        let Some(members) = header.record(&root) else { continue };
        let members = if path.is_empty() {
            Some(members)
        } else {
            header::find(members, &path).map(|member| member.members.as_slice())
        };
        for member in members.unwrap_or_default() {
            problems.extend(missing_member(inventory, record, member));
        }
    }
    for an_enum in &inventory.enums {
        let name = &an_enum.name;
        let ours = |enumerator: &&String| an_enum.values.iter().any(|(our, _)| our == *enumerator);
        let theirs = header.enumerators(name).unwrap_or_default();
        let missing = theirs.iter().filter(|enumerator| !ours(enumerator));
        problems.extend(missing.map(|one| Problem::missing("constant", format!("{one} of {name}"))));
    }
    let functions = allowlist::FUNCTIONS.iter().map(|(name, _)| name);
    let functions = functions.filter(|name| has(header, &About::Function(name.to_string())));
    let functions = functions.filter(|name| !inventory.functions.iter().any(|our| our.name == **name));
    problems.extend(functions.map(|name| Problem::missing("function", *name)));
    // Types alone do not tell a copy's target from its source.
    for function in &inventory.functions {
        let plain = function.name.strip_suffix("_ptsz").unwrap_or(&function.name);
        let Some(theirs) = header.parameters(plain) else { continue };
        let ours: Vec<&String> = function.arguments.iter().map(|(name, _)| name).collect();
        if theirs.iter().ne(ours.iter().copied()) {
            let ours = ours.into_iter().cloned().collect();
            let c = theirs.to_vec();
            problems.push(Problem::ArgumentNames { function: function.name.clone(), c, rust: ours });
        }
    }
    let macros = allowlist::MACROS.iter().filter(|name| header.macros.contains(**name));
    let macros = macros.filter(|name| !inventory.macros.iter().any(|(our, _)| our == *name));
    problems.extend(macros.map(|name| Problem::missing("constant", *name)));
    let names: Vec<&String> = inventory
        .records
        .iter()
        .map(|record| &record.name)
        .chain(inventory.enums.iter().map(|an_enum| &an_enum.name))
        .collect();
    let types =
        allowlist::TYPES.iter().filter(|name| header.has(name) && !names.iter().any(|our| our == *name));
    problems.extend(types.map(|name| Problem::missing("type", *name)));
    problems
}

fn missing_member(inventory: &Inventory, record: &Record, member: &Member) -> Vec<Problem> {
    let has = |record: &Record, name: &str| {
        record.fields.iter().any(|(field, _)| field == name || field.strip_suffix('_') == Some(name))
    };
    match &member.name {
        Some(name) if has(record, name) || LEFT_OUT.contains(&(&record.name, name)) => Vec::new(),
        Some(name) => vec![Problem::missing("field", format!("{name} of {}", record.name))],
        // Its members are the owner's in C; here they may be a record of their own.
        None => {
            let named = facts::unnamed(record)
                .and_then(|field| {
                    let name = format!("{}_{field}", record.name);
                    inventory.records.iter().find(|record| record.name == name)
                })
                .unwrap_or(record);
            member.members.iter().flat_map(|inner| missing_member(inventory, named, inner)).collect()
        }
    }
}
