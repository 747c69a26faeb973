//! What to do next: a row of the table of remedies, with the machine's words.

use cuda_external_check::remedies::remedy_rows;
use cuda_external_check::rules::GUIDE_URL;
use serde::{Deserialize, Serialize};

/// What is missing, as the sentence that says what to do about it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Remedy {
    /// A name for scripts.
    pub id: String,
    pub sentence: String,
    /// The part of the guide.
    pub see: String,
}

const PAGES: &[(&str, &str)] = &[
    ("driver", "first_aid/index.html#the-driver-and-the-context"),
    ("graphics", "first_aid/index.html#vulkan-and-opengl"),
    ("import", "first_aid/index.html#the-import"),
    ("containers", "platforms/index.html#containers"),
    ("wsl", "platforms/index.html#wsl-2"),
    ("egl", "graphics/index.html#egl-on-cudas-device"),
    ("software", "testing_without_a_gpu/index.html"),
    ("check", "check/index.html"),
];

impl Remedy {
    /// The row of that name, with the words in its places.
    pub fn new(id: &str, words: &[&str]) -> Self {
        let row = remedy_rows().find(|row| row.id == id).expect("a test compares the names with the table");
        let page = PAGES.iter().find(|(name, _)| *name == row.page).map(|(_, page)| *page);
        let text = format!("{}: {}.", row.step, row.seen);
        let sentence = words.iter().fold(text, |text, words| text.replacen("{}", words, 1));
        Self { id: id.to_owned(), sentence, see: format!("{GUIDE_URL}/{}", page.unwrap_or_default()) }
    }

    pub fn has_id(&self, id: &str) -> bool {
        self.id == id
    }
}

/// Of all that is missing, the first one in the table: without it, the remedies of the others do nothing.
pub fn first_in_table(missing: impl IntoIterator<Item = Remedy>) -> Option<Remedy> {
    missing.into_iter().min_by_key(|remedy| remedy_rows().position(|row| row.id == remedy.id))
}

#[test]
fn every_remedy_is_used_and_no_other() {
    let mut rows = Vec::new();
    for row in remedy_rows() {
        let remedy = Remedy::new(row.id, &["a", "b", "c", "d", "e"]);
        assert!(!remedy.sentence.contains("{}") && !remedy.sentence.contains(". "), "{}", row.id);
        assert!(PAGES.iter().any(|(name, _)| *name == row.page), "{}", row.id);
        rows.push(row.id);
    }
    let files =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctor")).expect("this directory");
    let sources = files.flatten().filter(|file| file.file_name() != "remedy.rs");
    let sources = Vec::from_iter(sources.filter_map(|file| std::fs::read_to_string(file.path()).ok()));
    let calls = ["Remedy::new(", "about_file("]
        .map(|call| sources.iter().flat_map(move |text| text.split(call).skip(1)));
    let uses =
        calls.into_iter().flatten().filter_map(|text| text.trim_start().strip_prefix('"')?.split('"').next());
    let mut uses = Vec::from_iter(uses);
    rows.sort_unstable();
    uses.sort_unstable();
    uses.dedup();
    assert_eq!(rows, uses);
}
