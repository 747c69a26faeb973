//! Sizes, alignments and offsets by C's rules, for 64-bit targets: enough to compare two releases' definitions of a type.

use std::fmt;

use super::model::{Bindings, Record, Type};
use crate::allowlist;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub size: usize,
    pub align: usize,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, aligned to {}", self.size, self.align)
    }
}

pub struct Field<'a> {
    pub name: &'a str,
    pub ty: &'a Type,
    pub offset: usize,
    pub layout: Layout,
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}", self.offset, self.layout)
    }
}

pub struct Layouts<'a> {
    pub bindings: &'a Bindings,
}

impl Layouts<'_> {
    pub fn of(&self, ty: &Type) -> Result<Layout, String> {
        let scalar = |size| Ok(Layout { size, align: size });
        match ty {
            Type::Pointer { .. } | Type::Function(_) => scalar(8),
            Type::Array(of, length) => {
                let Layout { size, align } = self.of(of)?;
                Ok(Layout { size: size * length, align })
            }
            Type::Named(name) => match name.as_str() {
                "c_char" | "c_schar" | "c_uchar" | "u8" => scalar(1),
                "c_short" | "c_ushort" | "u16" => scalar(2),
                "c_int" | "c_uint" | "u32" | "f32" => scalar(4),
                "c_longlong" | "c_ulonglong" | "u64" | "usize" | "f64" => scalar(8),
                name => self.of_name(name),
            },
        }
    }

    fn of_name(&self, name: &str) -> Result<Layout, String> {
        let Bindings { aliases, records, enums, .. } = self.bindings;
        if let Some((_, ty)) = aliases.iter().find(|(alias, _)| alias == name) {
            return self.of(ty);
        }
        if let Some(record) = records.iter().find(|record| record.name == name) {
            return self.of_record(record);
        }
        if enums.iter().any(|an_enum| an_enum.name == name) {
            return Ok(Layout { size: 4, align: 4 });
        }
        let by_hand = allowlist::HAND_WRITTEN.iter().find(|(by_hand, ..)| *by_hand == name);
        let layout = by_hand.map(|(_, size, align)| Layout { size: *size, align: *align });
        layout.ok_or_else(|| format!("the size of {name} is unknown"))
    }

    pub fn of_record(&self, record: &Record) -> Result<Layout, String> {
        let fields = self.fields(record)?;
        let align = fields.iter().map(|field| field.layout.align).max().unwrap_or(1);
        let end = fields.iter().map(|field| field.offset + field.layout.size).max().unwrap_or(0);
        Ok(Layout { size: end.next_multiple_of(align), align })
    }

    pub fn fields<'a>(&self, record: &'a Record) -> Result<Vec<Field<'a>>, String> {
        let mut end: usize = 0;
        let fields = record.fields.iter().map(|(name, ty)| {
            let layout = self.of(ty)?;
            let offset = if record.is_union { 0 } else { end.next_multiple_of(layout.align) };
            end = offset + layout.size;
            Ok(Field { name, ty, offset, layout })
        });
        fields.collect()
    }
}
