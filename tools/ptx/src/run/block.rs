//! A block: its warps in turns, its shared memory and its barriers.

use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fault::{Fault, FaultKind, Reason};
use super::launch::Run;
use super::warp::{At, Warp, lanes};
use crate::image::Image;
use crate::program::{Operation, Place, Together, Vote, coordinates};
use crate::values::WARP;

/// How much local memory a thread has for calls.
const STACK: usize = 32 << 10;
/// A block's turn ends after so many instructions of its warps.
const TURN: u32 = 1 << 18;

/// Memory with addresses one after the other: its first address and size, where in the process it is for the first thread, and how
/// far apart the threads' are.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub start: u64,
    pub size: u64,
    pub host: u64,
    pub apart: u64,
}

#[derive(Clone, Copy, Default)]
pub struct Barrier {
    pub arrived: u32,
    pub expected: Option<u32>,
    pub yes: u32,
    pub no: u32,
}

pub struct Block<'a> {
    pub run: &'a Run<'a>,
    place: Place,
    pub shared: Vec<u64>,
    pub shared_bytes: usize,
    /// The bytes of local memory of a thread.
    pub stride: usize,
    warps: Vec<Warp>,
    pub barriers: [Barrier; 16],
    /// Global memory that was used, and what was used last.
    pub spans: Vec<Span>,
    pub span: Span,
    pub images: Vec<(u64, bool, Arc<Image>)>,
}

impl<'a> Block<'a> {
    pub fn new(run: &'a Run<'a>) -> Self {
        let program = &run.kernel.program;
        let threads: u32 = run.launch.block.iter().product();
        // A GPU gives it in units: Dr.Jit's reductions read as much behind what they asked for.
        let shared_bytes = (run.kernel.shared + run.launch.shared_bytes as usize).next_multiple_of(128);
        let stack = if program.calls { STACK } else { 0 };
        let stride = (program.entry.frame as usize + stack).next_multiple_of(16);
        let (launch, index) = (run.launch, [0; 3]);
        let shared = [launch.shared_bytes, shared_bytes as u32];
        let place = Place { block: launch.block, grid: launch.grid, index, shared };
        let warps = (0..threads.div_ceil(32)).map(|number| Warp::new(number, program, stride, &place));
        let warps = warps.collect();
        Self {
            run,
            place,
            shared: vec![0; shared_bytes.div_ceil(8)],
            shared_bytes,
            stride,
            warps,
            barriers: [Barrier::default(); 16],
            spans: Vec::new(),
            span: Span::default(),
            images: Vec::new(),
        }
    }

    pub fn bytes(&self) -> usize {
        self.shared.len() * 8 + self.warps.iter().map(Warp::bytes).sum::<usize>()
    }

    /// Starts the block with a number.
    pub fn start(&mut self, number: u64) {
        self.place.index = coordinates(number, self.run.launch.grid);
        self.barriers = [Barrier::default(); 16];
        for warp in &mut self.warps {
            warp.start(&self.run.kernel.program, &self.place);
        }
    }

    /// Runs the block until it ends, or others have their turn. Returns whether it ended.
    pub fn turn(&mut self, stop: &AtomicBool) -> Result<bool, Fault> {
        let mut left = TURN;
        loop {
            let (mut ran, mut all_idle) = (false, true);
            for number in 0..self.warps.len() {
                if self.warps[number].ready() == 0 && !self.joins(number) {
                    continue;
                }
                ran = true;
                let mut warp = take(&mut self.warps[number]);
                let result = self.slice(&mut warp, &mut left);
                let result = result.map_err(|(pc, bad)| self.fault(&warp, pc, *bad));
                self.warps[number] = warp;
                // A barrier that opens lets others go on.
                let is_idle = result?;
                all_idle &= !self.open_barriers() && is_idle;
            }
            if stop.load(Ordering::Relaxed) || self.warps.iter().all(|warp| warp.alive == 0) {
                return Ok(true);
            }
            if !ran {
                return Err(self.deadlock());
            }
            let is_any_ready = self.warps.iter().any(|warp| warp.ready() != 0);
            if left == 0 || (all_idle && is_any_ready) {
                return Ok(false);
            }
        }
    }

    /// Lets the threads of a warp go on that all wait at barriers of the warp, if at several of them.
    fn joins(&mut self, number: usize) -> bool {
        let (program, warp) = (&self.run.kernel.program, &mut self.warps[number]);
        let is_barrier = |lane: usize| {
            let operation = &program.code[warp.pc[lane] as usize].operation;
            matches!(operation, Operation::Together { what: Together::Barrier, .. })
        };
        let joins = warp.syncing != 0 && warp.syncing == warp.alive && lanes(warp.syncing).all(is_barrier);
        if joins {
            lanes(warp.syncing).for_each(|lane| warp.pc[lane] += 1);
            warp.syncing = 0;
        }
        joins
    }

    fn deadlock(&self) -> Fault {
        let warp = self.warps.iter().find(|warp| warp.alive != 0).expect("a warp that is alive");
        let lane = warp.alive.trailing_zeros() as usize;
        // Threads at a barrier of the block are behind it already.
        let pc = warp.pc[lane].saturating_sub(u32::from(warp.blocked >> lane & 1 == 1));
        let what = "threads wait for others, which do not come".to_owned();
        self.fault(warp, pc, Reason { kind: FaultKind::Deadlock, lane, address: None, what })
    }

    fn fault(&self, warp: &Warp, pc: u32, bad: Reason) -> Fault {
        let kernel = self.run.kernel;
        Fault {
            kind: bad.kind,
            kernel: kernel.name.clone(),
            line: kernel.program.code.get(pc as usize).map_or(0, |instruction| instruction.line),
            block: self.place.index,
            thread: coordinates(u64::from(warp.number) * 32 + bad.lane as u64, self.run.launch.block),
            address: bad.address,
            what: bad.what,
        }
    }

    /// Lets threads go on where enough have come, and returns whether there are such threads.
    fn open_barriers(&mut self) -> bool {
        let mut is_open = false;
        let alive: u32 = self.warps.iter().map(|warp| warp.alive.count_ones()).sum();
        for (id, barrier) in self.barriers.iter_mut().enumerate() {
            if barrier.arrived == 0 || barrier.arrived < barrier.expected.unwrap_or(alive) {
                continue;
            }
            for warp in &mut self.warps {
                let waits = take(&mut warp.waits);
                let (open, still) = waits.into_iter().partition::<Vec<_>, _>(|wait| wait.id == id);
                warp.waits = still;
                for wait in open {
                    warp.blocked &= !wait.threads;
                    let Some((kind, register)) = wait.result else { continue };
                    let at = At { pc: 0, base: register, active: wait.threads };
                    match kind {
                        Vote::Ballot => warp.set(at, 0, &[barrier.yes; WARP]),
                        Vote::All => warp.set_truth(at, 0, if barrier.no == 0 { !0 } else { 0 }),
                        _ => warp.set_truth(at, 0, if barrier.yes == 0 { 0 } else { !0 }),
                    }
                }
            }
            *barrier = Barrier::default();
            is_open = true;
        }
        is_open
    }
}
