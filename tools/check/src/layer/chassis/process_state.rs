//! The layer's state of a process, which one lock protects.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_external_in_process::{PerProcess, SignalSafeMutex};
use cuda_external_sys::*;

use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::current_process::{self, CallSite, active_check, own_shared_file_entry};
use crate::layer::state_tracker::event_pool::EventPool;
use crate::layer::state_tracker::graph_node_uses::GraphTable;
use crate::layer::state_tracker::tracked_objects::{ObjectEnd, ObjectTable, TrackedObject};
use crate::layer::vulkan::vulkan_state::VulkanState;
use crate::object_description::ObjectDescription;
use crate::shared_file::ProcessEntry;

#[derive(Default)]
pub struct ProcessState {
    pub objects: ObjectTable,
    pub graphs: GraphTable,
    pub vulkan: VulkanState,
    pub events: EventPool,
    /// The number of contexts that have ended. A new context may have the handle of an ended one.
    pub contexts_ended: u64,
    /// The primary contexts that the program retained, by device.
    pub primaries: HashMap<CUdevice, usize>,
    /// The lost contexts by handle: the sticky code, and the first call that returned the code.
    pub lost: HashMap<usize, (CUresult, CallSite)>,
    /// The calls that destroyed streams, by stream handle, until a new stream gets the handle. At most 1000 are kept.
    pub ended_streams: HashMap<usize, CallSite>,
    /// The exportable allocations of cuMemCreate by handle. Each value is the allocation's number in `vulkan`.
    pub allocations: HashMap<u64, u32>,
    /// Whether the program created a green context. If so, the layer does not report uses of imports in other contexts.
    pub has_green_contexts: bool,
    pub reported_lost: HashSet<(usize, &'static str)>,
    /// The rule's identifier and the object of each finding of `report_once_per_object`.
    reported: HashSet<(&'static str, u32)>,
    /// The number of findings by the rule's identifier and by function.
    broken: HashMap<(&'static str, &'static str), usize>,
    pub findings: Vec<Finding>,
}

static HAD_MAPPINGS: AtomicBool = AtomicBool::new(false);

/// Returns whether CUDA has mapped an import, or Vulkan has imported a known export. Until then, the layer does not
/// check copies.
pub fn had_mappings() -> bool {
    HAD_MAPPINGS.load(Acquire)
}

pub fn set_had_mappings() {
    HAD_MAPPINGS.store(true, Release);
}

/// The state of this process. A child of fork has a separate state.
static STATES: PerProcess<SignalSafeMutex<ProcessState>> = PerProcess::new();

pub fn current_state() -> &'static SignalSafeMutex<ProcessState> {
    STATES.get_or_create()
}

pub fn after_fork_in_child() {
    STATES.after_fork_in_child();
}

impl ProcessState {
    /// Returns the entry of this process in the shared file, with the entry's index. Adds the entry if there is none,
    /// as in a child of fork. Returns `None` without `cuda-external-check`, or if the file has no room.
    pub fn register_process(&mut self) -> Option<(u32, &'static ProcessEntry)> {
        own_shared_file_entry().or_else(|| {
            let (at, entry) = active_check()?.shared.add_process_entry(std::process::id())?;
            current_process::set_own_shared_file_entry(at);
            Some((at, entry))
        })
    }

    /// Reports a mistake after which the layer should not call the driver, and returns the error `code`. With
    /// `--let-crash` or without `cuda-external-check`, the layer calls the driver anyway, so the result is `Ok`.
    pub fn refuse_call(&mut self, mut finding: Finding, code: CUresult) -> Result<(), CUresult> {
        let answer = active_check().filter(|check| !check.options.let_crash).map(|_| code);
        finding.answered = answer;
        self.report_finding(finding);
        answer.map_or(Ok(()), Err)
    }

    /// Records an object. `about` is the program's description, and `import` is the number of a mapping's import, or 0.
    pub fn track_new_object(
        &mut self,
        made: CallSite,
        handle: u64,
        context: usize,
        about: ObjectDescription,
        import: u32,
    ) -> u32 {
        let new = TrackedObject { handle, context, about, made, import, ..TrackedObject::default() };
        let number = self.objects.track_object(new);
        self.add_to_live_objects(number);
        number
    }

    /// Adds an object to the shared file's list of live objects. If the list has no room, counts the object instead.
    fn add_to_live_objects(&mut self, number: u32) {
        let (Some((at, image)), Some(check)) = (self.register_process(), active_check()) else { return };
        let Some(object) = self.objects.get_object_mut(number) else { return };
        let listed = check.shared.add_to_live_objects(at, number, object.about.0, &object.made.stack);
        if listed.is_none() {
            image.unlisted.fetch_add(1, Relaxed);
        }
        object.listed = Some(listed);
    }

    pub fn remove_from_live_objects(&mut self, number: u32) {
        let (Some((_, image)), Some(check)) = (self.register_process(), active_check()) else { return };
        match self.objects.get_object_mut(number).and_then(|object| object.listed.take()) {
            Some(Some(at)) => check.shared.remove_from_live_objects(at),
            Some(None) => _ = image.unlisted.fetch_sub(1, Relaxed),
            None => {}
        }
    }

    pub fn end_object(&mut self, number: u32, how: ObjectEnd, site: CallSite) {
        self.remove_from_live_objects(number);
        self.objects.mark_object_ended(number, how, site);
        // Without this, `reported` would keep every object that was ever reported.
        if number % 1024 == 0 {
            self.reported.retain(|(_, number)| self.objects.get_object(*number).is_some());
        }
        self.vulkan.end_cuda_import(number);
    }

    pub fn revive_object(&mut self, number: u32) {
        self.objects.undo_object_end(number);
        self.add_to_live_objects(number);
    }

    /// Counts the finding if its rule is enabled. Of the counted findings of one rule in one called function, keeps the
    /// first `SENT` for sending.
    pub fn report_finding(&mut self, mut finding: Finding) {
        const SENT: usize = 11;
        let Some(check) = active_check().filter(|check| check.options.is_rule_enabled(finding.rule)) else {
            return;
        };
        // In the child of a fork, a finding may be the first reason for an entry in the shared file.
        self.register_process();
        check.shared.counts[finding.rule.number].fetch_add(1, Relaxed);
        let broken = self.broken.entry((finding.rule.id, finding.call)).or_default();
        *broken += 1;
        if *broken <= SENT {
            finding.add_object_calls(&self.objects);
            self.findings.push(finding);
        }
    }

    pub fn report_once_per_object(&mut self, number: u32, finding: Finding) {
        if self.reported.insert((finding.rule.id, number)) {
            self.report_finding(finding);
        }
    }
}
