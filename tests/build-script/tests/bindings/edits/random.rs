//! Random edits of a header, by a grammar: what a release may change, and what no release would.

use std::collections::BTreeSet;

use cuda_external_sys_build::allowlist;

use super::grammar::{DECLARATORS, FUNCTION_PREFIXES, MACRO_VALUES, NAMES, RECORD_PREFIXES, TYPES, VALUES};
use super::text::{Block, block, declarations, last_word, replace_word, split, unversioned};

/// A generator of numbers that a seed decides (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// An item of a list of `grammar`.
    fn item_of(&mut self, list: &'static str) -> &'static str {
        self.one_of(&list.split(" | ").collect::<Vec<_>>())
    }
}

/// A header under edit. Its comments are gone.
pub struct Edit<'a> {
    pub text: String,
    pub random: &'a mut Random,
    /// The names of the surface's types.
    pub names: &'a BTreeSet<String>,
    /// What was done.
    pub done: Vec<String>,
}

type Operation = fn(&mut Edit<'_>) -> Option<String>;

const OPERATIONS: [Operation; 14] = [
    |edit| edit.add_field(),
    |edit| edit.add_field(),
    |edit| edit.remove_field(),
    |edit| edit.swap_fields(),
    |edit| edit.retype_field(),
    |edit| edit.wrap_record(),
    |edit| edit.version_record(),
    |edit| edit.change_enumerators(),
    |edit| edit.change_enumerators(),
    |edit| edit.change_function(),
    |edit| edit.change_function(),
    |edit| edit.change_macro(),
    |edit| edit.change_typedef(),
    |edit| edit.change_tag(),
];

impl Edit<'_> {
    /// Makes one edit. One that finds nothing to change makes way for another.
    pub fn change(&mut self) {
        for _ in 0..50 {
            let operation = OPERATIONS[self.random.below(OPERATIONS.len())];
            if let Some(done) = operation(self) {
                self.done.push(done);
                return;
            }
        }
    }

    fn blocks(&self, kinds: &[&str]) -> Vec<Block> {
        let mut blocks = Vec::new();
        for kind in kinds {
            let start = format!("typedef {kind} ");
            for (at, _) in self.text.match_indices(&start) {
                let Some(block) = block(&self.text, at, at + start.len()) else { continue };
                let plain = unversioned(&block.name);
                if self.names.contains(plain) || self.names.contains(&block.name) {
                    blocks.push(block);
                }
            }
        }
        blocks
    }

    fn record(&mut self) -> Option<Block> {
        let mut blocks = self.blocks(&["struct", "union"]);
        (!blocks.is_empty()).then(|| blocks.swap_remove(self.random.below(blocks.len())))
    }

    /// A record with its fields, as declarations without `;`.
    fn fields(&mut self) -> Option<(Block, Vec<String>)> {
        let block = self.record()?;
        let fields = split(&self.text[block.body.clone()], ';');
        (!fields.is_empty()).then_some((block, fields))
    }

    fn put_fields(&mut self, block: &Block, fields: &[String]) {
        let body: String = fields.iter().map(|field| format!("{field};")).collect();
        self.text.replace_range(block.body.clone(), &body);
    }

    fn declaration(&mut self) -> String {
        let name = self.random.item_of(NAMES);
        self.random.item_of(DECLARATORS).replace('%', name)
    }

    fn add_field(&mut self) -> Option<String> {
        let (block, mut fields) = self.fields()?;
        let field = self.declaration();
        let at = self.random.below(fields.len() + 1);
        fields.insert(at, field.clone());
        self.put_fields(&block, &fields);
        Some(format!("{}: add `{field}` at {at}", block.name))
    }

    fn remove_field(&mut self) -> Option<String> {
        let (block, mut fields) = self.fields()?;
        let field = fields.remove(self.random.below(fields.len()));
        self.put_fields(&block, &fields);
        Some(format!("{}: remove `{}`", block.name, field.trim()))
    }

    fn swap_fields(&mut self) -> Option<String> {
        let (block, mut fields) = self.fields()?;
        let (a, b) = (self.random.below(fields.len()), self.random.below(fields.len()));
        fields.swap(a, b);
        self.put_fields(&block, &fields);
        Some(format!("{}: swap fields {a} and {b}", block.name))
    }

    fn retype_field(&mut self) -> Option<String> {
        let (block, mut fields) = self.fields()?;
        let at = self.random.below(fields.len());
        let name = last_word(&fields[at]);
        let field = if self.random.below(4) == 0 {
            fields[at].replace(&name, self.random.item_of(NAMES))
        } else {
            self.random.item_of(DECLARATORS).replace('%', &name)
        };
        let old = std::mem::replace(&mut fields[at], field.clone());
        self.put_fields(&block, &fields);
        Some(format!("{}: `{}` becomes `{field}`", block.name, old.trim()))
    }

    fn wrap_record(&mut self) -> Option<String> {
        let block = self.record()?;
        let (before, after) = *self.random.one_of(RECORD_PREFIXES);
        let text = self.text[block.whole.clone()].to_owned();
        let opened = text.replacen("struct ", &format!("struct {after} "), usize::from(!after.is_empty()));
        self.text.replace_range(block.whole.clone(), &format!("{before}{opened}"));
        Some(format!("{}: {before} {after}", block.name))
    }

    /// Adds a later version, mostly with what NVIDIA does beside it.
    fn version_record(&mut self) -> Option<String> {
        let block = self.record()?;
        let plain = unversioned(&block.name).to_owned();
        let field = self.declaration();
        let old = if plain == block.name { format!("{plain}_v1") } else { block.name.clone() };
        let mut text = self.text[block.whole.clone()].to_owned();
        if plain == block.name {
            text = text.replace(&format!("}} {plain};"), &format!("}} {old};"));
        }
        text += &format!("\ntypedef struct {plain}_v9_st {{ {old} old; {field}; }} {plain}_v9;\n");
        let typedef = format!("typedef {old} {plain};");
        let later = format!("typedef {plain}_v9 {plain};");
        text += if self.text.contains(&typedef) { "" } else { &later };
        self.text.replace_range(block.whole.clone(), &text);
        self.text = self.text.replacen(&typedef, &later, 1);
        let with_functions = self.random.below(3) > 0;
        if with_functions {
            // The functions that take it get a version too, and the structs that hold it keep the old one.
            let functions = declarations(&self.text);
            for (range, name) in functions.into_iter().rev() {
                let declaration = self.text[range.clone()].to_owned();
                if declaration.contains(&plain) {
                    let later = declaration.replacen(&name, &format!("{name}_v9"), 1);
                    self.text.replace_range(range, &later);
                }
            }
            self.hold_the_old(&plain, &old);
        }
        Some(format!("{plain}_v9 with `{field}`, functions too: {with_functions}"))
    }

    fn hold_the_old(&mut self, plain: &str, old: &str) {
        for block in self.blocks(&["struct", "union"]).iter().rev() {
            if unversioned(&block.name) != plain {
                let body = replace_word(&self.text[block.body.clone()], plain, old);
                self.text.replace_range(block.body.clone(), &body);
            }
        }
    }

    fn change_enumerators(&mut self) -> Option<String> {
        let mut blocks = self.blocks(&["enum"]);
        if blocks.is_empty() {
            return None;
        }
        let block = blocks.swap_remove(self.random.below(blocks.len()));
        let mut entries = split(&self.text[block.body.clone()], ',');
        let at = self.random.below(entries.len());
        let entry = entries[at].clone();
        let (name, value) = entry.split_once('=').unwrap_or((&entry, "0"));
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        let new = self.random.item_of(VALUES);
        let mut outside = String::new();
        match self.random.below(7) {
            0 => entries.insert(at, format!("CU_EDIT_ADDED = {new}")),
            1 => drop(entries.remove(at)),
            2 => entries[at] = format!("{name} = {new}"),
            3 => entries[at] = format!("{name}_EDITED = {value}"),
            4 => {
                entries.remove(at);
                outside = format!("\n#define {name} {value}\n");
            }
            5 => {
                entries.remove(at);
                outside = format!("\nenum edited {{ {name} = {value} }};\n");
            }
            _ => {
                let last = entries.len() - 1;
                entries.swap(at, last);
            }
        }
        if entries.is_empty() {
            return None;
        }
        self.text.replace_range(block.body.clone(), &entries.join(","));
        self.text.insert_str(block.whole.start, &outside);
        Some(format!("{}: {name} = {value} changed, maybe to {new}; {}", block.name, outside.trim()))
    }

    fn change_function(&mut self) -> Option<String> {
        let all = declarations(&self.text);
        let (range, name) = all.get(self.random.below(all.len()))?.clone();
        let declaration = self.text[range.clone()].to_owned();
        let (head, rest) = declaration.split_once('(')?;
        let mut parameters = split(rest.trim_end_matches([')', ';']), ',');
        let at = self.random.below(parameters.len());
        let ty = self.random.item_of(TYPES);
        let (mut prefix, mut suffix, mut head) = (String::new(), String::new(), head.to_owned());
        match self.random.below(9) {
            0 => parameters[at] = format!("{ty} edited"),
            1 => parameters.insert(at, format!("{ty} edited")),
            2 => drop(parameters.remove(at)),
            3 => parameters.swap(at, 0),
            4 => parameters.push("...".to_owned()),
            5 => head = head.replacen("CUresult", ty, 1),
            6 => suffix = format!(" __asm__(\"{name}_edited\")"),
            7 => prefix = format!("{} ", self.random.item_of(FUNCTION_PREFIXES)),
            _ => head = head.replace(&name, &format!("{name}_v9")),
        }
        let put = format!("{prefix}{head}({}){suffix};", parameters.join(","));
        self.text.replace_range(range, &put);
        Some(put)
    }

    fn change_macro(&mut self) -> Option<String> {
        let name = self.random.one_of(&allowlist::MACROS[1..]);
        let start = self.text.find(&format!("#define {name} "))?;
        let end = start + self.text[start..].find('\n')?;
        let put = self.random.one_of(MACRO_VALUES).replace('%', name);
        self.text.replace_range(start..end, &put);
        Some(put)
    }

    fn change_typedef(&mut self) -> Option<String> {
        let names: Vec<&String> = self.names.iter().collect();
        let name = names[self.random.below(names.len())].clone();
        let end = [format!(" {name};"), format!("*{name};"), format!(" {name}_v1;"), format!(" {name}_v2;")];
        let lines: Vec<&str> = self.text.lines().collect();
        let line = lines
            .iter()
            .find(|line| line.starts_with("typedef") && end.iter().any(|end| line.ends_with(end)))?;
        let line = (*line).to_owned();
        let put = format!("typedef {} {};", self.random.item_of(TYPES), last_word(&line));
        self.text = self.text.replacen(&line, &put, 1);
        Some(format!("`{line}` becomes `{put}`"))
    }

    fn change_tag(&mut self) -> Option<String> {
        let mut blocks = self.blocks(&["struct", "union", "enum"]);
        let block = blocks.swap_remove(self.random.below(blocks.len()));
        let tag = self
            .random
            .one_of(&["edited_tag", "CUedited", "%_e", "%_tag_st", "%"])
            .replace('%', unversioned(&block.name));
        self.text = replace_word(&self.text, &block.tag, &tag);
        Some(format!("{}: the tag {} becomes {tag}", block.name, block.tag))
    }
}
