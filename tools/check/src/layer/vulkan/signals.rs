//! Signals and waits of Vulkan and CUDA for the semaphores that both use.

use std::sync::Arc;

use ash::vk::{self, Handle as _};

use crate::layer::chassis::layer_call::Visit;
use crate::layer::chassis::process_state::State;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::call_site::Site;
use crate::layer::state_tracker::tracked_objects::Use;
use crate::rules::Rule;

use super::accesses::Deed;
use super::handles::Handle;
use super::orders::{Sem, Step};
use super::records::{handle, is_wanted};
use super::timelines::Order;

impl State {
    /// A signal in an order, or by the host.
    fn signaled(&mut self, site: &Arc<Site>, semaphore: Handle, value: u64, order: Option<Order>) {
        let (sem, is_timeline) = self.vulkan.sem(semaphore);
        match order {
            Some(_) if self.vulkan.is_left_out("signal", site.call) => return,
            Some(order) => {
                let step = Step::Signal(sem, is_timeline.then_some(value), site.clone());
                self.vulkan.orders.push(order, step);
            }
            None => self.vulkan.orders.host_signals(sem, value),
        }
        if let Sem::Shared(number) = sem {
            self.announce(site, number, value, order);
        }
    }

    /// Notes that a semaphore is to be signaled, and reports a value that goes back.
    fn announce(&mut self, site: &Arc<Site>, number: u32, value: u64, order: Option<Order>) {
        let Some(of) = self.vulkan.semaphore(number) else { return };
        if !of.is_timeline {
            of.values.pending += 1;
        } else if let Some((text, waited)) = of.values.signal(order, value) {
            let finding = Finding::new(Rule::TimelineGoesBack, site.call, text);
            self.report_of(finding, number, waited);
        }
    }

    /// A wait in a queue.
    fn waited(&mut self, site: &Arc<Site>, semaphore: Handle, value: u64, order: Order) {
        let (sem, is_timeline) = self.vulkan.sem(semaphore);
        if !self.vulkan.is_left_out("wait", site.call) {
            self.vulkan.orders.push(order, Step::Wait(sem, is_timeline.then_some(value), site.clone()));
        }
        if let Sem::Shared(number) = sem {
            self.check_announced(site, number, value, Some(order));
        }
    }

    /// A wait in an order or by the host, which should follow the signal that it waits for.
    fn check_announced(&mut self, site: &Arc<Site>, number: u32, value: u64, order: Option<Order>) {
        let Some(of) = self.vulkan.semaphore(number) else { return };
        let (is_signaled, text) = if of.is_timeline {
            if let Some(order) = order {
                of.values.wait(order, value, Site::clone(site));
            }
            let text = format!("It waits for {value}, which neither Vulkan nor CUDA was told to signal yet.");
            (of.values.is_announced(value), text)
        } else {
            let is_signaled = of.values.pending > 0;
            of.values.pending = (of.values.pending - 1).max(0);
            (is_signaled, "It waits for a signal that neither Vulkan nor CUDA was told yet.".to_owned())
        };
        // Without an import the semaphore is Vulkan's alone, or another process's.
        if !is_signaled && self.vulkan.get(number).is_some_and(|of| !of.imports.is_empty()) {
            self.report_of(Finding::new(Rule::WaitBeforeSignal, site.call, text), number, None);
        }
    }

    /// CUDA enqueues a signal or a wait, with a value. None where the import is not of this process's Vulkan.
    pub fn semaphore_of_cuda(&mut self, site: &Arc<Site>, used: &Use, order: Order) -> Option<Step<Deed>> {
        let number = *self.vulkan.imports.get(&used.object)?;
        let is_timeline = self.vulkan.semaphore(number)?.is_timeline;
        let is_left_out = self.vulkan.is_left_out(if used.is_signal { "signal" } else { "wait" }, site.call);
        if !used.is_signal {
            self.check_announced(site, number, used.value, Some(order));
        } else if !is_left_out {
            self.announce(site, number, used.value, Some(order));
        }
        if is_left_out {
            return Some(Step::Host(Default::default()));
        }
        let make = if used.is_signal { Step::Signal } else { Step::Wait };
        Some(make(Sem::Shared(number), is_timeline.then_some(used.value), site.clone()))
    }

    /// Reports what is wrong with a semaphore, with the calls that show it.
    fn report_of(&mut self, finding: Finding, semaphore: u32, waited: Option<Site>) {
        let of = self.vulkan.get(semaphore);
        let import = of.and_then(|of| of.imports.first().copied());
        let finding = import.into_iter().fold(finding, Finding::about);
        let finding = waited.iter().fold(finding, |finding, site| finding.with("The wait in", site));
        let made = of.map(|of| &of.made).into_iter();
        self.report(made.fold(finding, |finding, made| finding.with("The semaphore was made by", made)));
    }
}

/// The host signals a timeline.
pub fn signaled_by_host(visit: &mut Visit, device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let site = Arc::new(Site::here(visit, "vkSignalSemaphore"));
    let mut state = visit.state();
    state.signaled(&site, handle(device, semaphore), value, None);
    state.replay();
}

/// The host is about to wait for a value.
pub fn host_waits(visit: &mut Visit, device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let site = Arc::new(Site::here(visit, "vkWaitSemaphores"));
    let mut state = visit.state();
    if let (Sem::Shared(number), true) = state.vulkan.sem(handle(device, semaphore)) {
        state.check_announced(&site, number, value, None);
    }
}

/// The host knows that a timeline has reached a value.
pub fn reached(visit: &mut Visit, device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let mut state = visit.state();
    let (sem, _) = state.vulkan.sem(handle(device, semaphore));
    state.host_reached(sem, value);
    if let Sem::Shared(number) = sem {
        if let Some(of) = state.vulkan.semaphore(number) {
            of.values.reach(value);
        }
    }
}

/// One batch of a submission, in the order in which a queue of a device works on it.
pub fn submitted(
    visit: &mut Visit,
    (device, queue, call): (vk::Device, vk::Queue, &'static str),
    waits: impl Iterator<Item = (vk::Semaphore, u64)>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = (vk::Semaphore, u64)>,
) {
    let (site, order) = (Arc::new(Site::here(visit, call)), Order::Queue(queue.as_raw()));
    let mut state = visit.state();
    for (semaphore, value) in waits {
        state.waited(&site, handle(device, semaphore), value, order);
    }
    for commands in commands.filter(|_| is_wanted()) {
        state.hand_over_vulkan(&site, order, commands.as_raw());
    }
    for (semaphore, value) in signals {
        state.signaled(&site, handle(device, semaphore), value, Some(order));
    }
    state.replay();
}

/// A fence is signaled behind everything that its queue was given.
pub fn submitted_with_fence(visit: &Visit, device: vk::Device, queue: vk::Queue, fence: vk::Fence) {
    if fence != vk::Fence::null() {
        let mut state = visit.state();
        let record = state.vulkan.record(Order::Queue(queue.as_raw()));
        state.vulkan.fences.insert(handle(device, fence), record);
        state.replay();
    }
}
