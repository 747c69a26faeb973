//! What Vulkan and CUDA signal and wait for, where both use a semaphore.

use ash::vk::{self, Handle as _};

use crate::layer::checked::reports;
use crate::layer::objects::Use;
use crate::layer::report::Finding;
use crate::layer::site::Site;
use crate::layer::state::State;
use crate::layer::visit::Visit;
use crate::rules::Rule;

use super::accesses::Api;
use super::records::handle;
use super::timelines::Order;

/// A signal in an order, or by the host.
pub fn signaled(
    visit: &mut Visit,
    call: &'static str,
    device: vk::Device,
    semaphore: vk::Semaphore,
    value: u64,
    order: Option<Order>,
) {
    let state = &mut *visit.state();
    let Some(number) = state.vulkan.number(handle(device, semaphore)) else { return };
    let Some(of) = state.vulkan.semaphore(number) else { return };
    if !of.is_timeline {
        of.values.pending += 1;
    } else if let Some((text, waited)) = of.values.signal(order, value) {
        let import = state.vulkan.get(number).and_then(|of| of.imports.first().copied());
        let finding = Finding::new(Rule::TimelineGoesBack, call, text);
        state.report_back(import.into_iter().fold(finding, Finding::about), number, waited);
    }
    state.vulkan.hand_over_signal(number, value);
}

/// A wait in a queue, which should follow the signal that it waits for.
fn waited(
    visit: &mut Visit,
    call: &'static str,
    device: vk::Device,
    semaphore: vk::Semaphore,
    value: u64,
    queue: vk::Queue,
) {
    let site = Site::here(visit, call);
    let state = &mut *visit.state();
    let Some(number) = state.vulkan.number(handle(device, semaphore)) else { return };
    let Some(of) = state.vulkan.semaphore(number) else { return };
    let (is_signaled, text) = if of.is_timeline {
        of.values.wait(Order::Queue(queue.as_raw()), value, site);
        let text = format!("It waits for {value}, which neither Vulkan nor CUDA was told to signal yet.");
        (of.values.is_announced(value), text)
    } else {
        let is_signaled = of.values.pending > 0;
        of.values.pending = (of.values.pending - 1).max(0);
        (is_signaled, "It waits for a signal that neither Vulkan nor CUDA was told yet.".to_owned())
    };
    // Without an import the semaphore is Vulkan's alone, or another process's.
    let made = state.vulkan.get(number).and_then(|of| Some((*of.imports.first()?, of.made.clone())));
    if let (false, Some((import, made))) = (is_signaled, made) {
        let finding = Finding::new(Rule::WaitBeforeSignal, call, text).about(import);
        state.report(finding.with("The semaphore was made by", &made));
    }
    state.vulkan.hand_over_wait(Api::Vulkan, number, value);
}

/// The host knows that a timeline has reached a value.
pub fn reached(visit: &mut Visit, device: vk::Device, semaphore: vk::Semaphore, value: u64) {
    let vulkan = &mut visit.state().vulkan;
    let Some(number) = vulkan.number(handle(device, semaphore)) else { return };
    if let Some(of) = vulkan.semaphore(number) {
        of.values.reach(value);
    }
    vulkan.hand_over_wait(Api::Vulkan, number, value);
    vulkan.hand_over_wait(Api::Cuda, number, value);
}

/// One batch of a submission, in the order in which a queue of a device works on it.
pub fn submitted(
    visit: &mut Visit,
    (device, queue, call): (vk::Device, vk::Queue, &'static str),
    waits: impl Iterator<Item = (vk::Semaphore, u64)>,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    signals: impl Iterator<Item = (vk::Semaphore, u64)>,
) {
    for (semaphore, value) in waits {
        waited(visit, call, device, semaphore, value, queue);
    }
    if reports(Rule::HandOver) {
        let site = Site::here(visit, call);
        for commands in commands {
            visit.state().hand_over_vulkan(&site, commands.as_raw());
        }
    }
    let order = Some(Order::Queue(queue.as_raw()));
    for (semaphore, value) in signals {
        signaled(visit, call, device, semaphore, value, order);
    }
}

impl State {
    /// CUDA enqueues a signal or a wait, with a value, of an import that may be Vulkan's.
    pub fn enqueue_shared(&mut self, site: &Site, used: &Use, stream: usize) {
        let Some(number) = self.vulkan.imports.get(&used.object).copied() else { return };
        let Some(semaphore) = self.vulkan.semaphore(number) else { return };
        let (order, value) = (Order::Stream(stream), used.value);

        if !semaphore.is_timeline {
            semaphore.values.pending += if used.is_signal { 1 } else { -1 };
        } else if !used.is_signal {
            semaphore.values.wait(order, value, site.clone());
        } else if let Some((text, waited)) = semaphore.values.signal(Some(order), value) {
            let finding = Finding::new(Rule::TimelineGoesBack, site.call, text).about(used.object);
            self.report_back(finding, number, waited);
        }
        if used.is_signal {
            self.vulkan.hand_over_signal(number, value);
        } else {
            self.vulkan.hand_over_wait(Api::Cuda, number, value);
        }
    }

    /// Reports a signal that goes back, with the calls that show it.
    pub fn report_back(&mut self, finding: Finding, semaphore: u32, waited: Option<Site>) {
        let finding = waited.iter().fold(finding, |finding, site| finding.with("The wait in", site));
        let made = self.vulkan.get(semaphore).map(|of| &of.made);
        let with_made = |finding: Finding, made| finding.with("The semaphore was made by", made);
        self.report(made.into_iter().fold(finding, with_made));
    }
}
