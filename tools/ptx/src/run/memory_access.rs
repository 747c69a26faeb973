//! Loads and stores of a warp, and the checks of each thread's address.

use std::ops::Range;

use super::kernel_fault::{FaultKind, FaultResult, thread_fault};
use super::thread_block::{MemorySpan, RunningWarp};
use crate::alu::{PtxType, WARP_SIZE, lanes_in, map_lanes, mask_of_lanes};
use crate::program::address_spaces::{
    LOCAL, PARAMETERS, SHARED, WINDOW, host_pointer_to, load_atomic, store_atomic,
};
use crate::program::operations::{AddressSpace, MemoryOperand, Register, SizedRegister};

#[derive(Clone, Copy)]
pub struct MemoryAccess {
    pub space: AddressSpace,
    pub bytes: usize,
    pub writes: bool,
}

impl RunningWarp<'_, '_> {
    #[inline(never)]
    pub fn load_lanes(&mut self, from: &MemoryOperand, kind: PtxType, to: &[SizedRegister]) -> FaultResult {
        let (bytes, active) = (kind.bytes(), self.warp.at.active);
        self.resolve_addresses(from, bytes * to.len(), false)?;
        let places = &self.places;
        for (index, (to, is_long)) in to.iter().enumerate() {
            // SAFETY: `resolve_addresses` has checked that each active lane's bytes are valid and aligned.
            let load = |lane: usize, bytes| unsafe {
                load_atomic(host_pointer_to(places[lane]), bytes, index * bytes)
            };
            let to = self.warp.at.register_index(*to);
            let (words, longs) = (&mut self.warp.file.words[to], &mut self.warp.file.longs[to]);
            match bytes {
                4 if !is_long => for_each_lane(active, |lane| words[lane] = load(lane, 4) as u32),
                8 => for_each_lane(active, |lane| longs[lane] = load(lane, 8)),
                _ => for_each_lane(active, |lane| {
                    let (value, unused) = (load(lane, bytes), 64 - 8 * bytes as u32);
                    let signed = ((value << unused) as i64 >> unused) as u64;
                    longs[lane] = if kind.is_signed() { signed } else { value };
                    words[lane] = longs[lane] as u32;
                }),
            }
        }
        Ok(())
    }

    #[inline(never)]
    pub fn store_lanes(&mut self, to: &MemoryOperand, kind: PtxType, from: &[SizedRegister]) -> FaultResult {
        let (bytes, active) = (kind.bytes(), self.warp.at.active);
        self.resolve_addresses(to, bytes * from.len(), true)?;
        let (places, file) = (&self.places, &self.warp.file);
        for (index, (from, is_long)) in from.iter().enumerate() {
            let from = self.warp.at.register_index(*from);
            let (words, longs) = (&file.words[from], &file.longs[from]);
            // SAFETY: `resolve_addresses` has checked that each active lane's bytes are valid and aligned.
            let store = |lane: usize, bytes, value| unsafe {
                store_atomic(host_pointer_to(places[lane]), bytes, index * bytes, value);
            };
            match (bytes, is_long) {
                (4, false) => for_each_lane(active, |lane| store(lane, 4, words[lane].into())),
                (_, false) => for_each_lane(active, |lane| store(lane, bytes, words[lane].into())),
                (_, true) => for_each_lane(active, |lane| store(lane, bytes, longs[lane])),
            }
        }
        Ok(())
    }

    /// Runs `cp.async`. `places` are the target and the source. Each active thread writes `bytes` bytes to its target.
    /// The register `count` has the number of bytes that the thread copies from its source. The other bytes are zeros.
    pub fn copy_async(&mut self, places: [&MemoryOperand; 2], bytes: usize, count: Register) -> FaultResult {
        let ([to, from], all) = (places, self.warp.at.active);
        self.resolve_addresses(to, bytes, true)?;
        let (targets, counts) = (self.places, *self.warp.register_words(count));
        // Without bytes to copy, the source may be any address.
        self.warp.at.active = mask_of_lanes(lanes_in(all).filter(|lane| counts[*lane] != 0));
        if self.warp.at.active != 0 {
            self.resolve_addresses(from, bytes, false)?;
        }
        for lane in lanes_in(all) {
            for offset in 0..bytes {
                let is_copied = offset < counts[lane] as usize;
                // SAFETY: `resolve_addresses` has checked each thread's target and, if the thread copies bytes, the
                // source.
                unsafe {
                    let byte = if is_copied {
                        load_atomic(host_pointer_to(self.places[lane]), 1, offset)
                    } else {
                        0
                    };
                    store_atomic(host_pointer_to(targets[lane]), 1, offset, byte);
                }
            }
        }
        Ok(())
    }

    /// Checks the access of each active thread, and writes the address of the access in this process to `places`.
    #[inline(never)]
    pub fn resolve_addresses(&mut self, address: &MemoryOperand, bytes: usize, writes: bool) -> FaultResult {
        let (at, warp) = (self.warp.at, &mut self.warp);
        let access = MemoryAccess { space: address.space, bytes, writes };
        // For four threads or fewer, single checks are faster than the check below of all 32 threads.
        if at.active.count_ones() <= 4 {
            for lane in lanes_in(at.active) {
                let base = match address.base {
                    Some(source) => self.warp.lane_value(source, lane),
                    None => self.warp.frame[lane].into(),
                };
                let address = base.wrapping_add_signed(address.offset);
                self.places[lane] = self.find_lane_address(lane, address, access)?;
            }
            return Ok(());
        }
        let leader = at.active.trailing_zeros() as usize;
        let others;
        let bases = match address.base {
            Some((source, true)) if at.active == !0 => &warp.file.longs[at.register_index(source)],
            base => {
                let mut all = match base {
                    Some(source) => warp.register_longs(source),
                    None => map_lanes(&warp.frame, u64::from),
                };
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
        let known = self.block.find_span(&mut warp.local, space, first);
        if let Some(mut span) = known.filter(|span| !(writes && span.is_read_only)) {
            if space != AddressSpace::Global {
                span.start = window;
            }
            let mut all = 0;
            let offset = address.offset.wrapping_sub_unsigned(span.start);
            for (place, base) in self.places.iter_mut().zip(bases) {
                let distance = base.wrapping_add_signed(offset);
                all |= distance;
                *place = distance.wrapping_add(span.host);
            }
            if span.apart != 0 {
                self.places.iter_mut().zip(0..).for_each(|(place, lane)| *place += lane * span.apart);
            }
            // `all`, the bitwise OR of all distances, is not less than the largest distance.
            let is_inside = all.checked_add(bytes as u64).is_some_and(|end| end <= span.size);
            if is_inside && (all | span.start) & (bytes as u64 - 1) == 0 {
                return Ok(());
            }
        }
        self.places = map_lanes(bases, |base| base.wrapping_add_signed(address.offset));
        for lane in lanes_in(at.active) {
            self.places[lane] = self.check_lane_address(lane, self.places[lane], access)?;
        }
        Ok(())
    }

    /// Returns the address in this process of one thread's access, or the access's fault.
    #[inline(always)]
    pub fn find_lane_address(&mut self, lane: usize, address: u64, access: MemoryAccess) -> FaultResult<u64> {
        // Most accesses are to `span`, the range of global memory that the block used last, so this check comes first.
        let (span, bytes) = (&self.block.span, access.bytes as u64);
        let distance = address.wrapping_sub(span.start);
        let is_inside = distance < span.size && bytes <= span.size - distance;
        if is_inside
            && matches!(access.space, AddressSpace::Generic | AddressSpace::Global)
            && address & (bytes - 1) == 0
            && !(access.writes && span.is_read_only)
        {
            return Ok(span.host + distance);
        }
        self.check_lane_address(lane, address, access)
    }

    #[inline(never)]
    fn check_lane_address(&mut self, lane: usize, address: u64, access: MemoryAccess) -> FaultResult<u64> {
        let MemoryAccess { mut space, bytes, writes } = access;
        if space == AddressSpace::Generic {
            space = generic_space(address);
        }
        let fault = |kind: FaultKind, why: &str| {
            let how = if writes { "written to" } else { "read from" };
            let what = format!("{bytes} bytes are {how} {address:#x} of {space:?} memory: {why}");
            thread_fault(kind, lane, what)
        };
        if address & (bytes as u64 - 1) != 0 {
            return fault(FaultKind::MisalignedAddress, "not aligned");
        }
        let is_global = space == AddressSpace::Global;
        let address = if is_global { address } else { address & 0xffff_ffff };
        let Some(span) = self.block.find_span(&mut self.warp.local, space, address) else {
            return fault(FaultKind::IllegalAddress, "not memory of the device");
        };
        let distance = address - span.start;
        if distance.saturating_add(bytes as u64) > span.size || (writes && span.is_read_only) {
            // A GPU reports an illegal instruction for an address far outside of shared memory (measured).
            let is_wild = space == AddressSpace::Shared && distance >= 1 << 24;
            let kind = if is_wild { FaultKind::IllegalInstruction } else { FaultKind::IllegalAddress };
            return fault(kind, if is_global { "past the end of an allocation" } else { "outside of it" });
        }
        Ok(span.host + distance + lane as u64 * span.apart)
    }

    pub fn read_generic(&mut self, lane: usize, address: u64, bytes: usize) -> FaultResult<u64> {
        let access = MemoryAccess { space: AddressSpace::Generic, bytes, writes: false };
        let place = self.find_lane_address(lane, address, access)?;
        // SAFETY: `find_lane_address` has checked that these bytes are readable and aligned.
        Ok(unsafe { load_atomic(host_pointer_to(place), bytes, 0) })
    }
}

impl super::thread_block::ThreadBlock<'_> {
    /// Returns the memory of a space or, for global memory, the range that contains an address.
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
        let (host, is_read_only) = (memory.expose_provenance() as u64, space == AddressSpace::Parameters);
        Some(MemorySpan { start: 0, size: size as u64, host, apart, is_read_only })
    }

    /// Returns the range of global memory that contains an address, and keeps the range in `spans`.
    fn find_global_span(&mut self, address: u64) -> Option<MemorySpan> {
        let is_in = |span: &&MemorySpan| address.wrapping_sub(span.start) < span.size;
        if let Some(known) = self.spans.iter().find(is_in) {
            self.span = *known;
            return Some(self.span);
        }
        let module = &self.run.kernel.memory;
        let own = Some(module.variables.clone()).filter(|range| range.contains(&address));
        let own = own.or_else(|| module.heap.address_range().filter(|range| range.contains(&address)));
        let is_read_only = own.is_none() && self.run.memory.is_read_only(address);
        let range = own.or_else(|| self.run.memory.accessible_range(address));
        let Range { start, end } = range.filter(|range| range.contains(&address))?;
        self.span = MemorySpan { start, size: end - start, host: start, apart: 0, is_read_only };
        self.spans.push(self.span);
        Some(self.span)
    }
}

#[inline(always)]
fn for_each_lane(mask: u32, one: impl FnMut(usize)) {
    if mask == !0 { (0..WARP_SIZE).for_each(one) } else { lanes_in(mask).for_each(one) }
}

fn generic_space(address: u64) -> AddressSpace {
    match address >> WINDOW {
        SHARED => AddressSpace::Shared,
        LOCAL => AddressSpace::Local,
        PARAMETERS => AddressSpace::Parameters,
        _ => AddressSpace::Global,
    }
}
