//! Memory: where each thread of a warp accesses it, after all checks.

use std::ops::Range;

use super::kernel_fault::{FaultKind, FaultResult, ThreadFault};
use super::thread_block::{MemorySpan, ThreadBlock};
use super::warp_state::{ThreadGroup, Warp, for_each_lane, lanes_in, mask_of_lanes};
use crate::alu::{LaneLongs, WARP_SIZE, map_lanes};
use crate::program::address_spaces::{LOCAL, PARAMETERS, SHARED, WINDOW, load_one, pointer_to, store_one};
use crate::program::operations::{AddressSpace, MemoryOperand, Register};

/// Where each thread accesses memory, if it takes part.
pub type LaneAddresses = LaneLongs;

impl ThreadBlock<'_> {
    /// Loads registers, each of which has 64 bits or not, one after the other.
    #[inline(never)]
    pub fn load_lanes(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        address: &MemoryOperand,
        (bytes, signed): (usize, bool),
        to: &[(u32, bool)],
    ) -> FaultResult {
        let places = &mut [0; WARP_SIZE];
        self.find_addresses(warp, at, address, bytes * to.len(), false, places)?;
        for (index, (to, is_long)) in to.iter().enumerate() {
            // SAFETY: `find_addresses` has checked so many bytes.
            let load =
                |lane: usize, bytes| unsafe { load_one(pointer_to(places[lane]), bytes, index * bytes) };
            let to = at.register_index(*to);
            let (words, longs) = (&mut warp.file.words[to], &mut warp.file.longs[to]);
            match bytes {
                4 if !is_long => for_each_lane(at.active, |lane| words[lane] = load(lane, 4) as u32),
                8 => for_each_lane(at.active, |lane| longs[lane] = load(lane, 8)),
                _ => for_each_lane(at.active, |lane| {
                    let (value, unused) = (load(lane, bytes), 64 - 8 * bytes as u32);
                    longs[lane] = if signed { ((value << unused) as i64 >> unused) as u64 } else { value };
                    words[lane] = longs[lane] as u32;
                }),
            }
        }
        Ok(())
    }

    #[inline(never)]
    pub fn store_lanes(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        address: &MemoryOperand,
        bytes: usize,
        from: &[(Register, bool)],
    ) -> FaultResult {
        let places = &mut [0; WARP_SIZE];
        self.find_addresses(warp, at, address, bytes * from.len(), true, places)?;
        for (index, (from, is_long)) in from.iter().enumerate() {
            let (words, longs) =
                (&warp.file.words[at.register_index(*from)], &warp.file.longs[at.register_index(*from)]);
            // SAFETY: `find_addresses` has checked so many bytes.
            let store = |lane: usize, bytes, value| unsafe {
                store_one(pointer_to(places[lane]), bytes, index * bytes, value);
            };
            match (bytes, is_long) {
                (4, false) => for_each_lane(at.active, |lane| store(lane, 4, words[lane].into())),
                (_, false) => for_each_lane(at.active, |lane| store(lane, bytes, words[lane].into())),
                (_, true) => for_each_lane(at.active, |lane| store(lane, bytes, longs[lane])),
            }
        }
        Ok(())
    }

    /// `cp.async`: bytes that are not given are zero.
    pub fn copy_async(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        [to, from]: [&MemoryOperand; 2],
        bytes: usize,
        given: Option<Register>,
    ) -> FaultResult {
        let (targets, sources) = (&mut [0; WARP_SIZE], &mut [0; WARP_SIZE]);
        self.find_addresses(warp, at, to, bytes, true, targets)?;
        let given = given.map_or([bytes as u32; WARP_SIZE], |source| *warp.register_words(at, source));
        // Nothing is read where nothing is given.
        let active = mask_of_lanes(lanes_in(at.active).filter(|lane| given[*lane] != 0));
        if active != 0 {
            self.find_addresses(warp, ThreadGroup { active, ..at }, from, bytes, false, sources)?;
        }
        for lane in lanes_in(at.active) {
            for offset in 0..bytes {
                let is_given = offset < given[lane] as usize;
                // SAFETY: `find_addresses` has checked so many bytes of both.
                unsafe {
                    let byte = if is_given { load_one(pointer_to(sources[lane]), 1, offset) } else { 0 };
                    store_one(pointer_to(targets[lane]), 1, offset, byte);
                }
            }
        }
        Ok(())
    }

    /// Finds where each thread accesses this many bytes.
    #[inline(never)]
    pub fn find_addresses(
        &mut self,
        warp: &mut Warp,
        at: ThreadGroup,
        address: &MemoryOperand,
        bytes: usize,
        writes: bool,
        out: &mut LaneAddresses,
    ) -> FaultResult {
        let leader = at.active.trailing_zeros() as usize;
        // A few threads are faster one by one than 32 at a time.
        if at.active.count_ones() <= 4 {
            for lane in lanes_in(at.active) {
                let base = address.base.map(|(source, is_long)| warp.lane_value(at, source, is_long, lane));
                let base = base.unwrap_or_else(|| warp.frame[lane].into());
                let place = (address.space, base.wrapping_add_signed(address.offset));
                out[lane] = self.find_lane_address(warp, lane, place, bytes, writes)?;
            }
            return Ok(());
        }
        let others;
        let bases = match address.base {
            Some((source, true)) if at.active == !0 => &warp.file.longs[at.register_index(source)],
            base => {
                let mut all = base.map_or_else(
                    || map_lanes(&warp.frame, u64::from),
                    |(source, is_long)| warp.register_longs(at, source, is_long),
                );
                let first = all[leader];
                lanes_in(!at.active).for_each(|lane| all[lane] = first);
                others = all;
                &others
            }
        };
        let first = bases[leader].wrapping_add_signed(address.offset);
        let (space, window) = match address.space {
            AddressSpace::Generic => (generic_space(first), first >> WINDOW << WINDOW),
            space => (space, 0),
        };
        let known =
            self.find_span(&mut warp.local, space, first).filter(|span| !(writes && span.is_read_only));
        if let Some(mut span) = known {
            if space != AddressSpace::Global {
                span.start = window;
            }
            let mut all = 0;
            let offset = address.offset.wrapping_sub_unsigned(span.start);
            for (place, base) in out.iter_mut().zip(bases) {
                let distance = base.wrapping_add_signed(offset);
                all |= distance;
                *place = distance.wrapping_add(span.host);
            }
            if span.apart != 0 {
                out.iter_mut().zip(0..).for_each(|(place, lane)| *place += lane * span.apart);
            }
            // The union of all distances is not less than the largest.
            let is_inside = all.checked_add(bytes as u64).is_some_and(|end| end <= span.size);
            if is_inside && (all | span.start) & (bytes as u64 - 1) == 0 {
                return Ok(());
            }
        }
        *out = map_lanes(bases, |base| base.wrapping_add_signed(address.offset));
        self.find_each_address(warp, at.active, address.space, bytes, writes, out)
    }

    #[cold]
    #[inline(never)]
    fn find_each_address(
        &mut self,
        warp: &mut Warp,
        active: u32,
        space: AddressSpace,
        bytes: usize,
        writes: bool,
        out: &mut LaneAddresses,
    ) -> FaultResult {
        for lane in lanes_in(active) {
            out[lane] = self.find_lane_address(warp, lane, (space, out[lane]), bytes, writes)?;
        }
        Ok(())
    }

    /// Returns the memory of a space, or the range of global memory that an address is in.
    #[inline(always)]
    fn find_span(&mut self, local: &mut Vec<u64>, space: AddressSpace, address: u64) -> Option<MemorySpan> {
        let (memory, size, apart) = match space {
            AddressSpace::Generic | AddressSpace::Global => {
                let is_known = address.wrapping_sub(self.span.start) < self.span.size;
                return if is_known { Some(self.span) } else { self.find_global_span(address) };
            }
            AddressSpace::Shared => (self.shared.as_mut_ptr(), self.shared_bytes, 0),
            AddressSpace::Parameters => {
                (self.run.parameters.as_ptr().cast_mut(), self.run.parameters.len() * 8, 0)
            }
            AddressSpace::Local => (local.as_mut_ptr(), self.stride, self.stride as u64),
        };
        let host = memory.expose_provenance() as u64;
        Some(MemorySpan {
            start: 0,
            size: size as u64,
            host,
            apart,
            is_read_only: space == AddressSpace::Parameters,
        })
    }

    /// Returns the range of an address, which later accesses find at once.
    fn find_global_span(&mut self, address: u64) -> Option<MemorySpan> {
        let is_in = |span: &&MemorySpan| address.wrapping_sub(span.start) < span.size;
        if let Some(known) = self.spans.iter().find(is_in) {
            self.span = *known;
            return Some(self.span);
        }
        let kernel = &self.run.kernel;
        let own = Some(kernel.memory.clone()).filter(|range| range.contains(&address));
        let own = own.or_else(|| kernel.heap.address_range().filter(|range| range.contains(&address)));
        let is_read_only = own.is_none() && self.run.memory.is_read_only(address);
        let range = own.or_else(|| self.run.memory.accessible_range(address));
        let Range { start, end } = range.filter(|range| range.contains(&address))?;
        self.span = MemorySpan { start, size: end - start, host: start, apart: 0, is_read_only };
        self.spans.push(self.span);
        Some(self.span)
    }

    /// Returns where one thread accesses memory, with the reason if it must not.
    #[inline(always)]
    pub fn find_lane_address(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (space, address): (AddressSpace, u64),
        bytes: usize,
        writes: bool,
    ) -> FaultResult<u64> {
        // Most accesses are to the global memory that was used last.
        let distance = address.wrapping_sub(self.span.start);
        let is_inside = distance < self.span.size && bytes as u64 <= self.span.size - distance;
        if is_inside
            && matches!(space, AddressSpace::Generic | AddressSpace::Global)
            && address & (bytes as u64 - 1) == 0
            && !(writes && self.span.is_read_only)
        {
            return Ok(self.span.host + distance);
        }
        self.check_lane_address(warp, lane, (space, address), bytes, writes)
    }

    #[inline(never)]
    fn check_lane_address(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (space, address): (AddressSpace, u64),
        bytes: usize,
        writes: bool,
    ) -> FaultResult<u64> {
        let space = if space == AddressSpace::Generic { generic_space(address) } else { space };
        let fault = |kind: FaultKind, why: &str| {
            let how = if writes { "written to" } else { "read from" };
            let what = format!("{bytes} bytes are {how} {address:#x} of {space:?} memory: {why}");
            Err(Box::new(ThreadFault { kind, lane, address: Some(address), what }))
        };
        if address & (bytes as u64 - 1) != 0 {
            return fault(FaultKind::MisalignedAddress, "not aligned");
        }
        let is_global = space == AddressSpace::Global;
        let address = if is_global { address } else { address & 0xffff_ffff };
        let Some(span) = self.find_span(&mut warp.local, space, address) else {
            return fault(FaultKind::IllegalAddress, "not memory of the device");
        };
        let distance = address - span.start;
        if distance.saturating_add(bytes as u64) > span.size || (writes && span.is_read_only) {
            // An address that no window of shared memory can have (measured).
            let is_wild = space == AddressSpace::Shared && distance >= 1 << 24;
            let kind = if is_wild { FaultKind::IllegalInstruction } else { FaultKind::IllegalAddress };
            return fault(kind, if is_global { "past the end of an allocation" } else { "outside of it" });
        }
        Ok(span.host + distance + lane as u64 * span.apart)
    }

    /// Reads a value at a generic address.
    pub fn read_generic(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        address: u64,
        size: usize,
    ) -> FaultResult<u64> {
        let place = self.find_lane_address(warp, lane, (AddressSpace::Generic, address), size, false)?;
        // SAFETY: `find_lane_address` has checked it.
        Ok(unsafe { load_one(pointer_to(place), size, 0) })
    }
}

fn generic_space(address: u64) -> AddressSpace {
    match address >> WINDOW {
        SHARED => AddressSpace::Shared,
        LOCAL => AddressSpace::Local,
        PARAMETERS => AddressSpace::Parameters,
        _ => AddressSpace::Global,
    }
}
