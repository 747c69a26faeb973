//! Names and lines of addresses, from the symbol tables and the debug information of the files.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use addr2line::{Loader, demangle_auto};
use cuda_external_check::shared::Shared;
use cuda_external_check::stack::{address_of, module_of};
use object::{Object, ObjectSymbol, SymbolKind};

/// The files of all processes. Each is read once.
#[derive(Default)]
pub struct Symbols(HashMap<PathBuf, Symbolizer>);

struct Symbolizer {
    path: PathBuf,
    loader: Option<Loader>,
    /// For what has no debug information: address, size and name of each function, in the order of the addresses.
    table: OnceCell<Vec<(u64, u64, String)>>,
}

impl Symbolizer {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), loader: Loader::new(path).ok(), table: OnceCell::new() }
    }

    /// The functions at an address, the innermost first: those that were inlined and the one that they are in.
    fn functions(&self, address: u64) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(Ok(mut frames)) = self.loader.as_ref().map(|loader| loader.find_frames(address)) {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref().and_then(|name| name.demangle().ok());
                let place = frame.location.and_then(|place| Some(format!("{}:{}", place.file?, place.line?)));
                match (name, place) {
                    (Some(name), Some(place)) => found.push(format!("{name} at {place} ")),
                    (Some(name), None) => found.push(format!("{name} ")),
                    _ => {}
                }
            }
        }
        if found.is_empty() {
            let table = self.table.get_or_init(|| table(&self.path).unwrap_or_default());
            let after = table.partition_point(|(start, ..)| *start <= address);
            let before = after.checked_sub(1).map(|at| &table[at]);
            let symbol = before.filter(|(start, size, _)| address - start < *size);
            found.extend(symbol.map(|(.., name)| format!("{} ", demangle_auto(name.into(), None))));
        }
        found
    }
}

/// Reads the symbols of a file: those that it exports where it has no others.
fn table(path: &Path) -> Option<Vec<(u64, u64, String)>> {
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let all = file.symbols().chain(file.dynamic_symbols());
    let functions = all.filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let mut table: Vec<_> = functions
        .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())))
        .collect();
    table.sort_unstable();
    Some(table)
}

impl Symbols {
    /// Describes a stack as compute-sanitizer does: `function at file:line [0x1234] in /path/of/the/module`. Frames of files
    /// in the directory of the check are left out.
    pub fn describe(&mut self, stack: &[u64], shared: &Shared, without: &Path) -> Vec<String> {
        stack.iter().flat_map(|frame| self.describe_one(*frame, shared, without)).collect()
    }

    fn describe_one(&mut self, frame: u64, shared: &Shared, without: &Path) -> Vec<String> {
        let address = address_of(frame);
        let Some(path) = shared.module_path(module_of(frame)) else { return vec![format!("[{address:#x}]")] };
        let path = PathBuf::from(OsString::from_vec(path.collect()));
        if path.starts_with(without) {
            return Vec::new();
        }
        let file = self.0.entry(path.clone()).or_insert_with(|| Symbolizer::new(&path));
        let mut functions = file.functions(address);
        if functions.is_empty() {
            functions.push(String::new());
        }
        let place = format!("[{address:#x}] in {}", path.display());
        functions.iter().map(|function| format!("{function}{place}")).collect()
    }
}
