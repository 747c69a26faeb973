//! Waits and signals in a stream that is being captured: what they become, with which values, and what a launch does.
//! What is refused, the survey asks (its group `streams`).

use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::{DeviceMemory, Stream, read};
use example_support::shared_resources::SharedSemaphore;
use example_support::vulkan::{SemaphoreKind, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::assert_held;
use crate::graphs::graph::{Action, Graph, Node};
use crate::machine::{ok, vulkan_test};

const SIZE: usize = 1 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => a_wait_and_a_signal_become_nodes;
    }
}

extern_driver! {
    fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize) -> CUresult;
    fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType) -> CUresult;
}

/// Captures what `enqueue` enqueues.
fn capture(stream: &Stream, enqueue: impl FnOnce()) -> Graph {
    // SAFETY: the stream lives.
    ok(unsafe { cuStreamBeginCapture(stream.raw(), CU_STREAM_CAPTURE_MODE_GLOBAL) });
    enqueue();
    let mut graph = null_mut();
    // SAFETY: the function writes a graph.
    ok(unsafe { cuStreamEndCapture(stream.raw(), &mut graph) });
    Graph::captured(graph)
}

/// The graph's nodes with their types.
fn nodes(graph: &Graph) -> Vec<(CUgraphNode, CUgraphNodeType)> {
    let mut nodes = [null_mut(); 8];
    let mut count = nodes.len();
    // SAFETY: the function writes no more nodes than said.
    ok(unsafe { cuGraphGetNodes(graph.raw, nodes.as_mut_ptr(), &mut count) });
    let with_type = |node: &CUgraphNode| {
        let mut kind = CU_GRAPH_NODE_TYPE_EMPTY;
        // SAFETY: the function writes a type.
        ok(unsafe { cuGraphNodeGetType(*node, &mut kind) });
        (*node, kind)
    };
    nodes[..count].iter().map(with_type).collect()
}

fn semaphore_node(graph: &Graph, action: Action) -> Node {
    let kind = match action {
        Action::Wait => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
        Action::Signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
    };
    let nodes = nodes(graph);
    let (raw, _) = nodes.iter().find(|(_, of_node)| *of_node == kind).expect("a node of this type");
    Node { raw: *raw, action }
}

fn a_wait_and_a_signal_become_nodes(vulkan: &Vulkan) {
    let (stream, memory) = (Stream::new().unwrap(), DeviceMemory::new(SIZE).unwrap());
    for kind in [SemaphoreKind::Binary, SemaphoreKind::Timeline] {
        println!("{}", kind.name());
        let [before, after] = [(); 2].map(|()| SharedSemaphore::new(vulkan, kind).unwrap());
        stream.fill(memory.address, 0, SIZE).unwrap();
        stream.finish().unwrap();
        let captured = capture(&stream, || {
            stream.wait(&[(&before.cuda, 5)]).unwrap();
            stream.fill(memory.address, 7, SIZE).unwrap();
            stream.signal(&[(&after.cuda, 6)]).unwrap();
        });
        let mut types: Vec<u32> = nodes(&captured).iter().map(|(_, kind)| (*kind).into()).collect();
        types.sort_unstable();
        assert_eq!(types, [2, 8, 9], "a fill, a signal and a wait");
        for (action, expected) in [(Action::Wait, (&before, 5)), (Action::Signal, (&after, 6))] {
            let values = semaphore_node(&captured, action).values();
            assert_eq!((values.len(), values[0].0), (1, expected.0.cuda.raw()));
            assert!(kind == SemaphoreKind::Binary || values[0].1 == expected.1, "{values:?}");
        }
        // Nothing has run during the capture.
        assert_eq!(read(memory.address, SIZE).unwrap(), [0; SIZE]);

        captured.launch();
        assert_held(&captured.stream);
        match kind {
            SemaphoreKind::Timeline => before.vulkan.signal(5).unwrap(),
            SemaphoreKind::Binary => {
                let signal = vulkan.submit(&[], &[(&before.vulkan, 0)], |_| {});
                signal.unwrap().wait().unwrap();
            }
        }
        let wait = vulkan.submit(&[(&after.vulkan, 6)], &[], |_| {});
        wait.unwrap().wait().unwrap();
        captured.stream.finish().unwrap();
        assert_eq!(read(memory.address, SIZE).unwrap(), [7; SIZE]);
        if kind == SemaphoreKind::Timeline {
            assert_eq!(after.vulkan.value().unwrap(), 6);
            // The next launch would signal the captured value again.
            ok(captured.update(semaphore_node(&captured, Action::Signal), &[(&after.cuda, 7)]));
            captured.launch();
            captured.stream.finish().unwrap();
            assert_eq!(after.vulkan.value().unwrap(), 7);
        }
    }
}
