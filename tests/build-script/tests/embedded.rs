//! The embedded bindings and the list of what is bound agree, and the model reads and writes them unchanged.

use std::collections::BTreeSet;
use std::fmt::Debug;

use build_script::surface::model::Model;
use build_script::{allowlist, embedded_bindings};

fn embedded_model() -> Model {
    Model::read(embedded_bindings::embedded_text()).expect("the embedded bindings can be read")
}

#[track_caller]
fn assert_same<T: Ord + Debug>(one: impl IntoIterator<Item = T>, other: impl IntoIterator<Item = T>) {
    assert_eq!(one.into_iter().collect::<BTreeSet<_>>(), other.into_iter().collect());
}

#[test]
fn text_is_read_and_written_unchanged() {
    let (_, text) =
        embedded_bindings::embedded_text().split_once("\n\n").expect("the first line is a comment");
    let written = embedded_model().text(allowlist::DEBUG_BY_HAND);
    for (written, text) in written.lines().zip(text.lines()) {
        assert_eq!(written, text);
    }
    assert_eq!(written.len(), text.len());
}

#[test]
fn what_is_listed_is_bound() {
    let model = embedded_model();
    let functions = model.functions.iter().map(|function| (&*function.name, function.macro_name.as_deref()));
    assert_same(functions, allowlist::FUNCTIONS.iter().copied());
    let macros: Vec<&str> = model.macros.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(macros, allowlist::MACROS);
    let names = [allowlist::TYPES, allowlist::DEBUG_BY_HAND].concat();
    for name in names {
        assert!(model.has_type(name), "{name}");
    }
    let wrapper = include_str!("../../../wrapper.h");
    for (name, ..) in allowlist::HAND_WRITTEN {
        assert!(!model.has_type(name) && wrapper.contains(&format!("sizeof({name})")), "{name}");
    }
}
