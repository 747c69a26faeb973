//! docs/releases.md: which item came with which release, and what is not the same in all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use crate::layout::comparison::{InHeader, Problem};
use crate::layout::facts::{self, Fact, Kind, Subject};
use crate::layout::releases;
use crate::support;

/// What each release was the first to have, and what it has otherwise than the newest.
#[derive(Default)]
pub struct History {
    known: BTreeSet<Subject>,
    /// The first table's rows.
    came: String,
    /// An item that the newest release lacks, to the last one that had it.
    gone: BTreeMap<String, String>,
    /// What differs, with the newest release's number: the other numbers, and the releases that have each.
    differences: BTreeMap<(Kind, String, u64), BTreeMap<u64, Vec<String>>>,
}

impl History {
    /// Adds what a release has of the facts. The first release is what the others are compared with.
    pub fn add(&mut self, release: &str, facts: &[Fact], header: &InHeader) {
        let here = facts.iter().zip(&header.numbers).filter(|(_, number)| number.is_some());
        let here: BTreeSet<Subject> = here.map(|(fact, _)| fact.about.clone()).collect();
        let lost: Vec<_> = self.known.difference(&here).collect();
        assert!(lost.is_empty(), "{release} has these no more: {lost:?}");
        let is_new = |about: &&Subject| !self.known.contains(about);
        let names = here.iter().filter(is_new).filter(|about| match about {
            Subject::Function(..) | Subject::Type(_) | Subject::Constant(..) => true,
            // The type's name stands for the fields that came with it.
            Subject::Field(root, _) => self.known.contains(&Subject::Type(root.clone())),
            // The function's name stands for it.
            Subject::MacroName(_) => false,
        });
        let names: Vec<String> = names.map(|about| format!("`{about}`")).collect();
        if !self.known.is_empty() && !names.is_empty() {
            let _ = writeln!(self.came, "| {release} | {} |", names.join(", "));
        }
        self.known = here;
    }

    /// Adds what a release has otherwise than the embedded bindings.
    pub fn add_problem(&mut self, release: &str, problem: Problem) {
        let (fact, c, rust) = match problem {
            Problem::Added(_) => return,
            Problem::Missing(about) => {
                assert!(matches!(about, Subject::Constant(..)), "{release} has {about:?}");
                self.gone.insert(about.to_string(), release.to_owned());
                return;
            }
            Problem::Differs { fact, c, rust } => (fact, c, rust),
        };
        // The table has no rows for offsets, types and signatures. Bytes that were reserved became fields.
        let item = fact.about.to_string();
        let is_shown = matches!(fact.kind, Kind::Value | Kind::Size | Kind::Sign);
        let is_known = facts::is_reserved(&item) || fact.kind == Kind::MacroName;
        assert!(is_shown || is_known, "{release}: {} of {item}", fact.kind);
        // A field's type has its own row.
        if item == "CUDA_VERSION" || !is_shown || matches!(fact.about, Subject::Field(..)) {
            return;
        }
        let others = self.differences.entry((fact.kind, item, rust)).or_default();
        others.entry(c).or_default().push(release.to_owned());
    }

    /// The page: its own text, then the tables.
    pub fn text(&self) -> String {
        let page = fs::read_to_string(support::repository().join("docs/releases.md")).expect("a page");
        let head = "| CUDA | new in its `cuda.h` |\n|---|---|\n";
        let mut text = format!("{}{head}{}", page.split(head).next().unwrap_or_default(), self.came);
        text += "\n## What changed otherwise\n\n| what | newest | others |\n|---|---|---|\n";
        for ((kind, item, ours), others) in &self.differences {
            let others = others.iter().map(|(number, releases)| format!("{number} in {}", span(releases)));
            let others: Vec<String> = others.collect();
            let _ = writeln!(text, "| {kind} of `{item}` | {ours} | {} |", others.join("; "));
        }
        for (item, release) in &self.gone {
            let _ = writeln!(text, "| `{item}` | none | only up to {release} |");
        }
        // The test program `calls` writes the rest, from the drivers' libraries.
        text + page.find("\n## Which driver has").map_or("", |at| &page[at..])
    }
}

/// `12.2 to 13.3`, or each release where there is a gap.
fn span(those: &[String]) -> String {
    let is_whole = releases::all().windows(those.len()).any(|all| all == those);
    match those {
        [first, _, .., last] if is_whole => format!("{first} to {last}"),
        _ => those.join(", "),
    }
}
