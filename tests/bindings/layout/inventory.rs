//! What the bindings declare, read from their text, with what src/ adds to it by hand.

pub use super::model::{Bindings as Inventory, Function, Record, Type};

/// A macro's value, or an enumerator with its enum.
pub struct Constant<'a> {
    pub name: &'a String,
    pub of: Option<&'a String>,
    pub value: i64,
}

/// Reads the generated text and the hand-written struct.
pub fn read(bindings: &str, by_hand: &str) -> Result<Inventory, String> {
    let mut inventory = Inventory::read(bindings)?;
    let from = by_hand.find("#[repr(C)]").ok_or("no hand-written struct")?;
    let length = by_hand[from..].find("\n}\n").ok_or("the hand-written struct does not end")? + 3;
    inventory.records.extend(Inventory::read(&by_hand[from..from + length])?.records);
    Ok(inventory)
}

pub fn constants(inventory: &Inventory) -> impl Iterator<Item = Constant<'_>> {
    let macros = inventory.macros.iter().map(|(name, value)| Constant { name, of: None, value: *value });
    let enums = inventory.enums.iter().flat_map(|an_enum| {
        an_enum.values.iter().map(|(name, value)| Constant { name, of: Some(&an_enum.name), value: *value })
    });
    macros.chain(enums)
}
