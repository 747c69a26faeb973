//! Names and lines of addresses, from the symbol tables and the debug information of the files.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use addr2line::{Loader, demangle_auto};
use cuda_external_check::addresses::Modules;
use object::{Object, ObjectSymbol, SymbolKind};

/// The files of all processes. Each is read once.
#[derive(Default)]
pub struct Symbols(HashMap<PathBuf, Symbolizer>);

struct Symbolizer {
    path: PathBuf,
    loader: Option<Loader>,
    /// For what has no debug information: address, size and name of each function, in the order of the addresses.
    table: OnceCell<Vec<(u64, u64, String)>>,
    /// Whether its addresses are those in memory: an executable that is not position-independent.
    is_fixed: bool,
}

impl Symbolizer {
    fn new(path: &Path) -> Self {
        const EXECUTABLE: u8 = 2;
        let mut head = [0; 18];
        let is_read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
        let is_fixed = is_read && head[16] == EXECUTABLE;
        Self { path: path.to_owned(), loader: Loader::new(path).ok(), table: OnceCell::new(), is_fixed }
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
    pub fn describe(&mut self, stack: &[usize], modules: &Modules, without: &Path) -> Vec<String> {
        // An address of a call is behind it, which may be the next function.
        let addresses = stack.iter().take_while(|address| **address != 0);
        addresses.flat_map(|address| self.describe_one(address - 1, modules, without)).collect()
    }

    fn describe_one(&mut self, address: usize, modules: &Modules, without: &Path) -> Vec<String> {
        let Some(mapping) = modules.find(address) else { return vec![format!("[{address:#x}]")] };
        if mapping.path.starts_with(without) {
            return Vec::new();
        }
        let file = self.0.entry(mapping.path.clone()).or_insert_with(|| Symbolizer::new(&mapping.path));
        let in_file = if file.is_fixed { address } else { address - mapping.base };
        let mut functions = file.functions(in_file as u64);
        if functions.is_empty() {
            functions.push(String::new());
        }
        let place = format!("[{in_file:#x}] in {}", mapping.path.display());
        functions.iter().map(|function| format!("{function}{place}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_external_check::stack::frames;

    #[test]
    fn a_stack_names_this_test() {
        let modules = Modules::parse(&fs::read_to_string("/proc/self/maps").unwrap());
        let addresses = frames();
        let described = Symbols::default().describe(&addresses, &modules, Path::new("/nonexistent"));
        let program = std::env::current_exe().unwrap();
        let frame =
            described.iter().find(|frame| frame.contains("a_stack_names_this_test")).expect("this function");
        assert!(frame.contains("[0x") && frame.ends_with(&format!(" in {}", program.display())), "{frame}");
        let none = Symbols::default().describe(&addresses, &modules, program.parent().unwrap());
        assert!(none.iter().all(|frame| !frame.contains("a_stack_names")));
    }
}
