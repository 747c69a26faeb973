//! Interprets the dynamic loader's errors for a library that does not open.

use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

pub fn parent_directory(file: &Path) -> String {
    file.parent().unwrap_or(file).display().to_string()
}

/// Returns whether `words`, the dynamic loader's error, says that `library` is absent, and not one of its dependencies.
pub fn says_library_is_absent(library: &str, words: &str) -> bool {
    let name = Path::new(words.split(": ").next().unwrap_or_default()).file_name();
    name == Path::new(library).file_name() && words.contains("No such file")
}

/// Returns why the dynamic loader skips a file whose name exists, such as a dangling link.
pub fn why_dlopen_skips_file(file: &Path) -> Option<String> {
    if let Err(error) = file.symlink_metadata() {
        return (error.kind() == ErrorKind::PermissionDenied).then(|| error.to_string());
    }
    Some(match (fs::read_link(file), fs::File::open(file)) {
        (Ok(target), Err(error)) => format!("it leads to {}: {error}", target.display()),
        (_, Err(error)) => error.to_string(),
        (_, Ok(_)) => "it is for another architecture".to_owned(),
    })
}

/// Returns the text of the innermost error, which the dynamic loader wrote.
pub fn innermost_error_text(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
