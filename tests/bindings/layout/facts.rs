//! The list of facts: each is one number, as an expression of C and as one of Rust.
//!
//! Both compilers are asked for the numbers of this one list.

use std::fmt;

use super::header::Header;
use super::inventory::{self, Function, Inventory, Record, Type};
pub use super::spelling::{c_name, c_type, place, unnamed};
use super::spelling::{c_pointer, is_unnamed, rust_pointer};

pub struct Fact {
    pub kind: Kind,
    /// What has this size, offset or value: `CUuuid.bytes`.
    pub item: String,
    /// The names that a header must have for the question to make sense: `CUuuid`, `bytes`.
    pub about: About,
    pub c: String,
    pub rust: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    Type(String),
    /// A record that C has a name for, and the path from it.
    Field(String, String),
    Constant(String),
    Function(String),
    /// A name that the newest cuda.h gives a function by a macro. Older ones give it to an older function.
    PlainName(String),
}

/// Counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Size,
    Align,
    Offset,
    /// The C compiler says whether the header's type is the one that the Rust type stands for.
    Type,
    Sign,
    Value,
    Signature,
    /// The same signature, by cudaTypedefs.h.
    Typedef,
    /// The name that cuda.h gives a symbol by a macro.
    PlainName,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "size",
            Self::Align => "alignment",
            Self::Offset => "offset",
            Self::Type => "C type",
            Self::Sign => "sign",
            Self::Value => "value",
            Self::Signature => "signature",
            Self::Typedef => "pointer type in cudaTypedefs.h",
            Self::PlainName => "plain name",
        })
    }
}

pub fn facts(inventory: &Inventory) -> Vec<Fact> {
    let mut facts = Facts { inventory, list: Vec::new() };
    for (name, ty) in &inventory.aliases {
        facts.alias(name, ty);
    }
    for an_enum in &inventory.enums {
        facts.an_enum(&an_enum.name);
    }
    for record in &inventory.records {
        facts.record(record);
    }
    for constant in inventory::constants(inventory) {
        let name = constant.name;
        let (c, rust) = match constant.of {
            // C's enumerators are ints whatever the enum is; the bits are the same.
            Some(_) => (format!("(unsigned int)({name})"), format!("{name}.0 as u32 as u64")),
            None => (name.clone(), format!("{name} as u64")),
        };
        facts.push(Kind::Value, name.clone(), About::Constant(name.clone()), c, rust);
    }
    for function in &inventory.functions {
        facts.function(function);
    }
    facts.list
}

/// cudaTypedefs.h has a pointer type for each release that changed a function: ours is one of them.
pub fn typedefs(inventory: &Inventory, header: &Header) -> Vec<Fact> {
    let known = |function: &&Function| !header.pointer_types(&function.name).is_empty();
    inventory
        .functions
        .iter()
        .filter(known)
        .map(|function| {
            let ours = c_pointer(inventory, function);
            let is_one = |theirs: &&str| format!("__builtin_types_compatible_p({theirs}, {ours})");
            let any: Vec<String> = header.pointer_types(&function.name).iter().map(is_one).collect();
            Fact {
                kind: Kind::Typedef,
                item: function.name.clone(),
                about: About::Function(function.name.clone()),
                c: format!("({})", any.join(" || ")),
                rust: "1".to_owned(),
            }
        })
        .collect()
}

struct Facts<'a> {
    inventory: &'a Inventory,
    list: Vec<Fact>,
}

impl Facts<'_> {
    fn push(&mut self, kind: Kind, item: String, about: About, c: String, rust: String) {
        self.list.push(Fact { kind, item, about, c, rust });
    }

    fn function(&mut self, function: &Function) {
        let name = &function.name;
        let about = About::Function(name.clone());
        let pointer = c_pointer(self.inventory, function);
        let c = format!("__builtin_types_compatible_p(__typeof__(&{name}), {pointer})");
        let ty = rust_pointer(function);
        // Both names are checked by rustc, where there are two.
        let names = [Some(name), function.plain.as_ref()].into_iter().flatten();
        let checks: String =
            names.map(|name| format!("const _: {ty} = {name}; const _: PFN_{name} = {name};")).collect();
        self.push(Kind::Signature, name.clone(), about, c, format!("{{ {checks} 1 }}"));
        if let Some(plain) = &function.plain {
            let c = format!("(__builtin_strcmp(SPELLED({plain}), \"{name}\") == 0)");
            self.push(Kind::PlainName, plain.clone(), About::PlainName(plain.clone()), c, "1".to_owned());
        }
    }

    fn size(&mut self, name: &str, c: &str, about: &About) {
        let (size, rust) = (format!("sizeof({c})"), format!("size_of::<{name}>() as u64"));
        self.push(Kind::Size, name.to_owned(), about.clone(), size, rust);
        let (align, rust) = (format!("_Alignof({c})"), format!("align_of::<{name}>() as u64"));
        self.push(Kind::Align, name.to_owned(), about.clone(), align, rust);
    }

    fn alias(&mut self, name: &str, ty: &Type) {
        let about = About::Type(name.to_owned());
        self.size(name, name, &about);
        let c = compatible(name, &c_type(self.inventory, ty));
        self.push(Kind::Type, name.to_owned(), about, c, "1".to_owned());
    }

    fn an_enum(&mut self, name: &str) {
        let about = About::Type(name.to_owned());
        self.size(name, name, &about);
        let c = format!("(({name})-1 < 0)");
        let rust = format!("sign(|x: {name}| x.0)");
        self.push(Kind::Sign, name.to_owned(), about, c, rust);
    }

    fn record(&mut self, record: &Record) {
        let name = &record.name;
        let (root, prefix) = place(self.inventory, record);
        let about = match prefix.as_str() {
            "" => About::Type(root.clone()),
            path => About::Field(root.clone(), path.to_owned()),
        };
        let spelled = c_name(self.inventory, name);
        if let Some(c) = &spelled {
            self.size(name, c, &about);
        }
        for (field, ty) in &record.fields {
            // The C name of a field that is a word of Rust's.
            let c_field = field.strip_suffix('_').unwrap_or(field);
            if is_unnamed(record, field) {
                // Its own record's fields are asked by the owner's name.
                continue;
            }
            let path = [prefix.as_str(), c_field].join(if prefix.is_empty() { "" } else { "." });
            let about = About::Field(root.clone(), path.clone());
            let (c, path_in_rust) = match &spelled {
                Some(c) => (c.clone(), format!("{name}, {field}")),
                None => {
                    let (owner, member) = self.inventory.owner(name).expect("it has no name in C");
                    let c =
                        c_name(self.inventory, &owner.name).expect("it is a member of one that C can spell");
                    (c, format!("{}, {member}.{field}", owner.name))
                }
            };
            let this = format!("{name}.{field}");
            self.push(
                Kind::Offset,
                this.clone(),
                about.clone(),
                format!("__builtin_offsetof({c}, {c_field})"),
                format!("offset_of!({path_in_rust}) as u64"),
            );
            self.push(
                Kind::Size,
                this.clone(),
                about.clone(),
                format!("sizeof((({c} *)0)->{c_field})"),
                format!("size_of_field(|x: *const {name}| unsafe {{ &raw const (*x).{field} }})"),
            );
            let is_anonymous = matches!(ty, Type::Named(ty) if self.inventory.owner(ty).is_some());
            if !is_anonymous {
                let c = compatible(&format!("(({c} *)0)->{c_field}"), &c_type(self.inventory, ty));
                self.push(Kind::Type, this, about, c, "1".to_owned());
            }
        }
    }
}

fn compatible(expression_or_type: &str, ty: &str) -> String {
    format!("__builtin_types_compatible_p(__typeof__({expression_or_type}), {ty})")
}
