//! All groups of cases, in the order of the documents.

mod attributes;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::all;

/// What shares no file descriptors; each other published group as one case that says so.
#[cfg(not(target_os = "linux"))]
pub fn all() -> Vec<crate::case::Group> {
    use crate::case::{Case, Group};
    use interop::Error;

    let not_here = || Err(Error::Missing("not measured on this system".to_owned()));
    let published = crate::results::published().unwrap_or_default();
    let names = published.into_iter().flat_map(|machine| machine.answers.into_keys());
    let names: std::collections::BTreeSet<String> = names.filter(|name| name != "attributes").collect();
    let others = names.into_iter().map(|name| Group::new(name.leak(), [Case::new("all cases", not_here)]));
    std::iter::once(attributes::group()).chain(others).collect()
}
