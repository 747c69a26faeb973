//! Memory: where each thread of a warp accesses it, after all checks.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::block::Block;
use super::fault::{Bad, FaultKind, Reason};
use super::warp::{At, Warp};
use super::{lanes, mask_of};
use crate::program::{Address, Source, Space};
use crate::spaces::{LOCAL, PARAMETERS, SHARED, WINDOW};
use crate::values::{WARP, map};

/// Where each thread accesses memory. Those of threads that do not take part are another thread's.
pub type Places = [u64; WARP];

impl Block<'_> {
    /// Loads registers, each of which has 64 bits or not, one after the other.
    pub fn load(
        &mut self,
        warp: &mut Warp,
        at: At,
        address: &Address,
        (bytes, signed): (usize, bool),
        to: &[(u32, bool)],
    ) -> Result<(), Bad> {
        let places = &mut [0; WARP];
        self.places(warp, at, address, bytes * to.len(), false, places)?;
        for (index, (to, wide)) in to.iter().enumerate() {
            // SAFETY: `places` has checked so many bytes.
            let load = |place: u64, bytes| unsafe { load_one(pointer(place), bytes, index * bytes) };
            let mut values = match bytes {
                1 => map(places, |place| load(place, 1) as u32),
                2 => map(places, |place| load(place, 2) as u32),
                4 => map(places, |place| load(place, 4) as u32),
                _ => {
                    warp.set_long(at, *to, &map(places, |place| load(place, 8)));
                    continue;
                }
            };
            if signed {
                let unused = 32 - 8 * bytes as u32;
                values = map(&values, |value| ((value << unused) as i32 >> unused) as u32);
            }
            warp.set(at, *to, &values);
            if *wide {
                let sign = map(&values, |value| if signed { (value as i32 >> 31) as u32 } else { 0 });
                warp.set(at, to + WARP as u32, &sign);
            }
        }
        Ok(())
    }

    pub fn store(
        &mut self,
        warp: &mut Warp,
        at: At,
        address: &Address,
        bytes: usize,
        from: &[Source],
    ) -> Result<(), Bad> {
        let places = &mut [0; WARP];
        self.places(warp, at, address, bytes * from.len(), true, places)?;
        for (index, from) in from.iter().enumerate() {
            let values = warp.get(at, *from);
            for lane in lanes(at.active) {
                let value = if bytes == 8 { warp.long(at, *from, lane) } else { values[lane].into() };
                // SAFETY: `places` has checked so many bytes.
                unsafe { store_one(pointer(places[lane]), bytes, index * bytes, value) };
            }
        }
        Ok(())
    }

    /// `cp.async`: bytes that are not given are zero.
    pub fn copy(
        &mut self,
        warp: &mut Warp,
        at: At,
        [to, from]: [&Address; 2],
        bytes: usize,
        given: Option<Source>,
    ) -> Result<(), Bad> {
        let (targets, sources) = (&mut [0; WARP], &mut [0; WARP]);
        self.places(warp, at, to, bytes, true, targets)?;
        let given = given.map_or([bytes as u32; WARP], |source| *warp.get(at, source));
        // Nothing is read where nothing is given.
        let active = mask_of(lanes(at.active).filter(|lane| given[*lane] != 0));
        if active != 0 {
            self.places(warp, At { active, ..at }, from, bytes, false, sources)?;
        }
        for lane in lanes(at.active) {
            for offset in 0..bytes {
                let is_given = offset < given[lane] as usize;
                // SAFETY: `places` has checked so many bytes of both.
                unsafe {
                    let byte = if is_given { load_one(pointer(sources[lane]), 1, offset) } else { 0 };
                    store_one(pointer(targets[lane]), 1, offset, byte);
                }
            }
        }
        Ok(())
    }

    /// Finds where each thread accesses this many bytes.
    #[inline(always)]
    pub fn places(
        &mut self,
        warp: &mut Warp,
        at: At,
        address: &Address,
        bytes: usize,
        writes: bool,
        out: &mut Places,
    ) -> Result<(), Bad> {
        let (mut space, leader) = (address.space, at.active.trailing_zeros() as usize);
        let is_everybodys = matches!(space, Space::Global | Space::Generic);
        match address.base {
            Some((source, wide)) if is_everybodys => {
                let low = warp.get(at, source);
                let high = if wide { warp.get(at, source + WARP as u32) } else { &[0; WARP] };
                for (lane, place) in out.iter_mut().enumerate() {
                    let base = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                    *place = base.wrapping_add_signed(address.offset);
                }
            }
            base => {
                let words = base.map_or(&warp.frame, |(source, _)| warp.get(at, source));
                *out = map(words, |word| word.wrapping_add(address.offset as u32).into());
            }
        }
        if at.active != !0 {
            let place = out[leader];
            lanes(!at.active).for_each(|lane| out[lane] = place);
        }
        if is_everybodys {
            if self.is_in_one_range(out, leader, bytes as u64) {
                return Ok(());
            }
            let first = out[leader] >> WINDOW;
            space = space_of(first);
            let apart = out.iter().fold(0, |apart, place| apart | place >> WINDOW ^ first);
            if space == Space::Global || apart != 0 {
                return self.each(warp, at.active, address.space, bytes, writes, out);
            }
            *out = map(out, |place| place & 0xffff_ffff);
        }
        // Memory that is not everybody's.
        let (start, size, apart) = self.window(warp, space);
        let any = out.iter().fold(0, |any, place| any | place) as usize;
        // The union of all offsets is not less than the largest.
        if any + bytes > size || any & (bytes - 1) != 0 || (writes && space == Space::Parameters) {
            return self.each(warp, at.active, space, bytes, writes, out);
        }
        let start = start.expose_provenance() as u64;
        out.iter_mut().for_each(|place| *place += start);
        if apart != 0 {
            out.iter_mut().zip(0..).for_each(|(place, lane)| *place += lane * apart as u64);
        }
        Ok(())
    }

    /// Finds the places one by one.
    #[cold]
    #[inline(never)]
    fn each(
        &mut self,
        warp: &mut Warp,
        active: u32,
        space: Space,
        bytes: usize,
        writes: bool,
        out: &mut Places,
    ) -> Result<(), Bad> {
        for lane in lanes(active) {
            out[lane] = self.place(warp, lane, (space, out[lane]), bytes, writes)?;
        }
        let place = out[active.trailing_zeros() as usize];
        lanes(!active).for_each(|lane| out[lane] = place);
        Ok(())
    }

    /// Whether all places are aligned and certainly in one range that was used before.
    #[inline(always)]
    fn is_in_one_range(&mut self, places: &Places, leader: usize, bytes: u64) -> bool {
        let is_in = |range: &(u64, u64)| (range.0..range.1).contains(&places[leader]);
        if !is_in(&self.range) {
            let Some(range) = self.ranges.iter().copied().find(is_in) else { return false };
            self.range = range;
        }
        let (start, end) = self.range;
        let (mut any, mut far) = (0, 0);
        for place in places {
            any |= place;
            far |= place.wrapping_sub(start);
        }
        // The union of all distances is not less than the largest.
        any & (bytes - 1) == 0 && far.checked_add(bytes).is_some_and(|far| far <= end - start)
    }

    /// The start and the size of memory that is not everybody's, and how far apart the threads' are.
    fn window(&mut self, warp: &mut Warp, space: Space) -> (*mut u8, usize, usize) {
        match space {
            Space::Shared => (self.shared.as_mut_ptr().cast(), self.shared_bytes, 0),
            Space::Parameters => {
                let parameters = &self.run.parameters;
                (parameters.as_ptr().cast::<u8>().cast_mut(), parameters.len() * 8, 0)
            }
            _ => (warp.local.as_mut_ptr().cast(), self.stride, self.stride),
        }
    }

    /// Returns where one thread accesses memory, with the reason if it must not.
    pub fn place(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (space, address): (Space, u64),
        bytes: usize,
        writes: bool,
    ) -> Result<u64, Bad> {
        let space = if space == Space::Generic { space_of(address >> WINDOW) } else { space };
        let offset = if space == Space::Global { address } else { address & 0xffff_ffff };
        let bad = |kind: FaultKind, why: &str| {
            let how = if writes { "written to" } else { "read from" };
            let what = format!("{bytes} bytes are {how} {address:#x} of {space:?} memory: {why}");
            Err(Box::new(Reason { kind, lane, address: Some(address), what }))
        };
        if offset & (bytes as u64 - 1) != 0 {
            return bad(FaultKind::MisalignedAddress, "not aligned");
        }
        if space == Space::Global {
            let Some(range) = self.find_range(offset) else {
                return bad(FaultKind::IllegalAddress, "not memory of the device");
            };
            if range.1 - offset < bytes as u64 {
                return bad(FaultKind::IllegalAddress, "past the end of an allocation");
            }
            return Ok(offset);
        }
        let (start, size, apart) = self.window(warp, space);
        if offset as usize + bytes > size || (writes && space == Space::Parameters) {
            // An address that no window of shared memory can have (measured).
            let is_wild = space == Space::Shared && offset >= 1 << 24;
            let kind = if is_wild { FaultKind::IllegalInstruction } else { FaultKind::IllegalAddress };
            return bad(kind, "outside of it");
        }
        Ok(start.expose_provenance() as u64 + offset + (lane * apart) as u64)
    }

    /// Returns the range of an address, which later accesses find at once.
    fn find_range(&mut self, address: u64) -> Option<(u64, u64)> {
        let variables = &self.run.kernel.memory;
        let range = if variables.contains(&address) {
            variables.clone()
        } else {
            self.run.memory.range(address).filter(|range| range.contains(&address))?
        };
        self.range = (range.start, range.end);
        if !self.ranges.contains(&self.range) {
            self.ranges.push(self.range);
        }
        Some(self.range)
    }

    /// Reads a value at a generic address.
    pub fn read(&mut self, warp: &mut Warp, lane: usize, address: u64, size: usize) -> Result<u64, Bad> {
        let place = self.place(warp, lane, (Space::Generic, address), size, false)?;
        // SAFETY: `place` has checked it.
        Ok(unsafe { load_one(pointer(place), size, 0) })
    }
}

fn space_of(window: u64) -> Space {
    match window {
        SHARED => Space::Shared,
        LOCAL => Space::Local,
        PARAMETERS => Space::Parameters,
        _ => Space::Global,
    }
}

#[inline(always)]
pub fn pointer(place: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(place as usize)
}

/// # Safety
///
/// `pointer`, `offset` bytes further, is aligned memory of this size that lives. Others may access it meanwhile, as on a GPU.
#[inline(always)]
pub unsafe fn load_one(pointer: *mut u8, bytes: usize, offset: usize) -> u64 {
    // SAFETY: the caller guarantees it.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer.add(offset)).load(Ordering::Relaxed).into(),
            2 => AtomicU16::from_ptr(pointer.add(offset).cast()).load(Ordering::Relaxed).into(),
            4 => AtomicU32::from_ptr(pointer.add(offset).cast()).load(Ordering::Relaxed).into(),
            _ => AtomicU64::from_ptr(pointer.add(offset).cast()).load(Ordering::Relaxed),
        }
    }
}

/// # Safety
///
/// `pointer`, `offset` bytes further, is aligned memory of this size that lives. Others may access it meanwhile, as on a GPU.
#[inline(always)]
pub unsafe fn store_one(pointer: *mut u8, bytes: usize, offset: usize, value: u64) {
    // SAFETY: the caller guarantees it.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer.add(offset)).store(value as u8, Ordering::Relaxed),
            2 => AtomicU16::from_ptr(pointer.add(offset).cast()).store(value as u16, Ordering::Relaxed),
            4 => AtomicU32::from_ptr(pointer.add(offset).cast()).store(value as u32, Ordering::Relaxed),
            _ => AtomicU64::from_ptr(pointer.add(offset).cast()).store(value, Ordering::Relaxed),
        }
    }
}
