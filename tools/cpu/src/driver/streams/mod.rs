pub mod capture_calls;
pub mod capture_state;
pub mod events;
pub mod graph_definition;
pub mod host_callbacks;
pub mod imported_semaphores;
pub mod queued_work;
pub mod stream_queue;
