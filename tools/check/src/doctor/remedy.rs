//! A remedy: a row of machine_remedies.txt, with what was found on this machine in place of each `{}`.

use cuda_external_check::machine_remedies::remedy_rows;
use cuda_external_check::rules::GUIDE_URL;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineFix {
    /// The row's name, by which scripts recognize the remedy.
    pub id: String,
    pub sentence: String,
    /// The address of the guide's page about the remedy.
    pub see: String,
}

impl MachineFix {
    pub fn new(id: &str, words: &[&str]) -> Self {
        let row = remedy_rows().find(|row| row.id == id).expect("the table has each name");
        let text = format!("{}: {}.", row.step, row.seen);
        let sentence = words.iter().fold(text, |text, words| text.replacen("{}", words, 1));
        Self { id: id.to_owned(), sentence, see: format!("{GUIDE_URL}/{}", row.page) }
    }
}

/// Returns the remedy whose row comes first in the table: a later row's step may require the step of an earlier row.
pub fn first_remedy_in_table(missing: impl IntoIterator<Item = MachineFix>) -> Option<MachineFix> {
    missing.into_iter().min_by_key(|remedy| remedy_rows().position(|row| row.id == remedy.id))
}
