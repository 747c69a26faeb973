//! src/bindings/embedded.rs: the surface, made of the newest header alone and of the documentation of fields.

use std::collections::BTreeMap;
use std::fs;

use build_script::run_bindgen;
use build_script::surface::EmbeddedSurface;
use build_script::surface::make_embedded_text::make_embedded_text;
use build_script::toolkit::cuda_header::parse_cuda_version;
use test_support::layout::releases;
use test_support::{headers, repository};

pub const PATH: &str = "src/bindings/embedded.rs";

/// One text for every C ABI. `bindings::every_release::generated_from_` compares MSVC's.
pub fn embedded_text(_: &str) -> String {
    let targets = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-pc-windows-gnu"];
    let [text, others @ ..] =
        targets.map(|target| embedded_text_for_target(target).unwrap_or_else(|error| panic!("{error}")));
    assert!(others.iter().all(|other| *other == text), "the C ABIs have different texts");
    text
}

fn embedded_text_for_target(target: &str) -> Result<String, String> {
    let include = headers(releases::newest_release())?;
    let header = fs::read(include.join("cuda.h")).map_err(|error| error.to_string())?;
    let version = parse_cuda_version(&header).ok_or("cuda.h has no CUDA_VERSION")?;
    let known = EmbeddedSurface::read_embedded()?;
    let code = run_bindgen::bindgen_code_of_header(repository(), &include, target, &known, &mut Vec::new())
        .map_err(|refusal| format!("{}\n{}", refusal.why, refusal.output))?;
    let documentation = read_documentation(&crate::read_file("dev/generator/fields.txt"))?;
    let text = make_embedded_text(&code, version, &documentation)?;
    // A text for several types may be of a field that not all of them have.
    let mut of_fields = documentation.iter().filter(|(field, _)| !field.ends_with(".*"));
    let unused = of_fields.find(|(_, of_field)| !text.contains(&format!("/// {of_field}\n")));
    unused
        .map_or(Ok(text.clone()), |(field, _)| Err(format!("dev/generator/fields.txt: there is no {field}")))
}

/// The texts by `type.field`.
fn read_documentation(file: &str) -> Result<BTreeMap<String, String>, String> {
    let mut texts = BTreeMap::new();
    // The types of a block, and whether all of them were read.
    let (mut types, mut is_complete) = (Vec::new(), false);
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(": ") {
            _ if line.is_empty() => (types, is_complete) = (Vec::new(), false),
            None if !is_complete => {
                is_complete = line.ends_with(':');
                types.extend(line.trim_end_matches(':').split(' '));
            }
            Some((field, text)) if is_complete => {
                for name in &types {
                    if texts.insert(format!("{name}.{field}"), text.to_owned()).is_some() {
                        return Err(format!("dev/generator/fields.txt has {name}.{field} twice"));
                    }
                }
            }
            _ => return Err(format!("dev/generator/fields.txt: {line}")),
        }
    }
    Ok(texts)
}
