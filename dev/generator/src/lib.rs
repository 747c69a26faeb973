//! The files that are generated in this repository, from headers, from libraries of drivers, and from rustdoc's pages.
//! The program writes them; the test program `generated` compares them.

mod check_rules;
pub mod code_quotes;
mod embedded_file;
mod function_names;
mod newest_constants_file;
mod public_items;
mod releases_page;
mod remedy_table;
mod repository_files;
mod struct_sizes;

pub use repository_files::read_file;

/// What a file is made from, beside this repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GeneratorInput {
    Headers,
    Libclang,
    CCompiler,
    DriverLibraries,
}

/// A file, or a page of which a part is generated.
pub struct GeneratedFile {
    pub name: &'static str,
    pub path: &'static str,
    pub sources: &'static [GeneratorInput],
    /// Returns the text, from the one that is there.
    pub text: fn(&str) -> String,
}

/// Every file, in an order in which each has what it is made from.
#[rustfmt::skip] // a file a line
pub const FILES: &[GeneratedFile] = {
    use GeneratorInput::{CCompiler, DriverLibraries, Headers, Libclang};
    type Text = fn(&str) -> String;
    type Inputs = &'static [GeneratorInput];
    const fn file(name: &'static str, path: &'static str, sources: Inputs, text: Text) -> GeneratedFile {
        GeneratedFile { name, path, sources, text }
    }
    &[
        file("embedded_bindings", embedded_file::PATH, &[Headers, Libclang], embedded_file::embedded_text),
        file("unbound_versions", "src/bindings/unbound_versions.rs", &[Headers], function_names::unbound_versions),
        file("driver_functions", "build/driver_exports.txt", &[Headers], function_names::driver_functions),
        file("newest_release_constants", "tools/in_process/src/newest_release_constants.rs", &[Headers],
            newest_constants_file::newest_constants_text),
        file("releases_headers", "docs/releases.md", &[Headers, CCompiler], releases_page::update_release_tables),
        file("releases_drivers", "docs/releases.md", &[DriverLibraries], releases_page::update_driver_table),
        file("readme_range", "README.md", &[], releases_page::update_release_range),
        file("table_of_sizes", "docs/replace-declarations.md", &[], struct_sizes::update_size_table),
        file("table_of_rules", "docs/check-rules.md", &[], check_rules::update_rules),
        file("table_of_remedies", "docs/first-aid.md", &[], remedy_table::update_remedy_table),
        file("public_items", "tests/surface.txt", &[], public_items::surface_text),
    ]
};
