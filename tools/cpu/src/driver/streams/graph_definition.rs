//! Graphs and their nodes.

use super::queued_work::Work;
use crate::driver::base::prelude::*;

/// The nodes' handles. A node's dependencies are before it.
#[derive(Default)]
pub struct Graph(Mutex<Vec<u64>>);

impl Drop for Graph {
    fn drop(&mut self) {
        for node in self.nodes() {
            NODES.remove(node);
        }
    }
}

pub struct Node {
    pub dependencies: Vec<u64>,
    pub work: Mutex<Work>,
}

pub static GRAPHS: Registry<Graph> = Registry::new(8, CUDA_ERROR_INVALID_VALUE);
pub static NODES: Registry<Node> = Registry::new(9, CUDA_ERROR_INVALID_VALUE);

impl Graph {
    pub fn nodes(&self) -> Vec<u64> {
        lock(&self.0).clone()
    }

    pub fn add(&self, dependencies: Vec<u64>, work: Work) -> u64 {
        let node = NODES.add(Node { dependencies, work: Mutex::new(work) });
        lock(&self.0).push(node);
        node
    }

    /// Removes a node. Those that depend on it depend on nothing instead.
    fn remove(&self, node: u64) -> bool {
        let mut nodes = lock(&self.0);
        let count = nodes.len();
        nodes.retain(|of_graph| *of_graph != node);
        nodes.len() < count
    }

    /// Returns a graph with the nodes of this one, which has none then.
    pub fn take(&self) -> Self {
        Self(Mutex::new(std::mem::take(&mut lock(&self.0))))
    }

    /// Whether what every node does is before the end of these.
    pub fn ends_with(&self, last: &[u64]) -> bool {
        let nodes = self.nodes();
        let found = nodes.iter().filter_map(|node| NODES.find(*node).ok());
        let before = Vec::from_iter(found.flat_map(|node| node.dependencies.clone()));
        nodes.iter().all(|node| last.contains(node) || before.contains(node))
    }
}

pub fn destroy_node(node: u64) -> CudaResult {
    GRAPHS.find_if(|graph| graph.remove(node)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    NODES.destroy(node)
}

/// Adds a node for a call, whose pointers are as cuda.h requires.
pub unsafe fn add_node(
    node: *mut CUgraphNode,
    graph: CUgraph,
    (dependencies, count): (*const CUgraphNode, usize),
    work: impl FnOnce() -> CudaResult<Work>,
) -> CudaResult {
    let graph = GRAPHS.find(graph)?;
    require(!node.is_null())?;
    // SAFETY: the caller passes a valid array.
    let given = Vec::from_iter(unsafe { list(dependencies, count) }?.iter().map(Handle::number));
    let nodes = graph.nodes();
    require(given.iter().all(|node| nodes.contains(node)))?;
    let number = graph.add(given, work()?);
    // SAFETY: the caller passes a valid pointer.
    unsafe { write_out(node, CUgraphNode::from_number(number)) }
}
