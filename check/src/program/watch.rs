//! Looks for processes that opened the driver past the layer: in their memory maps while they run. The preloaded library sees
//! those that end with exit handlers; this sees the others, and those whose environment was cleared.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Watches a process and those that it starts until `is_over`. Returns the paths by which the driver was opened.
pub fn watch(process: u32, layer: &Path, driver: &Path, is_over: &AtomicBool) -> BTreeSet<PathBuf> {
    let (mut found, mut suspects) = (BTreeSet::new(), BTreeSet::new());
    let mut pause = Duration::from_millis(2);
    while !is_over.load(Ordering::Acquire) {
        let mut seen = BTreeSet::new();
        of_tree(process, layer, driver, &mut seen);
        // A map is not read at once: where the loader is at work, the layer may be missing in it.
        found.extend(seen.intersection(&suspects).map(|_| driver.to_owned()));
        suspects = seen;
        thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(250));
    }
    found
}

fn of_tree(process: u32, layer: &Path, driver: &Path, seen: &mut BTreeSet<u32>) {
    if fs::read(format!("/proc/{process}/maps")).is_ok_and(|maps| is_bypass(&maps, layer, driver)) {
        seen.insert(process);
    }
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
        of_tree(child, layer, driver, seen);
    }
}

/// Whether a process's memory map has the driver without the layer.
fn is_bypass(maps: &[u8], layer: &Path, driver: &Path) -> bool {
    let lines = || maps.split(|byte| *byte == b'\n');
    let has = |path: &Path| lines().any(|line| line.ends_with(path.as_os_str().as_bytes()));
    has(driver) && !has(layer)
}
