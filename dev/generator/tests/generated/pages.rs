//! rustdoc's pages, built as the documentation server builds them: every public item has its text, every
//! link leads somewhere, and each function's errors are those that cuda.h lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use build_script::allowlist;
use libtest_mimic::Trial;
use test_support::layout::releases;
use test_support::pages::{ITEMS, PAGES, files};
use test_support::{self as support, Need};

pub fn all() -> Vec<Trial> {
    let [newest, older] =
        [releases::newest(), "12.9"].map(|release| Need::new("headers", &support::headers(release)));
    support::tests! {
        [newest, older] => error_lists_have_what_cuda_h_lists;
        [] => every_item_has_a_text, every_page_of_docs_is_included, every_link_within_the_pages_leads_somewhere,
            each_page_has_the_release_of_the_table;
    }
}

fn every_item_has_a_text() {
    for (path, text) in &*PAGES {
        assert!(text.contains("<details class=\"toggle top-doc\" open>"), "{path} has no text");
        for word in ["TODO", "FIXME", "__bindgen"] {
            assert!(!text.contains(word), "{word} in {path}");
        }
    }
    assert!(PAGES.len() > 600, "only {} items", PAGES.len());
}

fn every_page_of_docs_is_included() {
    let source: String =
        files(&support::repository().join("src"), "rs").into_iter().map(|(_, text)| text).collect();
    for (page, _) in files(&support::repository().join("docs"), "md") {
        let is_there = ["\"", "/docs/"].iter().any(|before| source.contains(&format!("{before}{page}\"")));
        assert!(is_there, "docs/{page} is on no page");
    }
}

/// rustdoc checks that an item exists, not that a heading of its page does.
fn every_link_within_the_pages_leads_somewhere() {
    let mut count = 0;
    for (path, text) in &*PAGES {
        let links = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
        for (file, heading) in links.filter_map(|link| link.split_once('#')) {
            if file.starts_with("http") || file.contains("src/") || heading.is_empty() {
                continue;
            }
            let to = if file.is_empty() { path.clone() } else { resolve(path, file) };
            let target = PAGES.get(&to).unwrap_or_else(|| panic!("{path}: {file} does not exist"));
            assert!(target.contains(&format!("id=\"{heading}\"")), "{path}: no heading {heading} in {to}");
            count += 1;
        }
    }
    assert!(count > 300, "only {count} links");
}

/// The path that a page's link leads to.
fn resolve(page: &str, link: &str) -> String {
    let mut to: Vec<&str> = page.split('/').collect();
    to.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(to.pop()),
            _ => to.push(part),
        }
    }
    to.join("/")
}

/// If a page says since which release its item exists, docs/releases.md, which is made from the headers, must have the
/// same release. For items of the oldest header the page has an earlier release.
fn each_page_has_the_release_of_the_table() {
    let (table, _) = releases::page().split_once("\n## ").expect("the first table");
    let rows = table.lines().filter_map(|row| row.strip_prefix("| ")?.split_once(" | "));
    let names = |cell: &'static str| cell.split('`').skip(1).step_by(2);
    let came = rows.flat_map(|(release, cell)| names(cell).map(move |name| (name, release)));
    let came = came.collect::<BTreeMap<_, _>>();
    let number = |release: &str| -> Vec<u32> { release.split('.').flat_map(str::parse).collect() };
    let mut compared = 0;
    for (path, text) in files(&support::repository().join("src"), "rs") {
        for block in text.split("\n\n") {
            // Not of a value in a list.
            let lines = block.lines().map(str::trim_start);
            let lines = lines.filter(|line| !line.starts_with("/// -") && !line.starts_with("///   "));
            let said = lines.filter_map(|line| line.split_once("Since CUDA ")).next_back();
            let item = block.split_once("pub use crate::bindings::");
            let (Some((_, said)), Some((_, item))) = (said, item) else { continue };
            let name = item.split(';').next().expect("an item").split_whitespace().next().expect("a name");
            let said = said.split(|c: char| !c.is_ascii_digit() && c != '.').next().expect("a release");
            let said = said.trim_end_matches('.');
            // An unnamed type is as old as a field of its owner.
            let owner = name.rsplit_once('_').map(|(owner, _)| format!("{owner}."));
            let of_owner = |known: &&str| owner.as_ref().is_some_and(|owner| known.starts_with(owner));
            let is_right = match came.get(name) {
                Some(release) => said == *release,
                None => {
                    number(said) <= number(releases::all()[0])
                        || came.iter().any(|(known, release)| of_owner(known) && said == *release)
                }
            };
            assert!(is_right, "{path}: {name} since {said}");
            compared += 1;
        }
    }
    assert!(compared > 120, "{compared}");
}

/// Each page has the errors that cuda.h lists for its function, except for those that the front page lists for all
/// functions.
fn error_lists_have_what_cuda_h_lists() {
    let of_all = ["CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_NOT_INITIALIZED", "CUDA_ERROR_INVALID_CONTEXT"];
    // The page of a `_ptsz` function refers to the other one's.
    for (symbol, macro_name) in allowlist::FUNCTIONS.iter().filter(|(symbol, _)| !symbol.ends_with("_ptsz")) {
        let comment = comment(symbol, *macro_name);
        let list = comment.split("\\note").next().and_then(|list| list.split("\\sa").next());
        let page = &PAGES[&format!("{}/fn.{symbol}.html", ITEMS[symbol].replace("::", "/"))];
        let (_, page) = page.split_once("id=\"errors\"").unwrap_or_else(|| panic!("{symbol} has no errors"));
        let listed = errors(page.split("<h2").next());
        let missing: Vec<_> = errors(list).into_iter().filter(|error| !listed.contains(error)).collect();
        assert!(missing.iter().all(|error| of_all.contains(error)), "not on {symbol}'s page: {missing:?}");
    }
}

/// Functions whose comment in the newest cuda.h stands under another name, or only in an older one: the release, and
/// the name in it.
const ELSEWHERE: [(&str, &str, &str); 3] = [
    ("cuCtxCreate_v2", "12.9", "cuCtxCreate"),
    ("cuEventElapsedTime", "12.9", "cuEventElapsedTime"),
    ("cuEventElapsedTime_v2", "13.5", "cuEventElapsedTime"),
];

/// Returns the header's comment on a function's results.
fn comment(symbol: &str, macro_name: Option<&str>) -> String {
    let elsewhere = ELSEWHERE.iter().find(|(name, ..)| *name == symbol);
    let (release, name) = elsewhere
        .map_or((releases::newest(), macro_name.unwrap_or(symbol)), |(_, release, name)| (release, name));
    let include = support::headers(release).expect("the test needs it");
    let read = |name| fs::read_to_string(include.join(name)).expect("dev/scripts/fetch-headers fetches it");
    let header = ["cudaGL.h", "cudaEGL.h", "cudaD3D11.h", "cuda.h"].map(read).concat();
    let declaration = format!("CUresult CUDAAPI {name}(");
    let (before, _) = header.split_once(&declaration).unwrap_or_else(|| panic!("no {declaration}"));
    let (_, comment) = before.rsplit_once("\\return").expect("a function has a comment");
    comment.to_owned()
}

fn errors(text: Option<&str>) -> BTreeSet<&str> {
    let words = text.unwrap_or_default().split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("CUDA_ERROR_")).collect()
}
