//! Compares bindings with an edited header, by one run of the C compiler: what both have must be the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cuda_external_sys_build::allowlist;
use cuda_external_sys_build::layout::Layouts;
use cuda_external_sys_build::model::Model;

use super::text::replace_word;
use crate::every_release::is_known;
use crate::layout::comparison::Problem;
use crate::layout::facts::{self, Fact, Kind, Subject};
use crate::layout::{compilers, releases};
use crate::sizes::place;
use crate::support;

/// What the C compiler sees otherwise, or why it cannot read the header.
pub fn problems(include: &Path, header: &str, bindings: &Model) -> Result<Vec<String>, String> {
    let words: BTreeSet<&str> = header.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let is_in_header = |fact: &Fact| match &fact.about {
        Subject::Function(name, _)
        | Subject::Type(name)
        | Subject::Field(name, _)
        | Subject::Constant(name, _) => words.contains(name.as_str()),
        Subject::MacroName(_) => false,
    };
    let numbered = numbers(bindings).into_iter().filter_map(|(fact, number)| Some((fact, number?)));
    let facts: Vec<(Fact, u64)> = numbered.filter(|(fact, _)| is_in_header(fact)).collect();
    let apart = set_apart(header, bindings);
    let mut text = String::from("#include <cuda.h>\n");
    for (fact, number) in &facts {
        let expression = apart.iter().fold(fact.c.clone(), |c, (name, ours)| replace_word(&c, name, ours));
        text += &format!("_Static_assert((unsigned long long)({expression}) == {number}ull, \"\");\n");
    }
    let source = include.join("facts.c");
    fs::write(&source, text).expect("a file");
    let mut command = compilers::cc();
    command.args(["-std=gnu11", "-fsyntax-only", "-nostdinc", "-fmax-errors=0", "-I"]).arg(include);
    command.arg("-I").arg(support::repository().join("build/include")).arg(&source);
    let errors = compilers::run(&mut command).err().unwrap_or_default();
    if let Some(error) = errors.lines().find(|line| line.contains("cuda.h:") && line.contains("error:")) {
        return Err(error.to_owned());
    }
    let (mut failed, mut lacking) = (BTreeSet::new(), BTreeSet::new());
    for error in errors.lines().filter(|line| line.contains("facts.c:") && line.contains(" error: ")) {
        let number = error.split("facts.c:").nth(1).and_then(|rest| rest.split(':').next());
        // The facts begin in the second line.
        let at = number.and_then(|number| number.parse::<usize>().ok()).expect("an error has a line") - 2;
        // Any other error is that of an item that the header lacks.
        let set = if error.contains("static assertion failed") { &mut failed } else { &mut lacking };
        set.insert(at);
    }
    failed.retain(|at| !lacking.contains(at));
    let problems = failed.into_iter().map(|at| {
        let (fact, rust) = &facts[at];
        Problem::Differs { fact: fact.clone(), c: 0, rust: *rust }
    });
    Ok(problems.filter(|problem| !is_known(problem, bindings)).map(|problem| problem.to_string()).collect())
}

/// The facts about bindings, with the number that they have by their layouts as build-support computes them. None for a fact
/// that the edited header is not compared with.
pub fn numbers(bindings: &Model) -> Vec<(Fact, Option<u64>)> {
    let layouts = Layouts { model: bindings };
    let paths: BTreeMap<Subject, String> =
        facts::fields(bindings).into_iter().map(|field| (field.about(), field.rust)).collect();
    let values: BTreeMap<Subject, u64> = facts::constants(bindings).into_iter().collect();
    let number = |fact: &Fact| {
        let (offset, layout) = match &fact.about {
            Subject::Type(name) => place(&layouts, name, ""),
            Subject::Field(root, _) => place(&layouts, root, &paths[&fact.about]),
            Subject::Function(name, _) if allowlist::IN_WRAPPER.contains(&name.as_str()) => return None,
            Subject::Function(..) => return (fact.kind == Kind::Signature).then_some(1),
            Subject::Constant(..) => return values.get(&fact.about).copied(),
            Subject::MacroName(_) => return None,
        };
        let is_signed = |name: &str| bindings.an_enum(name).is_some_and(|an_enum| an_enum.is_signed);
        Some(match (fact.kind, &fact.about) {
            (Kind::Offset, _) => offset as u64,
            (Kind::Size, _) => layout.size as u64,
            (Kind::Align, _) => layout.align as u64,
            (Kind::Sign, Subject::Type(name)) => u64::from(is_signed(name)),
            _ => 1,
        })
    };
    let facts = facts::facts(bindings).into_iter();
    facts.map(|fact| (fact.clone(), number(&fact))).collect()
}

/// The names that the header gives to another version, with the version's name that is theirs in the bindings.
fn set_apart(header: &str, bindings: &Model) -> BTreeMap<String, String> {
    let mut apart = BTreeMap::new();
    for name in bindings.type_names() {
        let ours = bindings.versions.get(name).cloned().unwrap_or_else(|| format!("{name}_v1"));
        let is_other = |line: &str| {
            let of = line.trim().strip_prefix("typedef ")?.strip_suffix(&format!(" {name};"))?;
            let version = of.strip_prefix(name)?.strip_prefix("_v")?;
            Some(of != ours && version.bytes().all(|byte| byte.is_ascii_digit()))
        };
        if header.lines().any(|line| is_other(line) == Some(true)) {
            apart.insert(name.clone(), ours);
        }
    }
    apart
}

/// Has rustc check texts of bindings, each as a module of one crate with the crate's own macros.
pub fn compile(texts: &[&String]) {
    let directory = releases::directory("edits", "rustc");
    let source = support::repository().join("src");
    fs::create_dir_all(directory.join("macros")).expect("a directory");
    let macros =
        fs::read_dir(source.join("macros")).expect("a directory").flatten().map(|entry| entry.path());
    for file in macros.chain([source.join("macros.rs")]) {
        let relative = file.strip_prefix(&source).expect("it is below it");
        fs::copy(&file, directory.join(relative)).expect("a file");
    }
    let bindings = fs::read_to_string(source.join("bindings.rs")).expect("a file");
    let location = format!("#[path = {:?}]\nmod location;", source.join("bindings/location.rs"));
    let mut lib = String::from("#![allow(warnings)]\n#[macro_use]\nmod macros;\npub use b0::*;\n");
    for (at, text) in texts.iter().enumerate() {
        // What the crate writes by hand for the bindings' types.
        let by_hand = allowlist::DEBUG_BY_HAND.iter().map(|name| format!("union_debug! {{ {name}, }}\n"));
        let module = bindings
            .replace("mod location;", &location)
            .replace("include!(concat!(env!(\"OUT_DIR\"), \"/bindings.rs\"));", text);
        fs::write(directory.join(format!("b{at}.rs")), module + &by_hand.collect::<String>())
            .expect("a file");
        lib += &format!("mod b{at};\n");
    }
    fs::write(directory.join("lib.rs"), lib).expect("a file");
    let mut command = compilers::rustc();
    command.args(["--crate-type=lib", "--emit=metadata", "--cfg", "feature=\"link\"", "-o"]);
    command.arg(directory.join("lib.rmeta")).arg(directory.join("lib.rs"));
    compilers::succeed(&mut command);
}
