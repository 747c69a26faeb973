//! A layer call: what the layer does in one call by the program, before and after the driver's or Vulkan's function.
//!
//! Before the driver, Vulkan or a host function runs, the layer call sends its findings, since that function may crash.
//! The layer call holds no lock while it sends findings.

use std::cell::RefCell;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use cuda_external_in_process::HookScope;

use crate::layer::chassis::process_state::{self, ProcessState};
use crate::layer::error_messages::finding::{self, Finding};
use crate::layer::host_process::current_process::{CallSite, active_check};
use crate::rules::Rule;

#[derive(Default)]
pub struct LayerCall {
    pub name: &'static str,
    section: HookScope,
    found: RefCell<Vec<Finding>>,
}

impl LayerCall {
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    pub fn call_site(&mut self) -> CallSite {
        CallSite::capture_call_site(&mut self.section, self.name)
    }

    pub fn new_finding(&self, rule: &'static Rule, text: impl Into<String>) -> Finding {
        Finding::new(rule, self.name, text)
    }

    /// Locks the state of this process. While the guard lives, a call of `run_unlocked` does not compile.
    pub fn lock_state(&self) -> StateGuard<'_> {
        StateGuard {
            state: process_state::current_state().lock(self.section.block_signals()),
            found: &self.found,
        }
    }

    /// Sends the findings, and runs foreign code: the driver, the next Vulkan layer or the program's host function.
    pub fn run_unlocked<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.send_findings();
        self.section.run_foreign_code(run)
    }

    pub fn send_findings(&mut self) {
        for finding in mem::take(self.found.get_mut()) {
            if let Some(check) = active_check() {
                finding::send_finding(&mut self.section, check, &finding);
            }
        }
    }
}

impl Deref for LayerCall {
    type Target = HookScope;
    fn deref(&self) -> &HookScope {
        &self.section
    }
}

impl DerefMut for LayerCall {
    fn deref_mut(&mut self) -> &mut HookScope {
        &mut self.section
    }
}

pub struct StateGuard<'a> {
    state: MutexGuard<'a, ProcessState>,
    found: &'a RefCell<Vec<Finding>>,
}

impl Deref for StateGuard<'_> {
    type Target = ProcessState;
    fn deref(&self) -> &ProcessState {
        &self.state
    }
}

impl DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut ProcessState {
        &mut self.state
    }
}

impl Drop for StateGuard<'_> {
    /// Moves the findings to the layer call that found them: another thread could take them from the unlocked state.
    fn drop(&mut self) {
        self.found.borrow_mut().append(&mut self.state.findings);
    }
}
