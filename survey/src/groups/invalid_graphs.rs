//! Invalid arguments for the graph functions of external semaphores, and for those that replace them.

mod general;

use std::ptr::{null, null_mut};

use super::invalid::{COLUMNS, NOTE, case, not_a_handle, share};
use super::invalid_semaphores::{destroyed, timeline};
use crate::case::Group;
use crate::gpu::cuda;
use cuda_external_sys::*;
use interop::Result;

fn graph() -> Result<CUgraph> {
    cuda(0)?;
    let mut graph = null_mut();
    // SAFETY: the function writes a graph.
    unsafe { cuGraphCreate(&mut graph, 0) }.result()?;
    Ok(graph)
}

/// A graph with a node of another kind.
fn memset_node() -> Result<(CUgraph, CUgraphNode)> {
    let (graph, context) = (graph()?, cuda(0)?.context());
    let (mut node, mut address) = (null_mut(), 0);
    let mut params =
        CUDA_MEMSET_NODE_PARAMS { value: 1, elementSize: 1, width: 64, height: 1, ..Default::default() };
    // SAFETY: the functions read the parameters, and write an address and a node.
    unsafe {
        cuMemAlloc_v2(&mut address, 64).result()?;
        params.dst = address;
        cuGraphAddMemsetNode(&mut node, graph, null(), 0, &params, context).result()?;
    }
    Ok((graph, node))
}

fn instantiate(graph: CUgraph) -> Result<CUgraphExec> {
    let mut exec = null_mut();
    // SAFETY: the graph lives; the function writes a handle.
    unsafe { cuGraphInstantiateWithFlags(&mut exec, graph, 0) }.result()?;
    Ok(exec)
}

// SAFETY, of every call here: it is made in a process of its own, and what it is given is invalid on purpose.

/// The cases of the four functions of signals or of waits, which differ in types and names alone.
macro_rules! nodes {
    ($cases:ident, $add:ident, $get:ident, $set:ident, $exec_set:ident, $node:ident, $params:ident) => {{
        // What a node is given lives until the process ends.
        fn params(semaphore: CUexternalSemaphore) -> $node {
            let mut params = $params::default();
            params.params.fence.value = 1;
            let (semaphores, params) = (Box::new(semaphore), Box::new(params));
            $node { extSemArray: Box::leak(semaphores), paramsArray: Box::leak(params), numExtSems: 1 }
        }
        fn node() -> Result<(CUgraph, CUgraphNode)> {
            let (graph, mut node) = (graph()?, null_mut());
            unsafe { $add(&mut node, graph, null(), 0, &params(timeline()?)) }.result()?;
            Ok((graph, node))
        }
        let mut push = |function: &str, what: &str, call: fn() -> Result<CUresult>| {
            $cases.push(case(&format!("{function}: {what}"), call));
        };

        let name = stringify!($add);
        push(name, "valid", || {
            let graph = graph()?;
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 0, &params(timeline()?)) })
        });
        push(name, "null for the node", || {
            let graph = graph()?;
            Ok(unsafe { $add(null_mut(), graph, null(), 0, &params(timeline()?)) })
        });
        push(name, "null for the graph", || {
            Ok(unsafe { $add(&mut null_mut(), null_mut(), null(), 0, &params(timeline()?)) })
        });
        push(name, "null for the parameters", || {
            Ok(unsafe { $add(&mut null_mut(), graph()?, null(), 0, null()) })
        });
        push(name, "null for one dependency", || {
            let graph = graph()?;
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 1, &params(timeline()?)) })
        });
        push(name, "a null dependency", || {
            let graph = graph()?;
            Ok(unsafe { $add(&mut null_mut(), graph, &null_mut(), 1, &params(timeline()?)) })
        });
        push(name, "another graph's node as dependency", || {
            let (graph, (_, other)) = (graph()?, node()?);
            Ok(unsafe { $add(&mut null_mut(), graph, &other, 1, &params(timeline()?)) })
        });
        push(name, "a destroyed graph", || {
            let graph = graph()?;
            unsafe { cuGraphDestroy(graph) }.result()?;
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 0, &params(timeline()?)) })
        });
        push(name, "parameters of zeros", || {
            Ok(unsafe { $add(&mut null_mut(), graph()?, null(), 0, &$node::default()) })
        });
        push(name, "zero semaphores", || {
            let (graph, params) = (graph()?, $node { numExtSems: 0, ..params(timeline()?) });
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 0, &params) })
        });
        push(name, "null for the semaphores", || {
            let (graph, params) = (graph()?, $node { extSemArray: null_mut(), ..params(timeline()?) });
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 0, &params) })
        });
        push(name, "null for the semaphores' parameters", || {
            let (graph, params) = (graph()?, $node { paramsArray: null(), ..params(timeline()?) });
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 0, &params) })
        });
        push(name, "a null semaphore", || {
            Ok(unsafe { $add(&mut null_mut(), graph()?, null(), 0, &params(null_mut())) })
        });
        push(name, "a destroyed semaphore", || {
            let graph = graph()?;
            Ok(unsafe { $add(&mut null_mut(), graph, null(), 0, &params(destroyed()?)) })
        });
        push(name, "not a handle", || {
            Ok(unsafe { $add(&mut null_mut(), graph()?, null(), 0, &params(not_a_handle())) })
        });

        let name = stringify!($get);
        push(name, "valid", || Ok(unsafe { $get(node()?.1, &mut $node::default()) }));
        push(name, "null for the node", || {
            cuda(0)?;
            Ok(unsafe { $get(null_mut(), &mut $node::default()) })
        });
        push(name, "null for the parameters", || Ok(unsafe { $get(node()?.1, null_mut()) }));
        push(name, "a node of another kind", || Ok(unsafe { $get(memset_node()?.1, &mut $node::default()) }));
        push(name, "a node of a destroyed graph", || {
            let (graph, node) = node()?;
            unsafe { cuGraphDestroy(graph) }.result()?;
            Ok(unsafe { $get(node, &mut $node::default()) })
        });

        let name = stringify!($set);
        push(name, "valid", || Ok(unsafe { $set(node()?.1, &params(timeline()?)) }));
        push(name, "null for the node", || Ok(unsafe { $set(null_mut(), &params(timeline()?)) }));
        push(name, "null for the parameters", || Ok(unsafe { $set(node()?.1, null()) }));
        push(name, "a node of another kind", || Ok(unsafe { $set(memset_node()?.1, &params(timeline()?)) }));
        push(name, "parameters of zeros", || Ok(unsafe { $set(node()?.1, &$node::default()) }));
        push(name, "a null semaphore", || Ok(unsafe { $set(node()?.1, &params(null_mut())) }));

        let name = stringify!($exec_set);
        push(name, "valid", || {
            let (graph, node) = node()?;
            Ok(unsafe { $exec_set(instantiate(graph)?, node, &params(timeline()?)) })
        });
        push(name, "null for the executable graph", || {
            Ok(unsafe { $exec_set(null_mut(), node()?.1, &params(timeline()?)) })
        });
        push(name, "null for the node", || {
            let exec = instantiate(node()?.0)?;
            Ok(unsafe { $exec_set(exec, null_mut(), &params(timeline()?)) })
        });
        push(name, "null for the parameters", || {
            let (graph, node) = node()?;
            Ok(unsafe { $exec_set(instantiate(graph)?, node, null()) })
        });
        push(name, "another graph's node", || {
            let exec = instantiate(node()?.0)?;
            Ok(unsafe { $exec_set(exec, node()?.1, &params(timeline()?)) })
        });
        push(name, "a node of another kind", || {
            let (graph, node) = memset_node()?;
            Ok(unsafe { $exec_set(instantiate(graph)?, node, &params(timeline()?)) })
        });
        push(name, "parameters of zeros", || {
            let (graph, node) = node()?;
            Ok(unsafe { $exec_set(instantiate(graph)?, node, &$node::default()) })
        });
        push(name, "two semaphores in place of one", || {
            let (graph, node) = node()?;
            let semaphores = Box::leak(Box::new([timeline()?, timeline()?]));
            let mut values = [$params::default(); 2];
            values.iter_mut().for_each(|params| params.params.fence.value = 1);
            let values = Box::leak(Box::new(values));
            let two =
                $node { extSemArray: semaphores.as_mut_ptr(), paramsArray: values.as_ptr(), numExtSems: 2 };
            Ok(unsafe { $exec_set(instantiate(graph)?, node, &two) })
        });
        push(name, "a destroyed executable graph", || {
            let (graph, node) = node()?;
            let exec = instantiate(graph)?;
            unsafe { cuGraphExecDestroy(exec) }.result()?;
            Ok(unsafe { $exec_set(exec, node, &params(timeline()?)) })
        });
    }};
}

pub fn group() -> Group {
    let mut cases = Vec::new();
    nodes!(
        cases,
        cuGraphAddExternalSemaphoresSignalNode,
        cuGraphExternalSemaphoresSignalNodeGetParams,
        cuGraphExternalSemaphoresSignalNodeSetParams,
        cuGraphExecExternalSemaphoresSignalNodeSetParams,
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS
    );
    nodes!(
        cases,
        cuGraphAddExternalSemaphoresWaitNode,
        cuGraphExternalSemaphoresWaitNodeGetParams,
        cuGraphExternalSemaphoresWaitNodeSetParams,
        cuGraphExecExternalSemaphoresWaitNodeSetParams,
        CUDA_EXT_SEM_WAIT_NODE_PARAMS,
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS
    );
    cases.extend(general::cases());
    Group {
        name: "invalid-graphs",
        title: "Invalid arguments: graphs",
        note: NOTE,
        columns: COLUMNS,
        repeatable: true,
        cases: cases.into_iter().map(share).collect(),
    }
}
