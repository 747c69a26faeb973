//! What the bindings declare, read from their text, with what src/ adds to it by hand.

use syn::{Attribute, Ident, Item};

pub use super::model::{Bindings as Inventory, Function, Record, Type};

/// A macro's value, or an enumerator with its enum.
pub struct Constant<'a> {
    pub name: &'a String,
    pub of: Option<&'a String>,
}

/// Reads the generated text, and the structs of `repr(C)` in `by_hand`.
pub fn read(bindings: &str, by_hand: &[String]) -> Result<Inventory, String> {
    let mut inventory = Inventory::read(bindings)?;
    for text in by_hand {
        for item in syn::parse_file(text).map_err(|error| error.to_string())?.items {
            if let Item::Struct(item) = item
                && is_repr_c(&item.attrs)
            {
                inventory.records.push(Record::new(&item.ident, false, item.fields.iter())?);
            }
        }
    }
    Ok(inventory)
}

fn is_repr_c(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("repr") && attribute.parse_args::<Ident>().is_ok_and(|word| word == "C")
    })
}

pub fn constants(inventory: &Inventory) -> impl Iterator<Item = Constant<'_>> {
    let macros = inventory.macros.iter().map(|(name, _)| Constant { name, of: None });
    let enums = inventory.enums.iter().flat_map(|an_enum| {
        an_enum.values.iter().map(|(name, _)| Constant { name, of: Some(&an_enum.name) })
    });
    macros.chain(enums)
}
