//! Nodes of graphs, and instantiated graphs.

pub mod executable_graphs;
pub mod node_calls;
