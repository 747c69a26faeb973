//! Many semaphores in one call, and graphs in place of streams.

use std::ptr::{null, null_mut};
use std::time::Instant;

use cuda_external_sys::*;
use interop::cuda::import_semaphore;
use interop::vulkan::{Prepared, Semaphore, Vulkan};
use interop::{Error, Result};

use crate::commands::SIZE;
use crate::measure::Bench;
use bench_support::Summary;

pub fn all(bench: &Bench) -> Result<()> {
    println!("\nN timelines, signaled and then waited for in one stream. Times in us for all N.\n");
    println!("| N | calls | queued by the CPU | until the end of the stream |\n|---|---|---|---|");
    for count in [1, 2, 4, 8, 16] {
        for together in [true, false] {
            let [queued, over] = semaphores(bench, count, together)?;
            let calls = if together { "one signal, one wait".to_owned() } else { format!("{count} of each") };
            println!("| {count} | {calls} | {queued:.1} | {over:.1} |");
        }
    }
    println!(
        "\nA turn with the transfer queue: CUDA waits, fills 1 MiB and signals. Times in us, 100 turns in a queue.\n"
    );
    println!("| CUDA's side | semaphore | a turn | of it on the CPU |\n|---|---|---|---|");
    for (side, name, timeline) in [
        (Side::Stream, "three calls", false),
        (Side::Graph, "one graph launch", false),
        (Side::Stream, "three calls", true),
        (Side::Graph, "two nodes' values set, one graph launch", true),
    ] {
        let kind = if timeline { "timeline" } else { "binary" };
        match turns(bench, side, timeline)? {
            Some([over, queued]) => println!("| {name} | {kind} | {over:.1} | {queued:.1} |"),
            None => println!("| {name} | {kind} | Vulkan has no family for transfers alone | |"),
        }
    }
    Ok(())
}

// SAFETY, of every call here: the pointers are to variables of the right type, and what a function makes lives
// until its stream is done.

fn import(semaphore: &Semaphore, timeline: bool) -> Result<CUexternalSemaphore> {
    import_semaphore(
        semaphore.export()?,
        if timeline {
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
        } else {
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
        },
    )
}

fn signal_params(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = value;
    params
}

fn wait_params(value: u64) -> CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    params.params.fence.value = value;
    params
}

fn semaphores(bench: &Bench, count: usize, together: bool) -> Result<[Summary; 2]> {
    const TURNS: u64 = 50;
    let vulkan: Vec<Semaphore> =
        (0..count).map(|_| Semaphore::timeline(bench.vulkan, 0)).collect::<Result<_>>()?;
    let handles: Vec<CUexternalSemaphore> =
        vulkan.iter().map(|semaphore| import(semaphore, true)).collect::<Result<_>>()?;
    let mut times = [const { Vec::new() }; 2];
    let mut value = 0;
    for round in 0..=bench.rounds {
        let start = Instant::now();
        for _ in 0..TURNS {
            value += 1;
            let (signals, waits) = (vec![signal_params(value); count], vec![wait_params(value); count]);
            let size = if together { count } else { 1 };
            for at in (0..count).step_by(size) {
                let (handles, params) = (handles[at..].as_ptr(), signals[at..].as_ptr());
                unsafe {
                    cuSignalExternalSemaphoresAsync(handles, params, size as u32, bench.stream).result()
                }?;
            }
            for at in (0..count).step_by(size) {
                let (handles, params) = (handles[at..].as_ptr(), waits[at..].as_ptr());
                unsafe { cuWaitExternalSemaphoresAsync(handles, params, size as u32, bench.stream) }
                    .result()?;
            }
        }
        let queued = start.elapsed();
        unsafe { cuStreamSynchronize(bench.stream) }.result()?;
        if round > 0 {
            times[0].push(queued.as_secs_f64() * 1e6 / TURNS as f64);
            times[1].push(start.elapsed().as_secs_f64() * 1e6 / TURNS as f64);
        }
    }
    if let Some(other) = vulkan.iter().find_map(|semaphore| match semaphore.value() {
        Ok(seen) if seen == value => None,
        other => Some(other),
    }) {
        return Err(Error::Failed(format!("a timeline was signaled to {value} and stands at {other:?}")));
    }
    for handle in handles {
        unsafe { cuDestroyExternalSemaphore(handle) }.result()?;
    }
    Ok(times.map(Summary::of))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Stream,
    Graph,
}

/// A graph that waits, fills and signals.
struct Graph {
    graph: CUgraph,
    exec: CUgraphExec,
    wait: CUgraphNode,
    signal: CUgraphNode,
}

impl Graph {
    fn new(bench: &Bench, mut ends: [CUexternalSemaphore; 2]) -> Result<Self> {
        let (mut graph, mut exec) = (null_mut(), null_mut());
        let (mut wait, mut fill, mut signal) = (null_mut(), null_mut(), null_mut());
        let (wait_value, signal_value) = (wait_params(0), signal_params(0));
        let [to_cuda, to_vulkan] = &mut ends;
        let waits =
            CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: to_cuda, paramsArray: &wait_value, numExtSems: 1 };
        let signals = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: to_vulkan,
            paramsArray: &signal_value,
            numExtSems: 1,
        };
        let fills = CUDA_MEMSET_NODE_PARAMS {
            dst: bench.written,
            value: 0x5a,
            elementSize: 4,
            width: SIZE as usize / 4,
            height: 1,
            ..Default::default()
        };
        let mut context = null_mut();
        unsafe {
            cuCtxGetCurrent(&mut context).result()?;
            cuGraphCreate(&mut graph, 0).result()?;
            cuGraphAddExternalSemaphoresWaitNode(&mut wait, graph, null(), 0, &waits).result()?;
            cuGraphAddMemsetNode(&mut fill, graph, &wait, 1, &fills, context).result()?;
            cuGraphAddExternalSemaphoresSignalNode(&mut signal, graph, &fill, 1, &signals).result()?;
            cuGraphInstantiateWithFlags(&mut exec, graph, 0).result()?;
        }
        Ok(Self { graph, exec, wait, signal })
    }

    fn set(&self, mut ends: [CUexternalSemaphore; 2], wait: u64, signal: u64) -> Result<()> {
        let (wait_value, signal_value) = (wait_params(wait), signal_params(signal));
        let [to_cuda, to_vulkan] = &mut ends;
        let waits =
            CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: to_cuda, paramsArray: &wait_value, numExtSems: 1 };
        let signals = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: to_vulkan,
            paramsArray: &signal_value,
            numExtSems: 1,
        };
        unsafe {
            cuGraphExecExternalSemaphoresWaitNodeSetParams(self.exec, self.wait, &waits).result()?;
            cuGraphExecExternalSemaphoresSignalNodeSetParams(self.exec, self.signal, &signals).result()?;
        }
        Ok(())
    }
}

/// CUDA waits for the turn before, fills and signals; the transfer queue passes that on.
fn turns(bench: &Bench, side: Side, timeline: bool) -> Result<Option<[Summary; 2]>> {
    const TURNS: u64 = 100;
    let vulkan: &Vulkan = bench.vulkan;
    let Some(transfer) = vulkan.transfer_queue() else { return Ok(None) };
    let new = || if timeline { Semaphore::timeline(vulkan, 0) } else { Semaphore::binary(vulkan) };
    let (to_vulkan, to_cuda) = (new()?, new()?);
    let ends = [import(&to_cuda, timeline)?, import(&to_vulkan, timeline)?];
    let mut value = 0_u64;
    let place: *mut u64 = &raw mut value;
    let submission = Prepared::new((to_vulkan.raw, place), None, (to_cuda.raw, place));
    // SAFETY: the value lives to the end, and there are no commands.
    let submit = || unsafe { submission.submit(vulkan, transfer) };
    // The first turn's wait needs a signal: Vulkan's, which follows one of CUDA's.
    unsafe {
        *place = 1;
        cuSignalExternalSemaphoresAsync(&ends[1], &signal_params(1), 1, bench.stream).result()?;
    }
    submit()?;
    let graph = if side == Side::Graph { Some(Graph::new(bench, ends)?) } else { None };
    let mut times = [const { Vec::new() }; 2];
    for round in 0..=bench.rounds {
        let start = Instant::now();
        for _ in 0..TURNS {
            let before = unsafe { *place };
            unsafe { *place = before + 1 };
            match &graph {
                None => unsafe {
                    cuWaitExternalSemaphoresAsync(&ends[0], &wait_params(before), 1, bench.stream)
                        .result()?;
                    cuMemsetD32Async(bench.written, 0x5a, SIZE as usize / 4, bench.stream).result()?;
                    cuSignalExternalSemaphoresAsync(&ends[1], &signal_params(before + 1), 1, bench.stream)
                        .result()?;
                },
                Some(graph) => {
                    if timeline {
                        graph.set(ends, before, before + 1)?;
                    }
                    unsafe { cuGraphLaunch(graph.exec, bench.stream) }.result()?;
                }
            }
            submit()?;
        }
        let queued = start.elapsed();
        unsafe { cuStreamSynchronize(bench.stream) }.result()?;
        if round > 0 {
            times[0].push(start.elapsed().as_secs_f64() * 1e6 / TURNS as f64);
            times[1].push(queued.as_secs_f64() * 1e6 / TURNS as f64);
        }
    }
    unsafe {
        vulkan.device.queue_wait_idle(transfer.raw)?;
        if let Some(graph) = graph {
            cuGraphExecDestroy(graph.exec).result()?;
            cuGraphDestroy(graph.graph).result()?;
        }
        for end in ends {
            cuDestroyExternalSemaphore(end).result()?;
        }
    }
    Ok(Some(times.map(Summary::of)))
}
