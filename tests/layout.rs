//! The bindings are what the C compiler sees in the header: every size, alignment, offset, constant
//! and signature, for this build's own header and for every release in target/headers.

#[path = "layout/mod.rs"]
mod layout;
#[path = "layout/since.rs"]
mod since;
use test_support as support;

use std::process::ExitCode;

use layout::judge::{self, Counts, Problem};
use layout::releases;
use support::Need;

fn main() -> ExitCode {
    let cc = Need::new("c-compiler", &support::compiler());
    let libclang = Need::new("libclang", &support::libclang());
    let this = Need::new("headers", &releases::this_builds_header());
    let mut trials = vec![support::test("this_build", &[cc.clone(), this], this_build)];
    for release in releases::all() {
        let header = Need::new("headers", &support::headers(release));
        let needs = [cc.clone(), libclang.clone(), header];
        let name = format!("generated_from_{release}");
        trials.push(support::test(&name, &needs, move || generated(release)));
    }
    trials.push(support::test("embedded_against_every_release", &[cc, every_header()], since::compare));
    support::run(trials, None)
}

fn every_header() -> Need {
    let missing = releases::all().into_iter().find_map(|release| support::headers(release).err());
    Need::new("headers", &missing.map_or(Ok(()), Err))
}

fn this_build() {
    let include = releases::this_builds_header().expect("the test needs it");
    let folder = releases::folder("layout", "this_build");
    show(&include.display().to_string(), judge::verdict(&releases::this_builds(), &include, &folder));
}

fn generated(release: &str) {
    let (bindings, include) = releases::generated(release);
    let folder = releases::folder("layout", &format!("generated_{release}"));
    show(release, judge::verdict(&bindings, &include, &folder));
}

/// Prints the counts; fails on a problem, and where nothing was compared.
fn show(name: &str, (counts, problems): (Counts, Vec<Problem>)) {
    println!("{name}: {counts}");
    let words: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert!(problems.is_empty(), "{} differences:\n{}", words.len(), words.join("\n"));
    assert!(counts.are_whole(), "nothing was compared");
}
