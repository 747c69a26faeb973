//! What the program made: objects, graphs, streams, and events behind work.

pub mod enqueue_races;
pub mod event_pool;
pub mod graph_node_uses;
pub mod stream_identity;
pub mod tracked_objects;
