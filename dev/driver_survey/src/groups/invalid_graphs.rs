//! Passes invalid arguments to the graph functions of external semaphores.

use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;

use super::fixtures::created;
use super::fixtures::opened_devices::cuda_device;
use super::fixtures::question::QuestionGroup;
use super::invalid_memory::{ask_one_call, call_questions, pointer_to_zeros};
use super::invalid_semaphores::{destroyed_semaphore, imported_timeline};

fn create_graph() -> Result<CUgraph> {
    cuda_device(0)?;
    Ok(created!(cuGraphCreate(0))?)
}

fn create_memset_node() -> Result<(CUgraph, CUgraphNode)> {
    let (graph, context) = (create_graph()?, cuda_device(0)?.context());
    let dst = created!(cuMemAlloc_v2(64))?;
    let params =
        CUDA_MEMSET_NODE_PARAMS { dst, value: 1, elementSize: 1, width: 64, height: 1, ..Default::default() };
    Ok((graph, created!(cuGraphAddMemsetNode(graph, null(), 0, &params, context))?))
}

fn instantiate_graph(graph: CUgraph) -> Result<CUgraphExec> {
    Ok(created!(cuGraphInstantiateWithFlags(graph, 0))?)
}

fn destroy_graph(graph: CUgraph) -> Result<CUgraph> {
    unsafe { cuGraphDestroy(graph) }.result()?;
    Ok(graph)
}

fn make_destroyed_exec(graph: CUgraph) -> Result<CUgraphExec> {
    let exec = instantiate_graph(graph)?;
    unsafe { cuGraphExecDestroy(exec) }.result()?;
    Ok(exec)
}

macro_rules! node_questions {
    ($questions:ident, $add:ident, $get:ident, $set:ident, $exec_set:ident, $node:ident, $params:ident) => {{
        // The arrays of a node live until the process ends.
        fn node_params(semaphores: &[CUexternalSemaphore]) -> $node {
            let mut params = $params::default();
            params.params.fence.value = 1;
            let (semaphores, params) = (semaphores.to_vec().leak(), vec![params; semaphores.len()].leak());
            $node {
                numExtSems: semaphores.len() as u32,
                extSemArray: semaphores.as_mut_ptr(),
                paramsArray: params.as_ptr(),
            }
        }
        fn valid_params() -> Result<$node> {
            Ok(node_params(&[imported_timeline()?]))
        }
        fn changed_params(change: fn(&mut $node)) -> Result<$node> {
            let mut params = valid_params()?;
            change(&mut params);
            Ok(params)
        }
        fn semaphore_node() -> Result<(CUgraph, CUgraphNode)> {
            let (graph, mut node) = (create_graph()?, null_mut());
            unsafe { $add(&mut node, graph, null(), 0, &valid_params()?) }.result()?;
            Ok((graph, node))
        }
        call_questions! { $questions, ask_one_call, (),
            $add {
                "valid" => (&mut null_mut(), create_graph()?, null(), 0, &valid_params()?);
                "null for the node" => (null_mut(), create_graph()?, null(), 0, &valid_params()?);
                "null for the graph" => (&mut null_mut(), null_mut(), null(), 0, &valid_params()?);
                "null for the parameters" => (&mut null_mut(), create_graph()?, null(), 0, null());
                "null for one dependency" => (&mut null_mut(), create_graph()?, null(), 1, &valid_params()?);
                "a null dependency" => (&mut null_mut(), create_graph()?, &null_mut(), 1, &valid_params()?);
                "another graph's node as dependency" =>
                    (&mut null_mut(), create_graph()?, &semaphore_node()?.1, 1, &valid_params()?);
                "a destroyed graph" => (&mut null_mut(), destroy_graph(create_graph()?)?, null(), 0, &valid_params()?);
                "parameters of zeros" => (&mut null_mut(), create_graph()?, null(), 0, &$node::default());
                "zero semaphores" =>
                    (&mut null_mut(), create_graph()?, null(), 0, &changed_params(|one| one.numExtSems = 0)?);
                "null for the semaphores" =>
                    (&mut null_mut(), create_graph()?, null(), 0, &changed_params(|one| one.extSemArray = null_mut())?);
                "null for the semaphores' parameters" =>
                    (&mut null_mut(), create_graph()?, null(), 0, &changed_params(|one| one.paramsArray = null())?);
                "a null semaphore" => (&mut null_mut(), create_graph()?, null(), 0, &node_params(&[null_mut()]));
                "a destroyed semaphore" =>
                    (&mut null_mut(), create_graph()?, null(), 0, &node_params(&[destroyed_semaphore()?]));
                "not a handle" => (&mut null_mut(), create_graph()?, null(), 0, &node_params(&[pointer_to_zeros()]));
            }
            $get {
                "valid" => (semaphore_node()?.1, &mut $node::default());
                "null for the node" => (null_mut(), &mut $node::default());
                "null for the parameters" => (semaphore_node()?.1, null_mut());
                "a node of another kind" => (create_memset_node()?.1, &mut $node::default());
                "a node of a destroyed graph" => { let (graph, node) = semaphore_node()?; destroy_graph(graph)?; }
                    (node, &mut $node::default());
            }
            $set {
                "valid" => (semaphore_node()?.1, &valid_params()?);
                "null for the node" => (null_mut(), &valid_params()?);
                "null for the parameters" => (semaphore_node()?.1, null());
                "a node of another kind" => (create_memset_node()?.1, &valid_params()?);
                "parameters of zeros" => (semaphore_node()?.1, &$node::default());
                "a null semaphore" => (semaphore_node()?.1, &node_params(&[null_mut()]));
            }
            $exec_set {
                "valid" => { let (graph, node) = semaphore_node()?; }
                    (instantiate_graph(graph)?, node, &valid_params()?);
                "null for the executable graph" => (null_mut(), semaphore_node()?.1, &valid_params()?);
                "null for the node" => (instantiate_graph(semaphore_node()?.0)?, null_mut(), &valid_params()?);
                "null for the parameters" => { let (graph, node) = semaphore_node()?; }
                    (instantiate_graph(graph)?, node, null());
                "another graph's node" =>
                    (instantiate_graph(semaphore_node()?.0)?, semaphore_node()?.1, &valid_params()?);
                "a node of another kind" => { let (graph, node) = create_memset_node()?; }
                    (instantiate_graph(graph)?, node, &valid_params()?);
                "parameters of zeros" => { let (graph, node) = semaphore_node()?; }
                    (instantiate_graph(graph)?, node, &$node::default());
                "two semaphores in place of one" => { let (graph, node) = semaphore_node()?; }
                    (instantiate_graph(graph)?, node, &node_params(&[imported_timeline()?, imported_timeline()?]));
                "a destroyed executable graph" => { let (graph, node) = semaphore_node()?; }
                    (make_destroyed_exec(graph)?, node, &valid_params()?);
            }
        }
    }};
}

pub fn invalid_graph_questions() -> QuestionGroup {
    let mut questions = Vec::new();
    node_questions!(
        questions,
        cuGraphAddExternalSemaphoresSignalNode,
        cuGraphExternalSemaphoresSignalNodeGetParams,
        cuGraphExternalSemaphoresSignalNodeSetParams,
        cuGraphExecExternalSemaphoresSignalNodeSetParams,
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS
    );
    node_questions!(
        questions,
        cuGraphAddExternalSemaphoresWaitNode,
        cuGraphExternalSemaphoresWaitNodeGetParams,
        cuGraphExternalSemaphoresWaitNodeSetParams,
        cuGraphExecExternalSemaphoresWaitNodeSetParams,
        CUDA_EXT_SEM_WAIT_NODE_PARAMS,
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS
    );
    QuestionGroup::new("invalid-graphs", questions)
}
