//! build/generate/layout.rs, which older headers are checked by, computes what rustc does; and docs/replace-declarations.md
//! has these sizes and offsets.

use libtest_mimic::Trial;

use crate::c_layout::{Layout, Layouts};
use crate::every_release::embedded;
use crate::layout::comparison::{self, Compiled};
use crate::layout::facts::{self, About, Kind};
use crate::layout::model::Type;
use crate::layout::releases;
use crate::{assert_file, support};

pub fn all() -> Vec<Trial> {
    support::tests! { [] => layouts_of_the_build_script, replace_declarations; }
}

/// The layout of a type, or of the field at a path in it, with its offset.
fn place(layouts: &Layouts<'_>, root: &str, path: &str) -> (usize, Layout) {
    let mut ty = &Type::Named(root.to_owned());
    let mut offset = 0;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        let record = layouts.bindings.records.iter().find(|record| record.name == ty.to_string());
        let fields = layouts.fields(record.expect("it has fields")).unwrap_or_else(|error| panic!("{error}"));
        let field = fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no {path}"));
        (ty, offset) = (field.ty, offset + field.offset);
    }
    (offset, layouts.of(ty).unwrap_or_else(|error| panic!("{error}")))
}

fn layouts_of_the_build_script() {
    let Compiled { bindings, facts, numbers } = embedded();
    let layouts = Layouts { bindings };
    let types = facts.iter().filter_map(|fact| match &fact.about {
        About::Type(name) => Some((fact.about.clone(), place(&layouts, name, ""))),
        _ => None,
    });
    let fields = facts::outermost(bindings).flat_map(|root| facts::fields(bindings, root));
    let fields = fields.map(|field| (field.about(), place(&layouts, field.root, &field.rust)));
    let places: Vec<(About, (usize, Layout))> = types.chain(fields).collect();
    let mut count = 0;
    for (about, (offset, Layout { size, align })) in places {
        for (kind, computed) in [(Kind::Offset, offset), (Kind::Size, size), (Kind::Align, align)] {
            let is_this = |fact: &facts::Fact| fact.kind == kind && fact.about == about;
            if let Some(at) = facts.iter().position(is_this) {
                assert_eq!(computed as u64, numbers[at], "{kind} of {about}");
                count += 1;
            }
        }
    }
    assert!(count > 1000, "only {count} numbers");
}

/// Computes the numbers of the page's table again.
fn replace_declarations() {
    const FILE: &str = "docs/replace-declarations.md";
    let bindings = comparison::read(releases::embedded());
    let layouts = Layouts { bindings: &bindings };
    let row = |line: &str| {
        let Some((name, rest)) = line.strip_prefix("| `").and_then(|line| line.split_once("` | ")) else {
            return line.to_owned();
        };
        let Some((_, fields)) = rest.split_once(" | `") else { return line.to_owned() };
        let fields = fields.split(", `").map(|field| field.split('`').next().unwrap_or_default());
        let fields: Vec<String> =
            fields.map(|field| format!("`{field}` {}", place(&layouts, name, field).0)).collect();
        format!("| `{name}` | {} | {} |", place(&layouts, name, "").1.size, fields.join(", "))
    };
    let page = include_str!("../../docs/replace-declarations.md");
    let (before, table) = page.split_once("|---|---|---|\n").expect("the page has the table");
    let (table, after) = table.split_once("\n\n").expect("the table ends");
    let rows: Vec<String> = table.lines().map(row).collect();
    assert!(rows.len() > 10, "only {} structs", rows.len());
    assert_file(FILE, &format!("{before}|---|---|---|\n{}\n\n{after}", rows.join("\n")));
}
