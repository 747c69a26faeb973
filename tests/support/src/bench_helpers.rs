//! The C side of the benches: what is compiled when a bench starts, and the numbers' summary.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use build_script::allowlist;

/// Whether `cargo bench` runs this. Under `cargo test --benches` a bench only shows that it works.
pub fn is_bench() -> bool {
    let is_bench = env::args().any(|argument| argument == "--bench");
    if !is_bench {
        println!("(not a measurement: one short round)");
    }
    is_bench
}

/// A directory for what is compiled, beside the bench's executable.
pub fn directory() -> PathBuf {
    let directory = env::current_exe().expect("the bench has a path").with_file_name("bench-c");
    fs::create_dir_all(&directory).expect("the directory of the executable can be written");
    directory
}

/// Compiles C, in `directory` and as most programs are: optimized, and with the defaults of `cc` otherwise.
pub fn cc<S: AsRef<OsStr>>(directory: &Path, arguments: &[S]) {
    let compiler = crate::compiler().unwrap_or_else(|error| panic!("a bench needs a C compiler: {error}"));
    let mut command = compiler.command();
    let status = command.current_dir(directory).args(["-O2", "-Wall"]).args(arguments).status();
    let status = status.expect("the compiler starts");
    assert!(status.success(), "{command:?}: {status}");
}

/// Makes a libcuda.so.1 in `directory`: each function of the surface does nothing and returns 0.
pub fn empty_driver(directory: &Path) {
    write(directory, "empty.c", &allowlist::mock_driver_source(0));
    cc(directory, &["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1", "empty.c"]);
}

pub fn write(directory: &Path, name: &str, text: &str) {
    fs::write(directory.join(name), text).expect("the directory can be written");
}

/// Measures `N` sides so many times. They take turns, and each round begins with another, so that the load on the
/// machine affects all sides of a round alike.
pub fn in_turns<T, const N: usize>(rounds: usize, mut measure: impl FnMut(usize) -> T) -> [Vec<T>; N] {
    let mut numbers = [const { Vec::new() }; N];
    for round in 0..rounds {
        for turn in 0..N {
            let side = (round + turn) % N;
            numbers[side].push(measure(side));
        }
    }
    numbers
}

/// The median of many numbers, and their 5th and 95th percentiles.
pub struct Summary {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Summary {
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_by(f64::total_cmp);
        let at = |share: f64| numbers[((numbers.len() - 1) as f64 * share).round() as usize];
        Self { median: at(0.5), low: at(0.05), high: at(0.95) }
    }

    /// Of the ratios of numbers measured side by side.
    pub fn of_ratios(numbers: &[f64], to: &[f64]) -> Self {
        Self::of(numbers.iter().zip(to).map(|(number, to)| number / to).collect())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        write!(f, "{:.digits$} ({:.digits$} to {:.digits$})", self.median, self.low, self.high)
    }
}
