//! Finds the functions and source lines of an address, in the debug information or the symbol table of its file.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use addr2line::{Loader, demangle_auto};
use cuda_external_check::call_stack::{address_of_frame, module_of_frame};
use cuda_external_check::shared_file::SharedFile;
use object::{Object, ObjectSymbol, ReadCache, SymbolKind};

/// The symbols of each file with code in a described stack, by the file's path. `describe_frame` reads each file once.
#[derive(Default)]
pub struct Symbolizer(HashMap<PathBuf, FileSymbols>);

struct FileSymbols {
    path: PathBuf,
    loader: Option<Loader>,
    /// For addresses without debug information: each function's address, size and name, in the order of the addresses.
    table: OnceCell<Vec<(u64, u64, String)>>,
}

impl FileSymbols {
    fn new(path: &Path) -> Self {
        let debug = find_debug_file(path);
        let loader = Loader::new(debug.as_deref().unwrap_or(path)).ok();
        Self { path: debug.unwrap_or_else(|| path.to_owned()), loader, table: OnceCell::new() }
    }

    fn symbol_at(&self, address: u64) -> Option<String> {
        let table = self.table.get_or_init(|| read_symbol_table(&self.path).unwrap_or_default());
        let after = table.partition_point(|(start, ..)| *start <= address);
        let (start, size, name) = &table[after.checked_sub(1)?];
        (address - start < *size).then(|| demangle_auto(name.into(), None).into_owned())
    }

    /// Returns the functions at an address, the innermost first: inlined functions, and the one that contains them.
    fn functions_at(&self, address: u64) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(Ok(mut frames)) = self.loader.as_ref().map(|loader| loader.find_frames(address)) {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref().and_then(|name| name.demangle().ok());
                let place = frame.location.and_then(|of| Some(format!("at {}:{} ", of.file?, of.line?)));
                found.extend(name.map(|name| format!("{name} {}", place.unwrap_or_default())));
            }
        }
        if found.is_empty() {
            found.extend(self.symbol_at(address).map(|name| format!("{name} ")));
        }
        found
    }
}

/// Returns the separate file that has a file's debug information. Distributions install such files under the build id.
fn find_debug_file(path: &Path) -> Option<PathBuf> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    if file.section_by_name(".debug_info").is_some() {
        return None;
    }
    let id: String = file.build_id().ok()??.iter().map(|byte| format!("{byte:02x}")).collect();
    let debug = Path::new("/usr/lib/debug/.build-id").join(id.get(..2)?).join(format!("{}.debug", &id[2..]));
    debug.exists().then_some(debug)
}

/// Returns the source file and line in a frame from [`Symbolizer::describe_stack`], if this machine has the file.
pub fn source_line_of_frame(frame: &str) -> Option<(String, u64)> {
    let (file, line) = match frame.strip_prefix("File \"") {
        Some(python) => python.rsplit_once(", in ")?.0.rsplit_once("\", line ")?,
        None => frame.split_once(" at ")?.1.rsplit_once(" [0x")?.0.rsplit_once(':')?,
    };
    Path::new(file).is_file().then(|| Some((file.to_owned(), line.parse().ok()?)))?
}

/// Returns whether a file belongs to Python's modules ctypes or cffi, or is libffi, by which both modules call C.
fn is_python_ffi_module(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ["libffi.so", "libffi-", "_ctypes.", "_cffi_backend."].iter().any(|file| name.starts_with(file))
}

fn read_symbol_table(path: &Path) -> Option<Vec<(u64, u64, String)>> {
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

impl Symbolizer {
    /// Returns a line for each function in a stack. Leaves out functions of files in the directory `without`. If the
    /// stack has Python functions, also leaves out functions of ctypes, cffi and libffi.
    pub fn describe_stack(&mut self, stack: &[u64], shared: &SharedFile, without: &Path) -> Vec<String> {
        let paths = stack.iter().map(|frame| shared.module_path(module_of_frame(*frame)).map(Vec::from_iter));
        let paths: Vec<Option<Vec<u8>>> = paths.collect();
        let python = paths.iter().flatten().any(|path| path.contains(&0));
        let is_own = |path: &Path| path.starts_with(without) || (python && is_python_ffi_module(path));
        let frames = stack.iter().zip(paths);
        frames
            .flat_map(|(frame, path)| self.describe_frame(address_of_frame(*frame), path, &is_own))
            .collect()
    }

    fn describe_frame(
        &mut self,
        address: u64,
        path: Option<Vec<u8>>,
        is_own: &impl Fn(&Path) -> bool,
    ) -> Vec<String> {
        let Some(path) = path else { return vec![format!("[{address:#x}]")] };
        if let Some(end) = path.iter().position(|byte| *byte == 0) {
            let [file, function] = [&path[..end], &path[end + 1..]].map(String::from_utf8_lossy);
            return vec![match end {
                0 => format!("[The functions of CPython {function} are not known to this check]"),
                _ => format!("File \"{file}\", line {address}, in {function}"),
            }];
        }
        let path = PathBuf::from(OsString::from_vec(path));
        if is_own(&path) {
            return Vec::new();
        }
        let file = self.0.entry(path.clone()).or_insert_with(|| FileSymbols::new(&path));
        let mut functions = file.functions_at(address);
        if functions.is_empty() {
            functions.push(String::new());
        }
        let place = format!("[{address:#x}] in {}", path.display());
        functions.iter().map(|function| format!("{function}{place}")).collect()
    }
}
