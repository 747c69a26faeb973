//! What to do next: one sentence for each missing link.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use cuda_external_check::rules::GUIDE_URL;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Next {
    /// A name for scripts.
    pub id: String,
    pub sentence: String,
    /// The part of the guide.
    pub see: String,
}

impl Next {
    pub fn is(&self, id: &str) -> bool {
        self.id == id
    }
}

const SENTENCES: &str = include_str!("sentences.txt");
const PAGES: &[(&str, &str)] = &[
    ("driver", "first_aid/index.html#the-driver-and-the-context"),
    ("graphics", "first_aid/index.html#vulkan-and-opengl"),
    ("import", "first_aid/index.html#the-import"),
    ("containers", "platforms/index.html#containers"),
    ("wsl", "platforms/index.html#wsl-2"),
    ("software", "testing_without_a_gpu/index.html"),
    ("check", "check/index.html"),
];

/// The sentence of that name, with the words in its places.
pub fn say(id: &str, words: &[&str]) -> Option<Next> {
    let row = SENTENCES.lines().find_map(|line| line.strip_prefix(id)?.strip_prefix(' '));
    let (page, text) = row?.split_once(" | ")?;
    let (_, page) = PAGES.iter().find(|(name, _)| *name == page)?;
    let sentence = words.iter().fold(text.to_owned(), |text, words| text.replacen("{}", words, 1));
    Some(Next { id: id.to_owned(), sentence, see: format!("{}/{page}", GUIDE_URL) })
}

/// Whether the system's loader says that the library itself does not exist, and not one that it needs.
pub fn is_absent(library: &str, words: &str) -> bool {
    let name = Path::new(words.split(": ").next().unwrap_or_default()).file_name();
    name == Path::new(library).file_name() && words.contains("No such file")
}

/// Why the system's loader says that a file does not exist, where its name does.
pub fn why_passed_over(file: &Path) -> Option<String> {
    if let Err(error) = file.symlink_metadata() {
        return Some(error)
            .filter(|error| error.kind() == ErrorKind::PermissionDenied)
            .map(|error| error.to_string());
    }
    Some(match (fs::read_link(file), fs::File::open(file)) {
        (Ok(target), Err(error)) => format!("it leads to {}: {error}", target.display()),
        (_, Err(error)) => error.to_string(),
        (_, Ok(_)) => "it is for another architecture".to_owned(),
    })
}

#[test]
fn every_sentence_is_used_and_no_other() {
    let mut rows = Vec::new();
    for row in SENTENCES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (id, sentence) = row.split_once(' ').expect(row);
        let next = say(id, &["a", "b", "c", "d", "e"]).expect(row);
        assert!(
            !next.sentence.contains("{}") && sentence.ends_with('.') && !sentence.contains(". "),
            "{row}"
        );
        rows.push(id);
    }
    let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/machine")).expect("this directory");
    let others = files.flatten().filter(|file| file.file_name() != "sentences.rs");
    let sources = Vec::from_iter(others.filter_map(|file| fs::read_to_string(file.path()).ok()));
    let uses = sources.iter().flat_map(|text| text.split("say(").skip(1));
    let uses = uses.filter_map(|text| Some(text.trim_start().strip_prefix('"')?.split_once('"')?.0));
    let mut uses = Vec::from_iter(uses);
    rows.sort_unstable();
    uses.sort_unstable();
    uses.dedup();
    assert_eq!(rows, uses);
}
