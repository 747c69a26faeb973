//! The pages' lists of errors: each has every error that the newest cuda.h says the function returns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use libtest_mimic::Trial;

use crate::docs::source_files;
use crate::embedded::newest;
use crate::layout::allowlist;
use crate::support::{self, Need};

/// What the front page lists for all functions.
const OF_EVERY_CALL: [&str; 3] =
    ["CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_NOT_INITIALIZED", "CUDA_ERROR_INVALID_CONTEXT"];

pub fn all() -> Vec<Trial> {
    let header = Need::new("headers", &support::headers(newest()));
    vec![support::test("error_lists::have_what_cuda_h_lists", &[header], have_what_cuda_h_lists)]
}

fn have_what_cuda_h_lists() {
    let header = support::headers(newest()).expect("the test needs it").join("cuda.h");
    let header = fs::read_to_string(header).expect("the header is UTF-8");
    let listed = in_header(&header);
    let pages = pages();
    let mut missing = Vec::new();
    let mut count = 0;
    for (symbol, plain) in allowlist::FUNCTIONS {
        // The page of a `_ptsz` function refers to the other one's.
        if symbol.ends_with("_ptsz") {
            continue;
        }
        let name = plain.unwrap_or(symbol);
        let errors = listed.get(name).unwrap_or_else(|| panic!("no comment on {name} in cuda.h"));
        let page = pages.get(*symbol).unwrap_or_else(|| panic!("no page of {symbol}"));
        let of_this = errors.iter().filter(|error| !OF_EVERY_CALL.contains(error));
        missing.extend(
            of_this.filter(|error| !page.contains(**error)).map(|error| format!("{symbol}: {error}")),
        );
        count += 1;
    }
    assert!(missing.is_empty(), "not on the function's page: {missing:#?}");
    assert!(count > 80, "only {count} functions");
}

/// The errors after `\return` in the comment above each declaration of a header.
fn in_header(header: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut found = BTreeMap::new();
    for part in header.split("/**").skip(1) {
        let Some((comment, rest)) = part.split_once("*/") else { continue };
        let Some(declaration) = rest.trim_start().strip_prefix("CUresult CUDAAPI ") else { continue };
        let Some((name, _)) = declaration.split_once('(') else { continue };
        let Some((_, returned)) = comment.split_once("\\return") else { continue };
        let end = ["\\note", "\\sa"].iter().filter_map(|word| returned.find(word)).min();
        found.insert(name, errors(&returned[..end.unwrap_or(returned.len())]).collect());
    }
    found
}

/// The errors under `# Errors` of each item that src/ documents.
fn pages() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for file in source_files() {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for item in text.split("\n\n") {
            let (Some((_, name)), Some((_, page))) =
                (item.rsplit_once("pub use crate::bindings::"), item.split_once("/// # Errors"))
            else {
                continue;
            };
            let list = page.split_once("/// # ").map_or(page, |(list, _)| list);
            let name = name.trim_end().trim_end_matches(';').to_owned();
            found.insert(name, errors(list).map(str::to_owned).collect());
        }
    }
    found
}

fn errors(text: &str) -> impl Iterator<Item = &str> {
    let separate = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
    text.split(separate).filter(|word| word.starts_with("CUDA_ERROR_"))
}
