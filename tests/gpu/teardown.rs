//! Each order runs in a process of its own: a wrong one may spoil it, or end it.

mod order;

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use libtest_mimic::Trial;

use order::{Shared, Step, Step::*};
use test_support::test;
use test_support::{again, run_for};

use crate::machine::{driver_need, gpu_need, vulkan_need};

const DOCUMENT: &str = include_str!("../../docs/teardown.md");

struct Order {
    name: &'static str,
    by_vulkan: bool,
    /// Each step, and what it finds.
    steps: &'static [(Step, &'static str)],
}

const SUCCESS: &str = "CUDA_SUCCESS";

/// How a process ends that reads what is not there.
const SEGFAULT: &str = "ends the process by SIGSEGV";

/// How the test ends a process that does not end by itself.
const ENDLESS: &str = "does not return";

const fn cuda(name: &'static str, steps: &'static [(Step, &'static str)]) -> Order {
    Order { name, by_vulkan: false, steps }
}

const fn vulkan(name: &'static str, steps: &'static [(Step, &'static str)]) -> Order {
    Order { name, by_vulkan: true, steps }
}

const ORDERS: &[Order] = &[
    cuda(
        "the documented order",
        &[(Free, SUCCESS), (Destroy, SUCCESS), (Returned, "no"), (Release, "done"), (Returned, "yes")],
    ),
    vulkan(
        "the documented order, memory of Vulkan's",
        &[(Free, SUCCESS), (Destroy, SUCCESS), (Returned, "no"), (Release, "done"), (Returned, "yes")],
    ),
    cuda(
        "the exporter first",
        &[
            (Release, "done"),
            (Read, "0x11"),
            (Free, SUCCESS),
            (Returned, "no"),
            (Destroy, SUCCESS),
            (Returned, "yes"),
        ],
    ),
    vulkan(
        "the exporter first, memory of Vulkan's",
        &[
            (Release, "done"),
            (Read, "0x11"),
            (Free, SUCCESS),
            (Returned, "no"),
            (Destroy, SUCCESS),
            (Returned, "yes"),
        ],
    ),
    cuda(
        "the import before its mapping",
        &[
            (Destroy, SUCCESS),
            (Release, "done"),
            (Read, "0x11"),
            (Returned, "no"),
            (Free, SUCCESS),
            (Returned, "yes"),
        ],
    ),
    cuda("the mapping is never freed", &[(Destroy, SUCCESS), (Release, "done"), (Returned, "no")]),
    cuda("the import is never destroyed", &[(Free, SUCCESS), (Release, "done"), (Returned, "no")]),
    cuda(
        "one of two mappings is never freed",
        &[(Map, SUCCESS), (Free, SUCCESS), (Destroy, SUCCESS), (Release, "done"), (Returned, "no")],
    ),
    cuda(
        "work is still queued",
        &[(Queue, SUCCESS), (Free, SUCCESS), (Destroy, SUCCESS), (Release, "done"), (Idle, SUCCESS)],
    ),
    cuda("the mapping twice", &[(Free, SUCCESS), (Free, "CUDA_ERROR_INVALID_VALUE"), (Destroy, SUCCESS)]),
    cuda(
        "used after it was freed",
        &[(Free, SUCCESS), (Read, "CUDA_ERROR_INVALID_VALUE"), (Destroy, SUCCESS)],
    ),
    cuda("the import twice", &[(Free, SUCCESS), (Destroy, SUCCESS), (Destroy, SEGFAULT)]),
    cuda("mapped after the import was destroyed", &[(Free, SUCCESS), (Destroy, SUCCESS), (Map, SEGFAULT)]),
    cuda(
        "the context before the import",
        &[(ReleaseContext, SUCCESS), (Free, "CUDA_ERROR_CONTEXT_IS_DESTROYED"), (Destroy, SEGFAULT)],
    ),
    vulkan(
        "the documented order, a semaphore",
        &[
            (Wait, SUCCESS),
            (Signal, "done"),
            (Idle, SUCCESS),
            (DestroySemaphore, SUCCESS),
            (ReleaseSemaphore, "done"),
        ],
    ),
    vulkan(
        "the exporter first, a semaphore",
        &[(ReleaseSemaphore, "done"), (Wait, SUCCESS), (Idle, "CUDA_ERROR_NOT_READY")],
    ),
    vulkan(
        "a semaphore with a wait that ends later",
        &[(Wait, SUCCESS), (SignalSoon, "done"), (DestroySemaphore, SUCCESS), (Idle, SUCCESS)],
    ),
    vulkan(
        "a semaphore with a wait that never ends",
        &[(Wait, SUCCESS), (Idle, "CUDA_ERROR_NOT_READY"), (DestroySemaphore, ENDLESS)],
    ),
    vulkan("a semaphore twice", &[(DestroySemaphore, SUCCESS), (DestroySemaphore, SEGFAULT)]),
    vulkan(
        "a wait for a destroyed semaphore",
        &[(DestroySemaphore, SUCCESS), (Wait, "CUDA_ERROR_INVALID_VALUE"), (Idle, SUCCESS)],
    ),
];

impl Order {
    /// Its row in the document.
    fn row(&self) -> String {
        let cells: Vec<String> = self.steps.iter().map(|(step, finds)| format!("{step}: {finds}")).collect();
        format!("| {} | {} |", self.name, cells.join("; "))
    }
}

/// In the process of its own.
pub fn child(name: &str) {
    let order = ORDERS.iter().find(|order| order.name == name).expect("an order of this name");
    let mut shared = Shared::new(order.by_vulkan);
    for (step, _) in order.steps {
        print!("{step}: ");
        std::io::stdout().flush().expect("the test reads on");
        println!("{}", shared.take(*step));
    }
    // What is left would be torn down now, in an order that is not the one under test.
    std::process::exit(0);
}

pub fn trials() -> Vec<Trial> {
    let (gpu, vulkan, driver) = (gpu_need(), vulkan_need(), driver_need());
    let trial = |order: &'static Order| {
        let need = if order.by_vulkan { &vulkan } else { &gpu };
        test(&format!("teardown::{}", order.name), &[need.clone(), driver.clone()], || {
            let output = run_for(&mut again(&["--child", "teardown", order.name]), Duration::from_secs(10));
            let mut found = String::from_utf8_lossy(&output.stdout).into_owned();
            match output.status.signal() {
                None => {}
                Some(libc::SIGSEGV) => found += SEGFAULT,
                Some(libc::SIGKILL) => found += ENDLESS,
                Some(other) => _ = write!(found, "signal {other}"),
            }
            let row = format!("| {} | {} |", order.name, found.trim().replace('\n', "; "));
            assert_eq!(row, order.row(), "{}", String::from_utf8_lossy(&output.stderr));
        })
    };
    let mut trials: Vec<Trial> = ORDERS.iter().map(trial).collect();
    trials.push(test("teardown::the_document_has_every_order", &[], || {
        let rows = DOCUMENT.lines().filter(|line| line.starts_with("| ") && line.contains(": "));
        assert_eq!(rows.collect::<Vec<_>>(), ORDERS.iter().map(Order::row).collect::<Vec<_>>());
    }));
    trials
}
