//! Makes a shared library for the linker alone, with a soname and functions' names and without code.
//!
//! The build script writes the library's bytes, so that the feature `link` needs no C compiler for the target.

/// The number of the section `.text`, to which the functions belong. The file has no bytes of this section.
const TEXT: u16 = 3;
const TEXT_ADDRESS: u64 = 0x1000;
const HEADER_SIZE: usize = 64;

/// Returns the bytes of a 64-bit ELF library. `machine` is ELF's number of the architecture.
pub fn elf_library<'a>(machine: u16, soname: &str, functions: impl Iterator<Item = &'a String>) -> Vec<u8> {
    let mut names = StringTableBuilder::default();
    let soname = names.add_string(soname);
    let mut symbols = vec![0; 24];
    for function in functions {
        // The symbol's fields: the name; a global function in .text; its address and size.
        symbols.extend(names.add_string(function).to_le_bytes());
        symbols.extend([0x12, 0]);
        symbols.extend(TEXT.to_le_bytes());
        symbols.extend([TEXT_ADDRESS, 1].map(u64::to_le_bytes).concat());
    }
    // DT_SONAME and DT_NULL.
    let dynamic = [14, u64::from(soname), 0, 0].map(u64::to_le_bytes).concat();

    let mut section_names = StringTableBuilder::default();
    let mut body = Vec::new();
    let mut sections = vec![0; 64];
    // The columns: name, type, flags, address, content, linked section's index, first global symbol, size of an entry.
    let table = [
        (".dynsym", 11, 2, 0, symbols, 2, 1, 24),
        (".dynstr", 3, 2, 0, names.0, 0, 0, 0),
        (".text", 8, 6, TEXT_ADDRESS, Vec::new(), 0, 0, 0),
        (".dynamic", 6, 3, 0, dynamic, 2, 0, 16),
        (".shstrtab", 3, 0, 0, Vec::new(), 0, 0, 0),
    ];
    let count = table.len() as u16 + 1;
    for (name, kind, flags, address, content, link, info, entry) in table {
        let name = section_names.add_string(name);
        // The last section has the names of the sections.
        let content = if kind == 3 && flags == 0 { std::mem::take(&mut section_names.0) } else { content };
        let size = if kind == 8 { 1 } else { content.len() };
        sections.extend([name, kind].map(u32::to_le_bytes).concat());
        sections.extend(
            [flags, address, (HEADER_SIZE + body.len()) as u64, size as u64].map(u64::to_le_bytes).concat(),
        );
        sections.extend([link, info].map(u32::to_le_bytes).concat());
        sections.extend([8, entry].map(u64::to_le_bytes).concat());
        body.extend(content);
        body.resize(body.len().next_multiple_of(8), 0);
    }

    // The header: 64 bits, little-endian, a shared library, no program headers.
    let mut library = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0".to_vec();
    library.extend(machine.to_le_bytes());
    library.extend(1_u32.to_le_bytes());
    library.extend([0, 0, (HEADER_SIZE + body.len()) as u64].map(u64::to_le_bytes).concat());
    library.extend(0_u32.to_le_bytes());
    library.extend([HEADER_SIZE as u16, 56, 0, 64, count, count - 1].map(u16::to_le_bytes).concat());
    library.extend(body);
    library.extend(sections);
    library
}

/// A string table of ELF: NUL-terminated names, of which the first is empty.
struct StringTableBuilder(Vec<u8>);

impl Default for StringTableBuilder {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl StringTableBuilder {
    fn add_string(&mut self, name: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend(name.bytes().chain([0]));
        at
    }
}
