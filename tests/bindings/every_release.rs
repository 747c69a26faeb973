//! The bindings are what the C compiler sees in the header: every size, alignment, offset, constant and signature, for this
//! build's own header and for every release in target/headers.
//!
//! rustc compiles the embedded bindings once. Those that are generated from another release must declare the same, with
//! other values, and are then compared with their header by rustc's numbers and their own values.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use libtest_mimic::Trial;

use crate::layout::allowlist;
use crate::layout::comparison::{self, Compiled, Difference, Problem};
use crate::layout::facts::{About, Kind};
use crate::layout::header::Header;
use crate::layout::inventory::{Inventory, Type};
use crate::layout::releases;
use crate::{since, support};
use support::Need;

pub fn all() -> Vec<Trial> {
    let cc = Need::new("c-compiler", &support::compiler());
    let libclang = Need::new("libclang", &support::libclang());
    let bindgen = Need::feature("bindgen", cfg!(feature = "bindgen"));
    let this = Need::new("headers", &releases::this_builds_header());
    let test = |name: &str, needs: &[Need], run: Box<dyn FnOnce() + Send>| {
        support::test(&format!("every_release::{name}"), needs, run)
    };
    let mut trials = vec![test("this_build", &[cc.clone(), this], Box::new(this_build))];
    trials.push(test("layouts_of_the_build_script", &[], Box::new(layouts_of_the_build_script)));
    for release in releases::all() {
        let header = Need::new("headers", &support::headers(release));
        let needs = [cc.clone(), libclang.clone(), bindgen.clone(), header];
        let name = format!("generated_from_{release}");
        trials.push(test(&name, &needs, Box::new(move || generated(release))));
    }
    trials.push(test("history", &[cc, every_header()], Box::new(since::compare)));
    trials
}

fn every_header() -> Need {
    let missing = releases::all().into_iter().find_map(|release| support::headers(release).err());
    Need::new("headers", &missing.map_or(Ok(()), Err))
}

/// The embedded bindings, compiled.
pub fn embedded() -> &'static Compiled {
    static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
        let compiled = comparison::compile(&releases::embedded(), &releases::directory("layout", "embedded"));
        compiled.unwrap_or_else(|problem| panic!("{problem}"))
    });
    &COMPILED
}

/// A header and the C compiler's differences from the embedded bindings.
pub struct Compared {
    pub header: Header,
    pub differences: Vec<Difference>,
}

/// Compares the embedded bindings with a release's header, once.
pub fn compared(release: &'static str) -> &'static Compared {
    static ALL: LazyLock<BTreeMap<&'static str, OnceLock<Compared>>> =
        LazyLock::new(|| releases::all().into_iter().map(|release| (release, OnceLock::new())).collect());
    ALL[release].get_or_init(|| {
        let include = support::headers(release).expect("the test needs it");
        let header = comparison::header_of(&include).unwrap_or_else(|problem| panic!("{problem}"));
        let directory = releases::directory("layout", release);
        let compared = comparison::compare(embedded(), &embedded().numbers, &header, &include, &directory);
        let (counts, differences) = compared.unwrap_or_else(|problem| panic!("{release}: {problem}"));
        println!("{release}: {counts}");
        assert!(counts.are_whole(), "nothing was compared with {release}");
        Compared { header, differences }
    })
}

/// build/generate/layout.rs, which older headers are checked by, against rustc's numbers.
fn layouts_of_the_build_script() {
    let text = releases::embedded().text;
    let bindings = crate::layout::model::Bindings::read(&text).unwrap_or_else(|error| panic!("{error}"));
    let layouts = crate::c_layout::Layouts { bindings: &bindings };
    let mut found = BTreeMap::new();
    // C counts the offsets in a member without a name from the owner's beginning.
    let is_unnamed =
        |name: &str| allowlist::UNNAMED.iter().any(|(owner, member)| name == format!("{owner}_{member}"));
    for record in bindings.records.iter().filter(|record| !is_unnamed(&record.name)) {
        let layout = layouts.of_record(record).unwrap_or_else(|error| panic!("{error}"));
        found.insert((Kind::Size, record.name.clone()), layout.size);
        found.insert((Kind::Align, record.name.clone()), layout.align);
        for field in layouts.fields(record).unwrap_or_else(|error| panic!("{error}")) {
            found.insert((Kind::Offset, format!("{}.{}", record.name, field.name)), field.offset);
            found.insert((Kind::Size, format!("{}.{}", record.name, field.name)), field.layout.size);
        }
    }
    for (name, ty) in &bindings.aliases {
        let layout = layouts.of(ty).unwrap_or_else(|error| panic!("{error}"));
        found.insert((Kind::Size, name.clone()), layout.size);
        found.insert((Kind::Align, name.clone()), layout.align);
    }
    let mut count = 0;
    for (fact, number) in embedded().facts.iter().zip(&embedded().numbers) {
        if let Some(layout) = found.get(&(fact.kind, fact.item.clone())) {
            assert_eq!(*layout as u64, *number, "{} of {}", fact.kind, fact.item);
            count += 1;
        }
    }
    assert!(count > 700, "only {count} numbers");
}

fn this_build() {
    let include = releases::this_builds_header().expect("the test needs it");
    let inventory = comparison::read(&releases::this_builds()).unwrap_or_else(|problem| panic!("{problem}"));
    let header = comparison::header_of(&include).unwrap_or_else(|problem| panic!("{problem}"));
    let embedded = embedded();
    let Some(numbers) = embedded.with_values_of(&inventory) else {
        // A header that is newer than the embedded bindings.
        let directory = releases::directory("layout", "this_build");
        let (counts, problems) = comparison::problems(&releases::this_builds(), &include, &directory);
        println!("{}: {counts}", include.display());
        return assert_none(&problems);
    };
    let directory = releases::directory("layout", "this_build");
    let compared = comparison::compare(embedded, &numbers, &header, &include, &directory);
    let (counts, differences) = compared.unwrap_or_else(|problem| panic!("{problem}"));
    println!("{}: {counts}", include.display());
    assert!(counts.are_whole(), "nothing was compared");
    let differences = differences.into_iter().filter(|difference| !is_known(difference, &inventory));
    assert_none(&differences.map(Problem::Differs).collect::<Vec<_>>());
}

fn generated(release: &'static str) {
    let (bindings, _) = releases::generated(release);
    let inventory = comparison::read(&bindings).unwrap_or_else(|problem| panic!("{problem}"));
    let Compared { header, differences } = compared(release);
    let numbers = embedded().with_values_of(&inventory).expect("it declares what the embedded bindings do");
    let is_newest = releases::all().last() == Some(&release);
    // C's numbers are the same for both; the values are the header's own here.
    let mut problems: Vec<Problem> = Vec::new();
    for ((fact, number), newest) in embedded().facts.iter().zip(&numbers).zip(&embedded().numbers) {
        let of_this = |difference: &&Difference| difference.kind == fact.kind && difference.item == fact.item;
        let c = match differences.iter().find(of_this) {
            Some(difference) => difference.c,
            None if comparison::has(header, &fact.about) => *newest,
            None => continue,
        };
        let difference = Difference {
            kind: fact.kind,
            item: fact.item.clone(),
            about: fact.about.clone(),
            c,
            rust: *number,
        };
        if c != *number && (is_newest || !is_known(&difference, &inventory)) {
            problems.push(Problem::Differs(difference));
        }
    }
    // cudaTypedefs.h's are not among the facts above.
    let typedefs = differences.iter().filter(|difference| difference.kind == Kind::Typedef);
    problems.extend(typedefs.cloned().map(Problem::Differs));
    let mut missing = comparison::missing(&inventory, header);
    if is_newest {
        missing.extend(comparison::added(&inventory, header));
    } else {
        missing.retain(|problem| !is_gone(problem));
    }
    problems.extend(missing);
    assert_none(&problems);
}

fn assert_none(problems: &[Problem]) {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert!(lines.is_empty(), "{} differences:\n{}", lines.len(), lines.join("\n"));
}

/// What a later release changed without breaking a program: the listed types grew, and fields of such a type with them;
/// what was reserved became fields; a name moved to a newer function.
fn is_known(difference: &Difference, inventory: &Inventory) -> bool {
    let grown = |name: &str| allowlist::GROWN.contains(&name);
    match &difference.about {
        // A negative enumerator, which came later, makes an enum signed.
        About::Type(name) if difference.kind == Kind::Sign => {
            inventory.enums.iter().any(|an_enum| an_enum.name == *name && an_enum.is_signed)
        }
        About::Type(name) => difference.kind == Kind::Size && grown(name),
        About::Field(_, path) => {
            let (record, field) = difference.item.rsplit_once('.').expect("a field of a record");
            let record = inventory.records.iter().find(|of| of.name == record).expect("it is declared");
            let ty = record.fields.iter().find(|(name, _)| name == field).map(|(_, ty)| ty);
            let has_grown = matches!(ty, Some(Type::Named(ty)) if grown(ty));
            let is_reserved = path.rsplit('.').next().is_some_and(|field| field.starts_with("reserved"));
            is_reserved || has_grown && difference.kind == Kind::Size
        }
        // An older header may give a name to an older function.
        About::PlainName(_) => true,
        About::Constant(_) | About::Function(_) => false,
    }
}

/// Enumerators that the newest release has no more; docs/since.md lists them.
fn is_gone(problem: &Problem) -> bool {
    let Problem::Missing { what: "constant", item } = problem else { return false };
    let name = item.split(' ').next().unwrap_or_default();
    include_str!("../../docs/since.md").contains(&format!("| `{name}` |"))
}
