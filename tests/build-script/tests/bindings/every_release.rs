//! Compares sizes, signatures and other facts of the bindings with the cuda.h of each release and of this build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use build_script::surface::compare_items::may_struct_grow;
use build_script::surface::model::{BindingsModel, CType};
use libtest_mimic::Trial;
use test_support::build_script::{BuildScript, host_triple};

use crate::layout::comparison::{self, CompiledBindings, LayoutProblem};
use crate::layout::facts::{self, FactKind, FactSubject};
use crate::layout::releases;
use crate::support::{self, Need};

pub fn trials() -> Vec<Trial> {
    let [libclang, bindgen] = crate::bindings_generation_needs();
    let cc = Need::new("c-compiler", &support::find_compiler());
    let (bindings, header) = bindings_of_this_build();
    let this = Need::new("headers", &header);
    let mut trials = vec![support::trial_if("every_release::this_build", [&cc, &this], move || {
        compare_this_build(&bindings, &header.expect("the test needs it"));
    })];
    for release in releases::all_releases() {
        let header = Need::new("headers", &support::fetched_headers(release));
        let needs = [cc.clone(), libclang.clone(), bindgen.clone(), header];
        let name = format!("every_release::generated_from_{release}");
        trials.push(support::trial_if(&name, &needs, move || assert_generated_from(release)));
    }
    trials
}

/// Compiles the embedded bindings once, for all releases: a release's bindings may differ from them only in values.
fn compiled_embedded_bindings() -> &'static CompiledBindings {
    static COMPILED: LazyLock<CompiledBindings> = LazyLock::new(|| {
        CompiledBindings::compile_bindings(
            releases::embedded_bindings(),
            &releases::test_directory("layout", "embedded"),
        )
    });
    &COMPILED
}

/// Returns the bindings that a build makes in this environment, and the directory of the cuda.h to compare them with.
fn bindings_of_this_build() -> (String, Result<PathBuf, String>) {
    let script =
        BuildScript::with_process_environment(env!("CARGO_BIN_EXE_build-script"), &releases::target_triple());
    let run = script.run_script();
    let lines = run.cargo_instructions();
    let include = lines.lines().find_map(|line| line.strip_prefix("cargo::metadata=INCLUDE="));
    (run.expect_bindings(), releases::header_of_a_build(include.map(PathBuf::from)))
}

fn compare_this_build(bindings: &str, include: &Path) {
    let directory = releases::test_directory("layout", "this_build");
    let this = CompiledBindings::compile_bindings(bindings, &directory);
    let header = this.facts_in_header(include, &directory);
    let problems = this.compare_with_header(&this.numbers, &header);
    assert_none(problems.into_iter().filter(|problem| !is_known_difference(problem, &this.bindings)));
}

/// Asserts that the bindings from a release's header agree with it, and differ from the embedded ones only in values.
fn assert_generated_from(release: &'static str) {
    let include = support::fetched_headers(release).expect("the test needs it");
    let from =
        |target: &str| support::build_script!(target).generate_from(&include).run_script().expect_bindings();
    let text = from(&releases::target_triple());
    // Bindings for Windows have this text, too. A run of this test for Windows compares their layout with C's.
    if releases::target_triple() == host_triple() {
        assert!(from("x86_64-pc-windows-msvc") == text, "the C ABIs have different texts");
    }
    assert_eq!(lines_without_values(&text), lines_without_values(releases::embedded_bindings()));
    let bindings = comparison::parse_bindings_text(&text);
    let values: BTreeMap<FactSubject, u64> = facts::all_constants(&bindings).into_iter().collect();
    let facts = compiled_embedded_bindings().facts.iter().zip(&compiled_embedded_bindings().numbers);
    let numbers: Vec<u64> =
        facts.map(|(fact, number)| values.get(&fact.about).copied().unwrap_or(*number)).collect();
    let header =
        compiled_embedded_bindings().facts_in_header(&include, &releases::test_directory("layout", release));
    let problems = compiled_embedded_bindings().compare_with_header(&numbers, &header);
    let is_newest = release == releases::newest_release();
    assert_none(problems.into_iter().filter(|problem| is_newest || !is_known_difference(problem, &bindings)));
}

/// Returns the lines after the first, which names the release. Leaves out the values of macros and enumerators.
fn lines_without_values(text: &str) -> Vec<&str> {
    let is_number = |text: &str| text.trim_end_matches([',', ';']).parse::<i64>().is_ok();
    let without = |line| match str::split_once(line, " = ") {
        Some((name, value)) if is_number(value) => name,
        _ => line,
    };
    text.lines().skip(1).map(without).collect()
}

fn assert_none(problems: impl Iterator<Item = LayoutProblem>) {
    let lines: Vec<String> = problems.map(|problem| problem.to_string()).collect();
    assert!(lines.is_empty(), "{} differences:\n{}", lines.len(), lines.join("\n"));
}

/// Returns whether a problem is an allowed difference between releases, such as a struct that grew.
pub fn is_known_difference(problem: &LayoutProblem, bindings: &BindingsModel) -> bool {
    let grown = |name: &String| may_struct_grow(bindings, name);
    let fact = match problem {
        LayoutProblem::Added(_) => return true,
        // The bindings may lack a constant of the header: a later release may have left it out.
        LayoutProblem::Missing(about) => return matches!(about, FactSubject::Constant(..)),
        LayoutProblem::Differs { fact, .. } => fact,
    };
    match (&fact.about, fact.kind) {
        // A negative enumerator that a later release added makes an enum signed.
        (FactSubject::Type(name), FactKind::Sign) => {
            bindings.enums.iter().any(|one| one.name == *name && one.is_signed)
        }
        (FactSubject::Type(name), FactKind::Size) => grown(name),
        (FactSubject::Field(_, path), _) if facts::is_reserved(path) => true,
        (about, FactKind::Size) => facts::all_fields(bindings).into_iter().any(|field| {
            field.fact_subject() == *about && matches!(field.ty, CType::Named(name) if grown(name))
        }),
        // This enumerator is the number of a release's color formats, and is not a format.
        (FactSubject::Constant(name, _), FactKind::Value) => name == "CU_EGL_COLOR_FORMAT_MAX",
        // An older header may give a name to an older function.
        (_, FactKind::MacroName) => true,
        _ => false,
    }
}
