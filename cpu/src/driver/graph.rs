//! Graphs and their nodes.

use std::ffi::c_uint;
use std::slice;
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, given};
use super::graph_nodes::SemaphoreNode;
use super::handle::{Handle, Registry};
use super::lock;
use super::work::Work;

pub struct Graph {
    number: u64,
    /// A node's dependencies are before it.
    nodes: Mutex<Vec<u64>>,
}

impl Graph {
    pub fn new(number: u64) -> Self {
        Self { number, nodes: Mutex::default() }
    }

    /// Returns the nodes, each after those that it depends on.
    pub fn nodes(&self) -> Vec<(u64, Arc<Node>)> {
        let numbers = lock(&self.nodes).clone();
        numbers
            .into_iter()
            .filter_map(|number| Some((number, NODES.find(number).or(CUDA_SUCCESS).ok()?)))
            .collect()
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in lock(&self.nodes).drain(..) {
            NODES.remove(node);
        }
    }
}

pub struct Node {
    graph: u64,
    pub dependencies: Vec<u64>,
    pub template: Mutex<Template>,
}

/// What a node does when it is launched.
#[derive(Clone)]
pub enum Template {
    /// With the semaphores' handles and parameters, which can be read back and set.
    Semaphores(SemaphoreNode),
    Work(Work),
}

impl Template {
    /// Makes a template of captured work.
    pub fn of(work: Work) -> Self {
        match work {
            Work::Wait(semaphores) => Self::Semaphores(SemaphoreNode::new(false, &semaphores)),
            Work::Signal(semaphores) => Self::Semaphores(SemaphoreNode::new(true, &semaphores)),
            work => Self::Work(work),
        }
    }

    pub fn kind(&self) -> CUgraphNodeType {
        match self {
            Self::Semaphores(node) if node.signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Self::Semaphores(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
            Self::Work(Work::Copy(_)) => CU_GRAPH_NODE_TYPE_MEMCPY,
            Self::Work(Work::Fill(_)) => CU_GRAPH_NODE_TYPE_MEMSET,
            Self::Work(Work::HostFunction(_)) => CU_GRAPH_NODE_TYPE_HOST,
            Self::Work(Work::Kernel(_)) => CU_GRAPH_NODE_TYPE_KERNEL,
            Self::Work(_) => CU_GRAPH_NODE_TYPE_EMPTY,
        }
    }
}

pub static GRAPHS: Registry<Graph> = Registry::new(8);
pub static NODES: Registry<Node> = Registry::new(9);

/// Adds a node.
pub fn add(graph: &Graph, dependencies: Vec<u64>, template: Template) -> u64 {
    let node = NODES.add(Node { graph: graph.number, dependencies, template: Mutex::new(template) });
    lock(&graph.nodes).push(node);
    node
}

pub fn dependencies(node: u64) -> Vec<u64> {
    NODES.find(node).or(CUDA_SUCCESS).map(|node| node.dependencies.clone()).unwrap_or_default()
}

pub fn find(graph: CUgraph) -> Answer<Arc<Graph>> {
    GRAPHS.find(graph).or(CUDA_ERROR_INVALID_VALUE)
}

/// Adds a node for a call.
///
/// # Safety
///
/// The pointers are as cuda.h requires.
pub unsafe fn add_node(
    node: *mut CUgraphNode,
    graph: CUgraph,
    (dependencies, count): (*const CUgraphNode, usize),
    template: impl FnOnce() -> Answer<Template>,
) -> Answer {
    let graph = find(graph)?;
    check(!node.is_null() && (count == 0 || !dependencies.is_null()), CUDA_ERROR_INVALID_VALUE)?;
    let given: &[CUgraphNode] = match count {
        0 => &[],
        // SAFETY: the caller's array.
        _ => unsafe { slice::from_raw_parts(dependencies, count) },
    };
    let of_graph =
        |node: &CUgraphNode| NODES.find(*node).or(CUDA_SUCCESS).is_ok_and(|node| node.graph == graph.number);
    check(given.iter().all(of_graph), CUDA_ERROR_INVALID_VALUE)?;
    let number = add(&graph, given.iter().map(Handle::number).collect(), template()?);
    // SAFETY: the caller's pointer.
    unsafe { node.put(CUgraphNode::from_number(number)) }
}

functions! {
    Init fn cuGraphCreate: PFN_cuGraphCreate, (graph: *mut CUgraph, flags: c_uint) {
        check(flags == 0 && !graph.is_null(), CUDA_ERROR_INVALID_VALUE)?;
        graph.put(GRAPHS.add_with(Graph::new))
    }
    Init fn cuGraphDestroy: PFN_cuGraphDestroy, (graph: CUgraph) {
        GRAPHS.remove(graph).or(CUDA_ERROR_INVALID_VALUE).map(|_| ())
    }
    Init fn cuGraphGetNodes: unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut usize) -> CUresult,
        (graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize)
    {
        let found = find(graph)?.nodes();
        let room = *given(count)?;
        if !nodes.is_null() {
            for (at, (number, _)) in found.iter().take(room).enumerate() {
                nodes.add(at).put(CUgraphNode::from_number(*number))?;
            }
        }
        count.put(found.len())
    }
    Init fn cuGraphNodeGetType: unsafe extern "C" fn(CUgraphNode, *mut CUgraphNodeType) -> CUresult,
        (node: CUgraphNode, kind: *mut CUgraphNodeType)
    {
        kind.put(lock(&NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?.template).kind())
    }
}
