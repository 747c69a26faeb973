//! A CUDA graph that waits for Vulkan and signals it: one graph, launched again and again.
//!
//! Look at: the three nodes, wait, fill and signal, each after the one before; the timeline's
//! values, which must grow, so that every launch but the first needs new ones (`set_values`), set in
//! the instantiated graph without building it again; the arrays, which CUDA copies when a node is
//! made or set; who waits for what: the CPU waits for nothing until the very end.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("graph_semaphores.rs"), example)
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This example shares opaque file descriptors, which exist on Linux alone.");
}

#[cfg(target_os = "linux")]
fn example() -> interop::Result<()> {
    use std::ptr::null_mut;

    use ash::vk;
    use cuda_external_sys::*;
    use interop::cuda::{self, Cuda};
    use interop::vulkan::{Buffer, HostBuffer, Semaphore, Vulkan};

    const SIZE: u64 = 1 << 20;
    const LAUNCHES: u64 = 4;
    /// What CUDA fills with. Vulkan fills with zeros before, so it cannot be left from last time.
    const VALUE: u32 = 0x1234_5678;

    // What both sides know: a buffer, and a timeline that says whose turn it is.
    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    let (buffer, memory) = Buffer::with_memory(&vulkan, SIZE, true)?;
    let timeline = Semaphore::timeline(&vulkan, 0)?;
    let imported = cuda::import_memory(memory.export()?, memory.size, memory.dedicated)?;
    let address = cuda::map_buffer(imported, 0, SIZE)?;
    let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let mut semaphore = cuda::import_semaphore(timeline.export()?, kind)?;
    println!("{} in CUDA and in Vulkan, with a buffer and a timeline for both", cuda.name);

    // The graph. In launch N Vulkan signals 2N + 1, CUDA waits for that and signals 2N + 2.
    let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    let mut set_values = |launch: u64| {
        wait.params.fence.value = 2 * launch + 1;
        signal.params.fence.value = 2 * launch + 2;
        let one = &raw mut semaphore;
        (
            CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: one, paramsArray: &raw const wait, numExtSems: 1 },
            CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
                extSemArray: one,
                paramsArray: &raw const signal,
                numExtSems: 1,
            },
        )
    };
    let fill = CUDA_MEMSET_NODE_PARAMS {
        dst: address,
        value: VALUE,
        elementSize: 4,
        width: SIZE as usize / 4, // in elements
        height: 1,
        ..Default::default()
    };
    let (mut graph, mut exec, mut stream) = (null_mut(), null_mut(), null_mut());
    let (mut wait_node, mut fill_node, mut signal_node) = (null_mut(), null_mut(), null_mut());
    // SAFETY: each call gets live handles, and the address of a variable that it writes.
    unsafe {
        let context = cuda.context();
        let (waits, signals) = set_values(0);
        cuGraphCreate(&mut graph, 0).result()?;
        cuGraphAddExternalSemaphoresWaitNode(&mut wait_node, graph, null_mut(), 0, &waits).result()?;
        cuGraphAddMemsetNode(&mut fill_node, graph, &wait_node, 1, &fill, context).result()?;
        cuGraphAddExternalSemaphoresSignalNode(&mut signal_node, graph, &fill_node, 1, &signals).result()?;
        cuGraphInstantiateWithFlags(&mut exec, graph, 0).result()?;
        cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0).result()?;
    }
    println!("a graph of three nodes: wait, fill, signal");

    // Everything is queued on both sides at once; the timeline alone keeps the order.
    let seen = HostBuffer::new(&vulkan, LAUNCHES * SIZE)?;
    let mut submissions = Vec::new();
    for launch in 0..LAUNCHES {
        let (waits, signals) = set_values(launch);
        // SAFETY: the nodes are of the graph that `exec` was made from; the arrays are read here.
        unsafe {
            cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, wait_node, &waits).result()?;
            cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, signal_node, &signals).result()?;
            cuGraphLaunch(exec, stream).result()?;
        }
        let (before, after) = (2 * launch + 1, 2 * launch + 2);
        println!("launch {launch}: CUDA waits for {before} and signals {after}");
        submissions.push(vulkan.submit(&[], &[(timeline.raw, before)], |commands| {
            // SAFETY: the buffer outlives the submission.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, SIZE, 0) };
            vulkan.barrier(commands);
            buffer.release(commands);
        })?);
        submissions.push(vulkan.submit(&[(timeline.raw, after)], &[], |commands| {
            buffer.acquire(commands);
            let region = vk::BufferCopy::default().dst_offset(launch * SIZE).size(SIZE);
            // SAFETY: as above.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, seen.raw, &[region]) };
            vulkan.barrier(commands);
        })?);
    }
    for submission in submissions {
        submission.wait()?;
    }
    let is_right = |bytes: &[u8]| bytes.chunks_exact(4).all(|four| four == VALUE.to_ne_bytes());
    let wrong = seen.bytes().chunks_exact(SIZE as usize).filter(|bytes| !is_right(bytes)).count();
    println!("Vulkan read what CUDA wrote in {} of {LAUNCHES} launches", LAUNCHES as usize - wrong);

    // The stream is done before the semaphore and the memory go; the mapping goes before the import.
    // SAFETY: each is destroyed once, and not used after.
    unsafe {
        cuStreamSynchronize(stream).result()?;
        cuStreamDestroy_v2(stream).result()?;
        cuGraphExecDestroy(exec).result()?;
        cuGraphDestroy(graph).result()?;
        cuDestroyExternalSemaphore(semaphore).result()?;
        cuMemFree_v2(address).result()?;
        cuDestroyExternalMemory(imported).result()?;
    }
    if wrong != 0 {
        return Err(interop::Error::Failed("bytes differ".to_owned()));
    }
    Ok(())
}
