//! Tests that the committed files are what the generator writes, and checks links and error lists on rustdoc's pages.

mod rustdoc_pages;

use std::process::ExitCode;

use generator::{FILES, GeneratedFile, GeneratorInput, code_quotes, read_file};
use test_support::layout::releases::all_releases;
use test_support::{
    Need, driver_library, fetched_headers, find_compiler, find_libclang, listed_drivers, run_trials, tests,
    trial_if,
};

fn main() -> ExitCode {
    let all_headers = all_releases().into_iter().try_for_each(|release| fetched_headers(release).map(drop));
    let all_drivers = listed_drivers().into_iter().try_for_each(|driver| driver_library(driver).map(drop));
    let needs = [
        (GeneratorInput::Headers, Need::new("headers", &all_headers)),
        (GeneratorInput::Libclang, Need::new("libclang", &find_libclang())),
        (GeneratorInput::CCompiler, Need::new("c-compiler", &find_compiler())),
        (GeneratorInput::DriverLibraries, Need::new("driver-libraries", &all_drivers)),
    ];
    let mut trials = tests! { [] => code_on_the_pages; };
    for GeneratedFile { name, path, sources, text } in FILES {
        let needs = needs.iter().filter(|(source, _)| sources.contains(source)).map(|(_, need)| need);
        trials.push(trial_if(name, needs, || assert_same(path, &text(&read_file(path)))));
    }
    trials.extend(rustdoc_pages::trials());
    run_trials(trials, None)
}

#[track_caller]
fn assert_same(file: &str, made: &str) {
    let kept = read_file(file);
    let lines = made.split('\n').chain(["(end)"]).zip(kept.split('\n').chain(["(end)"]));
    for (number, (made, kept)) in lines.enumerate() {
        assert!(
            made == kept,
            "{file} is not what the generator writes, from line {} on: {kept:?} instead of {made:?}.\n\
             Where the change is meant: cargo run -p generator",
            number + 1,
        );
    }
}

fn code_on_the_pages() {
    let quoted = code_quotes::pages_with_code().into_iter().filter(|page| {
        let text = read_file(page);
        assert_same(page, &code_quotes::update_code_quotes(&text));
        text.contains("<!-- code: ")
    });
    assert!(quoted.count() > 1, "no page quotes code");
}
