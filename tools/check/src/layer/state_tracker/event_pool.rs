//! Keeps the events that the layer records after work: a query of the stream would also cover the program's later work.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// An event of the driver. The event is unused if only the pool refers to it.
#[derive(Debug)]
pub struct PooledEvent {
    pub handle: usize,
    pub context: usize,
}

/// The events that the layer created and recorded, by context. Creating an event is slow, so each is used again.
#[derive(Default)]
pub struct EventPool(HashMap<usize, VecDeque<Arc<PooledEvent>>>);

impl EventPool {
    pub fn add_event(&mut self, event: Arc<PooledEvent>) {
        self.0.entry(event.context).or_default().push_back(event);
    }

    pub fn take_unused_event(&mut self, context: usize) -> Option<Arc<PooledEvent>> {
        const LOOKED_AT: usize = 16;
        let events = self.0.get_mut(&context)?;
        for _ in 0..events.len().min(LOOKED_AT) {
            events.rotate_left(1);
            if let Some(event) = events.back().filter(|event| Arc::strong_count(event) == 1) {
                return Some(event.clone());
            }
        }
        None
    }

    /// Forgets the events of a context that has ended. A new context with the same handle has other events.
    pub fn forget_context_events(&mut self, context: usize) {
        self.0.remove(&context);
    }
}

#[test]
fn an_event_of_an_ended_context_is_not_used_in_another() {
    let mut pool = EventPool::default();
    let event = Arc::new(PooledEvent { handle: 1, context: 7 });
    pool.add_event(event.clone());
    assert!(pool.take_unused_event(7).is_none(), "an object has it");
    pool.forget_context_events(7);
    drop(event);
    assert!(pool.take_unused_event(7).is_none(), "the new context has the old one's handle");
    pool.add_event(Arc::new(PooledEvent { handle: 2, context: 7 }));
    assert_eq!(pool.take_unused_event(7).map(|event| event.handle), Some(2));
}
