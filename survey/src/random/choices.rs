//! Who chooses between what is right and what is wrong.

pub enum Choices {
    /// SplitMix64, from the program's number.
    Random(u64),
    /// In the order of the call, and which of them is next.
    Given(Vec<usize>, usize),
    /// Nobody: what could be chosen is listed.
    Listed(Vec<Vec<usize>>),
}

impl Choices {
    pub const RIGHT: Self = Self::Given(Vec::new(), 0);

    pub fn below(&mut self, end: usize) -> usize {
        let Self::Random(state) = self else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ word >> 31) % end as u64) as usize
    }

    /// Returns 0 for what is right, and another choice in one of `rarity` cases, or never for 0.
    pub fn choose(&mut self, count: usize, rarity: usize) -> usize {
        match self {
            Self::Given(choices, at) => {
                *at += 1;
                choices.get(*at - 1).copied().unwrap_or(0)
            }
            Self::Listed(lists) => {
                lists.push((1..count).collect());
                0
            }
            Self::Random(_) => {
                let is_wrong = count > 1 && rarity > 0 && self.below(rarity) == 0;
                if is_wrong { 1 + self.below(count - 1) } else { 0 }
            }
        }
    }

    /// Chooses one of the table's numbers: `right/rarity|wrong|wrong`.
    pub fn number(&mut self, text: &str) -> u64 {
        let (first, others) = text.split_once('|').unwrap_or((text, ""));
        let (right, rarity) = first.split_once('/').unwrap_or((first, "0"));
        let others = others.split('|').filter(|text| !text.is_empty());
        let all = Vec::from_iter(std::iter::once(right).chain(others).map(parsed));
        let index = self.choose(all.len(), parsed(rarity) as usize);
        if let Self::Listed(lists) = self {
            let list = lists.last_mut().expect("it was pushed");
            list.retain(|index| !all[..*index].contains(&all[*index]));
        }
        all[index]
    }
}

fn parsed(text: &str) -> u64 {
    let units = [("K", 1 << 10), ("M", 1 << 20)];
    let in_unit = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)));
    let (digits, unit) = in_unit.unwrap_or((text, 1));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().map(|number: i64| number as u64).ok(),
    };
    number.unwrap_or_else(|| panic!("{text} in the table")) * unit
}
