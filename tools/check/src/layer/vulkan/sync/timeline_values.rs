//! The values of a timeline that Vulkan and CUDA both signal and wait for.

use std::collections::HashMap;

use crate::layer::host_process::call_site::CallSite;
use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;

/// The values of a timeline.
#[derive(Default)]
pub struct TimelineValues {
    /// The greatest value that the host knows to be reached.
    reached: u64,
    /// The greatest value that each order waited for, and where: a later signal in it comes after that value.
    waited: HashMap<QueueOrStream, (u64, CallSite)>,
    /// The greatest value that is reached or whose signal was enqueued by either API.
    announced: u64,
    /// For a binary semaphore: the number of enqueued signals minus that of the waits.
    pub pending: i64,
}

impl TimelineValues {
    pub fn starting_at(value: u64) -> Self {
        Self { reached: value, announced: value, ..Self::default() }
    }

    pub fn note_reached(&mut self, value: u64) {
        self.reached = self.reached.max(value);
        self.announced = self.announced.max(value);
    }

    pub fn note_wait(&mut self, order: QueueOrStream, value: u64, site: CallSite) {
        if self.waited.get(&order).is_none_or(|(of, _)| value > *of) {
            self.waited.insert(order, (value, site));
        }
    }

    /// Returns why a signal of this value goes back, with the wait that shows it.
    pub fn note_signal(
        &mut self,
        order: Option<QueueOrStream>,
        value: u64,
    ) -> Option<(String, Option<CallSite>)> {
        let waited = order.and_then(|order| self.waited.get(&order));
        let problem = if let Some((of, site)) = waited.filter(|(of, _)| value <= *of) {
            let text = format!("The value is {value}; work before it waits until the timeline has {of}.");
            Some((text, Some(site.clone())))
        } else if value <= self.reached {
            let text = format!("The value is {value}; the timeline has reached {} already.", self.reached);
            Some((text, None))
        } else {
            None
        };
        self.announced = self.announced.max(value);
        problem
    }

    pub fn is_announced(&self, value: u64) -> bool {
        value <= self.announced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_goes_back_behind_a_wait_or_a_value_that_the_host_knows() {
        let mut values = TimelineValues::starting_at(0);
        let (queue, stream) = (QueueOrStream::Queue(1), QueueOrStream::Stream(1));
        assert!(values.note_signal(Some(queue), 2).is_none());
        // Another order may signal a smaller value first: which one comes first is not known.
        assert!(values.note_signal(Some(stream), 1).is_none());
        values.note_wait(stream, 2, CallSite::default());
        assert!(values.note_signal(Some(stream), 2).is_some());
        assert!(values.note_signal(Some(stream), 3).is_none());
        values.note_reached(3);
        assert!(values.note_signal(None, 3).is_some() && values.note_signal(Some(queue), 4).is_none());
        assert!(values.is_announced(4) && !values.is_announced(5));
    }
}
