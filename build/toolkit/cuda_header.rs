//! Reads the release from a cuda.h, or says why it cannot be read.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

use super::version_number::Version;

/// Why a path leads to no cuda.h.
pub enum HeaderError {
    /// Nothing is there.
    Absent(String),
    /// Something is there that cannot be used.
    Unusable(String),
}

/// The release of the cuda.h in a directory.
pub fn read_version(include: &Path) -> Result<Version, HeaderError> {
    check_directory(include)?;
    let path = include.join("cuda.h");
    match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(match describe_dangling_link(&path) {
                Some(link) => HeaderError::Unusable(format!("cuda.h is {link}")),
                None => HeaderError::Absent("no cuda.h in it".to_owned()),
            });
        }
        Err(error) => return Err(HeaderError::Unusable(format!("cuda.h: {error}"))),
        // Anything else could be without end, or block.
        Ok(metadata) if !metadata.is_file() => {
            return Err(HeaderError::Unusable("cuda.h is not a file".to_owned()));
        }
        Ok(_) => {}
    }
    let bytes = read_start(&path).map_err(|error| HeaderError::Unusable(format!("cuda.h: {error}")))?;
    version_in(&bytes).ok_or_else(|| HeaderError::Unusable("cuda.h does not define CUDA_VERSION".to_owned()))
}

/// Reads at most 16 MiB; cuda.h of CUDA 13.5 has 1.3.
fn read_start(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    File::open(path)?.take(16 << 20).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks that a path is a directory.
pub fn check_directory(path: &Path) -> Result<(), HeaderError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(HeaderError::Absent("not a directory".to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(HeaderError::Absent(
            describe_dangling_link(path).unwrap_or_else(|| "no such directory".to_owned()),
        )),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(HeaderError::Absent(error.to_string())),
        Err(error) => Err(HeaderError::Unusable(error.to_string())),
    }
}

fn describe_dangling_link(path: &Path) -> Option<String> {
    let to = fs::read_link(path).ok()?;
    Some(format!("a link to {}, which does not exist", to.display()))
}

/// The value of `#define CUDA_VERSION 13050`, in bytes of any encoding and with any line ends.
pub fn version_in(header: &[u8]) -> Option<Version> {
    let number = CodeLines(header).find_map(|line| parse_definition(&line))?;
    Some(Version { major: number / 1000, minor: number % 1000 / 10 })
}

fn parse_definition(line: &[u8]) -> Option<u32> {
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

/// The remaining lines of a header, with a space in the place of each comment and string: the header's documentation
/// names the macro too. cuda.h defines the macro near its beginning.
struct CodeLines<'a>(&'a [u8]);

impl Iterator for CodeLines<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        let mut rest = (!self.0.is_empty()).then_some(self.0)?;
        loop {
            rest = match rest {
                [] => break,
                [b'\n', after @ ..] => {
                    rest = after;
                    break;
                }
                [b'/', b'*', comment @ ..] => {
                    line.push(b' ');
                    let end = comment.windows(2).position(|bytes| bytes == b"*/");
                    end.map_or(&[], |end| &comment[end + 2..])
                }
                [b'/', b'/', comment @ ..] => rest_from(comment, |byte| byte == b'\n'),
                // A comment mark inside a string literal begins no comment.
                [b'"', string @ ..] => {
                    line.push(b' ');
                    let end = rest_from(string, |byte| matches!(byte, b'"' | b'\n'));
                    end.strip_prefix(b"\"").unwrap_or(end)
                }
                [byte, after @ ..] => {
                    line.push(*byte);
                    after
                }
            };
        }
        self.0 = rest;
        Some(line)
    }
}

/// Returns the rest of the text from the first byte of this kind on.
fn rest_from(text: &[u8], is_end: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| is_end(*byte));
    end.map_or(&[], |end| &text[end..])
}
