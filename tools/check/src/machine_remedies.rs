//! The rows of machine_remedies.txt: the sentences of `--machine`, and those in the tables of the guide's first aid.

pub struct RemedyRow {
    /// The row's name, by which scripts recognize the remedy.
    pub id: &'static str,
    /// A short name for a page of the guide; see `PAGES` in doctor/remedy.rs.
    pub page: &'static str,
    /// The results of `cuInit` that this row explains.
    pub codes: Vec<u32>,
    /// What to do, and what was found on the machine. `{}` represents words that are filled in.
    pub step: &'static str,
    pub seen: &'static str,
}

pub fn remedy_rows() -> impl Iterator<Item = RemedyRow> {
    let lines = include_str!("machine_remedies.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let cells = Vec::from_iter(line.split('|').map(str::trim));
        let [name, step, seen] = cells[..] else { panic!("{line}") };
        let mut words = name.split(' ');
        let (id, page) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        RemedyRow { id, page, codes: words.filter_map(|code| code.parse().ok()).collect(), step, seen }
    })
}
