//! Graphs, nodes and executable graphs for the cases of invalid arguments.

use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;

use crate::gpu::cuda;

pub fn graph() -> Result<CUgraph> {
    cuda(0)?;
    let mut graph = null_mut();
    unsafe { cuGraphCreate(&mut graph, 0) }.result()?;
    Ok(graph)
}

/// A graph with a node of another kind.
pub fn memset_node() -> Result<(CUgraph, CUgraphNode)> {
    let (graph, context) = (graph()?, cuda(0)?.context());
    let (mut node, mut address) = (null_mut(), 0);
    let mut params =
        CUDA_MEMSET_NODE_PARAMS { value: 1, elementSize: 1, width: 64, height: 1, ..Default::default() };
    unsafe {
        cuMemAlloc_v2(&mut address, 64).result()?;
        params.dst = address;
        cuGraphAddMemsetNode(&mut node, graph, null(), 0, &params, context).result()?;
    }
    Ok((graph, node))
}

pub fn instantiate(graph: CUgraph) -> Result<CUgraphExec> {
    let mut exec = null_mut();
    unsafe { cuGraphInstantiateWithFlags(&mut exec, graph, 0) }.result()?;
    Ok(exec)
}

pub fn destroy(graph: CUgraph) -> Result<CUgraph> {
    unsafe { cuGraphDestroy(graph) }.result()?;
    Ok(graph)
}

pub fn destroyed_exec(graph: CUgraph) -> Result<CUgraphExec> {
    let exec = instantiate(graph)?;
    unsafe { cuGraphExecDestroy(exec) }.result()?;
    Ok(exec)
}
