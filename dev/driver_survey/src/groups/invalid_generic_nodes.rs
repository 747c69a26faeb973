//! Invalid arguments for the graph functions that take nodes of every kind, and for a graph's own life.

use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{ImportedSemaphore, SemaphoreValues};

use super::fixtures::graph_fixtures::{
    create_graph, create_memset_node, destroy_graph, destroyed_exec, instantiate,
};
use super::fixtures::question::Question;
use super::invalid_memory::{ask_one_call, calls};
use super::invalid_semaphores::{destroyed_semaphore, imported_timeline};

/// The parameters of a signal to 2. They live until the process ends. The semaphore may be invalid on purpose.
fn leak_signal(semaphore: CUexternalSemaphore) -> &'static mut SemaphoreValues {
    // SAFETY: it is never dropped.
    let semaphore = ManuallyDrop::new(unsafe { ImportedSemaphore::from_raw(semaphore) });
    Box::leak(Box::new(SemaphoreValues::new(&[(&semaphore, 2)])))
}

/// A signal node's parameters for the functions that take every kind.
fn valid_node_params() -> Result<CUgraphNodeParams> {
    Ok(leak_signal(imported_timeline()?).generic_signal_node())
}

/// Instantiates and launches a graph with one signal node. Adding the node does not check its semaphores.
fn launch_signal_node(semaphore: CUexternalSemaphore, count: u32) -> Result<CUresult> {
    let (graph, mut exec) = (create_graph()?, null_mut());
    let node = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { numExtSems: count, ..leak_signal(semaphore).signal_node() };
    unsafe {
        cuGraphAddExternalSemaphoresSignalNode(&mut null_mut(), graph, null(), 0, &node).result()?;
        match cuGraphInstantiateWithFlags(&mut exec, graph, 0) {
            CUDA_SUCCESS => Ok(cuGraphLaunch(exec, null_mut())),
            code => Ok(code),
        }
    }
}

fn create_node() -> Result<(CUgraph, CUgraphNode)> {
    let (graph, mut node) = (create_graph()?, null_mut());
    unsafe { cuGraphAddNode(&mut node, graph, null(), null(), 0, &mut valid_node_params()?) }.result()?;
    Ok((graph, node))
}

pub fn add_questions(questions: &mut Vec<Question>) {
    calls! { questions, ask_one_call, (),
        cuGraphAddNode {
            "valid" => (&mut null_mut(), create_graph()?, null(), null(), 0, &mut valid_node_params()?);
            "null for the node" => (null_mut(), create_graph()?, null(), null(), 0, &mut valid_node_params()?);
            "null for the graph" => (&mut null_mut(), null_mut(), null(), null(), 0, &mut valid_node_params()?);
            "null for the parameters" => (&mut null_mut(), create_graph()?, null(), null(), 0, null_mut());
            "an unknown kind" =>
                { let mut params = CUgraphNodeParams { type_: CUgraphNodeType(99), ..valid_node_params()? }; }
                (&mut null_mut(), create_graph()?, null(), null(), 0, &mut params);
            "a reserved field that is not zero" => { let mut params = valid_node_params()?; params.reserved0[0] = 1; }
                (&mut null_mut(), create_graph()?, null(), null(), 0, &mut params);
        }
        cuGraphNodeSetParams {
            "valid" => (create_node()?.1, &mut valid_node_params()?);
            "null for the node" => (null_mut(), &mut valid_node_params()?);
            "null for the parameters" => (create_node()?.1, null_mut());
            "a node of another kind" => (create_memset_node()?.1, &mut valid_node_params()?);
        }
        cuGraphNodeGetParams {
            "valid" => (create_node()?.1, &mut Default::default());
            "null for the node" => (null_mut(), &mut Default::default());
            "null for the parameters" => (create_node()?.1, null_mut());
        }
        cuGraphExecNodeSetParams {
            "valid" => { let (graph, node) = create_node()?; } (instantiate(graph)?, node, &mut valid_node_params()?);
            "null for the executable graph" => (null_mut(), create_node()?.1, &mut valid_node_params()?);
            "null for the parameters" => { let (graph, node) = create_node()?; } (instantiate(graph)?, node, null_mut());
        }
    }
    let mut launch = |what: &str, semaphore: fn() -> Result<CUexternalSemaphore>, count| {
        let name = format!("cuGraphInstantiateWithFlags, cuGraphLaunch: a signal node{what}");
        questions.push(ask_one_call(&name, move |()| launch_signal_node(semaphore()?, count)));
    };
    launch("", imported_timeline, 1);
    launch(" with no semaphore", imported_timeline, 0);
    launch(" with a null semaphore", || Ok(null_mut()), 1);
    launch(" with a destroyed semaphore", destroyed_semaphore, 1);
    calls! { questions, ask_one_call, (),
        cuGraphCreate {
            "null for the graph" => (null_mut(), 0);
            "an unknown flag" => (&mut null_mut(), 1);
        }
        cuGraphInstantiateWithFlags {
            "null for the graph" => (&mut null_mut(), null_mut(), 0);
            "unknown flags" => (&mut null_mut(), create_memset_node()?.0, 1 << 40);
        }
        cuGraphLaunch {
            "null for the executable graph" => (null_mut(), null_mut());
            "a destroyed executable graph" => (destroyed_exec(create_memset_node()?.0)?, null_mut());
        }
        cuGraphExecDestroy { "null" => (null_mut()); }
        cuGraphDestroy {
            "null" => (null_mut());
            "a destroyed graph" => (destroy_graph(create_graph()?)?);
        }
    }
}
