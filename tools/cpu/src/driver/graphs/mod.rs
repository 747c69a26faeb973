pub mod executable_graphs;
pub mod node_calls;
