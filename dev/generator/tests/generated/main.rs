//! The committed files are what the generator writes, and each page of rustdoc is complete.

mod rustdoc_pages;

use std::process::ExitCode;

use build_script::embedded_bindings;
use generator::{
    check_rules, code_quotes, embedded_file, first_aid, function_names, newest_release_file, read_file,
    releases_page, struct_sizes, surface_list,
};
use test_support::layout::comparison;
use test_support::layout::releases::all_releases;
use test_support::{Need, compiler, driver_library, drivers, headers, libclang, run, tests};

fn main() -> ExitCode {
    let missing = all_releases().into_iter().find_map(|release| headers(release).err());
    let headers = Need::new("headers", &missing.map_or(Ok(()), Err));
    let [libclang, cc] = [Need::new("libclang", &libclang()), Need::new("c-compiler", &compiler())];
    let missing = drivers().into_iter().find_map(|driver| driver_library(driver).err());
    let libraries = Need::new("driver-libraries", &missing.map_or(Ok(()), Err));
    let mut trials = tests! {
        [headers, libclang] => embedded_bindings_are_current;
        [headers] => unbound_versions_are_current, driver_functions, newest_release_is_current, function_releases;
        [headers, cc] => releases_headers;
        [libraries] => releases_drivers;
        [] => public_items, table_of_rules, readme_range_is_current, table_of_sizes, code_on_the_pages;
    };
    trials.extend(rustdoc_pages::trials());
    run(trials, None)
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

/// One file for every C ABI. `bindings::every_release::generated_from_` compares MSVC's.
fn embedded_bindings_are_current() {
    for target in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu"] {
        let text = embedded_file::embedded_text(target).unwrap_or_else(|error| panic!("{error}"));
        assert_same("src/bindings/embedded.rs", &text);
    }
}

fn unbound_versions_are_current() {
    assert_same("src/bindings/unbound_versions.rs", &function_names::unbound_versions());
}

fn newest_release_is_current() {
    assert_same(newest_release_file::FILE, &newest_release_file::file_text());
}

fn function_releases() {
    assert_same(newest_release_file::FUNCTION_RELEASES, &newest_release_file::function_releases());
}

fn driver_functions() {
    assert_same("build/driver_functions.txt", &function_names::driver_functions());
}

fn releases_headers() {
    let page = releases_page::with_release_tables(&read_file(releases_page::PAGE), embedded_bindings::text());
    assert_same(releases_page::PAGE, &page);
}

fn readme_range_is_current() {
    assert_same(releases_page::README, &releases_page::with_range(&read_file(releases_page::README)));
}

fn releases_drivers() {
    let page =
        releases_page::with_lacking_functions(&read_file(releases_page::PAGE), embedded_bindings::text());
    assert_same(releases_page::PAGE, &page);
}

fn table_of_sizes() {
    let bindings = comparison::read(embedded_bindings::text());
    assert_same(struct_sizes::PAGE, &struct_sizes::with_sizes(&read_file(struct_sizes::PAGE), &bindings));
}

fn table_of_rules() {
    assert_same(first_aid::PAGE, &first_aid::with_remedies(&read_file(first_aid::PAGE)));
    assert_same(check_rules::PAGE, &check_rules::with_rules(&read_file(check_rules::PAGE)));
}

fn code_on_the_pages() {
    let quoted = code_quotes::pages_with_code().into_iter().filter(|page| {
        let text = read_file(page);
        assert_same(page, &code_quotes::with_code(&text));
        text.contains("<!-- code: ")
    });
    assert!(quoted.count() > 1, "no page quotes code");
}

fn public_items() {
    assert_same("tests/surface.txt", &surface_list::surface_text(embedded_bindings::text()));
}
