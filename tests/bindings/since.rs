//! docs/since.md: which item came with which release, and what is not the same in all of them, by the headers of all
//! releases.

use std::collections::{BTreeMap, BTreeSet};

use crate::assert_file;
use crate::every_release::{self, Compared};
use crate::layout::comparison::{self, Compiled, Difference};
use crate::layout::facts::{About, Kind};
use crate::layout::header::Header;
use crate::layout::releases;

/// Compares, and checks or writes the page.
pub fn compare() {
    let mut history = History::default();
    for release in releases::all() {
        let Compared { header, differences } = every_release::compared(release);
        history.add(release, header, every_release::embedded(), differences);
    }
    assert_file("docs/since.md", &history.text());
}

/// What each release was the first to have, and what it has otherwise than the newest.
#[derive(Default)]
struct History {
    came: Vec<Came>,
    known: BTreeSet<About>,
    /// An item that the newest release has no more, to the last one that had it.
    gone: BTreeMap<String, String>,
    /// What differs, with the newest release's number.
    differences: BTreeMap<(Kind, String, u64), Vec<Number>>,
}

/// Another number than the newest's, and the releases that have it.
type Number = (u64, Vec<String>);

#[derive(Default)]
struct Came {
    release: String,
    functions: Vec<String>,
    types: Vec<String>,
    fields: Vec<String>,
    constants: Vec<String>,
}

impl History {
    fn add(&mut self, release: &str, header: &Header, compiled: &Compiled, differences: &[Difference]) {
        let mut came = Came { release: release.to_owned(), ..Came::default() };
        for item in compiled.items() {
            let is_here = comparison::has(header, item);
            let is_known = self.known.contains(item);
            assert!(is_here || !is_known, "{release} has no {item:?} any more");
            if is_known || !is_here {
                continue;
            }
            self.known.insert(item.clone());
            match item {
                About::Function(name) => came.functions.push(name.clone()),
                About::Type(name) => came.types.push(name.clone()),
                About::Constant(name) => came.constants.push(name.clone()),
                // The symbol's row says it.
                About::PlainName(_) => {}
                // The record's name stands for those that came with it. Types sort first.
                About::Field(record, _) if came.types.contains(record) => {}
                About::Field(record, path) => came.fields.push(format!("{record}.{path}")),
            }
        }
        self.came.push(came);
        for an_enum in &compiled.inventory.enums {
            let ours = |theirs: &&String| an_enum.values.iter().any(|(our, _)| our == *theirs);
            let theirs = header.enumerators(&an_enum.name).unwrap_or_default();
            for enumerator in theirs.iter().filter(|theirs| !ours(theirs)) {
                self.gone.insert(enumerator.clone(), release.to_owned());
            }
        }
        for difference in differences {
            self.differ(release, difference);
        }
    }

    fn differ(&mut self, release: &str, difference: &Difference) {
        let Difference { kind, item, about, c, rust } = difference;
        // The table would say nothing of another offset, type or signature. Bytes that were reserved became fields.
        let is_reserved = item.rsplit('.').next().is_some_and(|field| field.starts_with("reserved"));
        let is_shown = matches!(kind, Kind::Value | Kind::Size | Kind::Sign);
        assert!(is_shown || is_reserved || *kind == Kind::PlainName, "{release}: {difference:?}");
        // A field's type has its own row.
        if item == "CUDA_VERSION" || !is_shown || matches!(about, About::Field(..)) {
            return;
        }
        let others = self.differences.entry((*kind, item.clone(), *rust)).or_default();
        match others.iter_mut().find(|(number, _)| number == c) {
            Some((_, releases)) => releases.push(release.to_owned()),
            None => others.push((*c, vec![release.to_owned()])),
        }
    }

    /// The two tables. What they mean is said where the page is included, in src/guide.rs.
    fn text(&self) -> String {
        let mut text = String::from("| CUDA | new in its `cuda.h` |\n|---|---|\n");
        for came in self.came.iter().skip(1) {
            let names = [&came.functions, &came.types, &came.fields, &came.constants].into_iter().flatten();
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            if !names.is_empty() {
                text.push_str(&format!("| {} | {} |\n", came.release, names.join(", ")));
            }
        }
        text.push_str("\n## What changed otherwise\n\n| what | newest | others |\n|---|---|---|\n");
        for ((kind, item, ours), others) in &self.differences {
            let others = others.iter().map(|(number, releases)| format!("{number} in {}", span(releases)));
            let others: Vec<String> = others.collect();
            text.push_str(&format!("| {kind} of `{item}` | {ours} | {} |\n", others.join("; ")));
        }
        for (item, release) in &self.gone {
            text.push_str(&format!("| `{item}` | none | only up to {release} |\n"));
        }
        text
    }
}

/// `12.2 to 13.3`, or each release where there is a gap.
fn span(releases: &[String]) -> String {
    let all = releases::all();
    let place = |release: &String| all.iter().position(|other| other == release);
    let is_whole = releases.windows(2).all(|two| place(&two[1]) == place(&two[0]).map(|at| at + 1));
    match releases {
        [first, _, .., last] if is_whole => format!("{first} to {last}"),
        _ => releases.join(", "),
    }
}
