//! Who owns the descriptor after an import: docs/fd-ownership.md, row by row, against the driver.

mod case;
mod measure;
mod thing;

use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use cuda_external_sys::{cuDestroyExternalMemory, cuMemFree_v2};
use libtest_mimic::Trial;

use case::{CASES, Case, State};
use measure::measure;
use test_support::test;
use test_support::{again, told};
use thing::need;

use crate::machine::{cuda, driver_need, gpu_need, ok};
use interop::cuda::{Allocation, import_memory, map_buffer};

const DOCUMENT: &str = include_str!("../../docs/fd-ownership.md");

/// Prints the row of a case that spoils the process.
pub fn child(name: &str) {
    let case = CASES.iter().find(|case| case.name == name).expect("a case of this name");
    println!("{}", measure(case));
}

/// The row's other cells, as this machine makes them.
fn seen(case: &Case) -> String {
    match case.state {
        State::Ready | State::NoContext => {
            let seen = measure(case).to_string();
            import_works();
            seen
        }
        State::ReleasedContext | State::NotInitialised => {
            let output =
                again(&["--child", "fd_ownership", case.name]).output().expect("this program runs again");
            assert!(output.status.success(), "{}", told(&output));
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
    }
}

/// No case may spoil the next one.
fn import_works() {
    let memory = Allocation::new(cuda(), 1).unwrap();
    let imported = import_memory(memory.export().unwrap(), memory.size, false).unwrap();
    // SAFETY: it was imported just now, and nothing is mapped.
    ok(unsafe { cuDestroyExternalMemory(imported) });
}

/// The row's other cells, as the document has them.
fn documented(name: &str) -> Option<&'static str> {
    DOCUMENT.lines().find_map(|line| {
        let (first, rest) = line.strip_prefix("| ")?.split_once(" | ")?;
        (first == name).then(|| rest.trim_end_matches(" |"))
    })
}

pub fn trials() -> Vec<Trial> {
    let (gpu, driver) = (gpu_need(), driver_need());
    let of_table = |case: &'static Case| {
        test(&format!("fd_ownership::{}", case.name), &[need(case.thing), driver.clone()], || {
            assert_eq!(Some(&*seen(case)), documented(case.name), "the row of docs/fd-ownership.md");
        })
    };
    let mut trials: Vec<Trial> = CASES.iter().map(of_table).collect();
    trials.extend([
        test("fd_ownership::every_row_of_the_table_is_a_case", &[], every_row_of_the_table_is_a_case),
        test("fd_ownership::a_successful_import_takes_the_descriptor", std::slice::from_ref(&gpu), || {
            assert_eq!(seen(&CASES[0]), "CUDA_SUCCESS | closed | written");
        }),
        test("fd_ownership::a_wrong_size_is_found_at_the_mapping", std::slice::from_ref(&gpu), a_wrong_size),
        test("fd_ownership::closing_after_a_failure_closes_somebody_elses_file", &[gpu, driver], || {
            closing_after_a_failure_closes_somebody_elses_file()
        }),
    ]);
    trials
}

fn every_row_of_the_table_is_a_case() {
    let rows = DOCUMENT.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| ")?.split_once(" | ")?;
        rest.contains("CUDA_").then_some(name)
    });
    assert!(rows.eq(CASES.iter().map(|case| case.name)));
}

/// The size that was said is a limit; the size that there is, another.
fn a_wrong_size() {
    let memory = Allocation::new(cuda(), 4 << 20).unwrap();
    let map = |said: u64, mapped: u64| {
        let imported = import_memory(memory.export().unwrap(), said, false).unwrap();
        let result = map_buffer(imported, 0, mapped);
        // SAFETY: the mapping, where there is one, is used no more.
        unsafe {
            if let Ok(address) = result {
                ok(cuMemFree_v2(address));
            }
            ok(cuDestroyExternalMemory(imported));
        }
        result.is_ok()
    };
    let size = memory.size;
    assert!(map(size, size));
    assert!(map(size * 16, size), "what there is, of more that was said");
    assert!(!map(size * 16, size * 16), "more than there is");
    assert!(!map(size / 2, size), "more than was said");
}

/// What goes wrong where a caller closes the descriptor of a failed import: the driver has
/// closed it, and the number is another file's by then.
fn closing_after_a_failure_closes_somebody_elses_file() {
    cuda();
    let (socket, _other_end) = UnixStream::pair().expect("two sockets");
    let number = socket.as_raw_fd();
    assert!(import_memory(socket.into(), 1 << 21, false).is_err());
    let mut elses = File::open("/dev/zero").expect("/dev/zero");
    assert_eq!(elses.as_raw_fd(), number, "the lowest number that is free");
    elses.read_exact(&mut [1]).expect("the file is open");
    // SAFETY: it is not ours to close: that is the point.
    unsafe { libc::close(number) };
    assert_eq!(elses.read(&mut [1]).unwrap_err().raw_os_error(), Some(libc::EBADF));
    // Its owner would close the number once more.
    std::mem::forget(elses);
}
