//! What one cuda.h says, or why it says nothing.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

use super::Version;

/// The release of the cuda.h in a folder.
pub(super) fn version(include: &Path) -> Result<Version, String> {
    folder(include)?;
    let path = include.join("cuda.h");
    match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(dangling(&path).map_or("no cuda.h in it".into(), |link| format!("cuda.h is {link}")));
        }
        Err(error) => return Err(format!("cuda.h: {error}")),
        // Anything else could have no end, or block.
        Ok(metadata) if !metadata.is_file() => return Err("cuda.h is not a file".into()),
        Ok(_) => {}
    }
    let bytes = fs::read(&path).map_err(|error| format!("cuda.h: {error}"))?;
    number(&bytes).ok_or_else(|| "cuda.h does not define CUDA_VERSION".into())
}

/// Why a path is no folder that can be looked into.
pub(super) fn folder(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err("not a folder".into()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(dangling(path).unwrap_or("no such folder".into()))
        }
        Err(error) => Err(plain(&error)),
    }
}

fn dangling(path: &Path) -> Option<String> {
    let to = fs::read_link(path).ok()?;
    Some(format!("a link to {}, which does not exist", to.display()))
}

/// The system's words for an error.
pub(super) fn plain(error: &Error) -> String {
    error.to_string()
}

/// The value of `#define CUDA_VERSION 13050`, in bytes of any encoding and with any line ends.
fn number(header: &[u8]) -> Option<Version> {
    let mut in_comment = false;
    let mut lines = header.split(|byte| *byte == b'\n');
    let number = lines.find_map(|line| defined(&without_comments(line, &mut in_comment)))?;
    Some(Version { major: number / 1000, minor: number % 1000 / 10 })
}

fn defined(line: &[u8]) -> Option<u32> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?;
    let name = directive.trim_ascii_start().strip_prefix(b"define")?;
    let value = name.trim_ascii_start().strip_prefix(b"CUDA_VERSION")?;
    let spaced = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_whitespace);
    if !spaced(name) || !spaced(value) {
        return None;
    }
    std::str::from_utf8(value.trim_ascii()).ok()?.parse().ok()
}

/// The line with a space in each comment's place: the header's documentation names the macro too.
fn without_comments(mut line: &[u8], in_comment: &mut bool) -> Vec<u8> {
    let find = |line: &[u8], mark: &[u8]| line.windows(2).position(|pair| pair == mark);
    let mut code = Vec::new();
    loop {
        if *in_comment {
            let Some(end) = find(line, b"*/") else {
                return code;
            };
            line = &line[end + 2..];
            *in_comment = false;
        }
        let block = find(line, b"/*").unwrap_or(line.len());
        let rest = find(line, b"//").unwrap_or(line.len());
        code.extend_from_slice(&line[..block.min(rest)]);
        if rest <= block {
            return code;
        }
        code.push(b' ');
        line = &line[block + 2..];
        *in_comment = true;
    }
}
