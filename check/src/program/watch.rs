//! Looks for processes that opened the driver by a path of their own, past the layer: in their memory maps while they run,
//! and in what the preloaded library left at their end. The former sees also those that end without exit handlers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Watches a process and those that it starts until `is_over`. Returns the paths by which the driver was opened.
pub fn watch(process: u32, layer: &Path, driver: &Path, is_over: &AtomicBool) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut pause = Duration::from_millis(2);
    while !is_over.load(Ordering::Acquire) {
        of_tree(process, layer, driver, &mut found);
        thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(250));
    }
    found.extend(left_in(layer.parent().unwrap_or(layer)));
    found
}

fn left_in(directory: &Path) -> Vec<PathBuf> {
    let notes = fs::read_dir(directory).into_iter().flatten().flatten();
    let notes = notes.filter(|note| note.file_name().as_encoded_bytes().starts_with(b"bypass."));
    let path = |note: fs::DirEntry| {
        PathBuf::from(OsString::from_vec(fs::read(note.path()).ok()?)).canonicalize().ok()
    };
    notes.filter_map(path).collect()
}

fn of_tree(process: u32, layer: &Path, driver: &Path, found: &mut BTreeSet<PathBuf>) {
    if let Ok(maps) = fs::read_to_string(format!("/proc/{process}/maps")) {
        found.extend(bypass(&maps, layer, driver));
    }
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
        of_tree(child, layer, driver, found);
    }
}

/// The driver, where a process's memory map has it without the layer.
fn bypass(maps: &str, layer: &Path, driver: &Path) -> Option<PathBuf> {
    let has = |path: &Path| maps.lines().any(|line| path.to_str().is_some_and(|path| line.ends_with(path)));
    (has(driver) && !has(layer)).then(|| driver.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_without_the_layer_is_found() {
        let (layer, driver) = (Path::new("/tmp/x/libcuda.so.1"), Path::new("/usr/lib/libcuda.so.580.1"));
        let line = |path: &Path| format!("7f00-7f01 r-xp 00000000 08:01 12 {}\n", path.display());
        assert_eq!(bypass(&line(driver), layer, driver).as_deref(), Some(driver));
        assert_eq!(bypass(&(line(layer) + &line(driver)), layer, driver), None);
        assert_eq!(bypass("", layer, driver), None);
    }
}
