//! A CUDA graph that waits for Vulkan and signals it: one graph, launched several times.
//!
//! What to look at:
//!
//! - the three nodes: a wait, then a fill, then a signal;
//! - the semaphore nodes' typed functions, whose deprecation cuda.h 13.5 announces, and the generic functions;
//! - the timeline's values, which must grow: before each launch they are set in the instantiated graph;
//! - the arrays of semaphores and values, which CUDA copies when a node is added and when its values are set;
//! - the order of the calls: each signal is submitted before the wait for it;
//! - the CPU, which waits only at the end.

example_support::example_main!(target_os = "linux", "graph_semaphores.rs", linux::example);

#[cfg(target_os = "linux")]
pub mod linux {
    use std::ptr::{null, null_mut};

    use ash::vk;
    use cuda_external_sys::*;
    use example_support::Result;
    use example_support::cuda::{Cuda, ImportedSemaphore, SignalWaitArrays, Stream};
    use example_support::shared_resources::{SharedBuffer, SharedSemaphore};
    use example_support::test_bytes::compare_bytes;
    use example_support::vulkan::{HostBuffer, SemaphoreKind, Vulkan};

    const SIZE: u64 = 1 << 20;
    const LAUNCHES: u64 = 4;
    /// The 32-bit value that CUDA writes. Vulkan writes zeros before each launch, so a missing fill is noticed.
    const VALUE: u32 = 0x1234_5678;

    /// The functions that add and set the semaphore nodes.
    #[derive(Clone, Copy, Debug)]
    enum NodeFunctions {
        /// The functions for one kind of node each, since CUDA 11.2.
        Typed,
        /// The functions for all kinds of nodes, which take `CUgraphNodeParams`, since CUDA 12.3.
        Generic,
    }

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        println!("{} in CUDA and in Vulkan, with a buffer and a timeline for both", cuda.name);
        for functions in [NodeFunctions::Typed, NodeFunctions::Generic] {
            launch_repeatedly(&cuda, &vulkan, functions)?;
        }
        Ok(())
    }

    fn launch_repeatedly(cuda: &Cuda, vulkan: &Vulkan, functions: NodeFunctions) -> Result<()> {
        let shared = SharedBuffer::new(vulkan, SIZE, true)?;
        let timeline = SharedSemaphore::new(vulkan, SemaphoreKind::Timeline)?;
        let stream = Stream::new()?;

        // In launch N, Vulkan signals 2N + 1. CUDA waits for 2N + 1, and signals 2N + 2.
        let mut nodes =
            SemaphoreNodes { functions, semaphore: &timeline.cuda, wait: null_mut(), signal: null_mut() };
        let fill = CUDA_MEMSET_NODE_PARAMS {
            dst: shared.address,
            value: VALUE,
            elementSize: 4,
            width: SIZE as usize / 4, // in elements
            height: 1,
            ..Default::default()
        };
        let (mut graph, mut exec, mut fill_node) = (null_mut(), null_mut(), null_mut());
        // SAFETY: here and below, the handles are live, and each pointer is to a variable of the expected type.
        unsafe {
            cuGraphCreate(&mut graph, 0).result()?;
            nodes.add_wait_node(graph, 1)?;
            cuGraphAddMemsetNode(&mut fill_node, graph, &nodes.wait, 1, &fill, cuda.context()).result()?;
            nodes.add_signal(graph, fill_node, 2)?;
            cuGraphInstantiate(&mut exec, graph, 0).result()?;
        }
        println!("{functions:?} functions: a graph of three nodes: wait, fill, signal");

        let seen = HostBuffer::new(vulkan, LAUNCHES * SIZE)?;
        let mut submissions = Vec::new();
        for launch in 0..LAUNCHES {
            let (before, after) = (2 * launch + 1, 2 * launch + 2);
            submissions.push(vulkan.submit(&[], &[(&timeline.vulkan, before)], |commands| {
                // SAFETY: the buffers outlive the submissions.
                unsafe { vulkan.device.cmd_fill_buffer(commands, shared.buffer.raw, 0, SIZE, 0) };
                vulkan.memory_barrier(commands);
                shared.buffer.release_to_cuda(commands);
            })?);
            // `submit` has enqueued Vulkan's signal. The launch enqueues the wait for it, the fill and CUDA's signal.
            unsafe {
                nodes.set_launch_values(exec, before, after)?;
                cuGraphLaunch(exec, stream.raw()).result()?;
            }
            submissions.push(vulkan.submit(&[(&timeline.vulkan, after)], &[], |commands| {
                shared.buffer.acquire_from_cuda(commands);
                let region = vk::BufferCopy::default().dst_offset(launch * SIZE).size(SIZE);
                // SAFETY: both buffers live until the submission is done.
                unsafe { vulkan.device.cmd_copy_buffer(commands, shared.buffer.raw, seen.raw, &[region]) };
                vulkan.memory_barrier(commands);
            })?);
        }
        for submission in submissions {
            submission.wait()?;
        }
        stream.finish()?;
        let expected = VALUE.to_ne_bytes().repeat((LAUNCHES * SIZE / 4) as usize);
        compare_bytes("all launches", seen.bytes(), &expected)?;
        println!("Vulkan read what CUDA wrote in {LAUNCHES} launches: every byte is right");

        // The stream is done. The graph is destroyed before the semaphore and the memory that its nodes use.
        unsafe {
            cuGraphExecDestroy(exec).result()?;
            cuGraphDestroy(graph).result()?;
        }
        Ok(())
    }

    struct SemaphoreNodes<'s> {
        functions: NodeFunctions,
        semaphore: &'s ImportedSemaphore,
        wait: CUgraphNode,
        signal: CUgraphNode,
    }

    impl SemaphoreNodes<'_> {
        unsafe fn add_wait_node(&mut self, graph: CUgraph, value: u64) -> Result<()> {
            let mut values = SignalWaitArrays::new(&[(self.semaphore, value)]);
            let (typed, mut generic) = (values.wait_node_params(), values.generic_wait_node_params());
            let node = &mut self.wait;
            // SAFETY: each array in `values` has one element, which CUDA copies. The node has no predecessor.
            let code = unsafe {
                match self.functions {
                    NodeFunctions::Typed => {
                        cuGraphAddExternalSemaphoresWaitNode(node, graph, null(), 0, &typed)
                    }
                    NodeFunctions::Generic => cuGraphAddNode(node, graph, null(), null(), 0, &mut generic),
                }
            };
            Ok(code.result()?)
        }

        unsafe fn add_signal(&mut self, graph: CUgraph, after: CUgraphNode, value: u64) -> Result<()> {
            let mut values = SignalWaitArrays::new(&[(self.semaphore, value)]);
            let (typed, mut generic) = (values.signal_node_params(), values.generic_signal_node_params());
            let node = &mut self.signal;
            // SAFETY: each array in `values` has one element, which CUDA copies. The node has one predecessor.
            let code = unsafe {
                match self.functions {
                    NodeFunctions::Typed => {
                        cuGraphAddExternalSemaphoresSignalNode(node, graph, &after, 1, &typed)
                    }
                    // Null edge data mean an ordinary dependency.
                    NodeFunctions::Generic => cuGraphAddNode(node, graph, &after, null(), 1, &mut generic),
                }
            };
            Ok(code.result()?)
        }

        /// Sets the values of the next launch.
        unsafe fn set_launch_values(&mut self, exec: CUgraphExec, before: u64, after: u64) -> Result<()> {
            let mut wait = SignalWaitArrays::new(&[(self.semaphore, before)]);
            let mut signal = SignalWaitArrays::new(&[(self.semaphore, after)]);
            // SAFETY: `exec` was instantiated from the graph of these nodes, and CUDA copies the parameters.
            let codes = unsafe {
                match self.functions {
                    NodeFunctions::Typed => [
                        cuGraphExecExternalSemaphoresWaitNodeSetParams(
                            exec,
                            self.wait,
                            &wait.wait_node_params(),
                        ),
                        cuGraphExecExternalSemaphoresSignalNodeSetParams(
                            exec,
                            self.signal,
                            &signal.signal_node_params(),
                        ),
                    ],
                    NodeFunctions::Generic => [
                        cuGraphExecNodeSetParams(exec, self.wait, &mut wait.generic_wait_node_params()),
                        cuGraphExecNodeSetParams(exec, self.signal, &mut signal.generic_signal_node_params()),
                    ],
                }
            };
            Ok(codes.into_iter().try_for_each(CUresult::result)?)
        }
    }
}
