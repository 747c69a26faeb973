//! The objects, graphs and streams that the program made, and the events that the layer records after work.

pub mod enqueue_races;
pub mod event_pool;
pub mod graph_node_uses;
pub mod stream_identity;
pub mod tracked_objects;
