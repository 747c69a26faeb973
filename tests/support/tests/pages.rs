//! The code on the pages that walk through an example is the example's.

use std::fs;
use std::path::Path;

/// A page, and the files that its code is from.
const PAGES: [(&str, &[&str]); 1] = [(
    "docs/vulkan-image.md",
    &[
        "examples/vulkan_image.rs",
        "examples/image_in_place.rs",
        "examples/vulkan_setup/mod.rs",
        "examples/kernel.rs",
    ],
)];

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

/// The code blocks of a page, in Rust and in CUDA C.
fn blocks(page: &str) -> Vec<Vec<&str>> {
    let blocks = page.split("```").skip(1).step_by(2);
    let code = blocks.filter_map(|block| block.strip_prefix("rust,ignore\n").or(block.strip_prefix("c\n")));
    code.map(|block| lines(block.trim_end())).collect()
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
        let texts = Vec::from_iter(files.iter().copied().map(read));
        let mut files = Vec::from_iter(texts.iter().map(|text| lines(text)));
        // CUDA C is in comments.
        for file in files.clone() {
            let bare = file.into_iter().map(|line| line.strip_prefix("// ").unwrap_or(line).trim());
            files.push(bare.collect());
        }
        let page = read(name);
        let blocks = blocks(&page);
        assert!(blocks.len() >= 2, "{name} has {} blocks", blocks.len());
        for block in blocks {
            let is_found = files.iter().any(|file| has(file, &block));
            assert!(is_found, "{name} has code that its example has not:\n{}", block.join("\n"));
        }
    }
}
