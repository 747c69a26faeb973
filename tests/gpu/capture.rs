//! Waits and signals in a stream that is being captured: what they become, with which values, and what a launch does.

use std::ptr::{null_mut, without_provenance_mut};
use std::thread;

use cuda_external_sys::*;
use interop::cuda::{DeviceMemory, Stream, read};
use interop::shared::SharedSemaphore;
use interop::vulkan::{Kind, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::assert_held;
use crate::graphs::graph::{Action, Graph, Node};
use crate::machine::{cuda, cuda_test, ok, vulkan_test};

const MODES: [CUstreamCaptureMode; 3] =
    [CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED];

const SIZE: usize = 1 << 20;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => a_wait_and_a_signal_become_nodes_in_every_mode;
        cuda_test => mistakes_are_refused;
    }
}

extern_driver! {
    fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize) -> CUresult;
    fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType) -> CUresult;
}

fn status(stream: CUstream) -> CUstreamCaptureStatus {
    let mut status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    // SAFETY: the function writes a status.
    ok(unsafe { cuStreamIsCapturing(stream, &mut status) });
    status
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> CUresult {
    // SAFETY: the stream lives.
    unsafe { cuStreamBeginCapture(stream, mode) }
}

fn end(stream: CUstream) -> Result<CUgraph, CUresult> {
    let mut graph = without_provenance_mut(1);
    // SAFETY: the function writes a graph.
    let code = unsafe { cuStreamEndCapture(stream, &mut graph) };
    assert_eq!(
        code == CUDA_SUCCESS,
        !graph.is_null() && graph.addr() != 1,
        "{code} with the graph {graph:?}"
    );
    code.result().map(|()| graph)
}

/// Captures what `enqueue` enqueues.
fn capture(stream: &Stream, mode: CUstreamCaptureMode, enqueue: impl FnOnce()) -> Graph {
    assert_eq!(status(stream.raw()), CU_STREAM_CAPTURE_STATUS_NONE);
    ok(begin(stream.raw(), mode));
    assert_eq!(status(stream.raw()), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    enqueue();
    let graph = end(stream.raw()).unwrap();
    assert_eq!(status(stream.raw()), CU_STREAM_CAPTURE_STATUS_NONE);
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

fn a_wait_and_a_signal_become_nodes_in_every_mode(vulkan: &Vulkan) {
    let (stream, memory) = (Stream::new().unwrap(), DeviceMemory::new(SIZE).unwrap());
    for mode in MODES {
        for kind in [Kind::Binary, Kind::Timeline] {
            println!("mode {}, {}", mode.0, kind.name());
            let [before, after] = [(); 2].map(|()| SharedSemaphore::new(vulkan, kind).unwrap());
            stream.fill(memory.address, 0, SIZE).unwrap();
            stream.finish().unwrap();
            let captured = capture(&stream, mode, || {
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
                assert!(kind == Kind::Binary || values[0].1 == expected.1, "{values:?}");
            }
            // Nothing has run during the capture.
            assert_eq!(read(memory.address, SIZE).unwrap(), [0; SIZE]);

            captured.launch();
            assert_held(&captured.stream);
            match kind {
                Kind::Timeline => before.vulkan.signal(5).unwrap(),
                Kind::Binary => {
                    let signal = vulkan.submit(&[], &[(&before.vulkan, 0)], |_| {});
                    signal.unwrap().wait().unwrap();
                }
            }
            let wait = vulkan.submit(&[(&after.vulkan, 6)], &[], |_| {});
            wait.unwrap().wait().unwrap();
            captured.stream.finish().unwrap();
            assert_eq!(read(memory.address, SIZE).unwrap(), [7; SIZE]);
            if kind == Kind::Timeline {
                assert_eq!(after.vulkan.value().unwrap(), 6);
                // The next launch would signal the captured value again.
                ok(captured.update(semaphore_node(&captured, Action::Signal), &[(&after.cuda, 7)]));
                captured.launch();
                captured.stream.finish().unwrap();
                assert_eq!(after.vulkan.value().unwrap(), 7);
            }
        }
    }
}

fn mistakes_are_refused() {
    let stream = Stream::new().unwrap();
    assert_eq!(end(stream.raw()), Err(CUDA_ERROR_ILLEGAL_STATE));
    assert_eq!(begin(null_mut(), CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(begin(stream.raw(), CUstreamCaptureMode(3)), CUDA_ERROR_INVALID_VALUE);

    // An end from another thread is the end of a relaxed capture. It ends another capture too, without a graph.
    for mode in [CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED] {
        ok(begin(stream.raw(), mode));
        assert_eq!(begin(stream.raw(), mode), CUDA_ERROR_ILLEGAL_STATE);
        let raw = stream.raw().addr();
        let elsewhere = move || {
            cuda();
            end(without_provenance_mut(raw)).map(<*mut _>::addr)
        };
        match thread::spawn(elsewhere).join().unwrap() {
            Ok(graph) if mode == CU_STREAM_CAPTURE_MODE_RELAXED => destroy(without_provenance_mut(graph)),
            result => assert_eq!(result, Err(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)),
        }
        assert_eq!(end(stream.raw()), Err(CUDA_ERROR_ILLEGAL_STATE));
    }

    // Allocating memory may disturb a capture.
    for mode in MODES {
        ok(begin(stream.raw(), mode));
        let mut address = 0;
        // SAFETY: the function writes an address.
        let code = unsafe { cuMemAlloc(&mut address, SIZE) };
        if mode == CU_STREAM_CAPTURE_MODE_RELAXED {
            ok(code);
            // SAFETY: it was allocated here.
            ok(unsafe { cuMemFree(address) });
            destroy(end(stream.raw()).unwrap());
        } else {
            assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
            assert_eq!(status(stream.raw()), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
            assert_eq!(end(stream.raw()), Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
        }
        assert_eq!(status(stream.raw()), CU_STREAM_CAPTURE_STATUS_NONE);
    }
}

fn destroy(graph: CUgraph) {
    // SAFETY: the graph is destroyed once.
    ok(unsafe { cuGraphDestroy(graph) });
}
