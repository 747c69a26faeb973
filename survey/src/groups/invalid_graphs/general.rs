//! Invalid arguments for the graph functions that take nodes of every kind, and for a graph's own life.

use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use interop::Result;

use super::{graph, instantiate, memset_node};
use crate::case::Case;
use crate::gpu::cuda;
use crate::groups::invalid::case;
use crate::groups::invalid_semaphores::{destroyed, timeline};

// SAFETY, of every call here: it is made in a process of its own, and what it is given is invalid on purpose.

/// A signal node's parameters for the functions that take every kind.
fn node_params() -> Result<CUgraphNodeParams> {
    let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    signal.params.fence.value = 2;
    let mut params = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, ..Default::default() };
    let inner = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
        extSemArray: Box::leak(Box::new(timeline()?)),
        paramsArray: Box::leak(Box::new(signal)),
        numExtSems: 1,
        ..Default::default()
    };
    params.params.extSemSignal = inner;
    Ok(params)
}

pub fn cases() -> Vec<Case> {
    let mut cases = nodes();
    cases.extend(launches());
    cases
}

fn nodes() -> Vec<Case> {
    fn node() -> Result<(CUgraph, CUgraphNode)> {
        let (graph, mut node) = (graph()?, null_mut());
        unsafe { cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut node_params()?) }.result()?;
        Ok((graph, node))
    }
    vec![
        case("cuGraphAddNode: valid", || {
            Ok(unsafe {
                cuGraphAddNode_v2(&mut null_mut(), graph()?, null(), null(), 0, &mut node_params()?)
            })
        }),
        case("cuGraphAddNode: null for the node", || {
            Ok(unsafe { cuGraphAddNode_v2(null_mut(), graph()?, null(), null(), 0, &mut node_params()?) })
        }),
        case("cuGraphAddNode: null for the graph", || {
            Ok(unsafe {
                cuGraphAddNode_v2(&mut null_mut(), null_mut(), null(), null(), 0, &mut node_params()?)
            })
        }),
        case("cuGraphAddNode: null for the parameters", || {
            Ok(unsafe { cuGraphAddNode_v2(&mut null_mut(), graph()?, null(), null(), 0, null_mut()) })
        }),
        case("cuGraphAddNode: an unknown kind", || {
            let mut params = CUgraphNodeParams { type_: CUgraphNodeType(99), ..node_params()? };
            Ok(unsafe { cuGraphAddNode_v2(&mut null_mut(), graph()?, null(), null(), 0, &mut params) })
        }),
        case("cuGraphAddNode: a reserved field that is not zero", || {
            let mut params = node_params()?;
            params.reserved0[0] = 1;
            Ok(unsafe { cuGraphAddNode_v2(&mut null_mut(), graph()?, null(), null(), 0, &mut params) })
        }),
        case("cuGraphNodeSetParams: valid", || {
            Ok(unsafe { cuGraphNodeSetParams(node()?.1, &mut node_params()?) })
        }),
        case("cuGraphNodeSetParams: null for the node", || {
            Ok(unsafe { cuGraphNodeSetParams(null_mut(), &mut node_params()?) })
        }),
        case("cuGraphNodeSetParams: null for the parameters", || {
            Ok(unsafe { cuGraphNodeSetParams(node()?.1, null_mut()) })
        }),
        case("cuGraphNodeSetParams: a node of another kind", || {
            Ok(unsafe { cuGraphNodeSetParams(memset_node()?.1, &mut node_params()?) })
        }),
        case("cuGraphNodeGetParams: valid", || {
            Ok(unsafe { cuGraphNodeGetParams(node()?.1, &mut CUgraphNodeParams::default()) })
        }),
        case("cuGraphNodeGetParams: null for the node", || {
            cuda(0)?;
            Ok(unsafe { cuGraphNodeGetParams(null_mut(), &mut CUgraphNodeParams::default()) })
        }),
        case("cuGraphNodeGetParams: null for the parameters", || {
            Ok(unsafe { cuGraphNodeGetParams(node()?.1, null_mut()) })
        }),
        case("cuGraphExecNodeSetParams: valid", || {
            let (graph, node) = node()?;
            Ok(unsafe { cuGraphExecNodeSetParams(instantiate(graph)?, node, &mut node_params()?) })
        }),
        case("cuGraphExecNodeSetParams: null for the executable graph", || {
            Ok(unsafe { cuGraphExecNodeSetParams(null_mut(), node()?.1, &mut node_params()?) })
        }),
        case("cuGraphExecNodeSetParams: null for the parameters", || {
            let (graph, node) = node()?;
            Ok(unsafe { cuGraphExecNodeSetParams(instantiate(graph)?, node, null_mut()) })
        }),
    ]
}

/// Instantiates and launches a graph with one signal node, which takes its semaphores unseen.
fn signal_node(semaphore: CUexternalSemaphore, count: u32) -> Result<CUresult> {
    let graph = graph()?;
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = 2;
    // What a node is given lives until the process ends.
    let node = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        extSemArray: Box::leak(Box::new(semaphore)),
        paramsArray: Box::leak(Box::new(params)),
        numExtSems: count,
    };
    let mut exec = null_mut();
    unsafe {
        cuGraphAddExternalSemaphoresSignalNode(&mut null_mut(), graph, null(), 0, &node).result()?;
        match cuGraphInstantiateWithFlags(&mut exec, graph, 0) {
            CUDA_SUCCESS => Ok(cuGraphLaunch(exec, null_mut())),
            code => Ok(code),
        }
    }
}

fn launches() -> Vec<Case> {
    vec![
        case("cuGraphInstantiateWithFlags, cuGraphLaunch: a signal node", || signal_node(timeline()?, 1)),
        case("cuGraphInstantiateWithFlags, cuGraphLaunch: a signal node with no semaphore", || {
            signal_node(timeline()?, 0)
        }),
        case("cuGraphInstantiateWithFlags, cuGraphLaunch: a signal node with a null semaphore", || {
            cuda(0)?;
            signal_node(null_mut(), 1)
        }),
        case("cuGraphInstantiateWithFlags, cuGraphLaunch: a signal node with a destroyed semaphore", || {
            signal_node(destroyed()?, 1)
        }),
        case("cuGraphCreate: null for the graph", || {
            cuda(0)?;
            Ok(unsafe { cuGraphCreate(null_mut(), 0) })
        }),
        case("cuGraphCreate: an unknown flag", || {
            cuda(0)?;
            Ok(unsafe { cuGraphCreate(&mut null_mut(), 1) })
        }),
        case("cuGraphInstantiateWithFlags: null for the graph", || {
            cuda(0)?;
            Ok(unsafe { cuGraphInstantiateWithFlags(&mut null_mut(), null_mut(), 0) })
        }),
        case("cuGraphInstantiateWithFlags: unknown flags", || {
            Ok(unsafe { cuGraphInstantiateWithFlags(&mut null_mut(), memset_node()?.0, 1 << 40) })
        }),
        case("cuGraphLaunch: null for the executable graph", || {
            cuda(0)?;
            Ok(unsafe { cuGraphLaunch(null_mut(), null_mut()) })
        }),
        case("cuGraphLaunch: a destroyed executable graph", || {
            let exec = instantiate(memset_node()?.0)?;
            unsafe { cuGraphExecDestroy(exec) }.result()?;
            Ok(unsafe { cuGraphLaunch(exec, null_mut()) })
        }),
        case("cuGraphExecDestroy: null", || {
            cuda(0)?;
            Ok(unsafe { cuGraphExecDestroy(null_mut()) })
        }),
        case("cuGraphDestroy: null", || {
            cuda(0)?;
            Ok(unsafe { cuGraphDestroy(null_mut()) })
        }),
        case("cuGraphDestroy: a destroyed graph", || {
            let graph = graph()?;
            unsafe { cuGraphDestroy(graph) }.result()?;
            Ok(unsafe { cuGraphDestroy(graph) })
        }),
    ]
}
