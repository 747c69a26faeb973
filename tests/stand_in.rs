//! Each function, called through the crate: what C sees of every argument and field, and what comes
//! back, by a stand-in for the driver that is built from the real cuda.h.
//!
//! It is left in target/stand-in, for other programs: `LD_LIBRARY_PATH=target/stand-in`.

mod driver;
#[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
#[path = "stand_in/loaded.rs"]
mod loaded;
#[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
#[allow(dead_code)]
#[path = "../examples/opaque_fd.rs"]
mod opaque_fd;
use test_support as support;

use std::process::ExitCode;

use driver::layout::releases;
use support::Need;

fn main() -> ExitCode {
    let cc = Need::new("c-compiler", &support::compiler());
    let mut trials = Vec::new();
    #[cfg(all(feature = "load", not(feature = "link"), target_os = "linux"))]
    {
        if let Ok(case) = std::env::var(loaded::CASE) {
            return loaded::child(&case);
        }
        let header = Need::new("headers", &releases::this_builds_header());
        trials.extend(loaded::trials(&[cc.clone(), header]));
    }
    if cfg!(target_os = "linux") {
        let libclang = Need::new("libclang", &support::libclang());
        for release in releases::all() {
            let header = Need::new("headers", &support::headers(release));
            let needs = [cc.clone(), libclang.clone(), header];
            trials.push(support::test(&format!("linked_{release}"), &needs, move || linked(release)));
        }
    }
    support::run(trials, None)
}

/// Bindings and stand-in of one release, bound by the linker.
fn linked(release: &str) {
    let (bindings, include) = releases::generated(release);
    let folder = releases::folder("stand-in", release);
    match driver::run_linked(&bindings, &include, &folder) {
        Ok(counts) => print!("{release} linked: {counts}"),
        Err(words) => panic!("{words}"),
    }
}
