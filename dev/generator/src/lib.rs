//! Generates the text of files. The program `generator` writes the files, and the test program `generated` checks them.

mod check_rules;
pub mod code_quotes;
mod embedded_bindings_file;
mod newest_release_constants;
mod public_items;
mod releases_page;
mod remedy_table;
mod repository_files;
mod struct_sizes;
mod unbound_function_names;

pub use repository_files::read_file;

/// What the generator needs for a file besides this repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GeneratorInput {
    Headers,
    Libclang,
    CCompiler,
    DriverLibraries,
}

pub struct GeneratedFile {
    pub name: &'static str,
    pub path: &'static str,
    pub sources: &'static [GeneratorInput],
    /// Returns the new text of the file, given its present text.
    pub text: fn(&str) -> String,
}

/// The generated files, except pages that only quote code. Each file follows the files that it is generated from.
#[rustfmt::skip] // one line for each file
pub const FILES: &[GeneratedFile] = {
    use GeneratorInput::{CCompiler, DriverLibraries, Headers, Libclang};
    type Text = fn(&str) -> String;
    type Inputs = &'static [GeneratorInput];
    const fn file_entry(name: &'static str, path: &'static str, sources: Inputs, text: Text) -> GeneratedFile {
        GeneratedFile { name, path, sources, text }
    }
    &[
        file_entry("embedded_bindings", embedded_bindings_file::PATH, &[Headers, Libclang],
            embedded_bindings_file::embedded_bindings_text),
        file_entry("unbound_versions", "src/bindings/unbound_versions.rs", &[Headers],
            unbound_function_names::unbound_versions),
        file_entry("driver_functions", "build/driver_exports.txt", &[Headers],
            unbound_function_names::driver_functions),
        file_entry("newest_release_constants", "tools/in_process/src/newest_release_constants.rs", &[Headers],
            newest_release_constants::constants_text),
        file_entry("releases_headers", "docs/releases.md", &[Headers, CCompiler], releases_page::update_release_tables),
        file_entry("releases_drivers", "docs/releases.md", &[DriverLibraries],
            releases_page::update_driver_functions_table),
        file_entry("readme_range", "README.md", &[], releases_page::update_release_range),
        file_entry("table_of_sizes", "docs/replace-declarations.md", &[], struct_sizes::update_size_table),
        file_entry("table_of_rules", "docs/check-rules.md", &[], check_rules::update_rules),
        file_entry("table_of_remedies", "docs/first-aid.md", &[], remedy_table::update_remedy_table),
        file_entry("public_items", "tests/surface.txt", &[], public_items::surface_text),
    ]
};
