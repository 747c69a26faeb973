//! What C sees of every call, through a stand-in for the driver, on targets where tests/stand_in.rs
//! cannot build one: there `CUDA_EXTERNAL_SYS_TEST_DRIVER` names it (ci/targets/all makes them).

#[cfg(feature = "link")]
fn main() {
    println!("0 passed: these tests are of `load` mode");
}

#[cfg(not(feature = "link"))]
mod driver;
#[cfg(not(feature = "link"))]
use test_support as support;

#[cfg(not(feature = "link"))]
fn main() -> std::process::ExitCode {
    through_the_stand_in::main()
}

#[cfg(not(feature = "link"))]
mod through_the_stand_in {
    use std::env;
    use std::ffi::{CStr, c_char, c_int, c_void};
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;
    use std::sync::Barrier;
    use std::thread;

    use cuda_external_sys::*;

    use crate::driver::calls::{self, Control};
    use crate::driver::{self, layout::releases};
    use crate::support::{self, Need};

    const DRIVER: &str = "CUDA_EXTERNAL_SYS_TEST_DRIVER";

    pub fn main() -> ExitCode {
        let stand_in = Need::new("mock-driver", &open());
        let test = |name, run: fn()| support::test(name, std::slice::from_ref(&stand_in), run);
        let trials = vec![
            // The first one: it is about functions that nobody has called yet.
            test("calls_arrive_in_many_threads", threads),
            test("calls_arrive", || {
                println!(
                    "{}",
                    calls::all(&control(), |_| Vec::new()).unwrap_or_else(|words| panic!("{words}"))
                )
            }),
        ];
        // What was recorded last is each thread's, but whether calls are recorded is the process's.
        support::run(trials, Some(1))
    }

    /// Loads the stand-in that is named, or the one that can be built here.
    fn open() -> Result<(), String> {
        let path = match env::var_os(DRIVER) {
            Some(path) => PathBuf::from(path),
            None if cfg!(windows) => return Err(format!("{DRIVER} names none; ci/targets/all makes one")),
            None => {
                support::compiler()?;
                let include = releases::this_builds_header()?;
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("descriptors");
                driver::build(&releases::this_builds(), &include, &folder)?
            }
        };
        // SAFETY: it is made for these tests.
        unsafe { load_from(&path) }.map(|_| ()).map_err(|error| error.to_string())
    }

    fn control() -> Control {
        let driver = load().expect("it was loaded by name");
        let symbol = |name: &CStr| driver.symbol(name).expect("it is the stand-in").as_ptr();
        // SAFETY: the stand-in's functions have these types, by stand_in.h.
        unsafe {
            Control {
                record: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(
                    c"stand_in_record",
                )),
                answer: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(
                    c"stand_in_answer",
                )),
                text: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(symbol(
                    c"stand_in_text",
                )),
            }
        }
    }

    fn threads() {
        const THREADS: usize = 8;
        const CODE: u32 = 9140;
        let control = control();
        control.start(CODE);
        let start = Barrier::new(THREADS);
        let calls: usize = thread::scope(|scope| {
            let one = |round| {
                let (start, control) = (&start, &control);
                scope.spawn(move || {
                    start.wait();
                    let counts = calls::once(control, round, CODE, |_| Vec::new());
                    counts.unwrap_or_else(|words| panic!("{words}")).calls
                })
            };
            let threads: Vec<_> = (0..THREADS).map(one).collect();
            threads.into_iter().map(|thread| thread.join().expect("its calls arrived")).sum()
        });
        println!("{THREADS} threads, {calls} calls");
    }
}
