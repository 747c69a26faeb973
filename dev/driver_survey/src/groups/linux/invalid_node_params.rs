//! Invalid arguments for the graph functions that take nodes of every kind, and for a graph's own life.

use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{ImportedSemaphore, SemaphoreValues};

use super::graph_objects::{destroy, destroyed_exec, graph, instantiate, memset_node};
use super::invalid::{calls, case};
use super::invalid_semaphores::{destroyed, timeline};
use crate::case::Case;

/// The parameters of a signal to 2. They live until the process ends. The semaphore may be invalid on purpose.
fn signal(semaphore: CUexternalSemaphore) -> &'static mut SemaphoreValues {
    // SAFETY: it is never dropped.
    let semaphore = ManuallyDrop::new(unsafe { ImportedSemaphore::from_raw(semaphore) });
    Box::leak(Box::new(SemaphoreValues::new(&[(&semaphore, 2)])))
}

/// A signal node's parameters for the functions that take every kind.
fn node_params() -> Result<CUgraphNodeParams> {
    Ok(signal(timeline()?).generic_signal_node())
}

/// Instantiates and launches a graph with one signal node. Adding the node does not check its semaphores.
fn signal_node(semaphore: CUexternalSemaphore, count: u32) -> Result<CUresult> {
    let (graph, mut exec) = (graph()?, null_mut());
    let node = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { numExtSems: count, ..signal(semaphore).signal_node() };
    unsafe {
        cuGraphAddExternalSemaphoresSignalNode(&mut null_mut(), graph, null(), 0, &node).result()?;
        match cuGraphInstantiateWithFlags(&mut exec, graph, 0) {
            CUDA_SUCCESS => Ok(cuGraphLaunch(exec, null_mut())),
            code => Ok(code),
        }
    }
}

fn node() -> Result<(CUgraph, CUgraphNode)> {
    let (graph, mut node) = (graph()?, null_mut());
    unsafe { cuGraphAddNode(&mut node, graph, null(), null(), 0, &mut node_params()?) }.result()?;
    Ok((graph, node))
}

pub fn cases(cases: &mut Vec<Case>) {
    calls! { cases, case, (),
        cuGraphAddNode {
            "valid" => (&mut null_mut(), graph()?, null(), null(), 0, &mut node_params()?);
            "null for the node" => (null_mut(), graph()?, null(), null(), 0, &mut node_params()?);
            "null for the graph" => (&mut null_mut(), null_mut(), null(), null(), 0, &mut node_params()?);
            "null for the parameters" => (&mut null_mut(), graph()?, null(), null(), 0, null_mut());
            "an unknown kind" =>
                { let mut params = CUgraphNodeParams { type_: CUgraphNodeType(99), ..node_params()? }; }
                (&mut null_mut(), graph()?, null(), null(), 0, &mut params);
            "a reserved field that is not zero" => { let mut params = node_params()?; params.reserved0[0] = 1; }
                (&mut null_mut(), graph()?, null(), null(), 0, &mut params);
        }
        cuGraphNodeSetParams {
            "valid" => (node()?.1, &mut node_params()?);
            "null for the node" => (null_mut(), &mut node_params()?);
            "null for the parameters" => (node()?.1, null_mut());
            "a node of another kind" => (memset_node()?.1, &mut node_params()?);
        }
        cuGraphNodeGetParams {
            "valid" => (node()?.1, &mut Default::default());
            "null for the node" => (null_mut(), &mut Default::default());
            "null for the parameters" => (node()?.1, null_mut());
        }
        cuGraphExecNodeSetParams {
            "valid" => { let (graph, node) = node()?; } (instantiate(graph)?, node, &mut node_params()?);
            "null for the executable graph" => (null_mut(), node()?.1, &mut node_params()?);
            "null for the parameters" => { let (graph, node) = node()?; } (instantiate(graph)?, node, null_mut());
        }
    }
    let mut launch = |what: &str, semaphore: fn() -> Result<CUexternalSemaphore>, count| {
        let name = format!("cuGraphInstantiateWithFlags, cuGraphLaunch: a signal node{what}");
        cases.push(case(&name, move |()| signal_node(semaphore()?, count)));
    };
    launch("", timeline, 1);
    launch(" with no semaphore", timeline, 0);
    launch(" with a null semaphore", || Ok(null_mut()), 1);
    launch(" with a destroyed semaphore", destroyed, 1);
    calls! { cases, case, (),
        cuGraphCreate {
            "null for the graph" => (null_mut(), 0);
            "an unknown flag" => (&mut null_mut(), 1);
        }
        cuGraphInstantiateWithFlags {
            "null for the graph" => (&mut null_mut(), null_mut(), 0);
            "unknown flags" => (&mut null_mut(), memset_node()?.0, 1 << 40);
        }
        cuGraphLaunch {
            "null for the executable graph" => (null_mut(), null_mut());
            "a destroyed executable graph" => (destroyed_exec(memset_node()?.0)?, null_mut());
        }
        cuGraphExecDestroy { "null" => (null_mut()); }
        cuGraphDestroy {
            "null" => (null_mut());
            "a destroyed graph" => (destroy(graph()?)?);
        }
    }
}
