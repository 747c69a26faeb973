//! The remedies of `--machine`: one table, from which its sentences and tables of the guide's first aid come.

pub struct RemedyRow {
    /// A name for scripts.
    pub id: &'static str,
    /// The page of the guide, by its name in the table.
    pub page: &'static str,
    /// The results of `cuInit` that this row explains.
    pub codes: Vec<u32>,
    /// What to do, and then what was seen. `{}` is filled in.
    pub step: &'static str,
    pub seen: &'static str,
}

pub fn remedy_rows() -> impl Iterator<Item = RemedyRow> {
    let lines = include_str!("remedies.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let cells = Vec::from_iter(line.split('|').map(str::trim));
        let [name, step, seen] = cells[..] else { panic!("{line}") };
        let mut words = name.split(' ');
        let (id, page) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        RemedyRow { id, page, codes: words.filter_map(|code| code.parse().ok()).collect(), step, seen }
    })
}
