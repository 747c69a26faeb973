//! The cost of a hand-over on each of Vulkan's queue families and on each CPU. `cargo bench --bench hand_over`
//! measures more.

use std::slice;

use ash::vk;
use cuda_external_sys::*;
use example_support::cuda::{self, Stream};
use example_support::hand_over::{HandOver, record, rounds};
use example_support::interrupts::{allowed_cpus, of_turns, pin_to};
use example_support::shared::SharedBuffer;
use example_support::vulkan::{Kind, Queue, Scope};
use example_support::{Error, Result, bytes};

use crate::case::{Case, Group, answer};
use crate::gpu::vulkan;

const ROUNDS: usize = 15;
const TURNS: u64 = 100;
const SIZE: u64 = 1 << 20;

pub fn group() -> Group {
    let mut cases = Vec::new();
    for family in 0..6 {
        for (name, copies) in [("nothing between", false), ("1 MiB filled by CUDA, copied by Vulkan", true)] {
            cases.push(Case::new(format!("family {family}, {name}"), move || family_turns(family, copies)));
        }
    }
    Group::of_times("hand-over", cases)
}

pub fn interrupts() -> Group {
    let case = |kind: Kind| Case::new(kind.name(), move || each_cpu(kind)).alone().limit(60);
    Group::of_times("interrupts", vec![case(Kind::Timeline), case(Kind::Binary)])
}

fn family_turns(family: u32, copies: bool) -> Result<()> {
    let vulkan = vulkan(0)?;
    let Some(queue) = vulkan.queues.iter().find(|queue| queue.family == family) else {
        answer("-");
        return Ok(());
    };
    let [from, to] = [SharedBuffer::new(vulkan, SIZE, true)?, SharedBuffer::new(vulkan, SIZE, true)?];
    let copy = |commands| {
        let region = vk::BufferCopy::default().size(SIZE);
        let (from, to) = (from.buffer.raw, to.buffer.raw);
        // SAFETY: the buffers live until the hand-overs are done.
        unsafe { vulkan.device.cmd_copy_buffer(commands, from, to, slice::from_ref(&region)) };
    };
    let (buffers, families) = ([from.buffer.raw, to.buffer.raw], [vk::QUEUE_FAMILY_EXTERNAL; 2]);
    let commands = if copies {
        Some(unsafe { record(vulkan, queue, &buffers, families, Scope::ALL, copy) }?)
    } else {
        None
    };
    let hand_over = HandOver::new(vulkan, Kind::Timeline, &[(queue, commands)])?;
    let stream = Stream::new()?;
    let fill = |value| match copies {
        true => Ok(unsafe { cuMemsetD32Async(from.address, value as u32, SIZE as usize / 4, stream.raw()) }
            .result()?),
        false => Ok(()),
    };
    let times = rounds(ROUNDS, TURNS, || hand_over.queued(&stream, TURNS, fill))?;
    if copies {
        let expected = (hand_over.value() as u32).to_ne_bytes().repeat(SIZE as usize / 4);
        bytes::compare("what CUDA wrote", &cuda::read(to.address, SIZE as usize)?, &expected)?;
    }
    answer(spread(times));
    Ok(())
}

/// Returns the median, and the 5th and the 95th percentile.
fn spread(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    format!("{:.1} µs ({:.1} to {:.1})", at(0.5), at(0.05), at(0.95))
}

fn each_cpu(kind: Kind) -> Result<()> {
    const COUNTED: u64 = 2000;
    let vulkan = vulkan(0)?;
    let queue = vulkan.transfer_queue();
    let queue: &Queue = queue.ok_or_else(|| Error::Missing("no queue family for transfers alone".into()))?;
    let [timelines, hand_over] = [
        HandOver::new(vulkan, Kind::Timeline, &[(queue, None)])?,
        HandOver::new(vulkan, kind, &[(queue, None)])?,
    ];
    let (stream, cpus) = (Stream::new()?, allowed_cpus()?);
    let (_, served_by) = of_turns(&timelines, &stream, COUNTED)?;
    let served_by = served_by.ok_or_else(|| Error::Missing("timelines raise no interrupts".into()))?;
    let measure = || {
        let mut times = rounds(ROUNDS, TURNS, || hand_over.queued(&stream, TURNS, |_| Ok(())))?;
        times.sort_by(f64::total_cmp);
        Ok::<_, Error>((times[ROUNDS / 2], of_turns(&hand_over, &stream, COUNTED)?.0))
    };
    let (unpinned, _) = measure()?;
    let (mut there, mut elsewhere, mut interrupts) =
        ("-".to_owned(), Vec::new(), ["-", "-"].map(str::to_owned));
    for &cpu in &cpus {
        pin_to(&[cpu])?;
        let (time, count) = measure()?;
        interrupts[usize::from(cpu != served_by)] = count.to_string();
        if cpu == served_by {
            there = format!("{time:.1} µs");
        } else {
            elsewhere.push(time);
        }
    }
    pin_to(&cpus)?;
    elsewhere.sort_by(f64::total_cmp);
    let others = match &elsewhere[..] {
        [first, .., last] => format!("{first:.1} to {last:.1} µs ({} CPUs)", elsewhere.len()),
        [only] => format!("{only:.1} µs (1 CPU)"),
        [] => "-".to_owned(),
    };
    [there, others, format!("{unpinned:.1} µs")].iter().chain(&interrupts).for_each(answer);
    Ok(())
}
