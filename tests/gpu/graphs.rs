//! External semaphores in CUDA graphs, with Vulkan on the other side. The example `graph_semaphores` passes data by
//! them, also with the functions for all kinds of nodes.

use libtest_mimic::Trial;

use crate::fixtures::{self, assert_held};
use crate::opened_devices::{assert_success, vulkan_test};
use crate::semaphore_graph::NodeAction::{Signal, Wait};
use crate::semaphore_graph::{SemaphoreGraph, SemaphoreNode};
use example_support::shared_resources::SharedSemaphore;
use example_support::vulkan::Vulkan;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => one_node_takes_several_semaphores, an_instantiated_graph_keeps_its_values_until_it_is_updated, binary_semaphores_are_for_one_wait_each;
    }
}

/// Updates both nodes to wait for `from` and signal `from + 1` of the timeline.
#[track_caller]
fn update(graph: &SemaphoreGraph, [wait, signal]: [SemaphoreNode; 2], timeline: &SharedSemaphore, from: u64) {
    assert_success(graph.update(wait, &[(&timeline.cuda, from)]));
    assert_success(graph.update(signal, &[(&timeline.cuda, from + 1)]));
}

/// Launches the graph, which waits for `from` and signals `from + 1`.
#[track_caller]
fn launch_and_signal(graph: &SemaphoreGraph, timeline: &SharedSemaphore, from: u64) {
    graph.launch();
    assert_held(&graph.stream);
    timeline.vulkan.signal(from).unwrap();
    graph.stream.finish().unwrap();
    assert_eq!(timeline.vulkan.value().unwrap(), from + 1);
}

fn one_node_takes_several_semaphores(vulkan: &Vulkan) {
    let semaphores = [(); 4].map(|()| fixtures::shared_timeline(vulkan));
    let with = |value: u64| Vec::from_iter(semaphores.iter().map(|semaphore| (&semaphore.cuda, value)));
    let mut graph = SemaphoreGraph::new();
    graph.add(Wait, &with(1));
    graph.add(Signal, &with(2));
    graph.instantiate();
    graph.launch();
    for semaphore in &semaphores {
        assert_held(&graph.stream);
        semaphore.vulkan.signal(1).unwrap();
    }
    graph.stream.finish().unwrap();
    assert_eq!(semaphores.each_ref().map(|semaphore| semaphore.vulkan.value().unwrap()), [2; 4]);
}

fn an_instantiated_graph_keeps_its_values_until_it_is_updated(vulkan: &Vulkan) {
    // Both outlive the graph.
    let [timeline, other] = [(); 2].map(|()| fixtures::shared_timeline(vulkan));
    let mut graph = SemaphoreGraph::new();
    let wait = graph.add(Wait, &[(&timeline.cuda, 1)]);
    let signal = graph.add(Signal, &[(&timeline.cuda, 2)]);
    graph.instantiate();

    // The graph's node is a template: what was instantiated from it does not change with it.
    assert_success(graph.set(wait, &[(&timeline.cuda, 100)]));
    launch_and_signal(&graph, &timeline, 1);

    // An update affects later launches only: this one is queued already, and keeps its values.
    update(&graph, [wait, signal], &timeline, 3);
    graph.launch();
    update(&graph, [wait, signal], &timeline, 5);
    assert_held(&graph.stream);
    timeline.vulkan.signal(3).unwrap();
    graph.stream.finish().unwrap();
    assert_eq!(timeline.vulkan.value().unwrap(), 4);
    launch_and_signal(&graph, &timeline, 5);

    // Another semaphore, in the same node.
    update(&graph, [wait, signal], &other, 1);
    launch_and_signal(&graph, &other, 1);
    assert_eq!(timeline.vulkan.value().unwrap(), 6);
}

fn binary_semaphores_are_for_one_wait_each(vulkan: &Vulkan) {
    let [from_vulkan, from_cuda] = [(); 2].map(|()| fixtures::shared_binary(vulkan));
    let mut graph = SemaphoreGraph::new();
    graph.add(Wait, &[(&from_vulkan.cuda, 0)]);
    graph.add(Signal, &[(&from_cuda.cuda, 0)]);
    graph.instantiate();
    for _ in 0..3 {
        // A wait for a binary semaphore is queued after its signal.
        let signaled = vulkan.submit(&[], &[(&from_vulkan.vulkan, 0)], |_| {}).unwrap();
        signaled.wait().unwrap();
        graph.launch();
        let waited = vulkan.submit(&[(&from_cuda.vulkan, 0)], &[], |_| {}).unwrap();
        waited.wait().unwrap();
        graph.stream.finish().unwrap();
    }
    // The third wait consumed the third signal, so a fourth launch must wait.
    graph.launch();
    assert_held(&graph.stream);
    vulkan.submit(&[], &[(&from_vulkan.vulkan, 0)], |_| {}).unwrap().wait().unwrap();
    graph.stream.finish().unwrap();
}
