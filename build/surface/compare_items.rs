//! Compares the functions and types that both a header and the embedded bindings have.

use std::collections::BTreeSet;
use std::fmt;

use super::model::{BindingsModel, CFunction, CType, StructOrUnion, number_size};
use crate::type_exceptions;

/// The struct of node parameters, whose size did not change when a member of its union grew.
const NODE_PARAMS: &str = "CUgraphNodeParams";

/// Returns whether the struct `name` may grow in a later release. The struct may grow if the union in
/// `CUgraphNodeParams` uses the struct, and no other struct, union or function does. A member of the union reserves
/// space, so the union keeps its size.
pub fn may_struct_grow(surface: &BindingsModel, name: &str) -> bool {
    let is_elsewhere = surface.records.iter().filter(|record| !record.name.starts_with(NODE_PARAMS));
    let mut elsewhere = is_elsewhere.flat_map(|record| &record.fields);
    let mut arguments = surface.functions.iter().flat_map(|function| &function.arguments);
    let union = surface.record_of_name("CUgraphNodeParams_params");
    union.is_some_and(|union| union.fields.iter().any(|(_, ty)| ty.mentions_type(name)))
        && !elsewhere.any(|(_, ty)| ty.mentions_type(name))
        && !arguments.any(|(_, ty)| ty.mentions_type(name))
}

/// Compares the types that both `header` and `surface` have (sizes, alignments, fields, signs of enums), and the
/// functions that both have (arguments, results). Returns an error for the first difference that is not allowed.
pub fn compare_items(header: &BindingsModel, surface: &BindingsModel) -> Result<(), String> {
    let shared = surface.type_names().filter(|name| header.has_type(name) && !surface.opaque.contains(name));
    let shared: Vec<CType> = shared.cloned().map(CType::Named).collect();
    let mut comparison = HeaderComparison { theirs: header, ours: surface, compared: BTreeSet::new() };
    for ty in &shared {
        let name = ty.to_string();
        let may_grow = may_struct_grow(surface, &name);
        comparison.compare_types(ty, ty, may_grow).map_err(|why| prefix_item_name(&name, why))?;
    }
    for theirs in &header.functions {
        if let Some(ours) = surface.functions.iter().find(|ours| ours.name == theirs.name) {
            comparison.compare_functions(theirs, ours).map_err(|why| prefix_item_name(&ours.name, why))?;
        }
    }
    Ok(())
}

/// Prefixes a reason with the item's name, unless the reason begins with the name.
fn prefix_item_name(name: &str, why: String) -> String {
    if why.starts_with(name) { why } else { format!("{name}: {why}") }
}

fn difference_error(what: &str, theirs: impl ToString, ours: impl ToString) -> Result<(), String> {
    let (theirs, ours) = (theirs.to_string(), ours.to_string());
    Err(format!("{what} {theirs} in this header, and {ours} in the crate's bindings"))
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct TypeLayout {
    size: usize,
    align: usize,
}

impl fmt::Display for TypeLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, aligned to {}", self.size, self.align)
    }
}

#[derive(Clone, Copy)]
struct FieldLayout<'a> {
    name: &'a str,
    ty: &'a CType,
    offset: usize,
    layout: TypeLayout,
}

impl fmt::Display for FieldLayout<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}", self.offset, self.layout)
    }
}

impl BindingsModel {
    fn layout_of_type(&self, ty: &CType) -> Result<TypeLayout, String> {
        match self.resolve_alias(ty) {
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
        if let Some(record) = self.record_of_name(name) {
            return self.layout_of_record(record);
        }
        if self.enum_of_name(name).is_some() {
            return Ok(TypeLayout { size: 4, align: 4 });
        }
        let by_hand = type_exceptions::HAND_WRITTEN.iter().find(|(by_hand, ..)| *by_hand == name);
        let layout = by_hand.map(|(_, size, align)| TypeLayout { size: *size, align: *align });
        layout.ok_or_else(|| format!("the size of {name} is unknown"))
    }

    /// Returns the layout of a struct or union in C. `parse_bindings` has refused packed types and `align` attributes.
    fn layout_of_record(&self, record: &StructOrUnion) -> Result<TypeLayout, String> {
        let fields = self.field_layouts(record)?;
        let align = fields.iter().map(|field| field.layout.align).max().unwrap_or(1);
        let end = fields.iter().map(|field| field.offset + field.layout.size).max().unwrap_or(0);
        Ok(TypeLayout { size: end.next_multiple_of(align), align })
    }

    fn field_layouts<'r>(&self, record: &'r StructOrUnion) -> Result<Vec<FieldLayout<'r>>, String> {
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

struct HeaderComparison<'a> {
    theirs: &'a BindingsModel,
    ours: &'a BindingsModel,
    /// The records whose comparison has begun: the name in the header, the embedded name, and `may_grow`.
    compared: BTreeSet<(&'a str, &'a str, bool)>,
}

impl<'a> HeaderComparison<'a> {
    fn compare_types(&mut self, theirs: &'a CType, ours: &'a CType, may_grow: bool) -> Result<(), String> {
        let (by_theirs, by_ours) = (self.theirs.resolve_alias(theirs), self.ours.resolve_alias(ours));
        let difference_here = || {
            // If both definitions use the same name, the error shows the types that the name is an alias of.
            let (theirs, ours) = if theirs == ours { (by_theirs, by_ours) } else { (theirs, ours) };
            difference_error("it is", theirs, ours)
        };
        match (by_theirs, by_ours) {
            (CType::Pointer { to: a, mutable }, CType::Pointer { to: b, mutable: is_ours })
                if mutable == is_ours =>
            {
                self.compare_pointees(a, b)
            }
            (CType::Array(theirs, length), CType::Array(ours, of_ours)) if length == of_ours => {
                self.compare_types(theirs, ours, false)
            }
            (CType::Function(theirs), CType::Function(ours)) => self.compare_arguments(theirs, ours),
            (CType::Named(a), CType::Named(b)) => {
                let (header, surface) = (self.theirs, self.ours);
                if let (Some(a), Some(b)) = (header.record_of_name(a), surface.record_of_name(b)) {
                    return self.compare_records(a, b, may_grow);
                }
                if let (Some(theirs), Some(ours)) = (header.enum_of_name(a), surface.enum_of_name(b)) {
                    // It is no error if the embedded enum is signed and the header's enum is unsigned: an older header
                    // may lack the negative enumerator that makes the embedded enum signed.
                    if theirs.is_signed && !ours.is_signed {
                        return difference_error(&format!("{b} is"), "signed", "unsigned");
                    }
                    // In the header, the embedded enum's name may be an alias of the enum `a`.
                    let behind = CType::Named(b.clone());
                    return if header.resolve_alias(&behind) == by_theirs {
                        Ok(())
                    } else {
                        difference_here()
                    };
                }
                let is_defined = header.record_of_name(a).or(surface.record_of_name(b)).is_some()
                    || header.enum_of_name(a).or(surface.enum_of_name(b)).is_some();
                if a == b && !is_defined { Ok(()) } else { difference_here() }
            }
            _ => difference_here(),
        }
    }

    /// Compares the targets of two pointers. For a handle's struct, equal names suffice: the header may define the
    /// struct, and the embedded bindings only declare it.
    fn compare_pointees(&mut self, theirs: &'a CType, ours: &'a CType) -> Result<(), String> {
        let (to_theirs, to_ours) = (self.theirs.resolve_alias(theirs), self.ours.resolve_alias(ours));
        let is_handle = matches!(to_ours, CType::Named(name) if self.ours.opaque.contains(name));
        if is_handle && to_theirs == to_ours { Ok(()) } else { self.compare_types(theirs, ours, false) }
    }

    fn compare_functions(&mut self, theirs: &'a CFunction, ours: &'a CFunction) -> Result<(), String> {
        self.compare_arguments(&theirs.arguments, &ours.arguments)?;
        self.compare_types(&theirs.result, &ours.result, false).map_err(|why| format!("the result: {why}"))
    }

    fn compare_arguments(
        &mut self,
        theirs: &'a [(String, CType)],
        ours: &'a [(String, CType)],
    ) -> Result<(), String> {
        if theirs.len() != ours.len() {
            return difference_error("it takes", format!("{} arguments", theirs.len()), ours.len());
        }
        for (at, ((_, theirs), (_, ours))) in theirs.iter().zip(ours).enumerate() {
            self.compare_types(theirs, ours, false).map_err(|why| format!("argument {}: {why}", at + 1))?;
        }
        Ok(())
    }

    fn compare_records(
        &mut self,
        theirs: &'a StructOrUnion,
        ours: &'a StructOrUnion,
        may_grow: bool,
    ) -> Result<(), String> {
        if !self.compared.insert((&theirs.name, &ours.name, may_grow)) {
            return Ok(());
        }
        let name = &ours.name;
        if theirs.is_union != ours.is_union {
            let kind = |record: &StructOrUnion| if record.is_union { "a union" } else { "a struct" };
            return difference_error(&format!("{name} is"), kind(theirs), kind(ours));
        }
        let (size, our_size) = (self.theirs.layout_of_record(theirs)?, self.ours.layout_of_record(ours)?);
        if size != our_size && !(may_grow && size.align == our_size.align) {
            return difference_error(&format!("{name} has"), size, our_size);
        }
        let their_fields = c_struct_fields(self.theirs, theirs)?;
        let our_fields = c_struct_fields(self.ours, ours)?;
        for field in &our_fields {
            let Some(their) = their_fields.iter().find(|their| their.name == field.name) else { continue };
            // In a later release, reserved fields may have become new fields.
            if is_reserved(field.name) {
                continue;
            }
            if their.offset != field.offset {
                return difference_error(&format!("{name}.{} is at", field.name), their, field);
            }
            // A struct in the union of `CUgraphNodeParams` may grow. The union itself must keep its size.
            let is_growing = name.starts_with(NODE_PARAMS)
                && matches!(field.ty, CType::Named(ty) if may_struct_grow(self.ours, ty));
            self.compare_types(their.ty, field.ty, is_growing)
                .map_err(|why| prefix_item_name(name, format!("{name}.{}: {why}", field.name)))?;
        }
        if ours.is_union {
            return Ok(());
        }
        // A field that only one definition has must have room in the other: `field_fits_reserved_space`.
        let has_no_room = |fields: &[FieldLayout<'a>], others: &[FieldLayout<'a>], size: usize| {
            let is_only_here = |field: &&FieldLayout| {
                !is_reserved(field.name) && others.iter().all(|other| other.name != field.name)
            };
            let mut only_here = fields.iter().filter(is_only_here);
            only_here
                .find(|field| !field_fits_reserved_space(others, fields, size, field))
                .map(|field| field.name)
        };
        if let Some(field) = has_no_room(&their_fields, &our_fields, our_size.size) {
            return Err(format!("{name}.{field} of this header has no room in the crate's bindings"));
        }
        if let Some(field) = has_no_room(&our_fields, &their_fields, size.size) {
            return Err(format!("{name}.{field} is missing in this header, which has another field there"));
        }
        Ok(())
    }
}

fn is_reserved(field: &str) -> bool {
    field.starts_with("reserved")
}

/// Returns the fields as C has them: the fields of an unnamed member are fields of the struct around the member.
fn c_struct_fields<'a>(
    model: &'a BindingsModel,
    record: &'a StructOrUnion,
) -> Result<Vec<FieldLayout<'a>>, String> {
    let mut all = Vec::new();
    for field in model.field_layouts(record)? {
        let listed = type_exceptions::ANONYMOUS_MEMBER_NAMES.contains(&(record.name.as_str(), field.name));
        let inner = match model.resolve_alias(field.ty) {
            CType::Named(name) if listed || field.name.starts_with("unnamed_") => model.record_of_name(name),
            _ => None,
        };
        match inner {
            Some(inner) => {
                let inner = c_struct_fields(model, inner)?.into_iter();
                all.extend(
                    inner.map(|member| FieldLayout { offset: field.offset + member.offset, ..member }),
                );
            }
            None => all.push(field),
        }
    }
    Ok(all)
}

/// Returns whether one definition of a struct has room for the field `other` of another definition. `fields` and `size`
/// belong to the definition without `other`. `others` has the fields of the definition with `other`.
///
/// There is room if each byte of `other` is past `size`, in a reserved field, or in a field that both definitions have.
fn field_fits_reserved_space(
    fields: &[FieldLayout],
    others: &[FieldLayout],
    size: usize,
    other: &FieldLayout,
) -> bool {
    // A new member of an unnamed union overlaps older members, which both definitions have.
    let is_known = |name: &str| is_reserved(name) || others.iter().any(|other| other.name == name);
    (other.offset..other.offset + other.layout.size).take_while(|byte| *byte < size).all(|byte| {
        let covers = |field: &&FieldLayout| (field.offset..field.offset + field.layout.size).contains(&byte);
        fields.iter().filter(covers).any(|field| is_known(field.name))
    })
}
