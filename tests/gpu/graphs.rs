//! External semaphores in CUDA graphs, with Vulkan on the other side.

mod graph;

use std::ptr::null_mut;

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use graph::{Functions, Graph, Imported};

use crate::machine::{self, ok};
use interop::bytes::assert_same;
use interop::cuda::ImportedMemory;
use interop::vulkan::{Buffer, HostBuffer, Vulkan};

pub fn trials() -> Vec<Trial> {
    type Test = (&'static str, fn(&Vulkan, Functions));
    let tests: [Test; 8] = [
        ("a_graph_waits_for_vulkan_and_signals_it", waits_and_signals),
        ("without_its_wait_node_the_graph_does_not_wait", without_a_wait),
        ("launches_with_new_values_pass_data_both_ways", many_launches),
        ("a_node_returns_the_parameters_that_it_was_given", parameters),
        ("an_instantiated_graph_keeps_its_values_until_it_is_updated", updates),
        ("one_node_takes_several_semaphores", several),
        ("binary_semaphores_are_for_one_wait_each", binary),
        ("wrong_parameters_are_refused", refused),
    ];
    let mut trials = Vec::new();
    for (functions, prefix) in [(Functions::Typed, "graphs::typed"), (Functions::Generic, "graphs::generic")]
    {
        for (name, run) in tests {
            trials.push(machine::test(&format!("{prefix}::{name}"), move |vulkan| run(vulkan, functions)));
        }
    }
    trials
}

fn waits_and_signals(vulkan: &Vulkan, functions: Functions) {
    let timeline = Imported::timeline(vulkan);
    let mut graph = Graph::new(functions);
    graph.wait(&[(&timeline, 1)]);
    graph.signal(&[(&timeline, 2)]);
    graph.instantiate();
    graph.launch();
    graph.assert_held();
    assert_eq!(timeline.vulkan.value().unwrap(), 0);
    timeline.vulkan.signal(1).unwrap();
    timeline.vulkan.wait(2).unwrap();
    graph.finish();
}

/// So it is the node that holds the graph of the test above.
fn without_a_wait(vulkan: &Vulkan, functions: Functions) {
    let timeline = Imported::timeline(vulkan);
    let mut graph = Graph::new(functions);
    graph.signal(&[(&timeline, 2)]);
    graph.instantiate();
    graph.launch();
    graph.finish();
    assert_eq!(timeline.vulkan.value().unwrap(), 2);
}

/// Vulkan clears, CUDA fills, Vulkan looks: five hundred times, with the timeline alone to keep
/// the order. The CPU queues ahead of both.
fn many_launches(vulkan: &Vulkan, functions: Functions) {
    const LAUNCHES: u64 = 500;
    const SIZE: u64 = 64 << 10;
    let (buffer, memory) = Buffer::with_memory(vulkan, SIZE, false).unwrap();
    let import = ImportedMemory::from_vulkan(&memory).unwrap();
    let timeline = Imported::timeline(vulkan);
    let mut graph = Graph::new(functions);
    let wait = graph.wait(&[(&timeline, 0)]);
    graph.fill(import.map_buffer(0, SIZE).unwrap(), 0x6b, SIZE);
    let signal = graph.signal(&[(&timeline, 0)]);
    graph.instantiate();

    let seen = HostBuffer::new(vulkan, LAUNCHES * SIZE).unwrap();
    let mut submissions = Vec::new();
    for launch in 0..LAUNCHES {
        let (cleared, filled) = (2 * launch + 1, 2 * launch + 2);
        ok(graph.update_wait(wait, &[(&timeline, cleared)]));
        ok(graph.update_signal(signal, &[(&timeline, filled)]));
        graph.launch();
        let clear = vulkan.submit(&[], &[(timeline.vulkan.raw, cleared)], |commands| {
            // SAFETY: the buffer outlives the submission.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, 0) };
            vulkan.barrier(commands);
            buffer.release(commands);
        });
        let look = vulkan.submit(&[(timeline.vulkan.raw, filled)], &[], |commands| {
            buffer.acquire(commands);
            let region = vk::BufferCopy::default().dst_offset(launch * SIZE).size(SIZE);
            // SAFETY: as above.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, seen.raw, &[region]) };
            vulkan.barrier(commands);
        });
        submissions.extend([clear.unwrap(), look.unwrap()]);
    }
    for submission in submissions {
        submission.wait().unwrap();
    }
    graph.finish();
    assert_eq!(timeline.vulkan.value().unwrap(), 2 * LAUNCHES);
    assert_same("what Vulkan saw", seen.bytes(), &vec![0x6b; (LAUNCHES * SIZE) as usize]);
}

/// The arrays are the node's own: the caller's are gone when they are read back.
fn parameters(vulkan: &Vulkan, functions: Functions) {
    let (one, other) = (Imported::timeline(vulkan), Imported::timeline(vulkan));
    let mut graph = Graph::new(functions);
    let wait = graph.wait(&[(&one, 3), (&other, 5)]);
    let signal = graph.signal(&[(&other, 7)]);
    assert_eq!(waits_of(wait), [(one.cuda.raw(), 3), (other.cuda.raw(), 5)]);
    assert_eq!(signals_of(signal), [(other.cuda.raw(), 7)]);

    ok(graph.set_wait(wait, &[(&other, 11)]));
    ok(graph.set_signal(signal, &[(&one, 13), (&other, 17)]));
    assert_eq!(waits_of(wait), [(other.cuda.raw(), 11)]);
    assert_eq!(signals_of(signal), [(one.cuda.raw(), 13), (other.cuda.raw(), 17)]);

    let mut params = CUgraphNodeParams::default();
    // SAFETY: the function writes the parameters; the arrays are the node's, which lives.
    let code = unsafe { cuGraphNodeGetParams(wait, &mut params) };
    // The function came with CUDA 13.2. An older driver does not have it.
    if load().unwrap().version() < 13020 {
        assert_eq!(code, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    } else {
        ok(code);
        assert_eq!(params.type_, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
        // SAFETY: the node is a wait node, with one semaphore.
        let found = unsafe {
            let wait = params.params.extSemWait;
            (wait.numExtSems, *wait.extSemArray, (*wait.paramsArray).params.fence.value)
        };
        assert_eq!(found, (1, other.cuda.raw(), 11));
    }
}

fn waits_of(node: CUgraphNode) -> Vec<(CUexternalSemaphore, u64)> {
    let mut params = CUDA_EXT_SEM_WAIT_NODE_PARAMS::default();
    // SAFETY: the function writes the parameters; the arrays are the node's, which lives.
    unsafe {
        ok(cuGraphExternalSemaphoresWaitNodeGetParams(node, &mut params));
        let at = |i| (*params.extSemArray.add(i), (*params.paramsArray.add(i)).params.fence.value);
        (0..params.numExtSems as usize).map(at).collect()
    }
}

fn signals_of(node: CUgraphNode) -> Vec<(CUexternalSemaphore, u64)> {
    let mut params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS::default();
    // SAFETY: as above.
    unsafe {
        ok(cuGraphExternalSemaphoresSignalNodeGetParams(node, &mut params));
        let at = |i| (*params.extSemArray.add(i), (*params.paramsArray.add(i)).params.fence.value);
        (0..params.numExtSems as usize).map(at).collect()
    }
}

fn updates(vulkan: &Vulkan, functions: Functions) {
    let timeline = Imported::timeline(vulkan);
    let mut graph = Graph::new(functions);
    let wait = graph.wait(&[(&timeline, 1)]);
    let signal = graph.signal(&[(&timeline, 2)]);
    graph.instantiate();

    // The graph's node is a template: what was instantiated from it does not change with it.
    ok(graph.set_wait(wait, &[(&timeline, 100)]));
    graph.launch();
    timeline.vulkan.signal(1).unwrap();
    graph.finish();
    assert_eq!(timeline.vulkan.value().unwrap(), 2);

    // An update is for the launches after it: this one is queued, and keeps its own values.
    ok(graph.update_wait(wait, &[(&timeline, 3)]));
    ok(graph.update_signal(signal, &[(&timeline, 4)]));
    graph.launch();
    ok(graph.update_wait(wait, &[(&timeline, 5)]));
    ok(graph.update_signal(signal, &[(&timeline, 6)]));
    graph.assert_held();
    timeline.vulkan.signal(3).unwrap();
    graph.finish();
    assert_eq!(timeline.vulkan.value().unwrap(), 4);
    graph.launch();
    graph.assert_held();
    timeline.vulkan.signal(5).unwrap();
    graph.finish();
    assert_eq!(timeline.vulkan.value().unwrap(), 6);

    // Another semaphore, in the same node.
    let other = Imported::timeline(vulkan);
    ok(graph.update_wait(wait, &[(&other, 1)]));
    ok(graph.update_signal(signal, &[(&other, 2)]));
    graph.launch();
    graph.assert_held();
    other.vulkan.signal(1).unwrap();
    graph.finish();
    assert_eq!((timeline.vulkan.value().unwrap(), other.vulkan.value().unwrap()), (6, 2));
}

fn several(vulkan: &Vulkan, functions: Functions) {
    let semaphores = [(); 4].map(|()| Imported::timeline(vulkan));
    let with = |value: u64| Vec::from_iter(semaphores.iter().map(|semaphore| (semaphore, value)));
    let mut graph = Graph::new(functions);
    graph.wait(&with(1));
    graph.signal(&with(2));
    graph.instantiate();
    graph.launch();
    for semaphore in &semaphores {
        graph.assert_held();
        semaphore.vulkan.signal(1).unwrap();
    }
    graph.finish();
    assert!(semaphores.iter().all(|semaphore| semaphore.vulkan.value().unwrap() == 2));
}

fn binary(vulkan: &Vulkan, functions: Functions) {
    let (from_vulkan, from_cuda) = (Imported::binary(vulkan), Imported::binary(vulkan));
    let mut graph = Graph::new(functions);
    graph.wait(&[(&from_vulkan, 0)]);
    graph.signal(&[(&from_cuda, 0)]);
    graph.instantiate();
    for _ in 0..3 {
        // A wait for a binary semaphore is queued after its signal.
        let signaled = vulkan.submit(&[], &[(from_vulkan.vulkan.raw, 0)], |_| {}).unwrap();
        signaled.wait().unwrap();
        graph.launch();
        let waited = vulkan.submit(&[(from_cuda.vulkan.raw, 0)], &[], |_| {}).unwrap();
        waited.wait().unwrap();
        graph.finish();
    }
    // The third wait has taken the third signal: a fourth launch is held.
    graph.launch();
    graph.assert_held();
    vulkan.submit(&[], &[(from_vulkan.vulkan.raw, 0)], |_| {}).unwrap().wait().unwrap();
    graph.finish();
}

fn refused(vulkan: &Vulkan, functions: Functions) {
    let timeline = Imported::timeline(vulkan);
    let mut graph = Graph::new(functions);
    let wait = graph.wait(&[(&timeline, 1)]);
    let signal = graph.signal(&[(&timeline, 2)]);
    graph.instantiate();
    let (one, two) = (&[(&timeline, 1)], &[(&timeline, 1), (&timeline, 3)]);
    let wrong = [
        // How many semaphores a node has is fixed when its graph is instantiated.
        ("more semaphores", graph.update_wait(wait, two)),
        ("more semaphores", graph.update_signal(signal, two)),
        ("no semaphore", graph.update_wait(wait, &[])),
        ("no semaphore", graph.update_signal(signal, &[])),
        ("a signal node as a wait", graph.update_wait(signal, one)),
        ("a wait node as a signal", graph.update_signal(wait, one)),
        ("no node", graph.update_wait(null_mut(), one)),
        ("no node", graph.update_signal(null_mut(), one)),
        // SAFETY: the functions write parameters at most.
        ("the waits of a signal node", unsafe {
            cuGraphExternalSemaphoresWaitNodeGetParams(signal, &mut Default::default())
        }),
        ("the signals of a wait node", unsafe {
            cuGraphExternalSemaphoresSignalNodeGetParams(wait, &mut Default::default())
        }),
    ];
    for (what, code) in wrong {
        assert_eq!(code, CUDA_ERROR_INVALID_VALUE, "{what}");
    }
    // And what was refused has changed nothing.
    graph.launch();
    graph.assert_held();
    timeline.vulkan.signal(1).unwrap();
    graph.finish();
    assert_eq!(timeline.vulkan.value().unwrap(), 2);
}
