//! What the check costs a call.

use std::process::Command;
use std::time::Instant;

use crate::run::c_program;
use crate::support::{checked, fake_driver};

/// The times of each kind of call.
fn times(stdout: &str) -> Vec<(String, f64)> {
    let words = stdout.lines().filter_map(|line| line.strip_suffix(" ns")?.split_once(' '));
    words.map(|(name, time)| (name.to_owned(), time.parse().unwrap_or_else(|_| panic!("{stdout}")))).collect()
}

/// The least time in which a descriptor is looked at.
fn nanoseconds_of_a_system_call() -> f64 {
    let file = tempfile::tempfile().expect("a file without a name");
    let timed = |_| {
        let began = Instant::now();
        assert!((0..100).all(|_| file.metadata().is_ok()));
        began.elapsed().as_nanos() as f64 / 100.0
    };
    (0..20).map(timed).fold(f64::INFINITY, f64::min)
}

/// Compared with the same program without the check, in turns: other programs may take the processor's time.
pub fn a_wrapped_call_costs_less_than_a_microsecond() {
    let mut least: Vec<(String, [f64; 2])> = Vec::new();
    for _ in 0..4 {
        let mut plain = Command::new(c_program("timed"));
        let output =
            plain.arg("semaphores").env("LD_LIBRARY_PATH", fake_driver()).output().expect("it starts");
        let outcome = checked(&[], Command::new(c_program("timed")).arg("semaphores"));
        outcome.assert_rules(&[]);
        let plain = times(&String::from_utf8_lossy(&output.stdout));
        let both = plain.into_iter().zip(times(&outcome.stdout()));
        for (at, ((name, without), (_, with))) in both.enumerate() {
            if at == least.len() {
                least.push((name, [without, with]));
            }
            let known = &mut least[at].1;
            *known = [known[0].min(without), known[1].min(with)];
        }
    }
    assert_eq!(least.len(), 11);
    let of_a_system_call = nanoseconds_of_a_system_call();
    println!("a system call: {of_a_system_call}");
    for (name, [without, with]) in &least {
        println!("| `{name}` | {without} | {with} | {} |", with - without);
    }
    for (name, [without, with]) in &least {
        // An import asks the system about its descriptor. Sandboxes take longer for one of the driver's than for a file.
        let limit = 1000.0 + if name.contains("Import") { 2.0 * of_a_system_call } else { 0.0 };
        assert!(with - without < limit, "{name}: {without} ns, and {with} ns with the check");
    }
}
