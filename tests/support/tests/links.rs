//! The links of the repository's pages, as a code host follows them. `generated::rustdoc_pages` follows them as rustdoc
//! does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn find_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The files of a pattern that git tracks or does not ignore.
fn list_files(pattern: &str) -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", pattern]).current_dir(find_root());
    let output = git.output().expect("git starts");
    let names = String::from_utf8_lossy(&output.stdout);
    names.lines().filter(|name| find_root().join(name).exists()).map(str::to_owned).collect()
}

/// Returns text without its code blocks.
fn read_prose(page: &str) -> String {
    let parts = page.split("```").step_by(2);
    parts.collect()
}

/// Returns the anchors that a code host makes of headings: lower case, hyphens for spaces, no punctuation.
fn heading_anchors(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let text = if is_rust { text } else { read_prose(&text) };
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
    for page in list_files("*.md") {
        let path = find_root().join(&page);
        let text = read_prose(&fs::read_to_string(&path).expect("a page"));
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

/// `object.function()` and `module::function`, which the recipes name.
#[test]
fn each_function_of_the_recipes_exists() {
    let read = |file: &String| fs::read_to_string(find_root().join(file)).expect("a file");
    let code: String = list_files("*.rs").iter().map(read).collect();
    let recipes = read_prose(&read(&"CONTRIBUTING.md".to_owned()));
    let mut count = 0;
    for span in
        recipes.split('`').skip(1).step_by(2).filter(|span| span.contains("::") || span.ends_with(')'))
    {
        let path = span.split('(').next().unwrap_or_default();
        let name = path.rsplit([':', '.']).next().unwrap_or_default();
        if !path.contains(' ') {
            let is_there = code.contains(&format!("fn {name}(")) || code.contains(&format!("fn {name}<"));
            assert!(is_there, "CONTRIBUTING.md: {span}: no such function");
            count += 1;
        }
    }
    assert!(count >= 7, "only {count} functions");
}
