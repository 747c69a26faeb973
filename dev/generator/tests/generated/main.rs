//! The committed files are what the generator writes, and each page of rustdoc is complete.

mod pages;

use std::process::ExitCode;

use generator::{
    check_rules, embedded, first_aid, names, newest, quotes, read, releases, struct_sizes, surface_list,
};
use test_support::layout::comparison;
use test_support::layout::releases::all;
use test_support::{Need, compiler, driver_library, drivers, headers, libclang, run, tests};

fn main() -> ExitCode {
    let missing = all().into_iter().find_map(|release| headers(release).err());
    let headers = Need::new("headers", &missing.map_or(Ok(()), Err));
    let [libclang, cc] = [Need::new("libclang", &libclang()), Need::new("c-compiler", &compiler())];
    let missing = drivers().into_iter().find_map(|driver| driver_library(driver).err());
    let libraries = Need::new("driver-libraries", &missing.map_or(Ok(()), Err));
    let mut trials = tests! {
        [headers, libclang] => embedded;
        [headers] => unbound, driver_functions, newest_release;
        [headers, cc] => releases_headers;
        [libraries] => releases_drivers;
        [] => public_items, rules, supported_range, sizes, not_in_software, code_on_the_pages;
    };
    trials.extend(pages::all());
    run(trials, None)
}

#[track_caller]
fn assert_same(file: &str, made: &str) {
    let kept = read(file);
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
fn embedded() {
    for target in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu"] {
        let text = embedded::text(target).unwrap_or_else(|error| panic!("{error}"));
        assert_same("src/bindings/embedded.rs", &text);
    }
}

fn unbound() {
    assert_same("src/bindings/unbound_versions.rs", &names::unbound());
}

fn not_in_software() {
    assert_same(names::NOT_IN_SOFTWARE, &names::not_in_software());
}

fn newest_release() {
    assert_same(newest::FILE, &newest::text());
}

fn driver_functions() {
    assert_same("build/driver_functions.txt", &names::driver_functions());
}

fn releases_headers() {
    let page = releases::with_headers(&read(releases::PAGE), build_script::embedded_bindings::text());
    assert_same(releases::PAGE, &page);
}

fn supported_range() {
    assert_same(releases::README, &releases::with_range(&read(releases::README)));
}

fn releases_drivers() {
    let page = releases::with_drivers(&read(releases::PAGE), build_script::embedded_bindings::text());
    assert_same(releases::PAGE, &page);
}

fn sizes() {
    let bindings = comparison::read(build_script::embedded_bindings::text());
    assert_same(struct_sizes::PAGE, &struct_sizes::with_sizes(&read(struct_sizes::PAGE), &bindings));
}

fn rules() {
    assert_same(first_aid::PAGE, &first_aid::with_remedies(&read(first_aid::PAGE)));
    assert_same(check_rules::PAGE, &check_rules::with_rules(&read(check_rules::PAGE)));
}

fn code_on_the_pages() {
    let quoted = quotes::pages().into_iter().filter(|page| {
        let text = read(page);
        assert_same(page, &quotes::with_code(&text));
        text.contains("<!-- code: ")
    });
    assert!(quoted.count() > 1, "no page quotes code");
}

fn public_items() {
    assert_same("tests/surface.txt", &surface_list::text(build_script::embedded_bindings::text()));
}
