//! Calls that make graphs' nodes, and those that launch graphs.

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::objects::Use;
use crate::layer::report::Finding;
use crate::layer::semaphores::{self, Params};
use crate::layer::state::state;
use crate::layer::transfers::{self, Touched};
use crate::rules::Rule;

/// Where the parameters of a node go: a new node of a graph, a node, or a node of an instance.
#[derive(Clone, Copy)]
pub enum Target {
    New { graph: usize, out: *mut CUgraphNode },
    Node(CUgraphNode),
    Instance { instance: usize, node: CUgraphNode },
}

impl Target {
    /// Calls the driver and notes what the node uses then.
    fn run(self, uses: Vec<Use>, real: impl FnOnce() -> CUresult) -> CUresult {
        let code = real();
        if code != CUDA_SUCCESS {
            return code;
        }
        let graphs = &mut state().graphs;
        match self {
            Self::New { out, .. } if out.is_null() => {}
            // SAFETY: not null, and written by a successful call.
            Self::New { graph, out } => graphs.set(Some(graph), None, unsafe { *out }.addr(), uses),
            Self::Node(node) => graphs.set(None, None, node.addr(), uses),
            Self::Instance { instance, node } => graphs.set(None, Some(instance), node.addr(), uses),
        }
        code
    }
}

/// A node that signals or waits.
///
/// # Safety
///
/// The pointers are null, or valid as the driver needs them.
pub unsafe fn semaphore_node<P: Params>(
    call: &'static str,
    target: Target,
    arrays: Option<(*const CUexternalSemaphore, *const P, u32)>,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    let Some((semaphores, params, count)) = arrays else { return real() };
    let mut state = state();
    state.look_at_descriptors();
    // SAFETY: the caller's promise.
    let uses = match unsafe { semaphores::check(&mut state, call, semaphores, params, count) } {
        Ok(uses) => uses,
        Err(code) => return code,
    };
    drop(state);
    target.run(uses, real)
}

/// A node that copies or fills.
pub fn transfer_node(
    call: &'static str,
    target: Target,
    touched: &[Touched],
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    match transfers::check(call, touched) {
        Ok(objects) => {
            let uses = objects.into_iter().map(Use::of_memory).collect();
            target.run(uses, real)
        }
        Err(code) => code,
    }
}

/// A node of any kind, described by CUgraphNodeParams.
///
/// # Safety
///
/// As above.
pub unsafe fn node(
    call: &'static str,
    target: Target,
    params: *const CUgraphNodeParams,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    // SAFETY: the caller's promise; the kind says which field of the union is set.
    unsafe {
        let Some(params) = params.as_ref() else { return real() };
        match params.type_ {
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
                let CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 { extSemArray, paramsArray, numExtSems, .. } =
                    params.params.extSemSignal;
                semaphore_node(call, target, Some((extSemArray.cast_const(), paramsArray, numExtSems)), real)
            }
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
                let CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 { extSemArray, paramsArray, numExtSems, .. } =
                    params.params.extSemWait;
                semaphore_node(call, target, Some((extSemArray.cast_const(), paramsArray, numExtSems)), real)
            }
            CU_GRAPH_NODE_TYPE_MEMSET => {
                let memset = params.params.memset;
                transfer_node(call, target, &[Touched::rows(memset.dst, memset.width, memset.height)], real)
            }
            CU_GRAPH_NODE_TYPE_MEMCPY => {
                let copy = params.params.memcpy.copyParams;
                transfer_node(call, target, &transfers::of_copy_3d(&copy), real)
            }
            CU_GRAPH_NODE_TYPE_GRAPH => {
                // The parent may own the child from now on, and destroy it.
                state().graphs.destroyed(params.params.graph.graph.addr());
                real()
            }
            _ => real(),
        }
    }
}

/// cuGraphLaunch.
pub fn launch(
    call: &'static str,
    instance: usize,
    stream: usize,
    real: impl FnOnce() -> CUresult,
) -> CUresult {
    let mut state = state();
    let uses = state.graphs.uses_of(instance);
    if uses.is_empty() {
        drop(state);
        return real();
    }
    for Use { object, .. } in &uses {
        if state.objects.get(*object).is_some_and(|object| object.ended.is_some()) {
            let text = format!("Graph {instance:#x} is launched, and has a node that uses it.");
            state.report_once(*object, Finding::new(Rule::UseAfterEnd, call, text).about(*object));
        }
    }
    let context = driver::current_context();
    let is_executed = !driver::is_capturing(stream);
    if is_executed {
        state.check_values(call, &uses, stream);
    }
    drop(state);
    let code = real();
    if code == CUDA_SUCCESS && is_executed {
        self::state().note_uses(&uses, context, stream);
    }
    code
}

/// The arrays of a node's parameters, in the functions for one kind of node.
///
/// # Safety
///
/// The pointer is null or valid.
pub unsafe fn signal_arrays(
    params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
) -> Option<(*const CUexternalSemaphore, *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, u32)> {
    // SAFETY: the caller's promise.
    let params = unsafe { params.as_ref() }?;
    Some((params.extSemArray.cast_const(), params.paramsArray, params.numExtSems))
}

/// As [`signal_arrays`], for waits.
///
/// # Safety
///
/// As there.
pub unsafe fn wait_arrays(
    params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
) -> Option<(*const CUexternalSemaphore, *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, u32)> {
    // SAFETY: the caller's promise.
    let params = unsafe { params.as_ref() }?;
    Some((params.extSemArray.cast_const(), params.paramsArray, params.numExtSems))
}

/// The handle that a function wrote.
///
/// # Safety
///
/// The pointer is null, or the call wrote to it.
pub unsafe fn written<T>(out: *mut *mut T) -> Option<usize> {
    // SAFETY: the caller's promise.
    (!out.is_null()).then(|| unsafe { *out }.addr())
}
