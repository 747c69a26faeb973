//! Reads the release from a cuda.h, or says why it cannot be read.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

use super::Version;

/// Why a path leads to no cuda.h.
pub enum Problem {
    /// Nothing is there.
    Absent(String),
    /// Something is there that cannot be used.
    Unusable(String),
}

/// The release of the cuda.h in a directory.
pub fn version(include: &Path) -> Result<Version, Problem> {
    directory(include)?;
    let path = include.join("cuda.h");
    match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(match dangling(&path) {
                Some(link) => Problem::Unusable(format!("cuda.h is {link}")),
                None => Problem::Absent("no cuda.h in it".to_owned()),
            });
        }
        Err(error) => return Err(Problem::Unusable(format!("cuda.h: {error}"))),
        // Anything else could be without end, or block.
        Ok(metadata) if !metadata.is_file() => {
            return Err(Problem::Unusable("cuda.h is not a file".to_owned()));
        }
        Ok(_) => {}
    }
    let bytes = read(&path).map_err(|error| Problem::Unusable(format!("cuda.h: {error}")))?;
    version_in(&bytes).ok_or_else(|| Problem::Unusable("cuda.h does not define CUDA_VERSION".to_owned()))
}

/// Reads at most 16 MiB; cuda.h of CUDA 13.5 has 1.3.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    File::open(path)?.take(16 << 20).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks that a path is a directory.
pub fn directory(path: &Path) -> Result<(), Problem> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Problem::Absent("not a directory".to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Problem::Absent(dangling(path).unwrap_or_else(|| "no such directory".to_owned())))
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(Problem::Absent(error.to_string())),
        Err(error) => Err(Problem::Unusable(error.to_string())),
    }
}

fn dangling(path: &Path) -> Option<String> {
    let to = fs::read_link(path).ok()?;
    Some(format!("a link to {}, which does not exist", to.display()))
}

/// The value of `#define CUDA_VERSION 13050`, in bytes of any encoding and with any line ends.
pub fn version_in(header: &[u8]) -> Option<Version> {
    let code = without_comments(header);
    let number = code.split(|byte| *byte == b'\n').find_map(defined)?;
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
    let value = std::str::from_utf8(value.trim_ascii()).ok()?;
    // C's suffixes of an unsigned or long number.
    value.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok()
}

/// The text with a space in each comment's place: the header's documentation names the macro too. One pass, so that a
/// file that is not a header takes no longer.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let find = |from: usize, mark: &[u8]| {
        let rest = text.get(from..).unwrap_or_default();
        rest.windows(mark.len()).position(|bytes| bytes == mark).map_or(text.len(), |at| from + at)
    };
    let mut code = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match &text[at..] {
            [b'/', b'*', ..] => {
                code.push(b' ');
                at = find(at + 2, b"*/") + 2;
            }
            [b'/', b'/', ..] => at = find(at + 2, b"\n"),
            // A comment's mark in a string is none.
            [b'"', ..] => {
                let rest = &text[at + 1..];
                let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\n')).unwrap_or(rest.len());
                // The closing quote goes too; the end of a line stays.
                code.push(b' ');
                at += 1 + length + usize::from(rest.get(length) == Some(&b'"'));
            }
            [byte, ..] => {
                code.push(*byte);
                at += 1;
            }
            [] => break,
        }
    }
    code
}
