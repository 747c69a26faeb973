//! Reads the release that a cuda.h defines, or returns the reason why the header is absent or unusable.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::cuda_release::CudaRelease;

pub enum CudaHeaderError {
    /// There is no such file or directory.
    Absent(String),
    /// The file exists and cannot be used, with the reason.
    Unusable(String),
}

pub fn read_cuda_version(include: &Path) -> Result<CudaRelease, CudaHeaderError> {
    check_is_directory(include)?;
    let path = include.join("cuda.h");
    match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(match describe_dangling_link(&path) {
                Some(link) => CudaHeaderError::Unusable(format!("cuda.h is {link}")),
                None => CudaHeaderError::Absent("no cuda.h in it".to_owned()),
            });
        }
        Err(error) => return Err(CudaHeaderError::Unusable(format!("cuda.h: {error}"))),
        // Reading a device or a FIFO may never end.
        Ok(metadata) if !metadata.is_file() => {
            return Err(CudaHeaderError::Unusable("cuda.h is not a file".to_owned()));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(&path).map_err(|error| CudaHeaderError::Unusable(format!("cuda.h: {error}")))?;
    parse_cuda_version(&bytes)
        .ok_or_else(|| CudaHeaderError::Unusable("cuda.h does not define CUDA_VERSION".to_owned()))
}

pub fn check_is_directory(path: &Path) -> Result<(), CudaHeaderError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(CudaHeaderError::Absent("not a directory".to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(CudaHeaderError::Absent(
            describe_dangling_link(path).unwrap_or_else(|| "no such directory".to_owned()),
        )),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            Err(CudaHeaderError::Absent(error.to_string()))
        }
        Err(error) => Err(CudaHeaderError::Unusable(error.to_string())),
    }
}

fn describe_dangling_link(path: &Path) -> Option<String> {
    let to = fs::read_link(path).ok()?;
    Some(format!("a link to {}, which does not exist", to.display()))
}

/// Returns the release in a header's line such as `#define CUDA_VERSION 13050`, or `None` if the header has no such
/// line. If clang later finds another value, `parse_bindgen_code` refuses the header.
pub fn parse_cuda_version(header: &[u8]) -> Option<CudaRelease> {
    let number = header.split(|byte| *byte == b'\n').find_map(parse_definition)?;
    Some(CudaRelease { major: number / 1000, minor: number % 1000 / 10 })
}

fn parse_definition(line: &[u8]) -> Option<u32> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?;
    let name = directive.trim_ascii_start().strip_prefix(b"define")?;
    let value = name.trim_ascii_start().strip_prefix(b"CUDA_VERSION")?;
    let value = value.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
    // `u` and `l` are C's suffixes of an unsigned or long number.
    std::str::from_utf8(value).ok()?.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok()
}
