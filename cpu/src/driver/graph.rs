//! Graphs, their nodes, and what is instantiated of them, which does not change with the graph.

use std::ffi::{c_char, c_ulonglong};
use std::slice;
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, functions, given, require};
use super::handle::{Handle, Registry};
use super::stream::{self, Kind, Stream};
use super::work::Work;
use super::{capture, lock};

pub struct Graph {
    number: u64,
    /// A node's dependencies are before it.
    nodes: Mutex<Vec<u64>>,
}

impl Graph {
    pub fn new(number: u64) -> Self {
        Self { number, nodes: Mutex::default() }
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
    dependencies: Vec<u64>,
    pub work: Mutex<Work>,
}

pub static GRAPHS: Registry<Graph> = Registry::new(8);
pub static NODES: Registry<Node> = Registry::new(9);

/// Adds a node.
pub fn add(graph: &Graph, dependencies: Vec<u64>, work: Work) -> u64 {
    let node = NODES.add(Node { graph: graph.number, dependencies, work: Mutex::new(work) });
    lock(&graph.nodes).push(node);
    node
}

pub fn dependencies(node: u64) -> Vec<u64> {
    NODES.find(node).or(CUDA_SUCCESS).map(|node| node.dependencies.clone()).unwrap_or_default()
}

fn find(graph: CUgraph) -> Answer<Arc<Graph>> {
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
    work: impl FnOnce() -> Answer<Work>,
) -> Answer {
    let graph = find(graph)?;
    require(!node.is_null() && (count == 0 || !dependencies.is_null()))?;
    let given: &[CUgraphNode] = match count {
        0 => &[],
        // SAFETY: the caller's array.
        _ => unsafe { slice::from_raw_parts(dependencies, count) },
    };
    let of_graph =
        |node: &CUgraphNode| NODES.find(*node).or(CUDA_SUCCESS).is_ok_and(|node| node.graph == graph.number);
    require(given.iter().all(of_graph))?;
    let number = add(&graph, given.iter().map(Handle::number).collect(), work()?);
    // SAFETY: the caller's pointer.
    unsafe { node.put(CUgraphNode::from_number(number)) }
}

struct ExecNode {
    number: u64,
    work: Work,
    /// The places in the list of the nodes that this one depends on.
    after: Vec<usize>,
}

/// Each node is after those that it depends on.
pub struct Exec {
    nodes: Mutex<Vec<ExecNode>>,
}

pub static EXECS: Registry<Exec> = Registry::new(10);

/// Replaces the work of a node by other work of the same kind.
pub fn replace(old: &mut Work, new: Work) -> Answer {
    require(old.kind() == new.kind())?;
    *old = new;
    Ok(())
}

impl Exec {
    /// Replaces a node's work for the launches from now on. The number of semaphores is fixed.
    pub fn set(&self, node: CUgraphNode, work: Work) -> Answer {
        let mut nodes = lock(&self.nodes);
        let node = nodes.iter_mut().find(|of_exec| of_exec.number == node.number());
        let node = node.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if let (Work::Semaphores(old), Work::Semaphores(new)) = (&node.work, &work) {
            require(old.semaphores.len() == new.semaphores.len())?;
        }
        replace(&mut node.work, work)
    }

    /// Enqueues a chain in the stream itself. Other graphs have a thread for each branch, so that a branch that waits holds no
    /// other one.
    fn launch(&self, stream: &Arc<Stream>) -> Answer {
        let nodes: Vec<(Work, Vec<usize>)> =
            lock(&self.nodes).iter().map(|node| (node.work.clone(), node.after.clone())).collect();
        let is_chain = nodes.iter().enumerate().all(|(at, (_, after))| at == 0 || after.contains(&(at - 1)));
        if is_chain || capture::is_capturing(stream) {
            return nodes.into_iter().try_for_each(|(work, _)| stream.enqueue(work));
        }
        stream.context.usable()?;
        let mut ends = vec![stream.enqueue_now(Work::nothing(), Vec::new())?];
        // A branch's stream, and the place of its last node so far.
        let mut branches: Vec<(Arc<Stream>, usize)> = Vec::new();
        for (at, (work, after)) in nodes.into_iter().enumerate() {
            let branch = match branches.iter().position(|(_, last)| after.contains(last)) {
                Some(branch) => branch,
                None => {
                    branches.push((Stream::new(&stream.context, Kind::NonBlocking)?, at));
                    branches.len() - 1
                }
            };
            branches[branch].1 = at;
            // The first one is the start.
            let before = after.iter().map(|node| node + 1).chain([0]).map(|end| ends[end].clone()).collect();
            ends.push(branches[branch].0.enqueue_now(work, before)?);
        }
        branches.iter().for_each(|(branch, _)| branch.close());
        stream.enqueue_now(Work::nothing(), ends).map(drop)
    }
}

const FLAGS: c_ulonglong = 0xf;

unsafe fn instantiate(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) -> Answer {
    require(flags & !FLAGS == 0 && !exec.is_null())?;
    let numbers = lock(&find(graph)?.nodes).clone();
    let place = |number: &u64| numbers.iter().position(|of_node| of_node == number);
    let made = numbers.iter().map(|&number| {
        let node = NODES.find(number).or(CUDA_ERROR_INVALID_VALUE)?;
        let after = node.dependencies.iter().filter_map(place).collect();
        Ok(ExecNode { number, work: lock(&node.work).clone(), after })
    });
    let nodes = Mutex::new(made.collect::<Answer<_>>()?);
    // SAFETY: the caller's pointer.
    unsafe { exec.put(EXECS.add(Exec { nodes })) }
}

/// The first two versions of cuGraphInstantiate, with a place for the text of an error.
type Instantiate =
    unsafe extern "C" fn(*mut CUgraphExec, CUgraph, *mut CUgraphNode, *mut c_char, usize) -> CUresult;
type GetNodes = unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut usize) -> CUresult;
type GetType = unsafe extern "C" fn(CUgraphNode, *mut CUgraphNodeType) -> CUresult;

functions! {
    Init fn cuGraphCreate: PFN_cuGraphCreate, (graph, flags) {
        require(flags == 0 && !graph.is_null())?;
        graph.put(GRAPHS.add_with(Graph::new))
    }
    Init fn cuGraphDestroy: PFN_cuGraphDestroy, (graph) { GRAPHS.remove(graph).done(CUDA_ERROR_INVALID_VALUE) }
    Init fn cuGraphGetNodes: GetNodes, (graph, nodes, count) {
        let found = lock(&find(graph)?.nodes).clone();
        let room = if nodes.is_null() { 0 } else { *given(count)? };
        for (at, number) in found.iter().take(room).enumerate() {
            nodes.add(at).put(CUgraphNode::from_number(*number))?;
        }
        count.put(found.len())
    }
    Init fn cuGraphNodeGetType: GetType, (node, kind) {
        kind.put(lock(&NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?.work).kind())
    }
    Init fn cuGraphInstantiate | cuGraphInstantiate_v2: Instantiate, (exec, graph, _node, _text, _size) {
        instantiate(exec, graph, 0)
    }
    Init fn cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags, (exec, graph, flags) {
        instantiate(exec, graph, flags)
    }
    Init fn cuGraphLaunch: PFN_cuGraphLaunch, (exec, stream) {
        EXECS.find(exec).or(CUDA_ERROR_INVALID_VALUE)?.launch(&stream::find(stream)?)
    }
    Init fn cuGraphExecDestroy: PFN_cuGraphExecDestroy, (exec) { EXECS.remove(exec).done(CUDA_ERROR_INVALID_VALUE) }
}
