//! What the projects that declared this family by hand declare, compared with the surface: the names and the widths of the
//! arguments. The data is in clients.txt.

use std::collections::BTreeSet;

use cuda_external_sys_build::layout::Layouts;
use cuda_external_sys_build::model::{Function, Model, Type};
use libtest_mimic::Trial;

use crate::layout::releases;
use crate::support;

pub fn all() -> Vec<Trial> {
    support::tests! { [] => clients_find_what_they_declare, a_wrong_width_or_name_is_seen; }
}

/// A project, and the functions that it declares with the widths of their arguments: `64`, or `ptr`.
struct Client<'a> {
    name: &'a str,
    functions: Vec<(&'a str, Vec<&'a str>)>,
    lacks: BTreeSet<&'a str>,
}

fn clients(text: &str) -> Vec<Client<'_>> {
    let mut clients: Vec<Client<'_>> = Vec::new();
    let mut is_lacks = false;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some((name, _)) = line.split_once(": ").filter(|_| !line.starts_with(' ')) {
            clients.push(Client { name, functions: Vec::new(), lacks: BTreeSet::new() });
            is_lacks = false;
            continue;
        }
        let client = clients.last_mut().expect("a client comes first");
        for word in line.split_whitespace() {
            match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
                Some((name, widths)) => {
                    client
                        .functions
                        .push((name, widths.split(',').filter(|width| !width.is_empty()).collect()));
                }
                None if word == "lacks" => is_lacks = true,
                None => assert!(is_lacks && client.lacks.insert(word), "{word} in {}", client.name),
            }
        }
    }
    clients
}

/// The widths of the arguments of a bound function, by either name.
fn widths(bindings: &Model, name: &str) -> Option<Vec<String>> {
    let is_named = |ours: &&Function| ours.name == name || ours.macro_name.as_deref() == Some(name);
    let function = bindings.functions.iter().find(is_named)?;
    let layouts = Layouts { model: bindings };
    let width = |ty: &Type| match resolved(bindings, ty) {
        Type::Pointer { .. } | Type::Function(_) => "ptr".to_owned(),
        ty => (8 * layouts.of(ty).unwrap_or_else(|error| panic!("{error}")).size).to_string(),
    };
    Some(function.arguments.iter().map(|(_, ty)| width(ty)).collect())
}

/// The type that an alias stands for.
fn resolved<'a>(bindings: &'a Model, ty: &'a Type) -> &'a Type {
    let alias = bindings.aliases.iter().find(|(name, _)| matches!(ty, Type::Named(of) if of == name));
    alias.map_or(ty, |(_, of)| resolved(bindings, of))
}

/// What a client declares and the surface lacks, or has with other widths.
fn lacking<'a>(bindings: &Model, client: &Client<'a>) -> BTreeSet<&'a str> {
    let is_covered =
        |(name, declared): &&(&str, Vec<&str>)| widths(bindings, name).is_some_and(|ours| ours == *declared);
    client.functions.iter().filter(|function| !is_covered(function)).map(|(name, _)| *name).collect()
}

fn embedded() -> Model {
    Model::read(releases::embedded()).unwrap_or_else(|error| panic!("{error}"))
}

fn clients_find_what_they_declare() {
    let bindings = embedded();
    let clients = clients(include_str!("clients.txt"));
    let mut complete = 0;
    for client in &clients {
        let lacks = lacking(&bindings, client);
        println!("{}: {} functions, lacks {lacks:?}", client.name, client.functions.len());
        assert_eq!(lacks, client.lacks, "{}", client.name);
        complete += usize::from(lacks.is_empty());
    }
    println!("{complete} of {} clients need no declaration of their own", clients.len());
    assert!(clients.len() >= 22 && complete >= 18, "{complete} of {}", clients.len());
}

fn a_wrong_width_or_name_is_seen() {
    let bindings = embedded();
    let text =
        "X: a client\n  cuMemFree_v2(32) cuMemFree(64) cuMemcpyHtoD_v2(64,64) cuInit(32) cuMemAdvise(64)\n";
    let lacks = lacking(&bindings, &clients(text)[0]);
    assert_eq!(lacks, BTreeSet::from(["cuMemAdvise", "cuMemFree_v2", "cuMemcpyHtoD_v2"]));
}
