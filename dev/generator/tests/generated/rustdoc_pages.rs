//! Tests rustdoc's pages: each link's heading exists, and functions' pages list the errors of NVIDIA's headers.

use std::collections::BTreeSet;
use std::fs;

use build_script::surface::merge_header::read_embedded_surface;
use build_script::surface::model::CFunction;
use libtest_mimic::Trial;
use test_support::layout::releases;
use test_support::rustdoc_output::{ITEMS, PAGES};
use test_support::{self as support, Need};

pub fn trials() -> Vec<Trial> {
    let [newest, older] = [releases::newest_release(), "12.9"]
        .map(|release| Need::new("headers", &support::fetched_headers(release)));
    support::tests! {
        [newest, older] => error_lists_have_what_cuda_h_lists;
        [] => every_link_within_the_pages_leads_somewhere;
    }
}

/// rustdoc checks that the item of a link exists, but not that the heading exists on the item's page.
fn every_link_within_the_pages_leads_somewhere() {
    let mut count = 0;
    for (path, text) in &*PAGES {
        let links = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
        for (file, heading) in links.filter_map(|link| link.split_once('#')) {
            if file.starts_with("http") || file.contains("src/") || heading.is_empty() {
                continue;
            }
            let to = if file.is_empty() { path.clone() } else { resolve_link(path, file) };
            let target = PAGES.get(&to).unwrap_or_else(|| panic!("{path}: {file} does not exist"));
            assert!(target.contains(&format!("id=\"{heading}\"")), "{path}: no heading {heading} in {to}");
            count += 1;
        }
    }
    assert!(count > 300, "only {count} links");
}

fn resolve_link(page: &str, link: &str) -> String {
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

/// A page may lack errors that the front page explains: `of_all`, and `general` outside of the modules for external
/// memory, semaphores and graphs.
fn error_lists_have_what_cuda_h_lists() {
    let of_all =
        ["DEINITIALIZED", "NOT_INITIALIZED", "INVALID_CONTEXT"].map(|name| format!("CUDA_ERROR_{name}"));
    let general = ["INVALID_VALUE", "INVALID_HANDLE", "INVALID_DEVICE", "OUT_OF_MEMORY", "EXTERNAL_DEVICE"];
    let general = general.map(|name| format!("CUDA_ERROR_{name}"));
    let front_page = listed_errors(Some(&PAGES["index.html"]));
    assert!(of_all.iter().chain(&general).all(|error| front_page.contains(&**error)), "{front_page:?}");
    // The page of a `_ptsz` function refers to the page of the function without this suffix.
    let functions = read_embedded_surface().expect("the embedded bindings can be read").functions;
    for CFunction { name: symbol, macro_name, .. } in
        functions.iter().filter(|one| !one.name.ends_with("_ptsz"))
    {
        let comment = results_comment(symbol, macro_name.as_deref());
        let list = comment.split("\\note").next().and_then(|list| list.split("\\sa").next());
        let module = ITEMS[&**symbol].replace("::", "/");
        let page = PAGES[&format!("{module}/fn.{symbol}.html")].split_once("id=\"errors\"");
        let is_family = ["memory", "semaphore", "graph"].contains(&&*module);
        assert!(!is_family || page.is_some(), "{symbol} has no errors");
        let listed = listed_errors(page.and_then(|(_, list)| list.split("<h2").next()));
        let is_general = |error: &str| {
            of_all.iter().any(|of| of == error) || !is_family && general.iter().any(|of| of == error)
        };
        let missing: Vec<_> =
            listed_errors(list).into_iter().filter(|error| !listed.contains(error)).collect();
        assert!(missing.iter().all(|error| is_general(error)), "not on {symbol}'s page: {missing:?}");
    }
}

/// Functions whose comment is in an older cuda.h, or under another name: the function, the release, the name there.
const ELSEWHERE: [(&str, &str, &str); 3] = [
    ("cuCtxCreate_v2", "12.9", "cuCtxCreate"),
    ("cuEventElapsedTime", "12.9", "cuEventElapsedTime"),
    ("cuEventElapsedTime_v2", "13.5", "cuEventElapsedTime"),
];

fn results_comment(symbol: &str, macro_name: Option<&str>) -> String {
    let elsewhere = ELSEWHERE.iter().find(|(name, ..)| *name == symbol);
    let (release, name) = elsewhere
        .map_or((releases::newest_release(), macro_name.unwrap_or(symbol)), |(_, release, name)| {
            (release, name)
        });
    let include = support::fetched_headers(release).expect("the test needs it");
    let read = |name| fs::read_to_string(include.join(name)).expect("dev/scripts/fetch-headers fetches it");
    let header = ["cudaGL.h", "cudaEGL.h", "cudaD3D11.h", "cuda.h"].map(read).concat();
    let declaration = format!("CUresult CUDAAPI {name}(");
    let (before, _) = header.split_once(&declaration).unwrap_or_else(|| panic!("no {declaration}"));
    let (_, comment) = before.rsplit_once("\\return").expect("a function has a comment");
    comment.to_owned()
}

fn listed_errors(text: Option<&str>) -> BTreeSet<&str> {
    let words = text.unwrap_or_default().split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("CUDA_ERROR_")).collect()
}
