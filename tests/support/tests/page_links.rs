//! Checks the relative links of the Markdown pages, as a code host follows them. `generated::rustdoc_pages` checks the
//! links in rustdoc's pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use test_support::{repository, repository_files};

fn prose_of_page(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// Returns the anchors that a code host makes of headings: lower case, hyphens for spaces, no punctuation.
fn heading_anchors(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let text = if is_rust { text } else { prose_of_page(&text) };
    let lines = text.lines().filter_map(|line| if is_rust { line.strip_prefix("//! ") } else { Some(line) });
    let titles = lines.filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let slug = |title: &str| -> String {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
    };
    titles.map(slug).collect()
}

fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

#[test]
fn every_link_leads_somewhere() {
    let mut count = 0;
    for page in repository_files().into_iter().filter(|file| file.ends_with(".md")) {
        let path = repository().join(&page);
        let text = prose_of_page(&fs::read_to_string(&path).expect("a page"));
        for target in link_targets(&text).filter(|target| !target.contains("://")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let to = if file.is_empty() { path.clone() } else { path.with_file_name("").join(file) };
            assert!(to.exists(), "{page}: {target}: no such file");
            let is_there = heading.is_empty() || heading_anchors(&to).contains(heading);
            assert!(is_there, "{page}: {target}: no such heading");
            count += 1;
        }
    }
    assert!(count > 200, "only {count} links");
}
