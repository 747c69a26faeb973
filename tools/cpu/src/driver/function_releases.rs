//! The releases of CUDA that brought each version of a function, and of its form for the thread's default stream.
//! Generated from cudaTypedefs.h and its like: cargo run -p generator

use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Clone, Default)]
pub struct FunctionReleases {
    /// Empty for a function of other systems.
    pub plain: Vec<i32>,
    /// The ending of the form's name.
    pub form: &'static str,
    pub per_thread: Vec<i32>,
}

/// By the name that a program asks for.
pub static FUNCTION_RELEASES: LazyLock<BTreeMap<String, FunctionReleases>> = LazyLock::new(|| {
    let (mut functions, mut releases) = (BTreeMap::new(), FunctionReleases::default());
    let numbers = |list: &str| Vec::from_iter(list.split(',').filter_map(|number| number.parse().ok()));
    // The names after the releases that they have in common.
    for word in include_str!("function_releases.txt").split_whitespace() {
        if word == "none" || word.starts_with(|letter: char| letter.is_ascii_digit()) {
            let (plain, forms) = word.split_once(':').unwrap_or((word, ""));
            let form = forms.split(',').next().unwrap_or_default();
            releases = FunctionReleases { plain: numbers(plain), form, per_thread: numbers(forms) };
        } else {
            functions.insert(format!("cu{word}"), releases.clone());
        }
    }
    functions
});

impl FunctionReleases {
    /// Returns the name in the library of the version that a release has.
    pub fn name_of_version(&self, name: &str, release: i32, form: &str) -> String {
        match self.plain.iter().filter(|since| **since <= release).count() {
            0 | 1 => format!("{name}{form}"),
            version => format!("{name}_v{version}{form}"),
        }
    }
}
