//! Graphs that use what has ended.

use std::ptr::null_mut;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::cuda::*;

pub fn cases() -> Vec<Case> {
    vec![Case::new(Rule::GraphAlive, || in_order(false), || in_order(true)).fake()]
}

/// A graph that signals, launched twice with growing values.
fn in_order(graphs_first: bool) {
    let _context = context();
    let (semaphore, graph, stream) = (timeline(), graph(), stream());
    let node = signal_node(graph, &[semaphore], 1).expect("the node");
    let mut instance = null_mut();
    // SAFETY: the handles are alive, the pointers valid.
    unsafe {
        ok(cuGraphInstantiateWithFlags(&mut instance, graph, 0));
        ok(cuGraphLaunch(instance, stream));
        let (semaphores, values) = ([semaphore], [to_value(2)]);
        let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: semaphores.as_ptr().cast_mut(),
            paramsArray: values.as_ptr(),
            numExtSems: 1,
        };
        ok(cuGraphExecExternalSemaphoresSignalNodeSetParams(instance, node, &params));
        ok(cuGraphLaunch(instance, stream));
        if graphs_first {
            ok(cuGraphExecDestroy(instance));
            ok(cuGraphDestroy(graph));
        }
    }
    ok(destroy_semaphore(semaphore));
}
