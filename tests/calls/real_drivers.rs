//! NVIDIA's own libraries of several drivers, which load on a machine without a GPU: what they are, and which of the crate's
//! functions each has. docs/releases.md has the table.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{CString, c_int};
use std::path::Path;

use cuda_external_sys::*;

use libtest_mimic::Trial;
use test_support::layout::releases;
use test_support::{self as support, Need};

use crate::every_function::{ALL, Values};
use crate::loader::program;
use crate::own_process::{self, init};

/// Where the table begins on the page. The generator writes it.
const HEADING: &str = "\n## Which driver has each function\n";

pub fn trials(no_driver: &Need) -> Vec<Trial> {
    let need = |driver| Need::new("driver-libraries", &support::driver_library(driver));
    let all: Vec<Need> = support::drivers().into_iter().map(need).collect();
    let of_one = support::drivers().into_iter().zip(all).map(|(driver, library)| {
        let name = format!("real_drivers::driver_{driver}");
        own_process::trial(&name, &[library, no_driver.clone()], program, a_driver_is_what_the_table_says)
    });
    of_one.collect()
}

/// The table's rows: driver, CUDA, and the names that older drivers lack.
fn rows() -> Vec<(String, String, BTreeSet<String>)> {
    let (_, section) = releases::page().split_once(HEADING).expect("the page has the table");
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells =
        rows.map(|row| row.trim_matches(['|', ' ']).split(" | ").map(str::to_owned).collect::<Vec<_>>());
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    cells.map(|row| (row[0].clone(), row[1].clone(), names(&row[2]))).collect()
}

/// `12.4` for 12040.
fn release(version: c_int) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// This process tests one driver, which the test's name has.
fn a_driver_is_what_the_table_says(_: &Path) {
    let name = env::var(own_process::NAME).expect("the parent sets it");
    let (_, number) = name.rsplit_once('_').expect("the name ends in the driver's number");
    let path = support::driver_library(number).expect("the test needs it");
    // SAFETY: it is a driver.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    let rows = rows();
    let at = rows.iter().position(|(driver, ..)| driver == number).expect("it has a row");
    assert_eq!(release(driver.version()), rows[at].1);
    let missing: BTreeSet<&str> = rows[at + 1..].iter().flat_map(|row| &row.2).map(String::as_str).collect();
    for (name, call) in ALL {
        let symbol = driver.exact_symbol(&CString::new(*name).expect("a name"));
        assert_eq!(symbol.is_none(), missing.contains(name), "{name}");
        if symbol.is_none() {
            assert_eq!(call(&mut Values::new(0, None)), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "{name}");
        }
    }
    assert_eq!(init(), CUDA_ERROR_NO_DEVICE);
}
