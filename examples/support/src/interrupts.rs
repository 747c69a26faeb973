//! Which CPU serves the GPU's interrupts, and on which CPUs a thread runs.
//!
//! A timeline that is signaled raises interrupts. A thread that runs on the CPU that serves them is interrupted by
//! each.

use std::collections::BTreeMap;
use std::fs::read_to_string;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::cuda::Stream;
use crate::hand_over::HandOver;
use crate::vulkan::{Kind, Vulkan};
use crate::{Error, Result};

const FILE: &str = "/proc/interrupts";

/// The numbers of interrupts that each CPU has served, by the CPU's number.
pub type Counts = BTreeMap<usize, u64>;

/// Returns how many interrupts of NVIDIA's driver each CPU has served.
pub fn counts() -> Result<Counts> {
    let text = read_to_string(FILE).map_err(|error| Error::Missing(format!("{FILE}: {error}")))?;
    parse(&text).ok_or_else(|| Error::Missing(format!("{FILE} has no line of NVIDIA's driver")))
}

/// Adds up the lines that name the driver. The first line names the CPUs that are online.
fn parse(text: &str) -> Option<Counts> {
    let mut lines = text.lines();
    let cpus = lines.next()?.split_whitespace().map(|name| name.trim_start_matches("CPU").parse());
    let cpus = cpus.collect::<std::result::Result<Vec<usize>, _>>().ok()?;
    let mut counts = Counts::new();
    for line in lines.filter(|line| line.contains("nvidia")) {
        for (cpu, count) in cpus.iter().zip(line.split_whitespace().skip(1)) {
            *counts.entry(*cpu).or_default() += count.parse::<u64>().ok()?;
        }
    }
    (!counts.is_empty()).then_some(counts)
}

/// Returns the number of new interrupts, and the CPU that served most of them, if any.
pub fn added(before: &Counts, after: &Counts) -> (u64, Option<usize>) {
    let more = |cpu: &usize| after[cpu] - before.get(cpu).copied().unwrap_or_default();
    let busiest = after.keys().max_by_key(|cpu| more(cpu)).filter(|cpu| more(cpu) > 0);
    (after.keys().map(more).sum(), busiest.copied())
}

/// Returns the CPUs that this thread may run on.
pub fn allowed_cpus() -> Result<Vec<usize>> {
    let set = sched_getaffinity(None).map_err(|error| Error::Failed(error.to_string()))?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect())
}

/// Lets this thread run on these CPUs only.
pub fn pin_to(cpus: &[usize]) -> Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    sched_setaffinity(None, &set).map_err(|error| Error::Failed(format!("CPUs {cpus:?}: {error}")))
}

/// Does the given number of turns of a hand-over. Returns the number of interrupts that they raised, and the CPU that
/// served most of them.
pub fn of_turns(hand_over: &HandOver, stream: &Stream, turns: u64) -> Result<(u64, Option<usize>)> {
    let before = counts()?;
    hand_over.queued(stream, turns, |_| Ok(()))?;
    Ok(added(&before, &counts()?))
}

/// Pins this thread to the last CPU that does not serve the GPU's interrupts, and returns a sentence that says where it
/// runs.
pub fn leave_their_cpu(vulkan: &Vulkan) -> Result<String> {
    const TURNS: u64 = 5000;
    let (queue, stream) = (vulkan.transfer_queue().unwrap_or(vulkan.queue()), Stream::new()?);
    let hand_over = HandOver::new(vulkan, Kind::Timeline, &[(queue, None)])?;
    let (count, busiest) = match of_turns(&hand_over, &stream, TURNS) {
        Ok((count, Some(cpu))) => (count, cpu),
        Ok((_, None)) => return Ok(format!("Runs on any CPU: {TURNS} turns raised no interrupt.")),
        Err(Error::Missing(why)) => return Ok(format!("Runs on any CPU: {why}.")),
        Err(error) => return Err(error),
    };
    let what = format!("most of the {count} interrupts of {TURNS} turns");
    match allowed_cpus()?.into_iter().rfind(|cpu| *cpu != busiest) {
        Some(cpu) => {
            pin_to(&[cpu])?;
            Ok(format!("Runs on CPU {cpu}: CPU {busiest} served {what}."))
        }
        None => Ok(format!("Runs on CPU {busiest}, which served {what}: there is no other one.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
            CPU0       CPU1       CPU3
   8:          5          6          7   IO-APIC   8-edge      rtc0
  64:         10          0         20   PCI-MSIX-0000:8b:00.0   0-edge      nvidia
  65:          1          2          3   PCI-MSIX-0000:8b:00.0   1-edge      nvidia
 NMI:        100        100        100   Non-maskable interrupts
";

    #[test]
    fn the_drivers_lines_are_added_up_by_cpu() {
        assert_eq!(parse(BEFORE), Some(Counts::from([(0, 11), (1, 2), (3, 23)])));
        assert_eq!(parse("     CPU0\n   8:     5   IO-APIC   8-edge      rtc0\n"), None);
        // The CPU with the most new ones is found.
        let before = parse(BEFORE).unwrap();
        let after = Counts::from([(0, 12), (1, 9), (3, 23)]);
        assert_eq!(added(&before, &after), (8, Some(1)));
        assert_eq!(added(&before, &before), (0, None));
    }
}
