//! The pages' lists of errors: each has every error that the newest cuda.h says the function returns.

use std::collections::BTreeSet;

use libtest_mimic::Trial;

use crate::docs::PAGES;
use crate::future::header;
use crate::layout::{allowlist, releases};
use crate::support::{self, Need};

/// What the front page lists for all functions.
const OF_EVERY_CALL: [&str; 3] =
    ["CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_NOT_INITIALIZED", "CUDA_ERROR_INVALID_CONTEXT"];

pub fn all() -> Vec<Trial> {
    let headers = Need::new("headers", &support::headers(releases::newest()));
    support::tests! { [headers] => have_what_cuda_h_lists; }
}

fn have_what_cuda_h_lists() {
    let header = header(releases::newest());
    let mut missing = Vec::new();
    // The page of a `_ptsz` function refers to the other one's.
    for (symbol, plain) in allowlist::FUNCTIONS.iter().filter(|(symbol, _)| !symbol.ends_with("_ptsz")) {
        let (before, _) = header
            .split_once(&format!("CUresult CUDAAPI {}(", plain.unwrap_or(symbol)))
            .unwrap_or_else(|| panic!("cuda.h has no {symbol}"));
        let (_, comment) = before.rsplit_once("\\return").expect("a function has a comment");
        let end = ["\\note", "\\sa"].iter().filter_map(|word| comment.find(word)).min();
        let page = format!("/fn.{symbol}.html");
        let (_, page) = PAGES.iter().find(|(path, _)| path.ends_with(&page)).expect("a function has a page");
        let (_, list) = page.split_once("id=\"errors\"").unwrap_or_else(|| panic!("{symbol} has no errors"));
        let listed: BTreeSet<&str> = errors(list.split("<h2").next().unwrap_or_default()).collect();
        let of_this = errors(&comment[..end.unwrap_or(comment.len())]);
        let of_this = of_this.filter(|error| !OF_EVERY_CALL.contains(error) && !listed.contains(error));
        missing.extend(of_this.map(|error| format!("{symbol}: {error}")));
    }
    assert!(missing.is_empty(), "not on the function's page: {missing:#?}");
}

fn errors(text: &str) -> impl Iterator<Item = &str> {
    let separate = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
    text.split(separate).filter(|word| word.starts_with("CUDA_ERROR_"))
}
