//! Executable graphs: what was instantiated does not change with its graph.

use std::ffi::{c_char, c_ulonglong};
use std::sync::{Arc, Mutex};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions};
use super::capture;
use super::event::Moment;
use super::graph::{self, Template};
use super::handle::{Handle, Registry};
use super::lock;
use super::stream::{self, Kind, Stream};
use super::work::Work;

struct ExecNode {
    number: u64,
    template: Template,
    /// The places in the list of the nodes that this one depends on.
    after: Vec<usize>,
}

/// Each node is after those that it depends on.
pub struct Exec {
    nodes: Mutex<Vec<ExecNode>>,
}

static EXECS: Registry<Exec> = Registry::new(10);

pub fn find(exec: CUgraphExec) -> Answer<Arc<Exec>> {
    EXECS.find(exec).or(CUDA_ERROR_INVALID_VALUE)
}

/// Replaces a node's parameters for the launches from now on. The number of semaphores is fixed.
pub fn set(exec: &Exec, node: CUgraphNode, template: Template) -> Answer {
    let mut nodes = lock(&exec.nodes);
    let node = nodes.iter_mut().find(|of_exec| of_exec.number == node.number());
    let node = node.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let same = match (&node.template, &template) {
        (Template::Semaphores(old), Template::Semaphores(new)) => old.count() == new.count(),
        _ => true,
    };
    check(same && node.template.kind() == template.kind(), CUDA_ERROR_INVALID_VALUE)?;
    node.template = template;
    Ok(())
}

const FLAGS: c_ulonglong = 0xf;

unsafe fn instantiate(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) -> Answer {
    check(flags & !FLAGS == 0 && !exec.is_null(), CUDA_ERROR_INVALID_VALUE)?;
    let nodes = graph::find(graph)?.nodes();
    let place = |number: &u64| nodes.iter().position(|(of_node, _)| of_node == number);
    let made = nodes.iter().map(|(number, node)| ExecNode {
        number: *number,
        template: lock(&node.template).clone(),
        after: node.dependencies.iter().filter_map(place).collect(),
    });
    // SAFETY: the caller's pointer.
    unsafe { exec.put(EXECS.add(Exec { nodes: Mutex::new(made.collect()) })) }
}

/// Enqueues a chain in the stream itself. Other graphs have a thread for each branch, so that a branch that waits holds no
/// other one.
fn launch(exec: &Exec, stream: &Arc<Stream>) -> Answer {
    let nodes: Vec<(Work, Vec<usize>)> = lock(&exec.nodes)
        .iter()
        .map(|node| {
            let work = match &node.template {
                Template::Semaphores(node) => node.work(),
                Template::Work(work) => work.clone(),
            };
            (work, node.after.clone())
        })
        .collect();
    let is_chain = nodes.iter().enumerate().all(|(at, (_, after))| at == 0 || after.contains(&(at - 1)));
    if is_chain || capture::is_capturing(stream) {
        return nodes.into_iter().try_for_each(|(work, _)| stream.enqueue(work));
    }
    let start = Arc::<Moment>::default();
    stream.enqueue(Work::Record(start.clone()))?;
    let ends: Vec<_> = nodes.iter().map(|_| Arc::<Moment>::default()).collect();
    // A branch's stream, and the node that is its last so far.
    let mut branches: Vec<(Arc<Stream>, usize)> = Vec::new();
    for (at, (work, after)) in nodes.into_iter().enumerate() {
        let continued = branches.iter().position(|(_, last)| after.contains(last));
        let branch = continued.unwrap_or_else(|| {
            branches.push((Stream::new(&stream.context, Kind::NonBlocking), at));
            branches.len() - 1
        });
        branches[branch].1 = at;
        let branch = &branches[branch].0;
        let before = after.iter().map(|node| ends[*node].clone()).chain([start.clone()]).collect();
        branch.enqueue_now(Work::After(before))?;
        branch.enqueue_now(work)?;
        branch.enqueue_now(Work::Record(ends[at].clone()))?;
    }
    branches.iter().for_each(|(branch, _)| branch.close());
    stream.enqueue(Work::After(ends))
}

/// The first two versions of cuGraphInstantiate, with a place for the text of an error.
type Instantiate =
    unsafe extern "C" fn(*mut CUgraphExec, CUgraph, *mut CUgraphNode, *mut c_char, usize) -> CUresult;

functions! {
    Init fn cuGraphInstantiate: Instantiate,
        (exec: *mut CUgraphExec, graph: CUgraph, _node: *mut CUgraphNode, _text: *mut c_char, _size: usize)
    {
        instantiate(exec, graph, 0)
    }
    Init fn cuGraphInstantiate_v2: Instantiate,
        (exec: *mut CUgraphExec, graph: CUgraph, _node: *mut CUgraphNode, _text: *mut c_char, _size: usize)
    {
        instantiate(exec, graph, 0)
    }
    Init fn cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags,
        (exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong)
    {
        instantiate(exec, graph, flags)
    }
    Init fn cuGraphLaunch: PFN_cuGraphLaunch, (exec: CUgraphExec, stream: CUstream) {
        launch(&*find(exec)?, &stream::find(stream)?)
    }
    Init fn cuGraphExecDestroy: PFN_cuGraphExecDestroy, (exec: CUgraphExec) {
        EXECS.remove(exec).or(CUDA_ERROR_INVALID_VALUE).map(|_| ())
    }
}
