//! Many semaphores in one call, and graphs in place of streams.

use std::ptr::{null, null_mut};
use std::time::Instant;

use cuda_external_sys::*;
use interop::cuda::SemaphoreValues;
use interop::hand_over::HandOver;
use interop::shared::SharedSemaphore;
use interop::vulkan::Kind;
use interop::{Error, Result};
use test_support::bench::Summary;

use crate::commands::SIZE;
use crate::measure::{Bench, Job};

pub fn all(bench: &Bench) -> Result<()> {
    println!("\nN timelines, signaled and then waited for in one stream. Times in us for all N.\n");
    println!("| N | calls | queued by the CPU | until the end of the stream |\n|---|---|---|---|");
    for count in [1, 4, 16] {
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
    for (with_graph, name, kind) in [
        (false, "three calls", Kind::Binary),
        (true, "one graph launch", Kind::Binary),
        (false, "three calls", Kind::Timeline),
        (true, "two nodes' values set, one graph launch", Kind::Timeline),
    ] {
        match turns(bench, with_graph, kind)? {
            Some([queued, over]) => println!("| {name} | {} | {over:.1} | {queued:.1} |", kind.name()),
            None => println!("| {name} | {} | Vulkan has no family for transfers alone | |", kind.name()),
        }
    }
    Ok(())
}

/// Measures rounds after one that warms up: until the CPU has queued all turns, and until the stream is done.
fn queued_and_over(bench: &Bench, turns: u64, mut round: impl FnMut() -> Result<()>) -> Result<[Summary; 2]> {
    let mut times = [const { Vec::new() }; 2];
    for at in 0..=bench.rounds {
        let start = Instant::now();
        round()?;
        let queued = start.elapsed();
        bench.stream.synchronize()?;
        if at > 0 {
            let ends = [queued, start.elapsed()];
            times
                .iter_mut()
                .zip(ends)
                .for_each(|(its, end)| its.push(end.as_secs_f64() * 1e6 / turns as f64));
        }
    }
    Ok(times.map(Summary::of))
}

fn semaphores(bench: &Bench, count: usize, together: bool) -> Result<[Summary; 2]> {
    const TURNS: u64 = 50;
    let timelines = (0..count).map(|_| SharedSemaphore::new(bench.vulkan, Kind::Timeline));
    let timelines = timelines.collect::<Result<Vec<_>>>()?;
    let handles = Vec::from_iter(timelines.iter().map(|timeline| timeline.cuda.raw()));
    let (size, stream) = (if together { count } else { 1 }, bench.stream.raw());
    let mut value = 0;
    let times = queued_and_over(bench, TURNS, || {
        for _ in 0..TURNS {
            value += 1;
            let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
            let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
            signal.params.fence.value = value;
            wait.params.fence.value = value;
            let (signals, waits) = (vec![signal; size], vec![wait; size]);
            for handles in handles.chunks(size) {
                let (handles, params) = (handles.as_ptr(), signals.as_ptr());
                // SAFETY: both lists have so many elements, which the driver copies, here and below.
                unsafe { cuSignalExternalSemaphoresAsync(handles, params, size as u32, stream) }.result()?;
            }
            for handles in handles.chunks(size) {
                let (handles, params) = (handles.as_ptr(), waits.as_ptr());
                unsafe { cuWaitExternalSemaphoresAsync(handles, params, size as u32, stream) }.result()?;
            }
        }
        Ok(())
    })?;
    for timeline in &timelines {
        let seen = timeline.vulkan.value()?;
        if seen != value {
            return Err(Error::Failed(format!("a timeline was signaled to {value} and stands at {seen}")));
        }
    }
    Ok(times)
}

/// A graph that waits, fills and signals.
struct Graph {
    graph: CUgraph,
    exec: CUgraphExec,
    wait: CUgraphNode,
    signal: CUgraphNode,
}

// SAFETY, of every call below: the pointers are to variables of the right type, and CUDA copies what they point to.

impl Graph {
    fn new(bench: &Bench, hand_over: &HandOver) -> Result<Self> {
        let (mut graph, mut exec, mut context) = (null_mut(), null_mut(), null_mut());
        let (mut wait, mut fill, mut signal) = (null_mut(), null_mut(), null_mut());
        let mut waits = SemaphoreValues::new(&[(&hand_over.to_cuda.cuda, 0)]);
        let mut signals = SemaphoreValues::new(&[(&hand_over.to_vulkan.cuda, 0)]);
        let (waits, signals) = (waits.wait_node(), signals.signal_node());
        let fills = CUDA_MEMSET_NODE_PARAMS {
            dst: bench.written.address,
            value: 0x5a,
            elementSize: 4,
            width: SIZE as usize / 4,
            height: 1,
            ..Default::default()
        };
        unsafe {
            cuCtxGetCurrent(&mut context).result()?;
            cuGraphCreate(&mut graph, 0).result()?;
            cuGraphAddExternalSemaphoresWaitNode(&mut wait, graph, null(), 0, &waits).result()?;
            cuGraphAddMemsetNode(&mut fill, graph, &wait, 1, &fills, context).result()?;
            cuGraphAddExternalSemaphoresSignalNode(&mut signal, graph, &fill, 1, &signals).result()?;
            cuGraphInstantiate(&mut exec, graph, 0).result()?;
        }
        Ok(Self { graph, exec, wait, signal })
    }

    fn set(&self, hand_over: &HandOver, before: u64) -> Result<()> {
        let mut waits = SemaphoreValues::new(&[(&hand_over.to_cuda.cuda, before)]);
        let mut signals = SemaphoreValues::new(&[(&hand_over.to_vulkan.cuda, before + 1)]);
        let (waits, signals) = (waits.wait_node(), signals.signal_node());
        unsafe {
            cuGraphExecExternalSemaphoresWaitNodeSetParams(self.exec, self.wait, &waits).result()?;
            cuGraphExecExternalSemaphoresSignalNodeSetParams(self.exec, self.signal, &signals).result()?;
        }
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // After an error the graph's wait may never end, so the codes are ignored.
        let _ = unsafe { [cuGraphExecDestroy(self.exec), cuGraphDestroy(self.graph)] };
    }
}

/// CUDA waits for the turn before, fills and signals; the transfer queue passes that on.
fn turns(bench: &Bench, with_graph: bool, kind: Kind) -> Result<Option<[Summary; 2]>> {
    const TURNS: u64 = 100;
    let Some(transfer) = bench.vulkan.transfer_queue() else { return Ok(None) };
    let hand_over = HandOver::new(bench.vulkan, kind, &[(transfer, None)])?;
    let stream = &bench.stream;
    // The first turn's wait needs a signal by Vulkan, which follows one by CUDA.
    hand_over.next(0);
    hand_over.signal(stream)?;
    hand_over.submit()?;
    let graph = if with_graph { Some(Graph::new(bench, &hand_over)?) } else { None };
    let turn = || {
        let before = hand_over.value();
        hand_over.next(0);
        match &graph {
            None => {
                hand_over.wait(before, stream)?;
                bench.work(Job::Fill, bench.written.address, 0x5a)?;
                hand_over.signal(stream)?;
            }
            Some(graph) => {
                if kind == Kind::Timeline {
                    graph.set(&hand_over, before)?;
                }
                unsafe { cuGraphLaunch(graph.exec, stream.raw()) }.result()?;
            }
        }
        hand_over.submit()
    };
    queued_and_over(bench, TURNS, || (0..TURNS).try_for_each(|_| turn())).map(Some)
}
