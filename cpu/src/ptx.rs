//! Which kernels a PTX text has, and their parameters' sizes.

use cuda_external_sys::*;

pub struct Entry {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Copy)]
pub struct Parameter {
    pub size: usize,
    pub alignment: usize,
}

/// The newest PTX version that a driver of these releases could read.
const NEWEST: f64 = 13.0;

/// Returns the kernels of a text.
pub fn entries(text: &str) -> Result<Vec<Entry>, CUresult> {
    let text = without_comments(text);
    let rest = text.trim_start().strip_prefix(".version").ok_or(CUDA_ERROR_INVALID_IMAGE)?;
    let version = rest.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    let version = version.ok_or(CUDA_ERROR_INVALID_PTX)?;
    if version > NEWEST {
        return Err(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    }
    let entries = rest.split(".entry").skip(1).map(|text| entry(text).ok_or(CUDA_ERROR_INVALID_PTX));
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    if entries.is_empty() { Err(CUDA_ERROR_INVALID_PTX) } else { Ok(entries) }
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split("/*").enumerate() {
        let code = if index == 0 { part } else { part.split_once("*/").map_or("", |(_, code)| code) };
        for line in code.split_inclusive('\n') {
            match line.split_once("//") {
                Some((code, _)) => out.extend([code, "\n"]),
                None => out += line,
            }
        }
    }
    out
}

/// Reads `name(.param .u64 a, .param .align 8 .b8 b[16])`, or a name alone.
fn entry(text: &str) -> Option<Entry> {
    let head = text.split('{').next()?;
    let (name, parameters) = match head.split_once('(') {
        Some((name, rest)) => (name, rest.split_once(')')?.0),
        None => (head, ""),
    };
    let name = name.split_whitespace().next()?.to_owned();
    let parameters = parameters.split(',').filter(|part| !part.trim().is_empty());
    Some(Entry { name, parameters: parameters.map(parameter).collect::<Option<_>>()? })
}

fn parameter(text: &str) -> Option<Parameter> {
    let mut words = text.split_whitespace();
    let (mut size, mut alignment) = (None, None);
    while let Some(word) = words.next() {
        match word {
            ".align" => alignment = words.next()?.parse().ok(),
            ".param" | ".ptr" | ".global" | ".const" | ".shared" | ".local" => {}
            word if word.starts_with('.') => {
                let bits: usize =
                    word.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()?;
                size = Some(bits / 8);
            }
            _ => {}
        }
    }
    let element = size?;
    let count =
        text.split_once('[').map_or(Some(1), |(_, rest)| rest.split(']').next()?.trim().parse().ok())?;
    Some(Parameter {
        size: element.checked_mul(count)?,
        alignment: alignment.filter(|a| *a > 0 && !text.contains(".ptr")).unwrap_or(element).max(1),
    })
}
