//! Call stacks: return addresses, and the functions that they lie in.
//!
//! An address is turned into a name only where it is printed: by the layer in its own process, and by the program for a
//! process that has ended, from a copy of its memory map.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::stack::Stack;

/// Executable files in a process's memory.
#[derive(Default)]
pub struct Modules {
    mappings: Vec<Mapping>,
    symbols: HashMap<PathBuf, Symbols>,
}

struct Mapping {
    start: usize,
    end: usize,
    offset: usize,
    path: PathBuf,
}

impl Modules {
    /// Reads the lines of /proc/PID/maps.
    pub fn parse(maps: &str) -> Self {
        let mapping = |line: &str| {
            let mut words = line.splitn(6, ' ');
            let (start, end) = words.next()?.split_once('-')?;
            let is_code = words.next()?.contains('x');
            let offset = words.next()?;
            let path = words.nth(2)?.trim_start();
            let number = |text| usize::from_str_radix(text, 16).ok();
            let (start, end, offset) = (number(start)?, number(end)?, number(offset)?);
            (is_code && path.starts_with('/')).then(|| Mapping { start, end, offset, path: path.into() })
        };
        Self { mappings: maps.lines().filter_map(mapping).collect(), symbols: HashMap::new() }
    }

    /// Where the code of the files lies.
    pub fn ranges(&self) -> Vec<(usize, usize)> {
        self.mappings.iter().map(|mapping| (mapping.start, mapping.end)).collect()
    }

    /// Describes a stack as compute-sanitizer does: `function [0x1234] in /path/of/the/file`. Frames of the file `without` are
    /// left out.
    pub fn describe(&mut self, stack: &Stack, without: Option<&Path>) -> Vec<String> {
        let addresses = stack.iter().take_while(|address| **address != 0);
        // An address of a call is behind it, which may be the next function.
        addresses.filter_map(|address| self.describe_one(address - 1, without)).collect()
    }

    fn describe_one(&mut self, address: usize, without: Option<&Path>) -> Option<String> {
        let Some(mapping) =
            self.mappings.iter().find(|mapping| (mapping.start..mapping.end).contains(&address))
        else {
            return Some(format!("[{address:#x}]"));
        };
        if without.is_some_and(|path| path == mapping.path) {
            return None;
        }
        let path = mapping.path.clone();
        let in_file = address - mapping.start + mapping.offset;
        let symbols =
            self.symbols.entry(path.clone()).or_insert_with(|| Symbols::read(&path).unwrap_or_default());
        let (at, name) = symbols.find(in_file as u64);
        let name = name.map(|name| demangled(name) + " ").unwrap_or_default();
        Some(format!("{name}[{at:#x}] in {}", path.display()))
    }
}

/// The functions of an ELF file of 64 bits.
#[derive(Default)]
struct Symbols {
    /// Where a part of the file lies in memory: offset, size, address.
    segments: Vec<(u64, u64, u64)>,
    /// Address, size and name, in the order of the addresses.
    functions: Vec<(u64, u64, String)>,
}

/// No table of symbols that is larger is read: the report must not take seconds.
const LARGEST: u64 = 64 << 20;

impl Symbols {
    fn read(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut read = |offset: u64, size: u64| {
            let mut bytes = vec![0; size.min(LARGEST) as usize];
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut bytes)?;
            io::Result::Ok(bytes)
        };
        let head = read(0, 64)?;
        if !head.starts_with(b"\x7fELF\x02\x01") {
            return Ok(Self::default());
        }
        let table =
            |bytes: &[u8], entry: usize| bytes.chunks_exact(entry).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let programs = table(&read(number(&head, 32, 8), number(&head, 56, 2) * 56)?, 56);
        let loaded = programs.iter().filter(|program| number(program, 0, 4) == 1);
        let segments =
            loaded.map(|program| (number(program, 8, 8), number(program, 32, 8), number(program, 16, 8)));
        let mut symbols = Self { segments: segments.collect(), functions: Vec::new() };

        let sections = table(&read(number(&head, 40, 8), number(&head, 60, 2) * 64)?, 64);
        // The full table, which a stripped file lacks, or that of what it exports.
        let of_kind = |kind| sections.iter().find(|section| number(section, 4, 4) == kind);
        let Some(section) = of_kind(2).or_else(|| of_kind(11)) else { return Ok(symbols) };
        let Some(names) = sections.get(number(section, 40, 4) as usize) else { return Ok(symbols) };
        if number(section, 32, 8) > LARGEST || number(names, 32, 8) > LARGEST {
            return Ok(symbols);
        }
        let names = read(number(names, 24, 8), number(names, 32, 8))?;
        for entry in read(number(section, 24, 8), number(section, 32, 8))?.chunks_exact(24) {
            let (name, address, size) =
                (number(entry, 0, 4) as usize, number(entry, 8, 8), number(entry, 16, 8));
            let is_function = entry[4] & 15 == 2 && address != 0;
            if let Some(name) = names.get(name..).filter(|_| is_function) {
                let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
                symbols.functions.push((address, size, String::from_utf8_lossy(name).into_owned()));
            }
        }
        symbols.functions.sort();
        Ok(symbols)
    }

    /// The address by which tools know a place in the file, and the function that it lies in.
    fn find(&self, offset: u64) -> (u64, Option<&str>) {
        let segment = self.segments.iter().find(|(start, size, _)| (*start..start + size).contains(&offset));
        let at = segment.map_or(offset, |(start, _, address)| offset - start + address);
        let after = self.functions.partition_point(|(address, ..)| *address <= at);
        let before = after.checked_sub(1).map(|before| &self.functions[before]);
        (at, before.filter(|(start, size, _)| at - start < *size).map(|(_, _, name)| name.as_str()))
    }
}

fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes[at..at + size].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The path in a name of Rust's older mangling, `_ZN4main4work17h0123456789abcdefE`; any other name as it is.
fn demangled(name: &str) -> String {
    let parts = || {
        let (mut rest, mut parts) = (name.strip_prefix("_ZN")?, Vec::new());
        while !rest.starts_with('E') {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let length: usize = rest[..digits].parse().ok()?;
            parts.push(rest.get(digits..digits + length)?);
            rest = rest.get(digits + length..)?;
        }
        let hash = parts.pop()?;
        (hash.len() == 17 && hash.starts_with('h')).then(|| parts.join("::"))
    };
    let Some(path) = parts() else { return name.to_owned() };
    [
        ("..", "::"),
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$RF$", "&"),
        ("$C$", ","),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
    ]
    .iter()
    .fold(path, |path, (from, to)| path.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::stack;

    #[test]
    fn a_stack_names_this_test() {
        let mut modules = Modules::parse(&std::fs::read_to_string("/proc/self/maps").unwrap());
        let described = modules.describe(&stack(), None);
        let program = std::env::current_exe().unwrap();
        let frame =
            described.iter().find(|frame| frame.contains("a_stack_names_this_test")).expect("this function");
        assert!(frame.contains(" [0x") && frame.ends_with(&format!(" in {}", program.display())), "{frame}");
        assert!(
            modules.describe(&stack(), Some(&program)).iter().all(|frame| !frame.contains("a_stack_names"))
        );
    }

    #[test]
    fn names_of_rust_are_read_and_others_are_kept() {
        for (mangled, name) in [
            ("_ZN5probe6import17h0123456789abcdefE", "probe::import"),
            (
                "_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE",
                "core::ops::function::FnOnce::call_once",
            ),
            ("_ZN3foo3barE", "_ZN3foo3barE"),
            ("main", "main"),
        ] {
            assert_eq!(demangled(mangled), name);
        }
    }
}
