use super::queued_work::QueuedWork;
use crate::driver::base::prelude::*;

/// The handles of a graph's nodes. In this list, each node follows the nodes that it depends on.
#[derive(Default)]
pub struct Graph(Mutex<Vec<u64>>);

impl Drop for Graph {
    fn drop(&mut self) {
        for node in self.node_handle_numbers() {
            NODES.remove_object(node);
        }
    }
}

pub struct GraphNode {
    pub dependencies: Vec<u64>,
    pub work: Mutex<QueuedWork>,
}

pub static GRAPHS: HandleRegistry<Graph> = HandleRegistry::new(8, CUDA_ERROR_INVALID_VALUE);
pub static NODES: HandleRegistry<GraphNode> = HandleRegistry::new(9, CUDA_ERROR_INVALID_VALUE);

impl Graph {
    pub fn node_handle_numbers(&self) -> Vec<u64> {
        lock(&self.0).clone()
    }

    pub fn push_node(&self, dependencies: Vec<u64>, work: QueuedWork) -> u64 {
        let node = NODES.register_object(GraphNode { dependencies, work: Mutex::new(work) });
        lock(&self.0).push(node);
        node
    }

    /// Reads a call's list of nodes. A node of another graph is an error.
    pub unsafe fn read_node_list(&self, list: *const CUgraphNode, count: usize) -> CudaResult<Vec<u64>> {
        // SAFETY: the list is null or has `count` entries, as cuda.h requires.
        let given = Vec::from_iter(unsafe { read_array(list, count) }?.iter().map(Handle::handle_number));
        let nodes = self.node_handle_numbers();
        ensure_valid(given.iter().all(|node| nodes.contains(node)))?;
        Ok(given)
    }

    /// Returns whether the graph had a node, and removes that node. Nodes that depend on it no longer wait for it.
    fn remove_node(&self, node: u64) -> bool {
        let mut nodes = lock(&self.0);
        let count = nodes.len();
        nodes.retain(|of_graph| *of_graph != node);
        nodes.len() < count
    }
}

pub fn destroy_node(node: u64) -> CudaResult {
    GRAPHS.find_object_where(|graph| graph.remove_node(node)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    NODES.destroy_object(node)
}

pub unsafe fn add_node(
    node: *mut CUgraphNode,
    graph: CUgraph,
    (dependencies, count): (*const CUgraphNode, usize),
    work: impl FnOnce() -> CudaResult<QueuedWork>,
) -> CudaResult {
    let graph = GRAPHS.find_object(graph)?;
    ensure_valid(!node.is_null())?;
    // SAFETY: `dependencies` has `count` elements, or is null.
    let given = unsafe { graph.read_node_list(dependencies, count) }?;
    let number = graph.push_node(given, work()?);
    // SAFETY: `node` is not null, and so valid for a write.
    unsafe { write_out(node, CUgraphNode::from_number(number)) }
}
