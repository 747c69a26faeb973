//! Version numbers in names: 12.10 comes before 12.9.

/// The names that have a number, the greatest first; of names with the same number the shorter first.
pub fn by_number(names: Vec<String>, number: &dyn Fn(&str) -> Option<Vec<u32>>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if let Some(number) = number(&name) {
            found.push((number, name));
        }
    }
    found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, name)| name).collect()
}

/// `12.6` as numbers.
pub fn numbers(text: &str, separator: char) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split(separator) {
        numbers.push(part.parse().ok()?);
    }
    Some(numbers)
}
