//! The code on the pages that walk through an example is the example's.

use std::fs;
use std::path::Path;

/// A page, and the files that its code is from.
const PAGES: [(&str, [&str; 2]); 2] = [
    ("docs/vulkan-image.md", ["examples/vulkan_image.rs", "examples/vulkan_setup/mod.rs"]),
    ("docs/vulkan-buffer.md", ["examples/vulkan_buffer.rs", "examples/vulkan_setup/mod.rs"]),
];

/// A line of a page that stands for lines of the file.
const LEFT_OUT: &str = "// ...";

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lines without what indents them.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

/// The code blocks of a page.
fn blocks(page: &str) -> Vec<Vec<&str>> {
    let blocks = page.split("```rust,ignore\n").skip(1);
    blocks.map(|rest| lines(rest.split("```").next().expect("a block has an end"))).collect()
}

/// Whether the file has each part of a block, whole and in order.
fn has(file: &[&str], block: &[&str]) -> bool {
    let mut from = 0;
    block.split(|line| *line == LEFT_OUT).all(|part| {
        let found = file[from..].windows(part.len()).position(|lines| lines == part);
        from += found.unwrap_or_default() + part.len();
        found.is_some()
    })
}

#[test]
fn the_code_of_a_walk_is_the_examples() {
    for (name, files) in PAGES {
        let (page, texts) = (read(name), files.map(read));
        let files = texts.each_ref().map(|text| lines(text));
        let blocks = blocks(&page);
        assert!(blocks.len() >= 12, "{name} has {} blocks", blocks.len());
        for block in blocks {
            let is_found = files.iter().any(|file| has(file, &block));
            assert!(is_found, "{name} has code that its example has not:\n{}", block.join("\n"));
        }
    }
}

#[test]
fn a_block_that_differs_is_not_found() {
    let file = lines("a();\n    b();\nc();\nd();");
    assert!(has(&file, &["b();", "c();"]) && has(&file, &["a();", LEFT_OUT, "c();"]));
    for block in [&["b();", "d();"][..], &["c();", LEFT_OUT, "b();"], &["b()"], &["a();", LEFT_OUT, "a();"]] {
        assert!(!has(&file, block), "{block:?}");
    }
}
