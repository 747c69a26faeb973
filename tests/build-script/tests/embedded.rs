//! Tests the build script's model of the embedded bindings. The text that the model writes must equal the text that the
//! model was read from. `merge_header` must take the constants' values from a header. It must refuse a header with a
//! struct, union, enum or function that contradicts the bindings.

use build_script::embedded_bindings;
use build_script::surface::merge_header::{merge_header, read_embedded_surface};
use build_script::surface::model::{BindingsModel, CType};
use test_support::layout::facts;

fn embedded_model() -> BindingsModel {
    read_embedded_surface().expect("the embedded bindings can be read")
}

#[test]
fn text_is_read_and_written_unchanged() {
    let (_, text) =
        embedded_bindings::embedded_text().split_once("\n\n").expect("the first line is a comment");
    let written = embedded_model().rust_text();
    for (written, text) in written.lines().zip(text.lines()) {
        assert_eq!(written, text);
    }
    assert_eq!(written.len(), text.len());
}

fn type_that_no_item_has() -> CType {
    CType::Array(Box::new(CType::Named("c_ushort".to_owned())), 1234)
}

/// Makes headers from the bindings, each with one changed struct, union, enum or function. `merge_header` must refuse
/// each of these headers. The reason must name the changed item, or a record that has a field of that item's type.
#[test]
fn every_changed_item_is_refused() {
    let surface = embedded_model();
    assert_eq!(merge_header(surface.clone(), surface.clone(), false).as_ref(), Ok(&surface));
    let mut changes = 0;
    let mut assert_refused = |name: &str, change: &dyn Fn(&mut BindingsModel)| {
        let mut header = surface.clone();
        change(&mut header);
        assert!(header != surface, "{name} is not changed");
        let why = merge_header(header, surface.clone(), false).err();
        let why = why.unwrap_or_else(|| panic!("{name}: the change is not refused"));
        // If a field of another record has the changed type, the reason may name that record instead.
        assert!(why.contains(name) || why.contains(" in this header"), "{name}: {why}");
        changes += 1;
    };
    for (at, record) in surface.records.iter().enumerate() {
        for (field, _) in record.fields.iter().enumerate().filter(|(_, (name, _))| !facts::is_reserved(name))
        {
            assert_refused(&record.name, &|header| {
                header.records[at].fields[field].1 = type_that_no_item_has()
            });
            if !record.is_union {
                assert_refused(&record.name, &|header| {
                    "renamed".clone_into(&mut header.records[at].fields[field].0)
                });
            }
        }
        assert_refused(&record.name, &|header| header.records[at].is_union ^= true);
        if !record.is_union && record.fields.iter().all(|(name, _)| !facts::is_reserved(name)) {
            // The new first field makes the struct larger and moves its other fields, so the layouts differ.
            assert_refused(&record.name, &|header| {
                header.records[at].fields.insert(0, ("more".to_owned(), type_that_no_item_has()));
            });
        }
    }
    for (at, an_enum) in surface.enums.iter().enumerate().filter(|(_, an_enum)| !an_enum.is_signed) {
        assert_refused(&an_enum.name, &|header| header.enums[at].is_signed = true);
    }
    for (at, function) in surface.functions.iter().enumerate() {
        assert_refused(&function.name, &|header| header.functions[at].result = type_that_no_item_has());
        assert_refused(&function.name, &|header| {
            header.functions[at].arguments.push(("more".to_owned(), type_that_no_item_has()))
        });
        for argument in 0..function.arguments.len() {
            assert_refused(&function.name, &|header| {
                header.functions[at].arguments[argument].1 = type_that_no_item_has()
            });
        }
    }
    assert!(changes > 1000, "{changes} changes");
}

/// Each constant has the value that the header gives it. A constant that the header lacks keeps its value.
#[test]
fn every_value_is_the_headers() {
    let surface = embedded_model();
    let mut header = surface.clone();
    let values: Vec<(String, i64)> =
        surface.constants_with_values().map(|(name, value)| (name.clone(), value ^ 1)).collect();
    header.macros = values.clone();
    let merged = merge_header(header, surface.clone(), false).expect("only values differ");
    assert_eq!(merged.constants_with_values().cloned().collect::<Vec<_>>(), values);
    let mut without_values = surface.clone();
    without_values.macros.clear();
    assert_eq!(merge_header(without_values, surface.clone(), false), Ok(surface));
}
