//! The rows of machine_remedies.txt, whose words are in the output of `--machine` and in tables of docs/first-aid.md.

pub struct RemedyRow {
    /// The row's name, by which scripts recognize the remedy.
    pub id: &'static str,
    /// The page of the guide, below `GUIDE_URL`.
    pub page: &'static str,
    /// The results of `cuInit` that this row explains.
    pub codes: Vec<u32>,
    /// What the user should do. Both here and in `seen`, `MachineFix::new` replaces each `{}` by words.
    pub step: &'static str,
    /// What `--machine` found.
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
