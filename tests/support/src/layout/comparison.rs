//! Compares bindings with a C header: the declarations, and the numbers that rustc and the C compiler compute for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use build_script::surface::model::{BindingsModel, CFunction};

use super::compilers;
use super::facts::{self, FactKind, FactSubject, LayoutFact};
use super::header::ParsedHeader;

/// Bindings that the crate was compiled with, and rustc's number for each fact.
pub struct CompiledBindings {
    pub bindings: BindingsModel,
    pub facts: Vec<LayoutFact>,
    pub numbers: Vec<u64>,
}

/// A header's numbers for the facts about the bindings, and the header's items that the bindings lack.
pub struct HeaderFacts {
    /// The C compiler's number for each fact about the bindings, or `None` if the header does not declare the item.
    pub numbers: Vec<Option<u64>>,
    /// The items that the header declares and the bindings lack.
    pub missing: Vec<FactSubject>,
}

pub enum LayoutProblem {
    /// The header declares the item, and the bindings do not.
    Missing(FactSubject),
    /// The bindings declare the item, and the header does not.
    Added(FactSubject),
    /// The numbers in C and Rust differ: 0 in C and 1 in Rust for a `Type`, `Signature`, `Pointer` or `MacroName`.
    Differs { fact: LayoutFact, c: u64, rust: u64 },
}

impl fmt::Display for LayoutProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(about) => write!(f, "missing: {about:?}"),
            Self::Added(about) => write!(f, "not in C: {about:?}"),
            Self::Differs { fact: LayoutFact { kind, about, .. }, c, rust } => {
                write!(f, "{kind} of {about}: {c} in C and {rust} in Rust")
            }
        }
    }
}

/// Reads the items of the bindings, and `CUmemLocation`, which src/bindings.rs declares by hand.
pub fn parse_bindings_text(text: &str) -> BindingsModel {
    let by_hand = include_str!("../../../../src/bindings.rs");
    let from = by_hand.find("#[repr(C)]").expect("the struct has a representation");
    let length = by_hand[from..].find("\n}\n").expect("the struct ends") + 3;
    let read = |text: &str| {
        BindingsModel::parse_bindings(text).unwrap_or_else(|error| panic!("unknown item: {error}"))
    };
    let mut bindings = read(text);
    bindings.records.extend(read(&by_hand[from..from + length]).records);
    bindings
}

impl CompiledBindings {
    pub fn compile_bindings(text: &str, directory: &Path) -> Self {
        let bindings = parse_bindings_text(text);
        let facts = facts::all_facts(&bindings);
        let numbers = compilers::ask_rustc(&facts, text, directory);
        Self { bindings, facts, numbers }
    }

    /// Asks the C compiler for the number of each fact about a declaration that the header has.
    pub fn facts_in_header(&self, include: &Path, directory: &Path) -> HeaderFacts {
        let header = compilers::parse_release_header(include);
        let mut numbers = vec![None; self.facts.len()];
        let mut counts = BTreeMap::new();
        for is_internal in [false, true] {
            let is_asked = |fact: &LayoutFact| {
                fact.is_in_internal_section() == is_internal && can_header_answer(&header, fact)
            };
            let asked = self.facts.iter().enumerate().filter(|(_, fact)| is_asked(fact));
            let (places, asked): (Vec<usize>, Vec<&LayoutFact>) = asked.unzip();
            let found = compilers::ask_c_compiler(&asked, is_internal, &header, include, directory);
            for (place, number) in places.into_iter().zip(found) {
                numbers[place] = Some(number);
                *counts.entry(self.facts[place].kind).or_insert(0) += 1;
            }
        }
        println!("{}: {counts:?}: {} numbers", include.display(), counts.values().sum::<u32>());
        // Some releases' directories have no cudaTypedefs.h.
        assert!(counts.len() >= 8, "some kinds are not compared");
        HeaderFacts { numbers, missing: missing_declarations(&header, &self.bindings, &self.facts) }
    }

    /// Compares a header with `numbers`: those of these bindings, or those of other bindings with the same facts.
    pub fn compare_with_header(&self, numbers: &[u64], header: &HeaderFacts) -> Vec<LayoutProblem> {
        let facts = self.facts.iter().zip(&header.numbers).zip(numbers);
        let in_both = facts.filter_map(|((fact, c), rust)| match c {
            // cudaTypedefs.h lacks some functions.
            None if fact.kind == FactKind::Pointer => None,
            None => Some(LayoutProblem::Added(fact.about.clone())),
            Some(c) if c == rust => None,
            // Microsoft's C has `int` for every enum; the bindings have the other compilers' sign on each target.
            Some(1) if fact.kind == FactKind::Sign && is_msvc() => None,
            Some(c) => Some(LayoutProblem::Differs { fact: fact.clone(), c: *c, rust: *rust }),
        });
        header.missing.iter().cloned().map(LayoutProblem::Missing).chain(in_both).collect()
    }
}

fn is_msvc() -> bool {
    compilers::cross_target().is_some_and(|target| target.ends_with("msvc"))
}

fn can_header_answer(header: &ParsedHeader, fact: &LayoutFact) -> bool {
    let is_in_typedefs = || !header.pointer_typedefs_of(&fact.about.to_string()).is_empty();
    header_declares(header, &fact.about) && (fact.kind != FactKind::Pointer || is_in_typedefs())
}

fn header_declares(header: &ParsedHeader, about: &FactSubject) -> bool {
    match about {
        FactSubject::Function(name, arguments) => header.parameters_of(name) == Some(arguments),
        FactSubject::Type(name) => header.identifiers.contains(name),
        FactSubject::Field(root, path) => header.fields_of(root).contains(path),
        FactSubject::Constant(name, Some(of)) => header.enumerators_of(of).contains(name),
        FactSubject::Constant(name, None) => header.macros.contains(name),
        // An older header may define `name` as a macro for an older function, but does not declare `symbol` then.
        FactSubject::MacroName(name, symbol) => {
            header.identifiers.contains(symbol) && header.macros.contains(name)
        }
    }
}

/// Returns a header's fields, enumerators and signatures that the bindings' types and functions lack.
pub fn missing_declarations(
    header: &ParsedHeader,
    bindings: &BindingsModel,
    facts: &[LayoutFact],
) -> Vec<FactSubject> {
    let fields = bindings.records.iter().flat_map(|record| {
        header
            .fields_of(&record.name)
            .iter()
            .map(|path| FactSubject::Field(record.name.clone(), path.clone()))
    });
    let enumerators = bindings.enums.iter().flat_map(|an_enum| {
        let about = |name: &String| FactSubject::Constant(name.clone(), Some(an_enum.name.clone()));
        header.enumerators_of(&an_enum.name).iter().map(about)
    });
    let functions = bindings.functions.iter().filter_map(|CFunction { name, .. }| {
        Some(FactSubject::Function(name.clone(), header.parameters_of(name)?.to_owned()))
    });
    let known: BTreeSet<&FactSubject> = facts.iter().map(|fact| &fact.about).collect();
    // src/bindings.rs leaves this field out on purpose.
    let is_left_out = |about: &FactSubject| about.to_string().starts_with("CUmemLocation.localized");
    let all = fields.chain(enumerators).chain(functions);
    all.filter(|about| !known.contains(about) && !is_left_out(about)).collect()
}
