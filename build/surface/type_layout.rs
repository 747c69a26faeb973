//! Computes sizes, alignments and offsets by C's rules for 64-bit targets, to compare two definitions of a type.

use std::fmt;

use super::model::{BindingsModel, CType, StructOrUnion};
use crate::type_exceptions;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeLayout {
    pub size: usize,
    pub align: usize,
}

impl fmt::Display for TypeLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, aligned to {}", self.size, self.align)
    }
}

#[derive(Clone, Copy)]
pub struct FieldLayout<'a> {
    pub name: &'a str,
    pub ty: &'a CType,
    pub offset: usize,
    pub layout: TypeLayout,
}

impl fmt::Display for FieldLayout<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}", self.offset, self.layout)
    }
}

/// Returns the size of a numeric type that has the same size on every target.
pub fn number_size(name: &str) -> Option<usize> {
    match name {
        "c_char" | "c_schar" | "c_uchar" | "i8" | "u8" => Some(1),
        "c_short" | "c_ushort" | "i16" | "u16" => Some(2),
        "c_int" | "c_uint" | "i32" | "u32" | "f32" => Some(4),
        "c_longlong" | "c_ulonglong" | "i64" | "u64" | "isize" | "usize" | "f64" => Some(8),
        _ => None,
    }
}

pub struct LayoutCalculator<'a> {
    pub model: &'a BindingsModel,
}

impl<'a> LayoutCalculator<'a> {
    pub fn layout_of_type(&self, ty: &CType) -> Result<TypeLayout, String> {
        match self.model.resolve_alias(ty) {
            CType::Pointer { .. } | CType::Function(_) => Ok(TypeLayout { size: 8, align: 8 }),
            CType::Array(of, length) => {
                let TypeLayout { size, align } = self.layout_of_type(of)?;
                let size = size.checked_mul(*length).ok_or_else(|| format!("{ty} is too large"))?;
                Ok(TypeLayout { size, align })
            }
            CType::Named(name) => self.layout_of_named_type(name),
        }
    }

    fn layout_of_named_type(&self, name: &str) -> Result<TypeLayout, String> {
        if let Some(size) = number_size(name) {
            return Ok(TypeLayout { size, align: size });
        }
        if let Some(record) = self.model.record_of_name(name) {
            return self.layout_of_record(record);
        }
        if self.model.enum_of_name(name).is_some() {
            return Ok(TypeLayout { size: 4, align: 4 });
        }
        let by_hand = type_exceptions::HAND_WRITTEN.iter().find(|(by_hand, ..)| *by_hand == name);
        let layout = by_hand.map(|(_, size, align)| TypeLayout { size: *size, align: *align });
        layout.ok_or_else(|| format!("the size of {name} is unknown"))
    }

    /// Returns the layout of a struct or union. The parser has refused packed types and `align` attributes.
    pub fn layout_of_record(&self, record: &StructOrUnion) -> Result<TypeLayout, String> {
        let fields = self.field_layouts(record)?;
        let align = fields.iter().map(|field| field.layout.align).max().unwrap_or(1);
        let end = fields.iter().map(|field| field.offset + field.layout.size).max().unwrap_or(0);
        Ok(TypeLayout { size: end.next_multiple_of(align), align })
    }

    pub fn field_layouts<'r>(&self, record: &'r StructOrUnion) -> Result<Vec<FieldLayout<'r>>, String> {
        let mut end: usize = 0;
        let fields = record.fields.iter().map(|(name, ty)| {
            let layout = self.layout_of_type(ty)?;
            let offset = if record.is_union { 0 } else { end.next_multiple_of(layout.align) };
            end = offset.checked_add(layout.size).ok_or_else(|| format!("{} is too large", record.name))?;
            Ok(FieldLayout { name, ty, offset, layout })
        });
        fields.collect()
    }
}
