//! Generates the tables of docs/releases.md, and the newest release's number in README.md.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::fmt::Write as _;

use libloading::{Library, Symbol};
use test_support::layout::comparison::{self, CompiledBindings, HeaderFacts, LayoutProblem};
use test_support::layout::facts::{self, FactKind, FactSubject, LayoutFact};
use test_support::layout::releases;
use test_support::{driver_library, fetched_headers, listed_drivers};

use crate::embedded_bindings_file::PATH;
use crate::repository_files::{read_file, replace_table_rows};

pub fn update_release_range(readme: &str) -> String {
    let (oldest, newest) = (releases::all_releases()[0], releases::newest_release());
    let mut text = readme.to_owned();
    for before in ["for CUDA up to ".to_owned(), format!("CUDA {oldest} to ")] {
        let at = text.find(&before).unwrap_or_else(|| panic!("README.md has no {before}")) + before.len();
        let length = text[at..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or_default();
        text.replace_range(at..at + length, newest);
    }
    text
}

/// Returns the page with the tables of what each release's header adds, and of what differs between releases.
pub fn update_release_tables(page: &str) -> String {
    let compiled = CompiledBindings::compile_bindings(
        &read_file(PATH),
        &releases::test_directory("generator", "embedded"),
    );
    let mut history = ReleaseHistory::default();
    for release in releases::all_releases() {
        let include = fetched_headers(release).unwrap_or_else(|error| panic!("{error}"));
        let header = compiled.facts_in_header(&include, &releases::test_directory("generator", release));
        history.add_release_facts(release, &compiled.facts, &header);
        for problem in compiled.compare_with_header(&compiled.numbers, &header) {
            history.add_layout_problem(release, problem);
        }
    }
    history.update_history_tables(page)
}

/// The items that each release adds, the items that the newest release lacks, and the values, sizes and signs that
/// differ from the newest release's.
#[derive(Default)]
struct ReleaseHistory {
    known: BTreeSet<FactSubject>,
    /// The first table's rows.
    came: String,
    /// Each item that the newest release lacks, with the last release that has the item.
    gone: BTreeMap<String, String>,
    /// For each kind of fact, item, and the newest release's number: each other number, with the releases that have it.
    differences: BTreeMap<(FactKind, String, u64), BTreeMap<u64, Vec<String>>>,
}

impl ReleaseHistory {
    /// Adds the items that a release's headers have. The table `came` has no row for the first release.
    fn add_release_facts(&mut self, release: &str, facts: &[LayoutFact], header: &HeaderFacts) {
        let here = facts.iter().zip(&header.numbers).filter(|(_, number)| number.is_some());
        let here: BTreeSet<FactSubject> = here.map(|(fact, _)| fact.about.clone()).collect();
        let lost: Vec<_> = self.known.difference(&here).collect();
        assert!(lost.is_empty(), "{release} has these no more: {lost:?}");
        let is_new = |about: &&FactSubject| !self.known.contains(about);
        let names = here.iter().filter(is_new).filter(|about| match about {
            FactSubject::Function(..) | FactSubject::Type(_) | FactSubject::Constant(..) => true,
            // If the release also adds the type, the table names only the type.
            FactSubject::Field(root, _) => self.known.contains(&FactSubject::Type(root.clone())),
            // The table names only the macro's function.
            FactSubject::MacroName(..) => false,
        });
        let names: Vec<String> = names.map(|about| format!("`{about}`")).collect();
        if !self.known.is_empty() && !names.is_empty() {
            let _ = writeln!(self.came, "| {release} | {} |", names.join(", "));
        }
        self.known = here;
    }

    fn add_layout_problem(&mut self, release: &str, problem: LayoutProblem) {
        let (fact, c, rust) = match problem {
            LayoutProblem::Added(_) => return,
            LayoutProblem::Missing(about) => {
                assert!(matches!(about, FactSubject::Constant(..)), "{release} has {about:?}");
                self.gone.insert(about.to_string(), release.to_owned());
                return;
            }
            LayoutProblem::Differs { fact, c, rust } => (fact, c, rust),
        };
        // The table shows values, sizes and signs. Beside these, only macro names and reserved bytes may differ.
        let item = fact.about.to_string();
        let is_shown = matches!(fact.kind, FactKind::Value | FactKind::Size | FactKind::Sign);
        let is_known = facts::is_reserved(&item) || fact.kind == FactKind::MacroName;
        assert!(is_shown || is_known, "{release}: {} of {item}", fact.kind);
        // A field's type has a separate row.
        if item == "CUDA_VERSION" || !is_shown || matches!(fact.about, FactSubject::Field(..)) {
            return;
        }
        let others = self.differences.entry((fact.kind, item, rust)).or_default();
        others.entry(c).or_default().push(release.to_owned());
    }

    fn update_history_tables(&self, page: &str) -> String {
        let mut changed = String::new();
        for ((kind, item, ours), others) in &self.differences {
            let shown = |number: u64| match (kind, number) {
                (FactKind::Sign, 0) => "unsigned".to_owned(),
                (FactKind::Sign, _) => "signed".to_owned(),
                _ => number.to_string(),
            };
            let others = others
                .iter()
                .map(|(number, releases)| format!("{} in {}", shown(*number), release_range_text(releases)));
            let others: Vec<String> = others.collect();
            let _ = writeln!(changed, "| {kind} of `{item}` | {} | {} |", shown(*ours), others.join("; "));
        }
        for (item, release) in &self.gone {
            let _ = writeln!(changed, "| `{item}` | none | only up to {release} |");
        }
        let page = replace_table_rows(
            page,
            "| CUDA | new in its `cuda.h` or `cudaEGL.h` |\n|---|---|\n",
            &self.came,
        );
        replace_table_rows(&page, "| what | newest | others |\n|---|---|---|\n", &changed)
    }
}

/// Returns `12.2 to 13.3`, or each release if there is a gap.
fn release_range_text(those: &[String]) -> String {
    let is_whole = releases::all_releases().windows(those.len()).any(|all| all == those);
    match those {
        [first, _, .., last] if is_whole => format!("{first} to {last}"),
        _ => those.join(", "),
    }
}

/// Returns the page with the functions that each driver has and the older drivers lack. Loads each driver's library.
pub fn update_driver_functions_table(page: &str) -> String {
    let bindings = comparison::parse_bindings_text(&read_file(PATH));
    let mut lacking: BTreeSet<&str> = bindings.functions.iter().map(|function| &*function.name).collect();
    let mut rows = String::new();
    for driver in listed_drivers() {
        let path = driver_library(driver).unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: the initializers of NVIDIA's library may run in any process, and cuda.h gives the function this type.
        let (library, version) = unsafe {
            let library = Library::new(path).expect("it is a library");
            let get: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> c_int> =
                library.get(b"cuDriverGetVersion\0").expect("every driver has it");
            let mut version = 0;
            assert_eq!(get(&mut version), 0);
            (library, version)
        };
        // SAFETY: the function is looked up and not called.
        let has = |name: &str| unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok();
        let (here, still): (BTreeSet<&str>, _) = lacking.into_iter().partition(|name| has(name));
        lacking = still;
        let names = if driver == listed_drivers()[0] {
            format!("{} functions, which this table does not name", here.len())
        } else {
            quote_names(&here)
        };
        let _ = writeln!(rows, "| {driver} | {}.{} | {names} |", version / 1000, version % 1000 / 10);
        // The library stays loaded, since its threads may still run its code.
        std::mem::forget(library);
    }
    let _ = writeln!(rows, "| none of these | later, or not for x86-64 Linux | {} |", quote_names(&lacking));
    let head =
        "| driver | CUDA | functions that this driver has and the drivers above it lack |\n|---|---|---|\n";
    replace_table_rows(page, head, &rows)
}

fn quote_names(names: &BTreeSet<&str>) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
