//! Which files the code of a process comes from.

use std::path::PathBuf;

/// The executable parts of a process's memory that are of files.
#[derive(Default)]
pub struct Modules(Vec<Mapping>);

pub struct Mapping {
    start: usize,
    end: usize,
    /// Where the file's beginning lies.
    pub base: usize,
    pub path: PathBuf,
}

impl Modules {
    /// Reads the lines of /proc/PID/maps.
    pub fn parse(maps: &str) -> Self {
        let mut begins: Vec<(&str, usize)> = Vec::new();
        let mut mappings = Vec::new();
        for line in maps.lines() {
            let Some((start, end, is_code, offset, path)) = fields(line) else { continue };
            if offset == 0 {
                begins.push((path, start));
            }
            let base = begins.iter().rev().find(|(of, _)| *of == path).map_or(start - offset, |(_, at)| *at);
            if is_code {
                mappings.push(Mapping { start, end, base, path: path.into() });
            }
        }
        Self(mappings)
    }

    /// Where the code lies.
    pub fn ranges(&self) -> Vec<(usize, usize)> {
        self.0.iter().map(|mapping| (mapping.start, mapping.end)).collect()
    }

    /// The file that an address is of.
    pub fn find(&self, address: usize) -> Option<&Mapping> {
        self.0.iter().find(|mapping| (mapping.start..mapping.end).contains(&address))
    }
}

fn fields(line: &str) -> Option<(usize, usize, bool, usize, &str)> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let is_code = words.next()?.contains('x');
    let offset = words.next()?;
    let path = words.nth(2)?.trim_start();
    let number = |text| usize::from_str_radix(text, 16).ok();
    path.starts_with('/').then_some((number(start)?, number(end)?, is_code, number(offset)?, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_with_its_file_and_the_files_beginning() {
        let maps = "1000-2000 r--p 00000000 08:01 12   /a b\n2000-3000 r-xp 00001000 08:01 12   /a b\n\
                    5000-6000 r-xp 00002000 08:01 13   /c\n7000-8000 r-xp 00000000 00:00 0   [vdso]\n";
        let modules = Modules::parse(maps);
        assert_eq!(modules.ranges(), [(0x2000, 0x3000), (0x5000, 0x6000)]);
        let found = |address| modules.find(address).map(|mapping| (mapping.path.to_str(), mapping.base));
        assert_eq!(found(0x2fff), Some((Some("/a b"), 0x1000)));
        assert_eq!(found(0x5000), Some((Some("/c"), 0x3000)));
        assert_eq!(found(0x7000), None);
    }
}
