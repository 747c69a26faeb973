//! What a stream's thread does.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use super::copy::Copy;
use super::event::Moment;
use super::external_semaphore::Semaphore;
use super::fill::Fill;
use super::kernel::Launch;

#[derive(Clone)]
pub enum Work {
    Nothing,
    Copy(Copy),
    Fill(Fill),
    /// Semaphores with values. A binary semaphore's value is its turn, which is taken when the work is enqueued.
    Wait(Vec<(Arc<Semaphore>, u64)>),
    Signal(Vec<(Arc<Semaphore>, u64)>),
    Record(Arc<Moment>),
    After(Vec<Arc<Moment>>),
    HostFunction(HostFunction),
    Kernel(Arc<Launch>),
}

/// A function of the program.
#[derive(Clone, Copy)]
pub struct HostFunction {
    pub function: unsafe extern "C" fn(*mut c_void),
    pub argument: *mut c_void,
}

// SAFETY: the program knows that the function is called in another thread.
unsafe impl Send for HostFunction {}
// SAFETY: as above.
unsafe impl Sync for HostFunction {}

impl Work {
    /// Takes a turn of each binary semaphore.
    pub fn take_turns(&mut self) {
        match self {
            Self::Wait(semaphores) => {
                for (semaphore, value) in
                    semaphores.iter_mut().filter(|(semaphore, _)| semaphore.page.is_binary())
                {
                    *value = semaphore.page.next_wait();
                }
            }
            Self::Signal(semaphores) => {
                for (semaphore, value) in
                    semaphores.iter_mut().filter(|(semaphore, _)| semaphore.page.is_binary())
                {
                    *value = semaphore.page.next_signal();
                }
            }
            _ => {}
        }
    }

    pub fn run(&self) {
        match self {
            Self::Nothing => {}
            Self::Copy(copy) => copy.run(),
            Self::Fill(fill) => fill.run(),
            Self::Wait(semaphores) => {
                semaphores.iter().for_each(|(semaphore, value)| semaphore.page.wait(*value))
            }
            Self::Signal(semaphores) => {
                for (semaphore, value) in semaphores {
                    semaphore.page.signal(*value);
                }
            }
            Self::Record(moment) => moment.pass(Instant::now()),
            Self::After(moments) => moments.iter().for_each(|moment| moment.wait()),
            // SAFETY: the program gave the function with its argument.
            Self::HostFunction(host) => unsafe { (host.function)(host.argument) },
            Self::Kernel(launch) => launch.run(),
        }
    }
}
