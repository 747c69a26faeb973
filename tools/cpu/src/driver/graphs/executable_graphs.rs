//! Creates, instantiates and launches graphs. A change of a graph does not change graphs instantiated from it before.

use crate::driver::driver_prelude::*;
use crate::driver::streams::graph_definition::{GRAPHS, Graph, NODES};
use crate::driver::streams::stream_queue::{OwnedStream, Stream, StreamKind};

#[derive(Clone)]
struct ExecutableNode {
    number: u64,
    work: QueuedWork,
    /// The indices of the nodes that this node depends on.
    after: Vec<usize>,
}

/// The nodes of an instantiated graph, in an order in which they can run.
struct ExecutableGraph(Mutex<Vec<ExecutableNode>>);

static EXECUTABLE_GRAPHS: HandleRegistry<ExecutableGraph> = HandleRegistry::new(10, CUDA_ERROR_INVALID_VALUE);

impl ExecutableGraph {
    fn new(graph: &Graph) -> CudaResult<Self> {
        let numbers = graph.node_handle_numbers();
        let place = |number: &u64| numbers.iter().position(|of_node| of_node == number);
        let made = numbers.iter().map(|&number| {
            let node = NODES.find_object(number)?;
            let after = node.dependencies.iter().filter_map(place).collect();
            Ok(ExecutableNode { number, work: lock(&node.work).clone(), after })
        });
        Ok(Self(Mutex::new(made.collect::<CudaResult<_>>()?)))
    }

    /// Launches the graph. Branches get separate streams, so that a waiting branch does not block the other branches.
    fn launch_in_stream(&self, stream: &Arc<Stream>) -> CudaResult {
        // The launch of a graph in a captured stream is an error on a GPU, too (measured).
        stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        let nodes = lock(&self.0).clone();
        let is_chain = nodes.iter().enumerate().all(|(at, node)| at == 0 || node.after.contains(&(at - 1)));
        if is_chain {
            return nodes.into_iter().try_for_each(|node| stream.enqueue_work(node.work));
        }
        stream.context.ensure_context_not_lost()?;
        let mut ends = vec![stream.enqueue_uncaptured_work(QueuedWork::empty_node(), Vec::new())?];
        // For each branch, its stream and the index of its last node so far.
        let mut branches: Vec<(OwnedStream, usize)> = Vec::new();
        for (at, ExecutableNode { work, after, .. }) in nodes.into_iter().enumerate() {
            let known = branches.iter().position(|(_, last)| after.contains(last));
            let branch = known.unwrap_or(branches.len());
            if known.is_none() {
                branches.push((OwnedStream(Stream::new(&stream.context, StreamKind::NonBlocking, 0)?), at));
            }
            branches[branch].1 = at;
            // `ends[0]` is the completion of the launch's start, and `ends[node + 1]` is the completion of `node`.
            let before = after.iter().map(|node| node + 1).chain([0]).map(|end| ends[end].clone()).collect();
            ends.push(branches[branch].0.0.enqueue_uncaptured_work(work, before)?);
        }
        stream.enqueue_uncaptured_work(QueuedWork::empty_node(), ends).map(drop)
    }
}

/// Replaces a node's work for later launches by work of the same kind. The number of semaphores cannot change.
pub fn set_executable_node_work(
    exec: CUgraphExec,
    node: CUgraphNode,
    kind: CUgraphNodeType,
    work: impl FnOnce() -> CudaResult<QueuedWork>,
) -> CudaResult {
    let exec = EXECUTABLE_GRAPHS.find_object(exec)?;
    let mut nodes = lock(&exec.0);
    let node = nodes.iter_mut().find(|of_exec| of_exec.number == node.handle_number());
    let node = node.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    ensure_valid(node.work.node_type() == kind)?;
    let work = work()?;
    if let (QueuedWork::Semaphores(old), QueuedWork::Semaphores(new)) = (&node.work, &work) {
        ensure_valid(old.semaphores.len() == new.semaphores.len())?;
    }
    node.work = work;
    Ok(())
}

/// The flags AUTO_FREE_ON_LAUNCH and USE_NODE_PRIORITY of cuGraphInstantiateWithFlags, which have no effect here.
const FREE_ON_LAUNCH_AND_PRIORITY: u64 = 1 | 8;
const DEVICE_LAUNCH: u64 = 4;

unsafe fn instantiate_graph(exec: *mut CUgraphExec, graph: CUgraph, flags: u64) -> CudaResult {
    ensure_valid(flags & !(FREE_ON_LAUNCH_AND_PRIORITY | DEVICE_LAUNCH) == 0)?;
    current_context_outside_capture()?;
    // This driver's devices cannot launch graphs.
    ensure_valid(flags & DEVICE_LAUNCH == 0)?;
    // SAFETY: `exec` is null, or valid for a write.
    unsafe {
        EXECUTABLE_GRAPHS.create_object(exec, None, || ExecutableGraph::new(&*GRAPHS.find_object(graph)?))
    }
}

functions! {
    Init fn cuGraphCreate: PFN_cuGraphCreate, (graph, flags) {
        ensure_valid(flags == 0)?;
        GRAPHS.create_object(graph, None, || Ok(Graph::default()))
    }
    Init fn cuGraphDestroy: PFN_cuGraphDestroy, (graph) { GRAPHS.destroy_object(graph) }
    Init fn cuGraphGetNodes: PFN_cuGraphGetNodes, (graph, nodes, count) {
        let found = GRAPHS.find_object(graph)?.node_handle_numbers();
        let room = if nodes.is_null() { 0 } else { *read_param(count)? };
        for (at, number) in found.iter().take(room).enumerate() {
            nodes.add(at).write(CUgraphNode::from_number(*number));
        }
        write_out(count, found.len())
    }
    Init fn cuGraphNodeGetType: PFN_cuGraphNodeGetType, (node, kind) {
        write_out(kind, lock(&NODES.find_object(node)?.work).node_type())
    }
    Init fn cuGraphInstantiate | cuGraphInstantiate_v2(
        exec: *mut CUgraphExec, graph: CUgraph, _node: *mut CUgraphNode, _text: *mut c_char, _size: usize
    ) { instantiate_graph(exec, graph, 0) }
    Init fn cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags, (exec, graph, flags) {
        instantiate_graph(exec, graph, flags)
    }
    Init fn cuGraphLaunch +_ptsz: PFN_cuGraphLaunch, (exec, stream) {
        let stream = find_stream(stream)?;
        let exec = EXECUTABLE_GRAPHS.find_object(exec);
        if exec.is_err() {
            stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        }
        exec?.launch_in_stream(&stream)
    }
    Init fn cuGraphExecDestroy: PFN_cuGraphExecDestroy, (exec) {
        refuse_during_capture()?;
        EXECUTABLE_GRAPHS.destroy_object(exec)
    }
}
