//! Starts the program with the layer before the driver, and waits for it.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsString, c_int};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

use cuda_external_check::options::{Options, VARIABLE};
use cuda_external_check::sys;

use super::arguments::Run;
use super::directory::Directory;
use super::reports::{Reports, say};
use super::summary::Summary;
use super::{driver, watch};

/// The exit code where the program could not be started, as shells have it.
const NOT_STARTED: u8 = 127;

/// Returns the exit code.
pub fn run(run: &Run) -> Result<u8, String> {
    let driver = match driver::find(run.driver.as_deref()) {
        Ok(driver) => driver,
        Err(reason) if run.driver.is_some() => return Err(reason),
        Err(reason) => {
            say(&format!("{reason}\nThe program runs without the check."));
            return Ok(match start(run, Command::new(&run.program)) {
                Some(mut child) => code_of(wait(&mut child)?),
                None => NOT_STARTED,
            });
        }
    };
    let directory = Directory::create(&driver)?;
    let options = Options {
        directory: directory.path().to_owned(),
        suppressed: run.suppressed.clone(),
        enabled: run.enabled.clone(),
        log: run.log,
        sync: run.sync,
        let_crash: run.let_crash,
    };
    options.write().map_err(|error| format!("{}: {error}", directory.path().display()))?;
    let mut command = Command::new(&run.program);
    command.env(VARIABLE, directory.path());
    command.env("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", directory.path()));
    command.env("LD_PRELOAD", before("LD_PRELOAD", &directory.preload()));
    let mut reports = Reports::open(directory.path())
        .map_err(|error| format!("{}: {error}", directory.path().display()))?;
    let Some(mut child) = start(run, command) else { return Ok(NOT_STARTED) };
    let process = child.id();
    let (status, bypasses) = wait_and_watch(&mut child, directory.path(), &driver, &mut reports)?;

    let summary = Summary::new(reports, &options, process, status);
    summary.print(&bypasses);
    if let Some(path) = &run.json {
        let json = summary.json(run, code_of(status));
        fs::write(path, format!("{json}\n")).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let found = summary.total() > 0;
    Ok(match run.error_code {
        Some(0) => code_of(status),
        Some(code) if found => code,
        None if found && status.success() => 1,
        _ => code_of(status),
    })
}

/// A variable with a list, with another path before the others.
fn before(variable: &str, first: &Path) -> OsString {
    let mut path = first.as_os_str().to_owned();
    if let Some(rest) = env::var_os(variable).filter(|rest| !rest.is_empty()) {
        path.push(":");
        path.push(rest);
    }
    path
}

/// The process that signals are passed on to.
static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: c_int) {
    // SAFETY: sends a signal, which a handler may do.
    unsafe { sys::kill(CHILD.load(Ordering::Relaxed), signal) };
}

fn start(run: &Run, mut command: Command) -> Option<Child> {
    let child = command.args(&run.arguments).spawn();
    let child =
        child.inspect_err(|error| say(&format!("{}: {error}", run.program.to_string_lossy()))).ok()?;
    CHILD.store(child.id() as i32, Ordering::Relaxed);
    const SIGHUP: c_int = 1;
    const SIGTERM: c_int = 15;
    // The terminal sends these two to the program too, which decides what becomes of them.
    // SAFETY: sets handlers that do what handlers may do.
    unsafe {
        for signal in [sys::SIGINT, sys::SIGQUIT] {
            sys::signal(signal, sys::SIG_IGN);
        }
        for signal in [SIGHUP, SIGTERM] {
            sys::signal(signal, pass_on as *const () as usize);
        }
    }
    Some(child)
}

fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    child.wait().map_err(|error| format!("waiting for the program: {error}"))
}

fn wait_and_watch(
    child: &mut Child,
    directory: &Path,
    driver: &Path,
    reports: &mut Reports,
) -> Result<(ExitStatus, BTreeSet<PathBuf>), String> {
    let (is_over, process) = (AtomicBool::new(false), child.id());
    let layer = directory.join("libcuda.so.1");
    thread::scope(|scope| {
        let watcher = scope.spawn(|| watch::watch(process, &layer, driver, &is_over));
        let receiver = scope.spawn(|| reports.receive(&is_over));
        let status = wait(child);
        is_over.store(true, Ordering::Release);
        watcher.thread().unpark();
        _ = receiver.join();
        let bypasses = watcher.join().unwrap_or_default();
        status.map(|status| (status, bypasses))
    })
}

/// The exit code of a program, as shells have it for one that a signal ended.
fn code_of(status: ExitStatus) -> u8 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1) as u8
}
