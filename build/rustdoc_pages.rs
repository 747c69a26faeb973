//! Rewrites the pages of docs/ for rustdoc.
//!
//! Every build with the feature `bindgen` rewrites the pages: a build script cannot know whether rustdoc runs next.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Items of this crate that C does not have.
const CRATE_ITEMS: [&str; 9] = [
    "BINDINGS",
    "BINDINGS_SOURCE",
    "Driver",
    "LoadError",
    "assert_layout!",
    "extern_driver!",
    "load()",
    "load_from",
    "load_with",
];

/// Rewrites each page in `root`/docs for rustdoc, and writes the result into `out`.
pub fn write_pages(root: &Path, out: &Path, bindings: &str) -> std::io::Result<()> {
    fs::create_dir_all(out)?;
    let pages = DocsPageRewriter { root, items: c_item_names(bindings) };
    for entry in fs::read_dir(root.join("docs"))? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|kind| kind == "md")) {
            fs::write(out.join(name), pages.rewrite_page(&fs::read_to_string(&path)?))?;
        }
    }
    Ok(())
}

/// Returns the words that look like names of CUDA's items, without words directly after `pub`: those name fields.
fn c_item_names(bindings: &str) -> BTreeSet<&str> {
    let words = bindings.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect::<Vec<_>>();
    let is_name = |word: &str| match word.split_at_checked(2) {
        Some(("CU", _)) => true,
        Some(("cu", rest)) => rest.starts_with(|c: char| c.is_ascii_uppercase()),
        _ => false,
    };
    words.windows(2).filter(|two| two[0] != "pub" && is_name(two[1])).map(|two| two[1]).collect()
}

struct DocsPageRewriter<'a> {
    root: &'a Path,
    items: BTreeSet<&'a str>,
}

impl DocsPageRewriter<'_> {
    fn rewrite_page(&self, text: &str) -> String {
        let mut page = String::new();
        // Every second part is a block of code.
        for (at, part) in text.split("```").enumerate() {
            if at % 2 == 1 {
                page += &format!("```{part}```");
                continue;
            }
            let mut prose = String::new();
            for line in part.split_inclusive('\n') {
                if let Some(heading) = line.strip_prefix("##") {
                    prose += &format!("#{heading}");
                } else if let Some((_, file)) = line.split_once("](pictures/") {
                    prose += &self.inline_svg(file.trim_end().trim_end_matches(')'));
                } else if !line.starts_with("# ") {
                    prose += line;
                }
            }
            self.rewrite_links_and_items(&prose, &mut page);
        }
        page
    }

    /// Returns the SVG text of the picture `file`, with two changes. The element `<style>` is left out, so that
    /// rustdoc's text color applies. Blank lines are left out, since a blank line would end the picture in Markdown.
    fn inline_svg(&self, file: &str) -> String {
        let text = fs::read_to_string(self.root.join("docs/pictures").join(file)).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("<style>"));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// Rewrites the links and the names of items in text outside of blocks of code.
    fn rewrite_links_and_items(&self, text: &str, page: &mut String) {
        let mut rest = text;
        while let Some(at) = rest.find(['`', '[']) {
            page.push_str(&rest[..at]);
            rest = &rest[at..];
            let taken = if rest.starts_with('`') {
                self.write_item_link(rest, page)
            } else {
                self.write_rewritten_link(rest, page)
            };
            rest = &rest[taken..];
        }
        page.push_str(rest);
    }

    /// Writes the code span at the start of `text`, as a link if the span names an item, and returns the span's length.
    fn write_item_link(&self, text: &str, page: &mut String) -> usize {
        let Some((code, _)) = text[1..].split_once('`') else {
            page.push('`');
            return 1;
        };
        match self.is_documented_item(code) {
            true => page.push_str(&format!("[`{code}`](crate::{})", code.trim_end_matches("()"))),
            false => page.push_str(&format!("`{code}`")),
        }
        code.len() + 2
    }

    fn is_documented_item(&self, code: &str) -> bool {
        let is_path = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:()!".contains(&byte));
        let first = code.split("::").next().unwrap_or_default();
        is_path && (CRATE_ITEMS.contains(&first) || self.items.contains(first))
    }

    /// Rewrites the link at the start of `text`, and returns the number of bytes of `text` that were rewritten.
    fn write_rewritten_link(&self, text: &str, page: &mut String) -> usize {
        let link = text.split_once("](").and_then(|(label, rest)| Some((label, rest.split_once(')')?.0)));
        let Some((label, target)) =
            link.filter(|(label, _)| !label[1..].contains(['[', ']']) && !label.contains("\n\n"))
        else {
            page.push('[');
            return 1;
        };
        let (file, heading) = target.split_once('#').map_or((target, ""), |(file, heading)| (file, heading));
        let module = Some(file).filter(|file| !file.contains('/'));
        let module = module.and_then(|file| Some(self.rustdoc_module_of_page(file.rsplit_once('.')?.0)));
        let place = match module {
            _ if target.starts_with("http") || file.is_empty() => Some(target.to_owned()),
            Some(module) if heading.is_empty() => Some(module),
            Some(module) => Some(format!("{module}#{heading}")),
            None => None,
        };
        match place {
            Some(place) => page.push_str(&format!("{label}]({place})")),
            None => page.push_str(&label[1..]),
        }
        label.len() + 2 + target.len() + 1
    }

    fn rustdoc_module_of_page(&self, page: &str) -> String {
        match page {
            "README" => "crate".to_owned(),
            _ if self.root.join("src/topics").join(page).with_extension("rs").exists() => {
                format!("crate::{page}")
            }
            _ => format!("crate::guide::{}", page.replace('-', "_")),
        }
    }
}
