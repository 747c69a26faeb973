//! Memory: where each thread of a warp accesses it, after all checks.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::block::Block;
use super::fault::{Bad, FaultKind};
use super::warp::{At, Warp};
use super::{lanes, mask_of};
use crate::program::{Address, Source, Space};
use crate::spaces::{LOCAL, PARAMETERS, SHARED, WINDOW};
use crate::values::Lanes;

pub type Pointers = [*mut u8; 32];

impl Block<'_> {
    pub fn get<'w>(&'w self, warp: &'w Warp, at: At, source: Source) -> &'w Lanes {
        warp.get(&self.run.kernel.program, at.base, source)
    }

    pub fn load(
        &mut self,
        warp: &mut Warp,
        at: At,
        address: &Address,
        bytes: usize,
        signed: bool,
        to: &[u32],
    ) -> Result<(), Bad> {
        let pointers = self.pointers(warp, at, address, bytes * to.len(), false)?;
        for (index, to) in to.iter().enumerate() {
            warp.set(at, *to, &load(&pointers, at.active, bytes, index * bytes, signed));
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
        let pointers = self.pointers(warp, at, address, bytes * from.len(), true)?;
        for (index, from) in from.iter().enumerate() {
            store(&pointers, at.active, bytes, index * bytes, self.get(warp, at, *from));
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
        let to = self.pointers(warp, at, to, bytes, true)?;
        let given = given.map_or([bytes as u64; 32], |source| *self.get(warp, at, source));
        // Nothing is read where nothing is given.
        let active = mask_of(lanes(at.active).filter(|lane| given[*lane] as u32 != 0));
        let from = self.pointers(warp, At { active, ..at }, from, bytes, false)?;
        for lane in lanes(at.active) {
            let length = (given[lane] as u32 as usize).min(bytes);
            for offset in 0..bytes {
                // SAFETY: `pointers` has checked `bytes` bytes of both.
                unsafe {
                    let byte = if offset < length { load_one(from[lane], 1, offset) } else { 0 };
                    store_one(to[lane], 1, offset, byte);
                }
            }
        }
        Ok(())
    }

    /// Returns where each thread accesses this many bytes.
    #[inline(always)]
    pub fn pointers(
        &mut self,
        warp: &mut Warp,
        at: At,
        address: &Address,
        bytes: usize,
        writes: bool,
    ) -> Result<Pointers, Bad> {
        let mut pointers = [std::ptr::null_mut(); 32];
        self.point(warp, at, address, (bytes, writes), &mut pointers)?;
        Ok(pointers)
    }

    fn point(
        &mut self,
        warp: &mut Warp,
        at: At,
        address: &Address,
        (bytes, writes): (usize, bool),
        pointers: &mut Pointers,
    ) -> Result<(), Bad> {
        let mut places = match address.base {
            None => warp.frame.map(u64::from),
            Some(source) => *self.get(warp, at, source),
        };
        let is_everybodys = matches!(address.space, Space::Global | Space::Generic);
        let window = if is_everybodys { !0 } else { 0xffff_ffff };
        // The most frequent case: all threads access one range, aligned.
        let (mut low, mut high, mut any) = (u64::MAX, 0, 0);
        for (lane, place) in places.iter_mut().enumerate() {
            *place = place.wrapping_add_signed(address.offset) & window;
            if at.active >> lane & 1 == 1 {
                (low, high, any) = (low.min(*place), high.max(*place), any | *place);
            }
        }
        let is_aligned = any & (bytes as u64 - 1) == 0;
        if is_everybodys {
            if is_aligned && self.is_in_one_range(low, high, bytes as u64) {
                for (pointer, place) in pointers.iter_mut().zip(&places) {
                    *pointer = std::ptr::with_exposed_provenance_mut(*place as usize);
                }
                return Ok(());
            }
        } else {
            let (start, size, apart) = self.window(warp, address.space);
            let is_written = writes && address.space == Space::Parameters;
            if is_aligned && high as usize + bytes <= size && !is_written {
                for (lane, (pointer, place)) in pointers.iter_mut().zip(&places).enumerate() {
                    *pointer = start.wrapping_add(*place as usize + lane * apart);
                }
                return Ok(());
            }
        }
        for lane in lanes(at.active) {
            pointers[lane] = self.pointer(warp, lane, (address.space, places[lane]), bytes, writes)?;
        }
        Ok(())
    }

    fn is_in_one_range(&mut self, low: u64, high: u64, bytes: u64) -> bool {
        let is_in = |range: &(u64, u64)| low >= range.0 && high <= range.1.saturating_sub(bytes);
        if is_in(&self.range) {
            return true;
        }
        let found = self.ranges.iter().find(|range| is_in(range));
        found.map(|range| self.range = *range).is_some()
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
    fn pointer(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (space, address): (Space, u64),
        bytes: usize,
        writes: bool,
    ) -> Result<*mut u8, Bad> {
        let (space, offset) = match (space, address >> WINDOW) {
            (Space::Generic, SHARED) => (Space::Shared, address & 0xffff_ffff),
            (Space::Generic, LOCAL) => (Space::Local, address & 0xffff_ffff),
            (Space::Generic, PARAMETERS) => (Space::Parameters, address & 0xffff_ffff),
            (Space::Generic | Space::Global, _) => (Space::Global, address),
            _ => (space, address & 0xffff_ffff),
        };
        let bad = |kind: FaultKind, why: &str| {
            let how = if writes { "written to" } else { "read from" };
            let what = format!("{bytes} bytes are {how} {address:#x} of {space:?} memory: {why}");
            Err(Bad { kind, lane, address: Some(address), what })
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
            return Ok(std::ptr::with_exposed_provenance_mut(offset as usize));
        }
        let (start, size, apart) = self.window(warp, space);
        if offset as usize + bytes > size || (writes && space == Space::Parameters) {
            // An address that no window of shared memory can have (measured).
            let is_wild = space == Space::Shared && offset >= 1 << 24;
            let kind = if is_wild { FaultKind::IllegalInstruction } else { FaultKind::IllegalAddress };
            return bad(kind, "outside of it");
        }
        Ok(start.wrapping_add(offset as usize + lane * apart))
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
        let pointer = self.pointer(warp, lane, (Space::Generic, address), size, false)?;
        // SAFETY: `pointer` has checked it.
        Ok(unsafe { load_one(pointer, size, 0) })
    }
}

/// # Safety
///
/// `pointer`, `offset` bytes further, is aligned memory of this size that lives. Others may access it meanwhile, as on a GPU.
#[inline(always)]
pub unsafe fn load_one(pointer: *mut u8, bytes: usize, offset: usize) -> u64 {
    // SAFETY: the caller's promise.
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
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer.add(offset)).store(value as u8, Ordering::Relaxed),
            2 => AtomicU16::from_ptr(pointer.add(offset).cast()).store(value as u16, Ordering::Relaxed),
            4 => AtomicU32::from_ptr(pointer.add(offset).cast()).store(value as u32, Ordering::Relaxed),
            _ => AtomicU64::from_ptr(pointer.add(offset).cast()).store(value, Ordering::Relaxed),
        }
    }
}

/// Runs a loop over lanes with the number of bytes as a constant.
macro_rules! by_width {
    ($bytes:expr, |$width:ident| $body:expr) => {
        match $bytes {
            1 => {
                const $width: usize = 1;
                $body
            }
            2 => {
                const $width: usize = 2;
                $body
            }
            4 => {
                const $width: usize = 4;
                $body
            }
            _ => {
                const $width: usize = 8;
                $body
            }
        }
    };
}

fn load(pointers: &Pointers, active: u32, bytes: usize, offset: usize, signed: bool) -> Lanes {
    let mut out = [0; 32];
    by_width!(bytes, |WIDTH| for lane in lanes(active) {
        // SAFETY: `Block::pointers` has checked each active lane's.
        out[lane] = unsafe { load_one(pointers[lane], WIDTH, offset) };
    });
    if signed && bytes < 8 {
        let shift = 64 - 8 * bytes as u32;
        out = out.map(|value| ((value << shift) as i64 >> shift) as u64);
    }
    out
}

fn store(pointers: &Pointers, active: u32, bytes: usize, offset: usize, values: &Lanes) {
    by_width!(bytes, |WIDTH| for lane in lanes(active) {
        // SAFETY: `Block::pointers` has checked each active lane's.
        unsafe { store_one(pointers[lane], WIDTH, offset, values[lane]) };
    });
}
