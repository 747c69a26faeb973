//! A property of every type, field and function of the surface: a header that has it otherwise is refused, with a
//! reason that names it. A header's values are taken.

use build_script::surface::merge_header::merge_header;
use build_script::surface::model::{Model, Type};
use libtest_mimic::Trial;

use crate::layout::{facts, releases};
use crate::support;

pub fn trials() -> Vec<Trial> {
    support::tests! { [] => every_changed_item_is_refused, every_value_is_the_headers; }
}

fn embedded_model() -> Model {
    Model::read(releases::embedded_bindings()).expect("the embedded bindings can be read")
}

fn another_type() -> Type {
    Type::Array(Box::new(Type::Named("c_ushort".to_owned())), 1234)
}

fn every_changed_item_is_refused() {
    let surface = embedded_model();
    assert_eq!(merge_header(surface.clone(), surface.clone(), false).as_ref(), Ok(&surface));
    let mut changes = 0;
    let mut assert_refused = |name: &str, change: &dyn Fn(&mut Model)| {
        let mut header = surface.clone();
        change(&mut header);
        assert!(header != surface, "{name} is not changed");
        let why = merge_header(header, surface.clone(), false).err();
        let why = why.unwrap_or_else(|| panic!("{name}: the change is not refused"));
        // A record without a name of C's, or inside another one, is refused by its owner's name.
        assert!(why.contains(name) || why.contains(" in this header"), "{name}: {why}");
        changes += 1;
    };
    for (at, record) in surface.records.iter().enumerate() {
        for (field, _) in record.fields.iter().enumerate().filter(|(_, (name, _))| !facts::is_reserved(name))
        {
            assert_refused(&record.name, &|header| header.records[at].fields[field].1 = another_type());
        }
        assert_refused(&record.name, &|header| header.records[at].is_union ^= true);
        if !record.is_union && record.fields.iter().all(|(name, _)| !facts::is_reserved(name)) {
            // Every place is another one's, or the field is missing and has no room.
            assert_refused(&record.name, &|header| {
                header.records[at].fields.insert(0, ("more".to_owned(), another_type()));
            });
        }
    }
    for (at, an_enum) in surface.enums.iter().enumerate().filter(|(_, an_enum)| !an_enum.is_signed) {
        assert_refused(&an_enum.name, &|header| header.enums[at].is_signed = true);
    }
    for (at, function) in surface.functions.iter().enumerate() {
        assert_refused(&function.name, &|header| header.functions[at].result = another_type());
        assert_refused(&function.name, &|header| {
            header.functions[at].arguments.push(("more".to_owned(), another_type()))
        });
        for argument in 0..function.arguments.len() {
            assert_refused(&function.name, &|header| {
                header.functions[at].arguments[argument].1 = another_type()
            });
        }
    }
    assert!(changes > 1000, "{changes} changes");
}

/// Each constant's value, wherever the header defines it. What the header lacks keeps its value.
fn every_value_is_the_headers() {
    let surface = embedded_model();
    let mut header = surface.clone();
    let values: Vec<(String, i64)> =
        surface.constants().map(|(name, value)| (name.clone(), value ^ 1)).collect();
    header.macros = values.clone();
    let merged = merge_header(header, surface.clone(), false).expect("only values differ");
    assert_eq!(merged.constants().cloned().collect::<Vec<_>>(), values);
    let mut without_values = surface.clone();
    without_values.macros.clear();
    assert_eq!(merge_header(without_values, surface.clone(), false), Ok(surface));
}
