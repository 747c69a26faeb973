//! The embedded bindings against every release, for what it has: docs/since.md says which item came
//! with which release and what is not the same in all of them, and this keeps it true.
//!
//! To refresh it: `CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test layout`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use crate::layout::facts::About;
use crate::layout::header::Header;
use crate::layout::judge::{self, Compiled, Problem};
use crate::layout::releases;
use crate::support;

const HEAD: &str = "\
The header of your toolkit decides which items there are. This lists, for the newest header's, the
release whose `cuda.h` first had each; what is not listed was there in 11.7 already. It is made from
the headers of all releases in the table, by a test that also compares each layout, value and
signature.
";

const DIFFERENCES: &str = "\
The rest is the same in all of them, but for this:
";

/// Compares, and checks or writes the table.
pub fn compare() {
    let compiled = judge::compile(&releases::embedded(), &releases::folder("layout", "embedded"));
    let compiled = compiled.unwrap_or_else(|problem| panic!("{problem}"));
    let mut history = History::default();
    for release in releases::all() {
        let include = support::headers(release).expect("the test needs it");
        let header = judge::header_of(&include).unwrap_or_else(|problem| panic!("{problem}"));
        let folder = releases::folder("layout", &format!("embedded_{release}"));
        let (counts, problems) = judge::shared(&compiled, &header, &include, &folder);
        println!("{release} against the embedded bindings: {counts}");
        assert!(counts.are_whole(), "nothing was compared with {release}: {problems:?}");
        history.add(release, &header, &compiled, problems);
    }
    let made = history.text();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/since.md");
    if env::var_os("CUDA_EXTERNAL_SYS_BLESS").is_some() {
        fs::write(&path, &made).expect("the checkout can be written");
        panic!("docs/since.md is rewritten. Run the test again without CUDA_EXTERNAL_SYS_BLESS");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let line = made.lines().zip(kept.lines()).position(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "docs/since.md is not what the headers say, from line {} on; they say:\n{made}\n\
         Where the change is meant: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test layout",
        line.unwrap_or_default() + 1
    );
}

/// What each release was the first to have, and what it has otherwise than the newest.
#[derive(Default)]
struct History {
    came: Vec<Came>,
    known: BTreeSet<About>,
    /// An item that the newest release has no more, to the last one that had it.
    gone: BTreeMap<String, String>,
    /// What differs, with the newest release's number.
    differences: BTreeMap<(String, String), Vec<Number>>,
}

/// Another number than the newest's, and the releases that have it.
type Number = (String, Vec<String>);

#[derive(Default)]
struct Came {
    release: String,
    functions: Vec<String>,
    types: Vec<String>,
    fields: Vec<String>,
    constants: Vec<String>,
}

impl History {
    fn add(&mut self, release: &str, header: &Header, compiled: &Compiled, problems: Vec<Problem>) {
        let mut came = Came { release: release.to_owned(), ..Came::default() };
        for item in compiled.items() {
            let is_here = judge::has(header, item);
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
        for problem in problems {
            self.differ(release, &problem);
        }
    }

    fn differ(&mut self, release: &str, problem: &Problem) {
        // A place, a type or a signature that is another is no matter for a table.
        assert!(["value", "size"].contains(&problem.check), "{release}: {problem}");
        let (what, numbers) = problem.what.split_once(" is ").expect("a problem's words");
        let (theirs, ours) = numbers.split_once(" in C and ").expect("a problem's words");
        let (kind, item) = what.split_once(" of ").expect("a problem's words");
        if item == "CUDA_VERSION" {
            return;
        }
        let ours = ours.trim_end_matches(" in Rust");
        let key = (format!("{kind} of `{item}`"), ours.to_owned());
        let others = self.differences.entry(key).or_default();
        match others.iter_mut().find(|(number, _)| number == theirs) {
            Some((_, releases)) => releases.push(release.to_owned()),
            None => others.push((theirs.to_owned(), vec![release.to_owned()])),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n| Release | Came with it |\n|---|---|\n");
        for came in self.came.iter().skip(1) {
            let names = [&came.functions, &came.types, &came.fields, &came.constants].into_iter().flatten();
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            if !names.is_empty() {
                text.push_str(&format!("| {} | {} |\n", came.release, names.join(", ")));
            }
        }
        text.push_str(&format!("\n{DIFFERENCES}\n| What | Newest | Others |\n|---|---|---|\n"));
        for ((what, ours), others) in &self.differences {
            let others = others.iter().map(|(number, releases)| format!("{number} in {}", span(releases)));
            let others: Vec<String> = others.collect();
            text.push_str(&format!("| {what} | {ours} | {} |\n", others.join("; ")));
        }
        for (item, release) in &self.gone {
            text.push_str(&format!("| `{item}` | | is there up to {release} |\n"));
        }
        text
    }
}

/// `12.2 to 13.3`
fn span(releases: &[String]) -> String {
    match releases {
        [first, .., last] => format!("{first} to {last}"),
        _ => releases.concat(),
    }
}
